package formulation

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// way is a mode as the plans of single jobs see it: what a task or a
// synchronisation takes there, in which ways an iteration's depths can be dealt
// out, and which link rows a synchronisation loads.
type way struct {
	mode    *mode
	recipes []recipe
}

// recipe is a group of depth multisets whose synchronisations last equally
// long. Only multisets are listed from which no worker can step down: deeper
// ones cost more in every respect.
type recipe struct {
	counts [][]int // by multiset, depth
	sync   int64   // ticks of the synchronisation at the fastest rate
	volume instance.Bytes
}

// Limits on what is told apart; beyond them the relaxation is coarser.
const (
	maxMultisets  = 24      // minimal multisets of a job
	maxEnumerated = 200_000 // multisets looked at
	maxRecipes    = 4       // lengths of the synchronisation in a way
)

// ways lists the modes of a job in which it can run, without those that
// another beats in every respect.
func (m *model) ways(d *demand) []way {
	var list []way
	for i := range d.modes {
		mode := &d.modes[i]
		w := way{mode: mode}
		for _, counts := range m.multisets(d) {
			if !m.fitsIn(d, mode, counts) {
				continue
			}
			sync, volume := m.syncOf(d, mode, counts)
			w.recipes = append(w.recipes, recipe{[][]int{counts}, sync, volume})
		}
		if w.recipes = merge(w.recipes); len(w.recipes) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// fitsIn reports whether every depth of the multiset has a pool of the mode
// with the memory for it.
func (m *model) fitsIn(d *demand, o *mode, counts []int) bool {
	for depth, n := range counts {
		if n > 0 && !slices.ContainsFunc(o.pools, func(p int) bool { return d.fits[m.network.pools[p].gpuType][depth] }) {
			return false
		}
	}
	return true
}

// syncOf returns the least length and volume of a synchronisation.
func (m *model) syncOf(d *demand, o *mode, counts []int) (int64, instance.Bytes) {
	if d.relaxedRule() {
		return int64(o.sync), o.volume
	}
	switch o.kind {
	case lone:
		return 0, 0
	case inNode:
		v := d.job.Volume(counts, d.job.Workers)
		return int64(min(maxSync, m.fastest(v, m.network.pools[o.pools[0]].fabric))), v
	}
	var sync instance.Tick
	var volume instance.Bytes
	for i, p := range o.parties {
		v := d.job.Volume(counts, p.nodes)
		s := min(maxSync, m.fastest(v, p.speed))
		if i == 0 {
			sync, volume = s, v
		}
		sync, volume = min(sync, s), min(volume, v)
	}
	return int64(sync), volume
}

// merge joins recipes of equal synchronisations, and then the closest, until
// there are few. What is joined gets the least of both.
func merge(list []recipe) []recipe {
	slices.SortStableFunc(list, func(a, b recipe) int { return cmp.Compare(a.sync, b.sync) })
	for i := 1; i < len(list); {
		if list[i].sync == list[i-1].sync {
			list = fuse(list, i)
		} else {
			i++
		}
	}
	for len(list) > maxRecipes {
		closest := 1
		for i := 2; i < len(list); i++ {
			if list[i].sync-list[i-1].sync < list[closest].sync-list[closest-1].sync {
				closest = i
			}
		}
		list = fuse(list, closest)
	}
	return list
}

// fuse joins recipe i to the one before it.
func fuse(list []recipe, i int) []recipe {
	a, b := &list[i-1], list[i]
	a.counts = append(a.counts, b.counts...)
	a.volume = min(a.volume, b.volume)
	return slices.Delete(list, i, i+1)
}

// relaxedRule reports whether the job's multisets are too many to be listed,
// so that [model.multisets] relaxes its rule.
func (d *demand) relaxedRule() bool { return d.job.Rule.Fixed == nil && len(d.minimal) > maxMultisets }

// multisets returns the depth multisets that matter. A job with more than
// [maxMultisets] of them has its rule relaxed to mixes of two depths beside the
// full workers, rounded down to whole workers.
func (m *model) multisets(d *demand) [][]int {
	j := d.job
	if j.Rule.Fixed != nil {
		return [][]int{j.Rule.Fixed}
	}
	if d.minimal == nil {
		d.minimal = minimalMultisets(j)
	}
	if !d.relaxedRule() {
		return d.minimal
	}
	full := j.Full()
	rest := int64(j.Workers - j.Rule.MinFull)
	share := j.Rule.MinShare - int64(j.Rule.MinFull)*int64(instance.One)
	var list [][]int
	for a := range j.Depths {
		sa := int64(j.Depths[a].Share)
		for b := a; b < len(j.Depths); b++ {
			x, sb := int64(0), int64(j.Depths[b].Share)
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

// minimalMultisets lists the multisets that the rule allows and from which no
// worker can take one depth less. It gives up, with more than maxMultisets,
// where there are too many to look at.
func minimalMultisets(j *instance.Job) [][]int {
	var list [][]int
	counts := make([]int, len(j.Depths))
	seen := 0
	minimal := func() bool {
		for d := 1; d < len(counts); d++ {
			if counts[d] == 0 {
				continue
			}
			counts[d]--
			counts[d-1]++
			less := j.Allows(counts)
			counts[d]++
			counts[d-1]--
			if less {
				return false
			}
		}
		return true
	}
	var deal func(d, left int)
	deal = func(d, left int) {
		if seen > maxEnumerated {
			return
		}
		if d == 0 {
			seen++
			counts[0] = left
			if j.Allows(counts) && minimal() {
				list = append(list, slices.Clone(counts))
			}
			return
		}
		for counts[d] = left; counts[d] >= 0; counts[d]-- {
			deal(d-1, left-counts[d])
		}
		counts[d] = 0
	}
	deal(j.Full(), j.Workers)
	if seen > maxEnumerated {
		return make([][]int, maxMultisets+1)
	}
	return list
}
