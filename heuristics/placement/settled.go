package placement

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
)

// settled places jobs that are all in memory already and have no room for full depth: a worker may be as deep as its
// GPU has room for beside the persistent bytes of all jobs there. It returns the multisets that have room; nil if some
// job has none.
func settled(in *instance.Instance, how Options) (*Placement, [][]int) {
	p := NewPlacer(in, how)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		span, ok := in.SpanOf(job, job.Resident)
		if job.Resident == nil || !ok {
			return nil, nil
		}
		p.Out.GPUs[j], p.Out.Span[j] = job.Resident, span
		for _, g := range job.Resident {
			p.Held[g].Persistent += job.On[in.GPUs[g].Type].Persistent
		}
	}
	counts := make([][]int, len(in.Jobs))
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for _, g := range job.Resident {
			t := in.GPUs[g].Type
			p.Out.Limit[j] = append(p.Out.Limit[j], job.On[t].Deepest(in.Types[t].Memory-p.Held[g].Persistent))
		}
		choices := append([][]int{how.Counts[j]}, multiset.Minimal(job)...)
		at := slices.IndexFunc(choices, func(counts []int) bool { return multiset.Fits(counts, p.Out.Limit[j]) })
		if at < 0 {
			return nil, nil
		}
		counts[j] = choices[at]
	}
	return p.Out, counts
}
