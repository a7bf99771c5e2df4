package periodic

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

const (
	// periodicEvaluations bounds the plans that periodicGreedy builds.
	periodicEvaluations = 600
	// smallPeriod is the greatest MaxPeriod all of whose periods are tried.
	smallPeriod = 64
)

// periodicWork bounds the tasks that the search tries to place over all plans,
// and what takes about as long: a second, and another for every 1,000 GPUs.
func periodicWork(in *instance.Instance) int { return 1_000_000 + 1000*len(in.GPUs) }

// quickPeriodicPart is by how much [Options.Quick] divides the work: with a twentieth
// plans are no better than jobs on GPUs of their own.
const quickPeriodicPart = 5

// periodicPlanTasks bounds the tasks of one plan.
func periodicPlanTasks(in *instance.Instance) float64 { return float64(periodicWork(in)) / 30 }

// Greedy returns a periodic plan of high value by modulo list
// scheduling.
//
// A plan is built from a choice of residencies, a period P and target rates:
// iterations are placed one by one on cyclic timelines of GPUs and links, the
// job that is furthest behind its target first, until no chain of iterations
// has room for another. Then the orders that came about are kept and the
// period is shrunk to the least that they admit, and the time this opens is
// filled again. Candidates for P are iteration lengths, GPU loads, and their
// multiples; random variations of the best plans follow. The work
// is bounded by counts, not by a clock, so that a seed gives one result.
//
// o.Improved, if not nil, is told of every plan better than those before. When
// ctx is cancelled the best plan so far is returned, and only without one the
// context's error. A job need not get iterations; if none can, the plan is
// empty, with period 1 and value 0.
func Greedy(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	s := newPeriodicSearch(ctx, o, in, rng)
	part := o.Part(quickPeriodicPart)
	s.most, s.plans = s.most/part, s.plans/part
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	counts := state.CheapestMultisets(in)
	s.begin(counts)
	s.systematic()
	s.vary(counts)
	return s.result()
}

// Exclusive returns the periodic plan of whole jobs on GPUs of their own at full
// depth: in order of weight density each job takes free GPUs, in one node or rack where it
// can, until too few are left; the others get no iterations. The density is per GPU-tick of
// computation or of the whole iteration, or the order is that of the instance, whichever
// turns out better. The schedule is valid for in.FullDepth().
func Exclusive(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	in = in.FullDepth()
	return dedicated(ctx, ctx, o, in, rng, nil, byHold(in, state.CheapestMultisets(in)), inTurn(in))
}

// Queue is [Exclusive] where jobs take free GPUs first come, first served, in order of the
// instance.
func Queue(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	in = in.FullDepth()
	return dedicated(ctx, ctx, o, in, rng, inTurn(in))
}

// inTurn is the order of the instance.
func inTurn(in *instance.Instance) []instance.JobID {
	return state.OrderBy(len(in.Jobs), func(instance.JobID) int64 { return 0 })
}

// Whole is [Exclusive] at the depths that the rules of in ask for: the jobs run back to
// back, at the least work of each rule. A search for a plan of in may begin there. When the
// context has ended the first order is scheduled all the same, so that there is a plan at
// any limit: in a second for thousands of jobs.
//
// With cycles of c_j ticks a period of P ticks holds floor(P/c_j) iterations.
// P is the one of greatest value among multiples of the cycles; of nearly
// equal ones the shortest. It is at most MaxPeriod or, without one, 64 times
// the longest cycle, and less where that would be more than
// [periodicPlanTasks]. Where jobs compete for links their cycles stretch, and
// of the plans for a few good periods the one that loses the least is kept.
func Whole(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return dedicated(context.WithoutCancel(ctx), ctx, o, in, rng, nil, byHold(in, state.CheapestMultisets(in)), inTurn(in))
}

// dedicated is the best periodic plan of whole jobs on GPUs of their own that choose in
// one of the orders; see residencyOptions. The first plan ends with the context first.
func dedicated(first, ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, orders ...[]instance.JobID) (*instance.Schedule, error) {
	s := newPeriodicSearch(first, o, in, rng)
	if first.Err() != nil {
		return nil, first.Err()
	}
	s.exclusive = true
	counts := state.CheapestMultisets(in)
	for _, order := range orders {
		s.assignJobs(residencyOptions{counts: counts, dedicated: true, order: order})
		s.ctx = ctx
	}
	for n, list := range s.pool {
		for _, l := range list {
			l.target = 1 / float64(l.cycle)
		}
		if n > 0 && s.done() {
			break
		}
		for _, period := range exclusivePeriods(in, list) {
			if s.done() {
				break
			}
			s.evaluate(list, period, filling{}, style{})
		}
		if s.best == nil && first.Err() == nil {
			m := newModuloScheduler(in, list, exclusivePeriods(in, list)[0])
			_ = m.fill(first, filling{})
			s.keep(m) // what is placed is a plan all the same
		}
	}
	return s.result()
}

// periodicSearch carries one search for a periodic plan.
type periodicSearch struct {
	ctx      context.Context
	in       *instance.Instance
	rng      *rand.Rand
	improved func(*instance.Schedule)
	without  method.Set
	stops    func(*big.Rat) bool // see [state.Options.Stop]

	pool        [][]*resident // residencies found
	work        int           // tasks tried
	evaluations int
	most, plans int // of work and evaluations

	exclusive bool
	fixed     int // residencies in the pool that stay there

	best      *moduloScheduler
	bestValue *big.Rat
	running   int          // jobs with iterations in the best plan
	clock     *periodClock // of compact; nil before it is asked for
	table     *residencyTable
	// From what the best plan was built.
	bestPool   int
	bestPeriod instance.Tick
}

func newPeriodicSearch(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) *periodicSearch {
	return &periodicSearch{
		ctx: ctx, in: in, rng: rng, improved: o.Improved, without: o.Without, stops: o.Stops,
		most: periodicWork(in), plans: periodicEvaluations,
	}
}

// done reports whether to stop: cancelled, out of budget, or good enough.
func (s *periodicSearch) done() bool {
	if s.ctx.Err() != nil || s.work >= s.most || s.evaluations >= s.plans {
		return true
	}
	return s.bestValue != nil && s.stops(s.bestValue)
}

// result returns the best plan found, an empty one if there is none.
func (s *periodicSearch) result() (*instance.Schedule, error) {
	if s.best == nil {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		return &instance.Schedule{Period: 1, Residency: make([][]instance.GPUID, len(s.in.Jobs))}, nil
	}
	return s.best.schedule(), nil
}

// multisets draws a depth multiset for every job from those worth trying.
func (s *periodicSearch) multisets() [][]int {
	counts := make([][]int, len(s.in.Jobs))
	for _, class := range s.in.Classes() {
		job := &s.in.Jobs[class[0]]
		choices := multiset.Choices(job, state.FastestType(s.in, job))
		for _, j := range class {
			counts[j] = choices[s.rng.IntN(len(choices))]
		}
	}
	return counts
}

// residencyWays lists the residencies to begin with, most promising first.
func (s *periodicSearch) residencyWays(counts [][]int) []residencyOptions {
	if s.in.Objective == instance.MaxMinThroughput {
		heavy := byLoad(s.in, counts)
		return []residencyOptions{{counts: counts, order: heavy}, {counts: counts}, {counts: counts, order: heavy, scatter: true}}
	}
	return []residencyOptions{
		{counts: counts, dedicated: true, fillers: true},
		{counts: counts, dedicated: true, fillers: true, order: byHold(s.in, counts)},
		{counts: counts, share: 1.3},
		{counts: counts},
		{counts: counts, share: 1},
		{counts: counts, share: 1.8, scatter: true},
	}
}

// assignJobs adds residencies to the pool. For the least rate one that lacks jobs
// is worth nothing, so harder means are tried then.
func (s *periodicSearch) assignJobs(how residencyOptions) {
	if s.ctx.Err() != nil {
		return
	}
	list := assignJobs(s.ctx, s.in, how)
	if s.ctx.Err() != nil {
		return
	}
	if s.in.Objective == instance.MaxMinThroughput && len(list) < len(s.in.Jobs) && !how.dedicated {
		demand, _ := demands(s.in, how.counts)
		if p, counts, err := placement.Place(s.ctx, s.in, placement.Options{Counts: how.counts, Iterations: demand, Noise: how.rng}); err == nil {
			list = residents(s.in, p, counts)
		}
	}
	s.work += len(s.in.GPUs) * len(s.in.Jobs) / 15
	known := func(other []*resident) bool {
		return slices.EqualFunc(list, other, func(a, b *resident) bool {
			return a.id == b.id && slices.Equal(a.gpus, b.gpus) && slices.Equal(a.counts, b.counts)
		})
	}
	if len(list) > 0 && !slices.ContainsFunc(s.pool, known) {
		s.pool = append(s.pool, list)
	}
}

// begin finds residencies to begin with. counts are the usual depth multisets.
func (s *periodicSearch) begin(counts [][]int) {
	for _, how := range s.residencyWays(counts) {
		if s.assignJobs(how); len(s.pool) > 1 && s.work > s.most/3 {
			break
		}
	}
	s.fixed = len(s.pool)
}

// systematic tries every residency with the periods that suggest themselves.
func (s *periodicSearch) systematic() {
	// All residencies with one period, then with the next: should the budget
	// end early, each had its turn.
	periods := make([][]instance.Tick, len(s.pool))
	most := 0
	for i, list := range s.pool {
		aim(s.in, list, 1) // the periods depend on it
		periods[i] = naturalPeriods(s.in, list)
		most = max(most, len(periods[i]))
	}
	speeds := []float64{1, 0}
	if s.in.Objective == instance.MaxMinThroughput {
		speeds = speeds[:1]
	}
	for n := range most {
		for i, list := range s.pool {
			for _, speed := range speeds {
				if n < len(periods[i]) && !s.done() && s.evaluations < s.plans/2 {
					aim(s.in, list, speed)
					s.try(i, list, periods[i][n], filling{}, style{slack: slackSnug})
				}
			}
		}
	}
}

// vary tries random variations until the budget ends. counts are the usual
// depth multisets.
func (s *periodicSearch) vary(counts [][]int) {
	small := len(s.in.Jobs)*len(s.in.GPUs) <= 4096
	for !s.done() && len(s.pool) > 0 {
		i := s.bestPool
		switch p := s.rng.Float64(); {
		case p < 0.25 && small:
			how := residencyOptions{counts: counts, rng: s.rng, scatter: s.rng.IntN(2) == 0, mask: s.rng.Float64() * 0.7}
			if s.rng.IntN(2) == 0 {
				how.counts = s.multisets()
			}
			if s.rng.IntN(2) == 0 {
				for _, j := range s.rng.Perm(len(s.in.Jobs)) {
					how.order = append(how.order, instance.JobID(j))
				}
			}
			known := len(s.pool)
			if s.assignJobs(how); len(s.pool) > known {
				i = known
			}
		case p < 0.45:
			i = s.rng.IntN(len(s.pool))
		}
		list := s.pool[i]
		speed := []float64{0, 1, 0.4 + 0.6*s.rng.Float64()}[s.rng.IntN(3)]
		aim(s.in, list, speed)

		natural := naturalPeriods(s.in, list)
		period := natural[s.rng.IntN(len(natural))]
		if s.best != nil && s.rng.IntN(3) > 0 {
			period = s.bestPeriod
			if s.rng.IntN(2) == 0 {
				period = s.best.period
			}
			period += instance.Tick(float64(period) * (s.rng.Float64() - 0.4) / 4)
		}
		period = clampPeriod(s.in, list, period)

		f := filling{jitter: make([]float64, len(list))}
		head, spread := s.rng.Float64(), s.rng.Float64()*1.5
		for n := range list {
			f.jitter[n] = spread*s.rng.Float64() - head
		}
		if s.rng.IntN(3) == 0 {
			f.first = make([]instance.Tick, len(list))
			for n := range list {
				f.first[n] = instance.Tick(s.rng.Int64N(int64(period)))
			}
		}
		s.try(i, list, period, f, s.style())
		if last := len(s.pool) - 1; last >= s.fixed+8 && last != s.bestPool {
			s.pool = s.pool[:last] // a random residency that did not pay
		}
	}
}

// style draws one.
func (s *periodicSearch) style() style {
	how := style{slack: slack(s.rng.IntN(3)), rng: s.rng}
	if s.rng.IntN(2) == 0 {
		how.randomness = s.rng.Float64() / 2
	}
	if s.rng.IntN(8) == 0 {
		how.level = s.rng.IntN(len(s.in.RateLevels))
	}
	return how
}

// try evaluates and remembers where the best plan came from.
func (s *periodicSearch) try(pool int, list []*resident, period instance.Tick, f filling, how style) {
	if s.evaluate(list, period, f, how) {
		s.bestPool, s.bestPeriod = pool, period
	}
}

// evaluate builds a plan, compacts it and fills it up again, and keeps what is
// best. It reports whether that is a new one.
func (s *periodicSearch) evaluate(list []*resident, period instance.Tick, f filling, how style) (better bool) {
	s.evaluations++
	even := s.in.Objective == instance.MaxMinThroughput && !s.exclusive
	f.even = even
	m := newModuloScheduler(s.in, list, period)
	m.style = how
	defer func() { s.work += m.tasks }()
	if m.fill(s.ctx, f) != nil {
		return s.keep(m) // what is placed is a plan all the same
	}
	for range 3 {
		if even {
			m.trim()
		}
		better = s.keep(m) || better
		// Far from the best, compaction is not worth its time.
		if value, _ := s.value(m).Float64(); s.bestValue != nil {
			if best, _ := s.bestValue.Float64(); value < 0.8*best {
				return better
			}
		}
		if s.without[method.Compaction] {
			return better
		}
		short := s.compact(m)
		if short == nil {
			return better
		}
		m = short
		better = s.keep(m) || better
		if even {
			return better
		}
		before := m.placed()
		if m.fill(s.ctx, filling{}) != nil || m.placed() == before {
			return better
		}
	}
	return s.keep(m) || better
}

func (s *periodicSearch) value(m *moduloScheduler) *big.Rat {
	return s.in.RateValue(m.iterations(), m.period)
}

// keep makes m the best plan if it is better. Among plans of value 0 under the
// least rate, more running jobs are better.
func (s *periodicSearch) keep(m *moduloScheduler) bool {
	running := 0
	for _, chain := range m.chains {
		running += min(1, len(chain))
	}
	if running == 0 {
		return false
	}
	value := s.value(m)
	if s.best != nil {
		if c := value.Cmp(s.bestValue); c < 0 || c == 0 && (value.Sign() > 0 || running <= s.running) {
			return false
		}
	}
	// The chains are copied, for m may grow.
	s.best = &moduloScheduler{in: m.in, period: m.period, residents: m.residents, chains: slices.Clone(m.chains)}
	s.bestValue, s.running = value, running
	if s.improved != nil {
		s.improved(s.best.schedule())
	}
	return true
}

// placed returns the number of iterations.
func (m *moduloScheduler) placed() (n int) {
	for _, chain := range m.chains {
		n += len(chain)
	}
	return n
}

// trim drops iterations that do not raise the least normalised rate, so that
// the period can shrink. The time they took is not given back to m.
func (m *moduloScheduler) trim() {
	if len(m.chains) < len(m.in.Jobs) {
		return // the least rate is 0
	}
	var least *big.Rat // iterations x full time / weight
	for i, l := range m.residents {
		num := new(big.Int).Mul(big.NewInt(int64(len(m.chains[i]))), big.NewInt(int64(l.job.FastestFull())))
		if rate := new(big.Rat).SetFrac(num, big.NewInt(l.job.Weight)); least == nil || rate.Cmp(least) < 0 {
			least = rate
		}
	}
	for i, l := range m.residents {
		need := new(big.Rat).Mul(least, big.NewRat(l.job.Weight, int64(l.job.FastestFull())))
		n := new(big.Int).Add(need.Num(), need.Denom())
		n.Sub(n, big.NewInt(1)).Quo(n, need.Denom()) // rounded up
		if r := int(n.Int64()); r < len(m.chains[i]) {
			m.chains[i] = m.chains[i][:r:r]
		}
	}
}
