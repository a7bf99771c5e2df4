package timeindexed

import (
	"fmt"
	"math"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// Schedule converts a solution of the program of GPUs, by column, to a schedule
// and checks it. Relaxations, by node and pool, do not determine the GPUs.
func (t *Program) Schedule(x []float64) (*instance.Schedule, error) {
	if t.Options.Granularity != ByGPU {
		return nil, fmt.Errorf("formulation: a solution by %s does not say which GPUs; use granularity %s", t.Options.Granularity, ByGPU)
	}
	if len(x) != len(t.cols) {
		return nil, fmt.Errorf("formulation: a solution of %d values for a program of %d columns", len(x), len(t.cols))
	}
	in := t.in
	s := &instance.Schedule{Period: t.Options.Period, Residency: make([][]instance.GPUID, len(in.Jobs))}
	for c := range t.cols {
		n := int(math.Round(x[c]))
		if math.Abs(x[c]-float64(n)) > integerTol || n < 0 {
			return nil, fmt.Errorf("formulation: column %s has the value %v; a schedule needs whole numbers", t.Problem.ColNames[c], x[c])
		}
		switch m := &t.cols[c]; {
		case n == 0:
		case m.kind == ofLive:
			s.Residency[m.job] = append(s.Residency[m.job], instance.GPUID(m.site))
		case m.kind == ofTask:
			s.Tasks = append(s.Tasks, instance.Task{Job: m.job, Iteration: m.iteration, GPU: instance.GPUID(m.site), Depth: m.depth, Start: m.start, End: m.end})
		case m.kind == ofSync:
			s.Syncs = append(s.Syncs, instance.Sync{Job: m.job, Iteration: m.iteration, Start: m.start, End: m.end, Rate: m.level})
		}
	}
	s.Sort()
	if violations := check.Schedule(in, s); len(violations) > 0 {
		return nil, fmt.Errorf("formulation: the solution is not a valid schedule: %v", violations[0])
	}
	return s, nil
}

// integerTol is how far from a whole number a value may be: solvers print values
// within their own tolerances.
const integerTol = 1e-5
