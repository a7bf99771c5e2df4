package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// Repeated turns a schedule of some iterations of every job, of [instance.Instance.Miniature],
// into a plan of in that repeats it, with the least period that its orders permit; nil if that
// exceeds the longest period.
func Repeated(in *instance.Instance, s *instance.Schedule) *instance.Schedule {
	plan := &instance.Schedule{Residency: s.Residency, Tasks: slices.Clone(s.Tasks), Syncs: slices.Clone(s.Syncs)}
	start := slices.MinFunc(s.Tasks, func(a, b instance.Task) int { return int(a.Start - b.Start) }).Start
	instance.Shift(plan.Tasks, plan.Syncs, -start)
	plan.Period = plan.Makespan(in)
	limit := plan.Period
	if in.MaxPeriod > 0 {
		limit = min(limit, in.MaxPeriod)
	}
	if r := newCyclicSequence(in, plan); newPeriodClock(in).least(r, limit) {
		return r.schedule()
	}
	if plan.Period <= limit {
		return plan
	}
	return nil
}
