package formulation

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
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
func (s *master) newGuide(columns []colgen.Column[plan], weights []float64) *Guide {
	g := &Guide{in: s.m.in, classes: make([][]guidePlan, len(s.classes))}
	for i := range columns {
		c := &columns[i]
		if i >= len(weights) || weights[i] < leastWeight {
			continue
		}
		class := s.classOf(c)
		p := &s.classes[class].pricer
		g.classes[class] = append(g.classes[class], guidePlan{weights[i], p.iterationEnds(&c.Data)})
	}
	return g
}

// leastWeight is what a plan needs to count.
const leastWeight = 1e-6

// iterationEnds spreads the ends of a plan's blocks over its iterations. What a
// plan does after the horizon goes without waiting, and of a schedule's own
// columns only the last end is known.
func (p *planPricer) iterationEnds(o *plan) []instance.Tick {
	g := &p.grid
	var ends []instance.Tick
	begin := g.release
	for i := range g.blocks {
		n := g.iterations(i)
		end := begin + int64(n)*p.iteration
		switch {
		case i < len(o.ends):
			end = o.ends[i]
		case o.ends == nil:
			end = g.release + (o.completion-g.release)*int64(i+1)/int64(g.blocks)
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
