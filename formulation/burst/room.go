package burst

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// Room holds the memory demand of layers on the first GPU, which all of them use.
type Room struct {
	// Kept by a layer on each number of GPUs, by layer and index into [Chain.GPUs].
	Kept [][]instance.Bytes
	// Workspace of tasks, by index into [Chain.GPUs]: the largest of the numbers used counts once.
	Workspace []instance.Bytes
	Memory    instance.Bytes
}

// mostWays keeps the search for stages that fit in memory within seconds.
const mostWays = 5000

// Within is the fastest plan within a limit that also fits in memory, and why it is not the fastest of all. If there is
// no such plan why says so, and proven whether that is proven.
func (c *Chain) Within(limit instance.Ratio, room Room) (plan *Plan, why string, proven bool) {
	fastest := c.Fastest(limit)
	bytes := room.Bytes(c, fastest.Widths, 0)
	if bytes <= room.Memory {
		return &fastest, "", false
	}
	plan, least, exact := c.fastestWithin(limit, room, mostWays)
	if plan == nil {
		return nil, fmt.Sprintf("no stages within the limit fit in memory: the smallest take %s of the %s of its first GPU; choose a smaller batch, more GPUs or a higher limit", least, room.Memory), exact
	}
	return plan, fmt.Sprintf("the fastest stages, %s, would take %s of the %s of its first GPU: those chosen are the fastest that fit", fastest.Time, bytes, room.Memory), false
}

// fastestWithin is the fastest plan within a limit that also fits in memory, if there is one; among equals that of
// fewest bytes. least is a lower limit on the bytes of every plan within the limit. It keeps most ways of fronts of
// time and bytes, as [Chain.Front] does.
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

// full exceeds any memory, and can be added to what does not.
const full = instance.Bytes(forever)

// NewRoom computes what the layers of a job of a global batch keep: parameters with their training state, each
// bytes per byte of parameters, and activations, from the forward pass to the backward pass.
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

// Bytes of the layers on a GPU.
func (r *Room) Bytes(c *Chain, widths []int, gpu int) (sum instance.Bytes) {
	workspace := instance.Bytes(0)
	for l, w := range widths {
		if j := c.index(w); w > gpu {
			sum, workspace = min(sum+r.Kept[l][j], full), max(workspace, r.Workspace[j])
		}
	}
	return sum + workspace
}
