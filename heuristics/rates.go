package heuristics

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/periodic"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// improveRates searches for plans of a greater sum of rates than best: by ruin and recreate at
// fixed periods, and by patterns of the finite search, in turn.
func (c Config) improveRates(ctx context.Context, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) *instance.Schedule {
	ruins := periodic.NewSearch(ctx, state.Options(c), in, rng, best)
	patterns := c.newRateSearch(ctx, in, rng)
	for round := 0; ctx.Err() == nil && (c.Rounds == 0 || round < c.Rounds) && !ruins.Stops(); round++ {
		if !c.Without[method.RuinRecreate] {
			ruins.Round()
		}
		if !c.Without[method.Repetition] && !ruins.Stops() {
			if plan := patterns.round(ruins.Best); plan != nil {
				ruins.Offer(plan)
			}
		}
	}
	return ruins.Best
}

// rateSearch makes plans for the sum of rates by the finite search: it schedules certain numbers of iterations of some
// jobs to end as early as possible, and repeats that. Orders of the finite search are tighter
// than lists of whole chains, but it does not choose how many iterations of each job to schedule. These
// numbers are changed a little at a time, starting from those of the best plans.
type rateSearch struct {
	ctx     context.Context
	in      *instance.Instance
	rng     *rand.Rand
	options state.Options // of the finite search
	needs   *periodic.Needs
	tried   map[string]bool // by numbers of iterations
	good    []*ratePattern  // of the best plans, in descending order
	likely  []*ratePattern  // of the bounds' solutions
	wait    int             // rounds without a search, from now on
	failed  int             // searches since the last better plan
}

// ratePattern is a number of iterations of every job, and the results for it.
type ratePattern struct {
	key        string
	iterations []int
	most       float64 // about the greatest value of a plan
	part       *instance.Part
	walks      *improver          // nil: none yet
	last       *instance.Schedule // of the pattern, already turned into a plan
	value      float64            // of the best plan; 0: none
	visits     int
	work       int // of the last search: its tasks times rounds
}

const (
	// At most mostGood patterns are changed, and searched further while the value of their plans is at
	// least near times the best.
	mostGood, near = 12, 0.95
	// patternDraws is the number of changes considered for a new pattern.
	patternDraws = 100
	// patternTries is the number of list schedules tried for the first schedule of a pattern.
	patternTries = 8
	// A pattern is searched for two rounds, then for twice as many each time, up to longVisit.
	longVisit = 16
	// For every patternWork tasks times rounds of a search one round is skipped, and one more for
	// every patternPatience searches in vain.
	patternWork, patternPatience = 100, 8
)

func (c Config) newRateSearch(ctx context.Context, in *instance.Instance, rng *rand.Rand) *rateSearch {
	s := &rateSearch{
		ctx: ctx, in: in, rng: state.Fork(rng), needs: periodic.NewNeeds(in), tried: map[string]bool{},
		options: state.Options{Tries: patternTries, Quick: c.Quick, Without: c.Without, Periods: c.Periods},
	}
	for _, iterations := range c.Iterations {
		if x := s.pattern(slices.Clone(iterations)); x != nil {
			s.tried[x.key] = true
			s.likely = append(s.likely, x)
		}
	}
	return s
}

// pattern returns a pattern that was not tried yet, if it fits in memory.
func (s *rateSearch) pattern(iterations []int) *ratePattern {
	key := fmt.Sprint(iterations)
	if s.tried[key] || !fits(s.in, s.needs, iterations) {
		return nil
	}
	weight := 0.0
	for j, n := range iterations {
		weight += float64(n) * float64(s.in.Jobs[j].Weight)
	}
	return &ratePattern{key: key, iterations: iterations, most: weight / s.needs.Period(iterations)}
}

// round searches a pattern, a new one or one that came close. It returns a plan better than best;
// nil: none. The longer none was found, the rarer its searches.
func (s *rateSearch) round(best *instance.Schedule) *instance.Schedule {
	if s.wait > 0 {
		s.wait--
		return nil
	}
	value, _ := s.in.Value(best).Float64()
	x := s.choose(best, value)
	if x == nil {
		return nil
	}
	if plan := s.search(x); plan != nil && s.in.Value(plan).Cmp(s.in.Value(best)) > 0 {
		s.failed = 0
		return plan
	}
	s.failed++
	s.wait = x.work/patternWork + s.failed/patternPatience
	return nil
}

// choose draws a pattern whose plan may be better than the best, of the given value, half of the time
// among those that bounds point to; nil: none.
func (s *rateSearch) choose(best *instance.Schedule, value float64) *ratePattern {
	s.likely = slices.DeleteFunc(s.likely, func(x *ratePattern) bool { return x.most <= value || !s.open(x.iterations, best) })
	if len(s.likely) > 0 && s.rng.IntN(2) == 0 {
		return s.likely[s.rng.IntN(len(s.likely))]
	}
	if len(s.good) > 0 && s.rng.IntN(2) == 0 {
		if x := s.draw(); x.value > near*value && x.most > value {
			return x
		}
	}
	for range patternDraws {
		var iterations []int
		if len(s.good) == 0 || s.rng.IntN(2) == 0 {
			iterations = s.shorter(best.Iterations(s.in))
		} else {
			iterations = slices.Clone(s.draw().iterations)
		}
		s.change(iterations)
		if x := s.pattern(iterations); x != nil && x.most > value && s.open(iterations, best) {
			s.tried[x.key] = true
			return x
		}
	}
	return nil
}

// open reports whether some period may be that of a plan with these iterations, better than the best.
func (s *rateSearch) open(iterations []int, best *instance.Schedule) bool {
	weight, known := int64(0), s.in.Value(best)
	for j, n := range iterations {
		weight += int64(n) * s.in.Jobs[j].Weight
	}
	for period := max(1, instance.Tick(s.needs.Period(iterations))); int(period) <= len(s.options.Periods); period++ {
		value, most := big.NewRat(weight, int64(period)), s.options.Most(period)
		if value.Cmp(known) > 0 && (most == nil || value.Cmp(most) <= 0) {
			return true
		}
	}
	return s.options.Periods == nil
}

// draw draws one of the good patterns, better ones more often.
func (s *rateSearch) draw() *ratePattern {
	n := 0
	for n+1 < len(s.good) && s.rng.IntN(3) > 0 {
		n++
	}
	return s.good[n]
}

// shorter returns iterations in about the same proportion, fewer if they are too many for a pattern, and sometimes anyway.
func (s *rateSearch) shorter(iterations []int) []int {
	most := slices.Max(iterations)
	if most == 0 || fits(s.in, s.needs, iterations) && s.rng.IntN(4) > 0 {
		return iterations
	}
	want := make([]float64, len(iterations))
	for j, n := range iterations {
		want[j] = float64(n)
	}
	return Pattern(s.in, want, 1+s.rng.IntN(min(mostRepeated, most)))
}

// change changes the iterations of a few jobs by one each, sometimes after it has doubled or
// tripled all, which permits smaller relative changes.
func (s *rateSearch) change(iterations []int) {
	if s.rng.IntN(4) == 0 {
		times := 2 + s.rng.IntN(2)
		for j := range iterations {
			iterations[j] *= times
		}
	}
	for range 1 + s.rng.IntN(3) {
		j := s.rng.IntN(len(iterations))
		iterations[j] = max(0, iterations[j]+2*s.rng.IntN(2)-1)
	}
}

// search searches a pattern, and returns a new plan from it; nil: none.
func (s *rateSearch) search(x *ratePattern) *instance.Schedule {
	if x.walks == nil && !s.begin(x) {
		return nil
	}
	x.visits++
	rounds := min(1<<x.visits, longVisit)
	x.work = rounds * len(x.walks.walks.Best.Schedule.Tasks)
	for range rounds {
		x.walks.round()
	}
	found := x.walks.walks.Best.Schedule
	if found == x.last {
		return nil
	}
	x.last = found
	repeated := periodic.Repeated(x.part.Instance, found)
	if repeated == nil {
		return nil
	}
	plan := &instance.Schedule{Period: repeated.Period, Residency: make([][]instance.GPUID, len(s.in.Jobs))}
	x.part.Add(plan, repeated)
	plan.Sort()
	if value, _ := s.in.Value(plan).Float64(); value > x.value {
		x.value = value
		s.rank(x)
	}
	return plan
}

// begin makes a first schedule of a pattern. It reports whether there is one.
func (s *rateSearch) begin(x *ratePattern) bool {
	var jobs []instance.JobID
	var iterations []int
	for j, n := range x.iterations {
		if n > 0 {
			jobs, iterations = append(jobs, instance.JobID(j)), append(iterations, n)
		}
	}
	x.part = s.in.Part(jobs, s.in.AllNodes(), nil)
	small := x.part.Miniature(iterations)
	first, err := Config(s.options).Greedy(s.ctx, small, s.rng)
	if err != nil {
		return false
	}
	x.walks = newImprover(s.ctx, s.options, small, s.rng, first)
	return true
}

// rank inserts a pattern in its position among the good ones.
func (s *rateSearch) rank(x *ratePattern) {
	if !slices.Contains(s.good, x) {
		s.good = append(s.good, x)
	}
	slices.SortStableFunc(s.good, func(a, b *ratePattern) int { return cmp.Compare(b.value, a.value) })
	s.good = s.good[:min(len(s.good), mostGood)]
}
