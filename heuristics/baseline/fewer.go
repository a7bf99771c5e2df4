package baseline

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// FewerWorkers returns the instance in which full depth on fewer workers leaves out as
// much work as structured partial backpropagation (SPB) does: every job keeps its
// iterations, its weight and its dates, and has k' workers at full depth instead of k.
//
// In an iteration the cheapest depth multiset of the job's rule takes sum_d counts[d] x
// p(d) ticks, at the times p of the fastest GPU type that the job may use and the cluster
// has. That is the work of a number of full-depth workers which usually is not whole, so
// k' is that number rounded up or down, and at least 1. The direction is chosen job by
// job, those of most work per worker (R x p(L); for the periodic objectives p(L)) first,
// such that the sum of the work of all jobs so far is nearer to their work with SPB; ties
// round down. So the last and smallest jobs compensate for the others, and the totals
// differ by at most about half the work of a small job's worker.
//
// If no rule leaves anything out it is [instance.Instance.FullDepth].
func FewerWorkers(in *instance.Instance) *instance.Instance {
	type share struct {
		job  instance.JobID
		unit int64 // ticks of work of one full-depth worker
		work int64 // ticks of work with SPB
	}
	shares := make([]share, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		t := state.FastestType(in, job)
		iterations := int64(job.Iterations)
		if in.Objective.Periodic() {
			iterations = 1
		}
		work := int64(0)
		for d, n := range multiset.Cheapest(job, t) {
			work += iterations * int64(n) * int64(job.On[t].Time[d])
		}
		for _, j := range class {
			shares[j] = share{j, iterations * int64(job.Group()) * int64(job.On[t].Time[job.Full()]), work}
		}
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Or(cmp.Compare(b.unit, a.unit), cmp.Compare(a.job, b.job)) })
	workers := make([]int, len(in.Jobs))
	over := int64(0) // work of the jobs so far beyond their work with SPB
	for _, s := range shares {
		k := max(1, s.work/s.unit)
		less := over + k*s.unit - s.work
		if more := less + s.unit; k*s.unit < s.work && more < -less {
			k, less = k+1, more
		}
		workers[s.job], over = int(k)*in.Jobs[s.job].Group(), less
	}
	return in.FullDepthOn(workers)
}
