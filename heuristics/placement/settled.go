package placement

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/memory"
)

// settled places jobs that are all in memory already and have no room for full depth: a worker may be as deep as its GPU
// has room for beside the persistent bytes of all who live there. It returns the multisets that have room, nil where
// some job has none.
func settled(in *instance.Instance, how Options) (*Placement, [][]int) {
	p := NewPlacer(in, how)
	for j := range in.Jobs {
		for _, g := range in.Jobs[j].Resident {
			p.Persistent[g] += in.Jobs[j].On[in.GPUs[g].Type].Persistent
		}
	}
	counts := make([][]int, len(in.Jobs))
	for j := range in.Jobs {
		job := &in.Jobs[j]
		var limit []int
		for _, g := range job.Resident {
			t := in.GPUs[g].Type
			d := job.Full()
			for d >= 0 && job.On[t].Ephemeral[d] > in.Types[t].Memory-p.Persistent[g] {
				d--
			}
			limit = append(limit, d)
		}
		span, ok := in.SpanOf(job, job.Resident)
		if len(job.Resident) == 0 || !ok {
			return nil, nil
		}
		p.Out.GPUs[j], p.Out.Limit[j], p.Out.Span[j] = job.Resident, limit, span
		shallow, _ := memory.Multisets(job)
		for _, c := range append([][]int{how.Counts[j]}, shallow...) {
			if within(c, limit) {
				counts[j] = c
				break
			}
		}
		if counts[j] == nil {
			return nil, nil
		}
	}
	return p.Out, counts
}

// within reports whether workers that may be as deep as the limits can have the depths of a multiset.
func within(counts, limit []int) bool {
	limit = slices.Sorted(slices.Values(limit))
	for d, n := range counts {
		for range n {
			if limit[0] < d {
				return false
			}
			limit = limit[1:]
		}
	}
	return true
}
