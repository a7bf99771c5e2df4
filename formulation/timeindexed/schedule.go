package timeindexed

import (
	"fmt"
	"math"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// Schedule turns a solution of the program, by column, into a schedule and
// checks it. Of the program by node it searches for GPUs inside the nodes, and
// may find that there are none. Pools do not tell enough for a schedule.
func (t *Program) Schedule(x []float64) (*instance.Schedule, error) {
	if t.Options.Granularity == ByPool {
		return nil, fmt.Errorf("formulation: a solution by pool does not say which GPUs; use granularity %s or %s", ByGPU, ByNode)
	}
	if len(x) != len(t.cols) {
		return nil, fmt.Errorf("formulation: a solution of %d values for a program of %d columns", len(x), len(t.cols))
	}
	in := t.in
	s := &instance.Schedule{Period: t.Options.Period, Residency: make([][]instance.GPUID, len(in.Jobs))}
	live := make([]map[int]int, len(in.Jobs)) // workers of a job by site
	for j := range live {
		live[j] = map[int]int{}
	}
	for c := range t.cols {
		n := int(math.Round(x[c]))
		if math.Abs(x[c]-float64(n)) > integerTol || n < 0 {
			return nil, fmt.Errorf("formulation: column %s has the value %v; a schedule needs whole numbers", t.Problem.ColNames[c], x[c])
		}
		switch m := &t.cols[c]; {
		case n == 0:
		case m.kind == ofLive:
			live[m.job][m.site] = n
		case m.kind == ofTask:
			for range n { // by node, the GPU is a matter of assignGPUs
				s.Tasks = append(s.Tasks, instance.Task{Job: m.job, Iteration: m.iteration, GPU: instance.GPUID(m.site), Depth: m.depth, Start: m.start, End: m.end})
			}
		case m.kind == ofSync:
			s.Syncs = append(s.Syncs, instance.Sync{Job: m.job, Iteration: m.iteration, Start: m.start, End: m.end, Rate: m.level})
		}
	}
	if t.Options.Granularity == ByNode {
		if err := assignGPUs(in, s, live); err != nil {
			return nil, err
		}
	} else {
		for j := range live {
			for g := range in.GPUs {
				if live[j][g] > 0 {
					s.Residency[j] = append(s.Residency[j], instance.GPUID(g))
				}
			}
		}
	}
	s.Sort()
	if violations := check.Schedule(in, s); len(violations) > 0 {
		return nil, fmt.Errorf("formulation: the solution is not a valid schedule: %v", violations[0])
	}
	return s, nil
}

// integerTol is how far from a whole number a value may be: solvers print what
// their own tolerances leave.
const integerTol = 1e-5
