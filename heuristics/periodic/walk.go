package periodic

import (
	"cmp"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// ruins divides the work of ruin and recreate among periods: each is tried once, the
// most promising first, and those with the best results again and again, for longer
// and longer.
type ruins struct {
	in      *instance.Instance
	wants   []want
	order   []instance.JobID // by descending density
	periods []*periodTry     // the most promising first
	walks   []*ruinWalk
}

// periodTry is a period and its results.
type periodTry struct {
	period  instance.Tick
	promise float64 // about the largest value of a plan of the period
	cycles  int     // cycles of cooling it has had
	busy    bool    // a walk is working on it
	plan    *instance.Schedule
	value   float64 // of the plan
}

// ruinWalk anneals for one period at a time.
type ruinWalk struct {
	rng   *rand.Rand
	clock *periodClock
	at    *periodTry
	ruin  *ruin                // nil: the cycle is over
	found []*instance.Schedule // in this round, at the period and at the least that its orders permit
	// done rounds of cycle, which begins at temperature hot.
	done, cycle int
	hot         float64
}

const (
	ruinWalks = 6
	// In a round a walk tries ruinWork tasks, some 30 ms, and as many again for every
	// ruinJobs jobs, but at most mostRuin.
	ruinWork, ruinJobs, mostRuin = 100_000, 16, 800_000
	// The first cycle of cooling of a period lasts one round, each later one twice as
	// long as the one before, but at most longRuin rounds.
	longRuin = 16
	// A period is assumed to come closer to its promise than any other by this fraction
	// over the number of jobs: the more jobs, the less values vary.
	hopefulJobs = 0.8
	// Temperatures at the start and the end of a cycle, in units of the value of a job:
	// for the first cycle, and for those that start from a plan.
	ruinHot, ruinWarm, ruinCold = 0.5, 0.2, 0.03
)

// Greedy returns a periodic plan of whole jobs, improved by a round of [Search].
func Greedy(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	s, err := Dedicated(ctx, in)
	if err != nil {
		return nil, err
	}
	if o.Improved != nil {
		o.Improved(s)
	}
	if o.Without[method.RuinRecreate] {
		return s, nil
	}
	search := NewSearch(ctx, o, in, rng, s)
	if ctx.Err() == nil && !search.Stops() {
		search.Round()
	}
	return search.Best, nil
}

// Search looks for plans with a larger sum of rates.
type Search struct {
	*ruins
	ctx     context.Context
	options state.Options
	Best    *instance.Schedule
	value   *big.Rat
}

// NewSearch starts from a valid plan.
func NewSearch(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) *Search {
	return &Search{newRuins(in, rng, best), ctx, o, best, in.Value(best)}
}

// Round continues for one round.
func (s *Search) Round() {
	s.begin(s.value, s.options)
	state.Parallel(len(s.walks), func(i int) { s.walks[i].walk(s.ctx, s.options.Part(quickPart)) })
	for _, w := range s.walks {
		s.end(w)
		for _, plan := range w.found {
			s.take(plan)
		}
	}
}

// Offer takes over a plan found elsewhere, in canonical order.
func (s *Search) Offer(plan *instance.Schedule) {
	s.note(plan)
	s.take(plan)
}

// take makes a plan the best if it is better.
func (s *Search) take(plan *instance.Schedule) {
	if v := s.in.Value(plan); v.Cmp(s.value) > 0 {
		if s.Best, s.value = plan, v; s.options.Improved != nil {
			s.options.Improved(plan)
		}
	}
}

// Stops reports whether the best plan is good enough.
func (s *Search) Stops() bool { return s.options.Stops(s.value) }

// quickPart is the factor by which [state.Options.Quick] divides the work.
const quickPart = 5

// newRuins starts from the period of a plan.
func newRuins(in *instance.Instance, rng *rand.Rand, start *instance.Schedule) *ruins {
	s := &ruins{in: in, wants: wantsOf(in)}
	s.order = byDensity(in, func(j instance.JobID) float64 { return s.wants[j].area })
	for _, p := range ruinPeriods(in, s.wants) {
		s.periods = append(s.periods, &periodTry{period: p, promise: promise(in, s.wants, s.order, p)})
	}
	slices.SortStableFunc(s.periods, func(a, b *periodTry) int {
		return cmp.Or(cmp.Compare(b.promise, a.promise), cmp.Compare(a.period, b.period))
	})
	for range ruinWalks {
		s.walks = append(s.walks, &ruinWalk{rng: state.Fork(rng), clock: newPeriodClock(in)})
	}
	s.note(start)
	return s
}

// note takes a plan over if it is the best of its period.
func (s *ruins) note(plan *instance.Schedule) {
	value, _ := s.in.Value(plan).Float64()
	n := slices.IndexFunc(s.periods, func(t *periodTry) bool { return t.period == plan.Period })
	if n < 0 {
		n = len(s.periods)
		s.periods = append(s.periods, &periodTry{period: plan.Period, promise: promise(s.in, s.wants, s.order, plan.Period)})
	}
	if t := s.periods[n]; t.plan == nil || value > t.value {
		t.plan, t.value = plan, value
	}
}

// begin gives every walk that has ended a new cycle, in a period that may have a plan better
// than the best, whose value is given.
func (s *ruins) begin(value *big.Rat, o state.Options) {
	best, _ := value.Float64()
	var periods []*periodTry
	for _, t := range s.periods {
		if most := o.Most(t.period); most == nil || most.Cmp(value) > 0 {
			periods = append(periods, t)
		}
	}
	if periods == nil {
		periods = s.periods
	}
	for _, w := range s.walks {
		if w.ruin != nil {
			continue
		}
		t := s.pick(w.rng, periods, best)
		w.at, t.busy = t, true
		w.done, w.cycle, w.hot = 0, min(1<<t.cycles, longRuin), ruinHot
		w.ruin = newRuin(s.in, s.wants, w.rng, t.period)
		if t.plan != nil && w.rng.IntN(3) > 0 {
			w.ruin.read(t.plan)
			w.hot = ruinWarm
		}
	}
}

// pick draws one of the periods: the most promising untried one, if its plans might be better
// than the best plan, assuming that it comes a little closer to its promise than
// any; or one already tried, better ones more often.
func (s *ruins) pick(rng *rand.Rand, periods []*periodTry, best float64) *periodTry {
	var fresh *periodTry
	var tried []*periodTry
	closest := 0.0
	for _, t := range periods {
		if t.plan != nil && t.promise > 0 {
			closest = max(closest, t.value/t.promise)
		}
		switch {
		case t.busy:
		case t.plan != nil:
			tried = append(tried, t)
		case fresh == nil && t.cycles == 0: // some periods, too short for a synchronisation, never have a plan
			fresh = t
		}
	}
	if fresh != nil {
		hope := (1 + hopefulJobs/float64(len(s.in.Jobs))) * closest * fresh.promise
		if len(tried) == 0 || best == 0 || hope > best && rng.IntN(3) == 0 {
			return fresh
		}
	}
	if len(tried) == 0 {
		return periods[rng.IntN(len(periods))] // there are few
	}
	slices.SortStableFunc(tried, func(a, b *periodTry) int { return cmp.Compare(b.value, a.value) })
	n := 0
	for n+1 < len(tried) && rng.IntN(2) == 0 {
		n++
	}
	return tried[n]
}

// end ends a walk's round, and its cycle if that is over.
func (s *ruins) end(w *ruinWalk) {
	for _, plan := range w.found {
		s.note(plan)
	}
	if w.done++; w.done == w.cycle {
		w.at.cycles++
		w.at.busy, w.ruin = false, nil
	}
}

// walk continues for a round, with a fraction of the usual work.
func (w *ruinWalk) walk(ctx context.Context, part int) {
	at := func(n int) float64 { return state.Cooled(w.hot, ruinCold, float64(n)/float64(w.cycle)) }
	in := w.ruin.in
	w.ruin.walk(ctx, min(ruinWork*(1+len(in.Jobs)/ruinJobs), mostRuin)/part, at(w.done), at(w.done+1))
	w.found = w.found[:0]
	if plan := w.ruin.news(); plan != nil {
		w.found = append(w.found, plan)
		if r := newCyclicSequence(in, plan); w.clock.least(r, plan.Period-1) {
			w.found = append(w.found, r.schedule())
		}
	}
}
