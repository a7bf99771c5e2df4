package heuristics

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/periodic"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// MostPattern is the largest number of iterations of a job in a pattern of a long plan.
const MostPattern = 60

// Patterns for the least rate have at most this many iterations of a job and this many tasks;
// more only if every job has one iteration.
const mostRepeated, mostRepeatedTasks = 100, 8000

// repeater makes plans for the least rate by the finite search: it schedules as many iterations of each
// job as give all jobs the same fraction of their rates alone, to end as early as possible, and repeats
// that. Unlike periodic list scheduling, the finite search finds out which jobs fit well together. After
// a while without a gain it restarts with a pattern of another size.
type repeater struct {
	ctx     context.Context
	in      *instance.Instance
	rng     *rand.Rand
	options state.Options // of the finite search
	want    []float64     // per job: iterations in proportion
	needs   *periodic.Needs

	walks *improver          // of a pattern; nil: none yet
	last  *instance.Schedule // of the pattern, already turned into a plan
	stale int                // rounds without a better one
	most  int                // iterations of a job in the first pattern
}

// repeatPatience is the number of rounds without a gain after which the search of a pattern
// ends.
const repeatPatience = 5

func (c Config) newRepeater(ctx context.Context, in *instance.Instance, rng *rand.Rand) *repeater {
	r := &repeater{ctx: ctx, in: in, rng: state.Fork(rng), options: state.Options{Quick: c.Quick, Without: c.Without}, want: make([]float64, len(in.Jobs)), needs: periodic.NewNeeds(in)}
	for j := range r.want {
		r.want[j] = float64(in.Jobs[j].Weight) / float64(max(1, in.Jobs[j].FastestFull()))
	}
	return r
}

// greedyRepeated is a plan of whole jobs or, if that is better, of a list-scheduled pattern.
func (c Config) greedyRepeated(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	best, err := periodic.Dedicated(ctx, in)
	if err != nil {
		return nil, err
	}
	if c.Improved != nil {
		c.Improved(best)
	}
	if !c.Without[method.Repetition] && !state.Options(c).Stops(in.Value(best)) {
		if r := c.newRepeater(ctx, in, rng); r.begin(mostRepeated) {
			best = c.better(in, best, r.plan())
		}
	}
	return best, nil
}

// improveRepeated searches for patterns whose plan is better than best.
func (c Config) improveRepeated(ctx context.Context, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) *instance.Schedule {
	var list [repeaters]*repeater
	for n := range list {
		list[n] = c.newRepeater(ctx, in, rng)
	}
	for round := 0; ctx.Err() == nil && (c.Rounds == 0 || round < c.Rounds); round++ {
		for _, r := range list {
			if state.Options(c).Stops(in.Value(best)) {
				return best
			}
			best = c.better(in, best, r.round())
		}
	}
	return best
}

// repeaters is the number of patterns that are searched in turn.
const repeaters = 3

// better is the better of a plan and another, if there is one.
func (c Config) better(in *instance.Instance, best, other *instance.Schedule) *instance.Schedule {
	if other == nil || in.Value(other).Cmp(in.Value(best)) <= 0 {
		return best
	}
	if c.Improved != nil {
		c.Improved(other)
	}
	return other
}

// begin starts with a pattern that has at most the given number of iterations. It reports
// whether it has a schedule.
func (r *repeater) begin(most int) bool {
	for ; ; most -= max(1, most/8) {
		pattern := Pattern(r.in, r.want, most)
		if most > 1 && !fits(r.in, r.needs, pattern) {
			continue
		}
		small := r.in.Miniature(pattern)
		s, err := Config(r.options).Greedy(r.ctx, small, r.rng)
		if err != nil {
			return false
		}
		bounded := most > 1 && r.in.MaxPeriod > 0
		if bounded && float64(s.Makespan(small)) > 1.1*float64(r.in.MaxPeriod) {
			continue
		}
		r.most = max(r.most, most)
		if bounded && r.walks == nil && periodic.Repeated(r.in, s) == nil {
			continue // the first is a plan, and later ones may become plans
		}
		r.walks, r.last, r.stale = newImprover(r.ctx, r.options, small, r.rng, s), nil, 0
		return true
	}
}

// round continues for a round, and returns its plan if that is new; nil: none. It starts with a
// long pattern.
func (r *repeater) round() *instance.Schedule {
	if r.walks == nil && !r.begin(mostRepeated) || (r.stale >= repeatPatience || r.walks.walks == nil) && !r.begin(1+max(r.rng.IntN(r.most), r.rng.IntN(r.most))) {
		return nil
	}
	r.walks.round()
	return r.plan()
}

// plan returns the plan of the best schedule of the pattern if it is new; nil: none.
func (r *repeater) plan() *instance.Schedule {
	s := r.walks.walks.Best.Schedule
	if r.stale++; s == r.last {
		return nil
	}
	r.last, r.stale = s, 0
	return periodic.Repeated(r.in, s)
}

// fits reports whether a pattern has iterations, not too many tasks, and fits within the longest
// period.
func fits(in *instance.Instance, needs *periodic.Needs, pattern []int) bool {
	tasks := 0
	for j, n := range pattern {
		tasks += n * in.Jobs[j].Workers
	}
	return tasks > 0 && tasks <= mostRepeatedTasks && (in.MaxPeriod == 0 || needs.Period(pattern) <= float64(in.MaxPeriod))
}

// Pattern chooses how many iterations of each job a repeating pattern has: in proportion to want and rounded up, so
// that all get their share; jobs that want none have none, and the job that wants most has between half of most and
// most. Of all such numbers it takes the largest among those that waste the least work.
func Pattern(in *instance.Instance, want []float64, most int) (best []int) {
	least, size, greatest := math.Inf(1), 0.0, slices.Max(want)
	work := make([]float64, len(want)) // of an iteration
	for j := range work {
		work[j] = float64(in.Jobs[j].Workers) * float64(in.Jobs[j].FastestFull())
	}
	number := func(j int, part float64) int {
		if want[j] > 0 {
			return max(1, int(math.Ceil(float64(part*want[j])-1e-9)))
		}
		return 0
	}
	seen := map[float64]bool{}
	for _, w := range want {
		// The numbers for which one job needs no rounding.
		for k := 1; !seen[w] && float64(k)*greatest <= float64(most)*w; k++ {
			part, sum := float64(k)/w, 0.0
			if 2*part*greatest < float64(most) {
				continue
			}
			for j := range work {
				sum += float64(work[j] * float64(number(j, part)))
			}
			if waste := sum / part; waste < least*(1-1e-9) || waste < least*(1+1e-9) && part > size {
				least, size = waste, part
			}
		}
		seen[w] = true
	}
	if size == 0 {
		return nil
	}
	best = make([]int, len(want))
	for j := range best {
		best[j] = number(j, size)
	}
	return best
}
