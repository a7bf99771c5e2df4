package heuristics

import (
	"context"
	"math/rand/v2"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/exchange"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/sequence"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Improve searches for schedules better than start, which must be valid, and returns
// the best that it finds, or start itself. If start is nil it starts from
// [Config.Greedy] and returns its errors. The search ends with the context, after
// c.Rounds rounds, or when c.Stop says so; the end of the context is not an error
// once there is a schedule. With equal rounds, instance, state of rng and start the
// schedule is the same on any number of cores. Jobs that are in memory when the plan
// begins stay.
func (c Config) Improve(ctx context.Context, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) (*instance.Schedule, error) {
	best, o := start, state.Options(c)
	if best == nil {
		first := c
		first.Improved = nil
		var err error
		if best, err = first.Greedy(ctx, in, rng); err != nil {
			return nil, err
		}
		if c.Improved != nil {
			c.Improved(best)
		}
	}
	switch {
	case in.Grouped():
		return c.improveBundled(ctx, in, rng, best), nil
	case o.Stops(in.Value(best)):
		return best, nil
	case in.Objective == instance.Throughput && (!o.Without[method.RuinRecreate] || !o.Without[method.Repetition]):
		return c.improveRates(ctx, in, rng, best), nil
	case in.Objective == instance.MaxMinThroughput && !o.Without[method.Repetition]:
		return c.improveRepeated(ctx, in, rng, best), nil
	case in.Objective.Periodic():
		return best, nil
	case list.Unrelated(in) && !in.Resumes() && !o.Without[method.Unrelated]:
		return list.ImproveAssigned(ctx, o, in, rng, best), nil
	}
	s := newImprover(ctx, o, in, rng, best)
	for round := 0; ctx.Err() == nil && (c.Rounds == 0 || round < c.Rounds); round++ {
		if s.round(); o.Stops(in.Value(s.walks.Best.Schedule)) {
			break
		}
	}
	return s.walks.Best.Schedule, nil
}

// improver divides work among lanes and residency searches, the exchange of jobs between groups of
// nodes, and the search of a few groups at a time.
type improver struct {
	ctx            context.Context
	walks          *sequence.Search
	neighbourhoods *exchange.Neighbourhoods
	exchanges      *exchange.Annealer
	due            int // deferred work of each walk
}

func newImprover(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) *improver {
	s := &improver{ctx: ctx, walks: sequence.NewSearch(ctx, o, in, rng, best, sequence.MostLanes)}
	s.neighbourhoods = exchange.NewNeighbourhoods(in, state.Fork(rng), o.Without)
	if in.Resumes() { // exchanges would move jobs
		o.Without = o.Without.With(method.Exchange)
	}
	s.exchanges = exchange.NewAnnealer(in, state.Fork(rng), state.Fork(rng), o.Without)
	return s
}

// round lets all searches work. If the schedule falls apart into groups of nodes, jobs are exchanged and neighbourhoods
// searched for a part of the work. In large instances residency searches and lanes start
// only once a whole round's work is due, since they achieve nothing with much less.
func (s *improver) round() {
	w := s.walks
	work := float64(w.Total())
	left := 1 - s.exchanges.Walk(s.ctx, int(work), w.Best)
	w.Offer(s.exchanges.Best)
	part := left * s.neighbourhoods.Follow(w.Best, s.exchanges.Best)
	if part > 0 {
		s.neighbourhoods.Improve(s.ctx, int(part*work))
		w.Offer(s.neighbourhoods.Best)
		left -= part
	}
	s.due += int(left * float64(w.Work))
	if large := part > 0 || w.Large(); !large || s.due >= w.Work {
		w.Walk(s.due)
		s.due = 0
	}
}
