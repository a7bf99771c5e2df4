package repair

import (
	"slices"

	"jigsaw/formulation/instance"
)

// Anew plans all iterations that have not begun anew, with a planner of instances in which the jobs that stay are resident;
// [Search.Improve] keeps to the order of the old plan. First the iterations in flight end, as in [Repair] for the same arguments, and nothing else begins
// before that. nil: there is no such plan. Jobs without iterations left may lack memory in it: use [check.Schedule].
func Anew(in *instance.Instance, old *instance.Schedule, d Damage, planner func(*instance.Instance) (*instance.Schedule, error)) *instance.Schedule {
	kept, out, err := settled(in, old, d, nil)
	if err != nil {
		return nil
	}
	begun := make([]int, len(in.Jobs)) // iterations
	for _, t := range old.Tasks {
		if _, moves := slices.BinarySearch(out.Moved, t.Job); !moves && t.Start < d.Now {
			begun[t.Job] = max(begun[t.Job], t.Iteration)
		}
	}
	kept.old = &instance.Schedule{
		Residency: old.Residency,
		Tasks:     slices.DeleteFunc(slices.Clone(old.Tasks), func(t instance.Task) bool { return t.Iteration > begun[t.Job] }),
		Syncs:     slices.DeleteFunc(slices.Clone(old.Syncs), func(y instance.Sync) bool { return y.Iteration > begun[y.Job] }),
	}
	plan := kept.decode(nil)
	ready := max(d.Now, plan.Makespan(in))
	jobs := slices.Clone(in.Jobs)
	var left []instance.JobID
	for j := range jobs {
		if jobs[j].Iterations -= begun[j]; jobs[j].Iterations > 0 {
			left = append(left, instance.JobID(j))
		}
		jobs[j].Release = max(jobs[j].Release, ready)
	}
	if len(left) == 0 {
		return nil
	}
	part := in.WithJobs(jobs).Part(left, in.AllNodes(), nil)
	found, err := planner(part.Instance)
	if err != nil {
		return nil
	}
	rest := &instance.Schedule{Residency: slices.Clone(plan.Residency)}
	part.Add(rest, found)
	for i := range rest.Tasks {
		rest.Tasks[i].Iteration += begun[rest.Tasks[i].Job]
	}
	for i := range rest.Syncs {
		rest.Syncs[i].Iteration += begun[rest.Syncs[i].Job]
	}
	rest.Tasks, rest.Syncs = append(rest.Tasks, plan.Tasks...), append(rest.Syncs, plan.Syncs...)
	rest.Sort()
	return rest
}
