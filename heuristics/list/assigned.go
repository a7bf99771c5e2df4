package list

import (
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/assign"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

const (
	// Steps of annealing assignments: by worker in greedy, and by worker and round in
	// Improve, where they double after so many rounds, so often; and the bounds on both.
	greedySteps, roundSteps   = 300, 2000
	leastAssign, mostAssign   = 20_000, 2_000_000
	assigners, assignDouble   = 2, 3
	mostDoublings, quickSteps = 4, 10
)

// Unrelated reports whether residencies decide everything, and how long a job takes
// depends on where it lives: makespan on unrelated machines. On identical ones the other
// searches are as good and end sooner.
func Unrelated(in *instance.Instance) bool {
	return assign.Exact(in) && slices.ContainsFunc(in.Nodes, func(n instance.Node) bool { return n.Type != in.Nodes[0].Type })
}

// assigned constructs the schedule of an instance that is [unrelated].
func (p *Portfolio) assigned() error {
	counts := state.CheapestMultisets(p.In)
	where, err := placement.Place(p.In, placement.Options{Counts: counts, Reach: p.reach})
	if err != nil {
		return err
	}
	if !p.try([]*Decision{p.anyOrder(counts, where)}) {
		return nil
	}
	s := assign.New(p.In, counts, assign.Homes{GPUs: where.GPUs, Limit: where.Limit, Span: where.Span}, p.rng)
	s.Anneal(p.ctx, min(max(leastAssign, greedySteps*p.Layout.Slots), mostAssign)/p.options.Part(quickSteps))
	p.try([]*Decision{p.anyOrder(counts, placed(s.Best()))})
	return nil
}

// anyOrder is a decision on residencies where the order of jobs does not matter.
func (p *Portfolio) anyOrder(counts [][]int, where *placement.Placement) *Decision {
	base, slope := Measure(p.In, where, counts).Keys(p.In, LongestChain)
	return &Decision{Counts: counts, Where: where, Base: base, Slope: slope, rule: LongestChain}
}

func placed(h assign.Homes) *placement.Placement {
	return &placement.Placement{GPUs: h.GPUs, Limit: h.Limit, Span: h.Span}
}

// ImproveAssigned is Improve of an instance that is [unrelated]: a few assignments are
// annealed side by side, in rounds that get longer.
func ImproveAssigned(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) *instance.Schedule {
	p := NewPortfolio(ctx, state.Options{}, in, rng)
	counts := state.CheapestMultisets(in)
	start := assign.Homes{GPUs: best.Residency}
	for j, gpus := range best.Residency {
		limit := make([]int, len(gpus))
		for n := range limit {
			limit[n] = in.Jobs[j].Full()
		}
		span, _ := in.SpanOf(&in.Jobs[j], gpus)
		start.Limit, start.Span = append(start.Limit, limit), append(start.Span, span)
	}
	var walks []*assign.Search
	for range assigners {
		walks = append(walks, assign.New(in, counts, start, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))))
	}
	value := walks[0].Estimate()
	steps := min(max(leastAssign, roundSteps*p.Layout.Slots), mostAssign)
	for round := 0; ctx.Err() == nil && (o.Rounds == 0 || round < o.Rounds); round++ {
		state.ParallelBut(o.Spare, len(walks), func(i int) {
			walks[i].Anneal(ctx, steps<<min(round/assignDouble, mostDoublings))
		})
		for _, w := range walks {
			if w.Estimate() >= value {
				continue
			}
			value = w.Estimate()
			p.Budget = p.Cost
			p.try([]*Decision{p.anyOrder(counts, placed(w.Best()))})
			if best = p.Best.Schedule(in, p.Layout); o.Improved != nil {
				o.Improved(best)
			}
		}
		if value <= walks[0].Bound() || o.Stops(in.Value(best)) {
			break
		}
	}
	return best
}
