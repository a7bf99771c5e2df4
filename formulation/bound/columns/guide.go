package columns

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/columns"
	"jigsaw/solver/colgen"
)

// Guide tells when the plans that a columns bound mixes end their iterations:
// priorities for a scheduler.
type Guide struct {
	in      *instance.Instance
	classes [][]guidePlan
}

// guidePlan is a plan with its weight in the mix.
type guidePlan struct {
	weight float64
	ends   []instance.Tick // by iteration
}

// newGuide keeps the plans that have a weight.
func (s *Master) newGuide(columns []colgen.Column[Plan], weights []float64) *Guide {
	g := &Guide{in: s.Model.Instance, classes: make([][]guidePlan, len(s.Classes))}
	for i := range columns {
		c := &columns[i]
		if i >= len(weights) || weights[i] < LeastWeight {
			continue
		}
		class := s.ClassOf(c)
		p := &s.Classes[class].Plans
		g.classes[class] = append(g.classes[class], guidePlan{weights[i], iterationEnds(p, &c.Data)})
	}
	return g
}

// LeastWeight is what a plan needs to count.
const LeastWeight = 1e-6

// iterationEnds spreads the ends of a plan's blocks over its iterations. What a
// plan does after the horizon goes without waiting, and of a schedule's own
// columns only the last end is known.
func iterationEnds(p *columns.Plans, o *Plan) []instance.Tick {
	g := &p.Grid
	var ends []instance.Tick
	begin := g.Release
	for i := range g.Blocks {
		n := g.Iterations(i)
		end := begin + int64(n)*p.Iteration
		switch {
		case i < len(o.Ends):
			end = o.Ends[i]
		case o.Ends == nil:
			end = g.Release + (o.Completion-g.Release)*int64(i+1)/int64(g.Blocks)
		}
		for k := range n {
			ends = append(ends, instance.Tick(begin+(end-begin)*int64(k+1)/int64(n)))
		}
		begin = end
	}
	return ends
}

// Sample draws a plan for every job, by weight, and returns when its
// iterations end. The plans of a class are dealt to its jobs as they come: its
// jobs are alike.
func (g *Guide) Sample(rng *rand.Rand) [][]instance.Tick {
	ends := make([][]instance.Tick, len(g.in.Jobs))
	for c, jobs := range g.in.Classes() {
		plans := g.classes[c]
		if len(plans) == 0 {
			continue
		}
		sum := 0.0
		for _, p := range plans {
			sum += p.weight
		}
		// Systematic sampling: as many of each plan as its weight asks for, but
		// for rounding.
		var drawn [][]instance.Tick
		at, reach := rng.Float64(), 0.0
		for _, p := range plans {
			for reach += p.weight * float64(len(jobs)) / sum; at < reach && len(drawn) < len(jobs); at++ {
				drawn = append(drawn, p.ends)
			}
		}
		for len(drawn) < len(jobs) {
			drawn = append(drawn, plans[len(plans)-1].ends)
		}
		slices.SortStableFunc(drawn, func(a, b []instance.Tick) int { return int(a[len(a)-1] - b[len(b)-1]) })
		for i, j := range jobs {
			ends[j] = drawn[i]
		}
	}
	return ends
}
