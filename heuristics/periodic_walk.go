package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// ruins shares the work of ruin and recreate out among periods: each is tried once,
// the most promising first, and those that turned out best again and again, for ever
// longer.
type ruins struct {
	in      *instance.Instance
	wants   []want
	periods []*periodTry // the most promising first
	walks   []*ruinWalk
}

// periodTry is a period and what came of it.
type periodTry struct {
	period  instance.Tick
	promise float64 // about the most that a plan of the period can be worth
	cycles  int     // of cooling that it had
	busy    bool    // it is at work
	plan    *instance.Schedule
	value   float64 // of the plan
}

// ruinWalk anneals for one period at a time.
type ruinWalk struct {
	rng  *rand.Rand
	at   *periodTry
	ruin *ruin // nil: the cycle is over
	// done rounds of as many as cycle, which begins at temperature hot.
	done, cycle int
	hot         float64
}

const (
	ruinWalks = 4
	// ruinWork is how many tasks a walk tries in a round, some 50 ms.
	ruinWork = 100_000
	// longRuin bounds the cycles of cooling, in rounds.
	longRuin = 32
	// Temperatures at the start and the end of a cycle, in units of what a job is
	// worth: to begin with, and where there is a plan already.
	ruinHot, ruinWarm, ruinCold = 0.5, 0.2, 0.03
)

// newRuins begins with what is known of the period of a plan. There are no walks but
// for the sum of rates.
func newRuins(in *instance.Instance, rng *rand.Rand, start *instance.Schedule) *ruins {
	s := &ruins{in: in, wants: wantsOf(in)}
	if in.Objective != instance.Throughput {
		return s
	}
	for _, p := range ruinPeriods(in, s.wants) {
		s.periods = append(s.periods, &periodTry{period: p, promise: promise(in, s.wants, p)})
	}
	slices.SortStableFunc(s.periods, func(a, b *periodTry) int {
		return cmp.Or(cmp.Compare(b.promise, a.promise), cmp.Compare(a.period, b.period))
	})
	value, _ := in.Value(start).Float64()
	s.note(start, value)
	for range ruinWalks {
		s.walks = append(s.walks, &ruinWalk{rng: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))})
	}
	return s
}

// note takes a plan over if there is one, and it is the best of its period.
func (s *ruins) note(plan *instance.Schedule, value float64) {
	if plan == nil {
		return
	}
	n := slices.IndexFunc(s.periods, func(t *periodTry) bool { return t.period == plan.Period })
	if n < 0 {
		n = len(s.periods)
		s.periods = append(s.periods, &periodTry{period: plan.Period, promise: promise(s.in, s.wants, plan.Period)})
	}
	if t := s.periods[n]; t.plan == nil || value > t.value {
		t.plan, t.value = plan, value
	}
}

// begin gives every walk that has ended a cycle another. value is that of the best
// plan.
func (s *ruins) begin(value float64) {
	for _, w := range s.walks {
		if w.ruin != nil {
			continue
		}
		t := s.pick(w.rng, value)
		w.at, t.busy = t, true
		w.done, w.cycle, w.hot = 0, min(1<<t.cycles, longRuin), ruinHot
		w.ruin = newRuin(s.in, s.wants, w.rng, t.period)
		if t.plan != nil && w.rng.IntN(3) > 0 {
			w.ruin.read(t.plan)
			w.hot = ruinWarm
		}
	}
}

// pick draws a period: one that had no turn and might be better than the best plan,
// the most promising of them, or one that had, the best of them more often.
func (s *ruins) pick(rng *rand.Rand, known float64) *periodTry {
	var fresh *periodTry
	var tried []*periodTry
	for _, t := range s.periods {
		switch {
		case t.busy:
		case t.plan != nil:
			tried = append(tried, t)
		case fresh == nil && t.cycles == 0:
			fresh = t
		}
	}
	if fresh != nil && (len(tried) == 0 || fresh.promise > known && rng.IntN(2) == 0) {
		return fresh
	}
	if len(tried) == 0 {
		for _, t := range s.periods {
			if !t.busy {
				return t
			}
		}
		return s.periods[0]
	}
	slices.SortStableFunc(tried, func(a, b *periodTry) int { return cmp.Compare(b.value, a.value) })
	n := 0
	for n+1 < len(tried) && rng.IntN(2) == 0 {
		n++
	}
	return tried[n]
}

// end notes what a walk found in a round, and returns the best plan if it is new;
// nil: it is not.
func (s *ruins) end(w *ruinWalk) (plan *instance.Schedule, value float64) {
	if plan = w.ruin.news(); plan != nil {
		value, _ = s.in.Value(plan).Float64()
		s.note(plan, value)
	}
	if w.done++; w.done == w.cycle {
		w.at.cycles++
		w.at.busy, w.ruin = false, nil
	}
	return plan, value
}

// draw returns one of the best plans, of any period; nil: there is none.
func (s *ruins) draw(rng *rand.Rand) *instance.Schedule {
	var list []*periodTry
	for _, t := range s.periods {
		if t.plan != nil {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *periodTry) int { return cmp.Compare(b.value, a.value) })
	return list[rng.IntN(min(len(list), ruinWalks))].plan
}

// walk goes on for a round.
func (w *ruinWalk) walk(ctx context.Context) {
	at := func(n int) float64 { return w.hot * pow(ruinCold/w.hot, float64(n)/float64(w.cycle)) }
	w.ruin.walk(ctx, ruinWork, at(w.done), at(w.done+1))
}
