// Package memory decides whether there are GPUs whose memory holds all jobs of an
// instance together: rules 1, 3 and 7 of docs/problem.md, without time.
//
// A placement gives every job j k_j distinct GPUs within its placement limits,
// joined by working links, and each of them a depth, such that the depths are a
// multiset that the job's rule allows and on every GPU g
//
//	sum of persistent_j + max of ephemeral_j(depth)  <=  memory_g    (bytes)
//
// over the jobs j on g. The first iterations of the jobs of any valid schedule of
// a finite objective form a placement, and a placement serves all iterations. So,
// deadlines aside, a schedule exists exactly if a placement does.
//
// [Search] looks for a placement by backtracking over workers; if it exhausts the
// search space, there is none. It is exponential in the worst case and has a step
// limit. Package formulation/relax/memory proves that there is none.
package memory

import "jigsaw/formulation/instance"

// Placement of all jobs.
type Placement struct {
	// GPUs[j] are the k distinct GPUs of job j, ascending.
	GPUs [][]instance.GPUID
	// Depths[j][n] is the depth of the worker on GPUs[j][n], an index of Job.Depths.
	Depths [][]int
}

// Counts returns how many workers of job j have each depth.
func (p *Placement) Counts(in *instance.Instance, j instance.JobID) []int {
	counts := make([]int, len(in.Jobs[j].Depths))
	for _, d := range p.Depths[j] {
		counts[d]++
	}
	return counts
}
