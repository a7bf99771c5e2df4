package burst

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// Room says what layers have in memory on the first GPU, which all of them are on.
type Room struct {
	// Kept by a layer on each number of GPUs, by layer and index into [Chain.GPUs].
	Kept [][]instance.Bytes
	// Workspace of tasks, by index into [Chain.GPUs]: the most of the numbers that are used counts once.
	Workspace []instance.Bytes
	Memory    instance.Bytes
}

// mostWays keeps the search for stages that fit into memory within seconds.
const mostWays = 5000

// Within is the fastest plan within a limit that also has room in memory, and why it is not the fastest of all. Where there is no such plan
// why says so, and proven whether there is none.
func (c *Chain) Within(limit instance.Ratio, room Room) (plan *Plan, why string, proven bool) {
	fastest := c.Fastest(limit)
	bytes := room.Bytes(c, fastest.Widths, 0)
	if bytes <= room.Memory {
		return &fastest, "", false
	}
	plan, least, exact := c.fastestWithin(limit, room, mostWays)
	if plan == nil {
		return nil, fmt.Sprintf("no stages within the limit have room: those that take least take %s of the %s of its first GPU; choose a smaller batch, more GPUs or a higher limit", least, room.Memory), exact
	}
	return plan, fmt.Sprintf("the fastest stages, %s, would take %s of the %s of its first GPU: those chosen are the fastest that have room", fastest.Time, bytes, room.Memory), false
}

// fastestWithin is the fastest plan within a limit that also has room in memory, if there is one, of several that of fewest bytes. least is what every
// plan within the limit takes at least. Of fronts of time and bytes it keeps most ways, as [Chain.Front] does.
func (c *Chain) fastestWithin(limit instance.Ratio, room Room, most int) (best *Plan, least instance.Bytes, exact bool) {
	least, exact = full, true
	spaces := slices.Clone(room.Workspace)
	slices.Sort(spaces)
	for _, workspace := range slices.Compact(spaces) {
		ends, all := c.front(limit, most, func(l, i, j int) (cost, bool) {
			return cost{c.time(l, i, j), instance.Duration(min(room.Kept[l][j], full))}, room.Workspace[j] <= workspace
		})
		exact = exact && all
		for _, end := range ends {
			bytes := min(instance.Bytes(end.gpu), full) + workspace
			least = min(least, bytes)
			if p := c.plan(end); bytes <= room.Memory && (best == nil || p.Time < best.Time) {
				best = &p
			}
		}
	}
	return best, least, exact
}

// full is more than any memory, and can be added up with what is not.
const full = instance.Bytes(forever)

// NewRoom says what the layers of a job of a global batch keep: parameters, and what training keeps beside them, so many bytes in all for
// each, and activations, from the forward pass to the backward pass.
func NewRoom(profiles []*instance.Profile, batch int, each int64, c *Chain, memory instance.Bytes) (r Room, err error) {
	table, err := newScaling(profiles)
	if err != nil {
		return r, err
	}
	r.Memory = memory
	for _, g := range c.GPUs {
		r.Workspace = append(r.Workspace, table.nearest(batch/g).Workspace)
	}
	for l := range c.Layers {
		var kept []instance.Bytes
		for _, g := range c.GPUs {
			p := table.nearest(batch / g)
			kept = append(kept, instance.Bytes(each)*p.Layers[l].Parameters+instance.Bytes(portion(instance.Duration(p.Layers[l].Activations), batch/g, p.Batch)))
		}
		r.Kept = append(r.Kept, kept)
	}
	return r, nil
}

// Bytes of the layers that are on a GPU.
func (r *Room) Bytes(c *Chain, widths []int, gpu int) (sum instance.Bytes) {
	workspace := instance.Bytes(0)
	for l, w := range widths {
		if j := c.index(w); w > gpu {
			sum, workspace = min(sum+r.Kept[l][j], full), max(workspace, r.Workspace[j])
		}
	}
	return sum + workspace
}
