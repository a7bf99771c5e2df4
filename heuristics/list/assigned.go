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
	// Steps of annealing assignments: per worker in greedy, and per worker and round in
	// Improve, where they double after a number of rounds, a number of times; and the
	// limits on both.
	greedySteps, roundSteps   = 300, 2000
	leastAssign, mostAssign   = 20_000, 2_000_000
	assigners, assignDouble   = 2, 3
	mostDoublings, quickSteps = 4, 10
)

// Unrelated reports whether residencies alone decide the makespan, and the length of a
// job depends on where it lives: makespan on unrelated machines. On identical machines
// the other searches are as good and end sooner.
func Unrelated(in *instance.Instance) bool {
	return assign.Exact(in) && slices.ContainsFunc(in.Nodes, func(n instance.Node) bool { return n.Type != in.Nodes[0].Type })
}

// assigned constructs the schedule of an instance that is [Unrelated].
func (p *Portfolio) assigned() error {
	counts := state.CheapestMultisets(p.In)
	where, counts, err := placement.Place(p.ctx, p.In, placement.Options{Counts: counts, Reach: p.reach})
	if err != nil {
		return err
	}
	if !p.try([]*Decision{p.anyOrder(counts, where)}) {
		return nil
	}
	gpu, limit := make([]instance.GPUID, len(p.In.Jobs)), make([]int, len(p.In.Jobs))
	for j := range gpu {
		gpu[j], limit[j] = where.GPUs[j][0], where.Limit[j][0]
	}
	s := assign.New(p.In, counts, gpu, limit, p.rng)
	s.Anneal(p.ctx, min(max(leastAssign, greedySteps*p.Layout.Slots), mostAssign)/p.options.Part(quickSteps))
	p.try([]*Decision{p.anyOrder(counts, placed(s.Best(), limit))})
	return nil
}

// anyOrder is a decision on residencies for instances in which the order of jobs
// does not matter.
func (p *Portfolio) anyOrder(counts [][]int, where *placement.Placement) *Decision {
	base, slope := Measure(p.In, where, counts).Keys(p.In, LongestChain)
	return &Decision{Counts: counts, Where: where, Base: base, Slope: slope, rule: LongestChain}
}

// placed is a placement of jobs of one worker each.
func placed(gpu []instance.GPUID, limit []int) *placement.Placement {
	p := &placement.Placement{Span: make([]instance.Span, len(gpu))}
	for j := range gpu {
		p.GPUs, p.Limit = append(p.GPUs, gpu[j:j+1]), append(p.Limit, limit[j:j+1])
		p.Span[j].Parties = 1
	}
	return p
}

// ImproveAssigned is Improve for an instance that is [Unrelated]: a few assignments
// are annealed in parallel, in rounds that get longer.
func ImproveAssigned(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) *instance.Schedule {
	p := NewPortfolio(ctx, state.Options{}, in, rng)
	counts := state.CheapestMultisets(in)
	start, limit := make([]instance.GPUID, len(in.Jobs)), make([]int, len(in.Jobs))
	for j, gpus := range best.Residency {
		start[j], limit[j] = gpus[0], in.Jobs[j].Full()
	}
	var walks []*assign.Search
	for range assigners {
		walks = append(walks, assign.New(in, counts, start, limit, state.Fork(rng)))
	}
	value := walks[0].Makespan()
	steps := min(max(leastAssign, roundSteps*p.Layout.Slots), mostAssign)
	for round := 0; ctx.Err() == nil && (o.Rounds == 0 || round < o.Rounds); round++ {
		state.ParallelBut(o.Spare, len(walks), func(i int) {
			walks[i].Anneal(ctx, steps<<min(round/assignDouble, mostDoublings))
		})
		for _, w := range walks {
			if w.Makespan() >= value {
				continue
			}
			value = w.Makespan()
			p.Budget = p.Cost
			p.try([]*Decision{p.anyOrder(counts, placed(w.Best(), limit))})
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
