package resume

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/pattern"
)

// Anew plans what is left anew, after the repeats in progress of the jobs that stay. The planner gets an instance in which these
// are resident, what the best plan does with its jobs, and when each GPU is free. The result is the best plan known.
func (r *Resumption) Anew(planner func(in *instance.Instance, known *instance.BlockSchedule, free []instance.Tick) (*instance.BlockSchedule, error)) *instance.BlockSchedule {
	in := r.in
	var running, left []instance.JobID
	for j := range in.Jobs {
		if r.was.Begun[j] {
			running = append(running, instance.JobID(j))
		}
	}
	drained, taken := r.drain(running)
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs)), Blocks: drained.blocks}
	for n, j := range drained.jobs {
		plan.Residency[j] = drained.homes[n]
	}
	_, ends := plan.Spans(in)
	free := make([]instance.Tick, len(in.GPUs))
	for _, j := range drained.jobs {
		for _, g := range plan.Residency[j] {
			free[g] = max(free[g], ends[j])
		}
	}
	jobs := slices.Clone(in.Jobs)
	for j := range jobs {
		if jobs[j].Iterations -= taken[instance.JobID(j)]; jobs[j].Iterations > 0 {
			left = append(left, instance.JobID(j))
		}
		jobs[j].Release = max(jobs[j].Release, r.was.Now)
	}
	if len(left) == 0 {
		return r.Plan
	}
	part := in.WithJobs(jobs).Part(left, in.AllNodes(), nil)
	found, err := planner(part.Instance, r.known(left), free)
	if err != nil {
		return r.Plan
	}
	for n, j := range left {
		plan.Residency[j] = found.Residency[n]
	}
	for _, b := range found.Blocks {
		plan.Blocks = append(plan.Blocks, b.Of(pattern.Through(left)))
	}
	plan.Sort()
	r.offer(plan)
	return r.Plan
}

// known is what the best plan does with some jobs, ascending, which it numbers in this order.
func (r *Resumption) known(jobs []instance.JobID) *instance.BlockSchedule {
	s, numbers := &instance.BlockSchedule{}, slices.Repeat([]instance.JobID{instance.NoJob}, len(r.in.Jobs))
	for n, j := range jobs {
		s.Residency, numbers[j] = append(s.Residency, r.Plan.Residency[j]), instance.JobID(n)
	}
	for _, b := range r.Plan.Blocks {
		if b = b.Of(pattern.Through(numbers)); len(b.Tasks) > 0 {
			s.Blocks = append(s.Blocks, b)
		}
	}
	return s
}
