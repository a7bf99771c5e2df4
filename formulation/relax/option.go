package relax

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/depths"
)

// ModeOptions is a mode from the view of the plans of single jobs: the length
// of a task or a synchronisation there, the ways in which an iteration's depths
// can be assigned, and the link rows that a synchronisation loads.
type ModeOptions struct {
	Mode    *Mode
	Options []Option
}

// Option is a group of depth multisets whose synchronisations are equally long.
// Only multisets in which no worker can become shallower are listed: deeper
// ones cost more in every respect.
type Option struct {
	Multisets [][]int // by multiset, depth
	Sync      int64   // ticks of the synchronisation at the fastest rate
	Volume    instance.Bytes
}

// Limits on how finely options are distinguished; beyond them the relaxation is
// coarser.
const (
	maxMultisets  = 24      // minimal multisets of a job
	maxEnumerated = 200_000 // multisets examined
	maxOptions    = 4       // lengths of the synchronisation in a mode
)

// ModeOptions lists the modes in which a job can run, without those that
// another mode dominates.
func (m *Model) ModeOptions(d *Class) []ModeOptions {
	var list []ModeOptions
	for i := range d.Modes {
		mode := &d.Modes[i]
		w := ModeOptions{Mode: mode}
		for _, counts := range m.Multisets(d) {
			if !m.fitsIn(d, mode, counts) {
				continue
			}
			sync, volume := m.syncOf(d, mode, counts)
			w.Options = append(w.Options, Option{[][]int{counts}, sync, volume})
		}
		if w.Options = merge(w.Options); len(w.Options) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// fitsIn reports whether every depth of the multiset has a pool of the mode
// with the memory for it.
func (m *Model) fitsIn(d *Class, o *Mode, counts []int) bool {
	for depth, n := range counts {
		if n > 0 && !slices.ContainsFunc(o.Pools, func(p int) bool { return d.Fits[m.Network.Pools[p].GPUType][depth] }) {
			return false
		}
	}
	return true
}

// syncOf returns the least length and volume of a synchronisation.
func (m *Model) syncOf(d *Class, o *Mode, counts []int) (int64, instance.Bytes) {
	if d.RelaxedRule() {
		return int64(o.Sync), o.Volume
	}
	sync, volume := m.leastSync(o, func(parties int) instance.Bytes { return d.Job.Volume(counts, parties) })
	return int64(sync), volume
}

// merge joins options of equal synchronisations, and then the closest ones,
// until there are few. A joined option gets the least of both.
func merge(list []Option) []Option {
	slices.SortStableFunc(list, func(a, b Option) int { return cmp.Compare(a.Sync, b.Sync) })
	for i := 1; i < len(list); {
		if list[i].Sync == list[i-1].Sync {
			list = fuse(list, i)
		} else {
			i++
		}
	}
	for len(list) > maxOptions {
		closest := 1
		for i := 2; i < len(list); i++ {
			if list[i].Sync-list[i-1].Sync < list[closest].Sync-list[closest-1].Sync {
				closest = i
			}
		}
		list = fuse(list, closest)
	}
	return list
}

// fuse joins option i to the one before it.
func fuse(list []Option, i int) []Option {
	a, b := &list[i-1], list[i]
	a.Multisets = append(a.Multisets, b.Multisets...)
	a.Volume = min(a.Volume, b.Volume)
	return slices.Delete(list, i, i+1)
}

// RelaxedRule reports whether the job has too many multisets to list, so that
// [Model.Multisets] relaxes its rule.
func (d *Class) RelaxedRule() bool { return d.relaxed }

// Multisets returns the depth multisets that matter. A job with more than
// [maxMultisets] of them has its rule relaxed to mixes of two depths beside the
// full workers, rounded down to whole workers.
func (m *Model) Multisets(d *Class) [][]int {
	j := d.Job
	if d.minimal == nil {
		list, ok := depths.Minimal(j, maxMultisets, maxEnumerated)
		d.minimal, d.relaxed = list, !ok
	}
	if !d.relaxed {
		return d.minimal
	}
	full := j.Full()
	rest := int64(j.Workers - j.Rule.MinFull)
	share := j.Rule.MinShare - int64(j.Rule.MinFull)*j.Depths[full].Share
	var list [][]int
	for a := range j.Depths {
		sa := j.Depths[a].Share
		for b := a; b < len(j.Depths); b++ {
			x, sb := int64(0), j.Depths[b].Share
			switch {
			case a == b && rest*sa < share, a != b && (rest*sa >= share || rest*sb < share):
				continue
			case a != b:
				x = (share - rest*sa) / (sb - sa)
			}
			counts := make([]int, len(j.Depths))
			counts[full] = j.Rule.MinFull
			counts[a] += int(rest - x)
			counts[b] += int(x)
			list = append(list, counts)
		}
	}
	return list
}
