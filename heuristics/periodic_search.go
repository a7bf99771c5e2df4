package heuristics

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"jigsaw/formulation/instance"
)

// periodicImprover anneals periodic plans in lanes side by side. There are as
// many on any number of cores; after each round, in which each does about the
// same amount of work, they exchange what they found.
type periodicImprover struct {
	ctx    context.Context
	config Config
	in     *instance.Instance
	lanes  []*rotaLane
	scouts []*periodicScout
	best   *instance.Schedule
	value  float64
}

// rotaLane is one walk of simulated annealing over rotas.
type rotaLane struct {
	rotaMover
	clock *rotaClock
	now   *rota
	worth float64 // of now; see worthOf
	spare []int32
	fresh bool // critical are operations of now
	// best is better than all that the improver has; nil: none.
	best  *instance.Schedule
	value float64 // of the best plan known to the lane
	// rounds are those since the walk was last heated up; it cools for as many as cycle.
	rounds, cycle int

	tried, taken, gained [rotaMoves]int
}

const (
	// rotaWork is what a lane does in a round, in constraints looked at.
	rotaWork = 12_000_000
	// rotaHot and rotaCold are the temperatures at the start and the end of a
	// cycle, as parts of the value.
	rotaHot, rotaCold = 1e-2, 5e-4
	// rotaCycle is the length of the first cycles of cooling, in rounds.
	rotaCycle = 4
	// mostRota bounds the operations of plans that are doubled.
	mostRota = 3000
)

func newPeriodicImprover(ctx context.Context, c Config, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) *periodicImprover {
	s := &periodicImprover{ctx: ctx, config: c, in: in, best: start}
	s.value, _ = in.Value(start).Float64()
	counts := startCounts(in)
	for range 6 {
		l := &rotaLane{clock: newRotaClock(in), cycle: rotaCycle}
		l.in, l.rng, l.counts, l.busy = in, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())), counts, l.clock.load
		l.now, l.value = &rota{in: in}, s.value
		if l.load(start) {
			s.lanes = append(s.lanes, l)
		}
	}
	for range 2 {
		s.scouts = append(s.scouts, &periodicScout{in: in, rng: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))})
	}
	return s
}

// load makes the lane go on from a plan. It reports whether it does.
func (l *rotaLane) load(s *instance.Schedule) bool {
	l.next = newRota(l.in, s)
	return l.enter()
}

// enter makes the lane go on from next.
func (l *rotaLane) enter() bool {
	if !l.clock.least(l.next, l.next.period) {
		return false
	}
	l.now, l.next = l.next, l.now
	l.worth = l.worthOf(l.now) / float64(l.now.period)
	l.renew()
	l.rounds = 0
	return true
}

// renew sorts the list by the starts modulo the period.
func (l *rotaLane) renew() {
	l.next.copyFrom(l.now)
	r := l.next
	for _, op := range r.list {
		r.at[op] = residue(r.at[op], r.period)
	}
	slices.SortStableFunc(r.list, func(a, b int32) int { return cmp.Compare(r.at[a], r.at[b]) })
	if l.clock.least(r, r.period) {
		l.now, l.next = l.next, l.now
	}
	if len(l.now.owner) > 2*len(l.now.list)+64 {
		l.now.compact()
	}
	l.fresh = false
}

// worthOf is the value of a rota times its period: for the sum of rates the
// weight of its iterations. For the least rate it is smoothed, so that every
// step towards it counts.
func (l *rotaLane) worthOf(r *rota) float64 {
	sum := 0.0
	if l.in.Objective == instance.Throughput {
		for j, chain := range r.chain {
			sum += float64(l.in.Jobs[j].Weight) * float64(len(chain))
		}
		return sum
	}
	for j, chain := range r.chain {
		job := &l.in.Jobs[j]
		n := max(0.05, float64(len(chain)))
		sum += math.Pow(n*float64(job.FastestFull())/float64(job.Weight), -rotaNorm)
	}
	return math.Pow(sum/float64(len(r.chain)), -1/rotaNorm)
}

// rotaNorm is the exponent of the mean that smooths the least rate.
const rotaNorm = 16

// walk anneals for about the given work at one temperature.
func (l *rotaLane) walk(ctx context.Context, work int) {
	heat := RotaHot * math.Pow(RotaCold/RotaHot, float64(l.rounds)/float64(max(1, l.cycle-1)))
	end := l.clock.work + RotaWork
	for tries := 0; l.clock.work < end; tries++ {
		if tries&15 == 0 && ctx.Err() != nil {
			return
		}
		if !l.fresh {
			l.critical = l.clock.critical(l.now, l.critical[:0])
			l.fresh = true
		}
		l.clock.work += 16 + len(l.now.list)
		l.next.copyFrom(l.now)
		kind := l.rng.IntN(rotaMoves)
		l.tried[kind]++
		if !l.draw(kind) {
			continue
		}
		l.spare = l.next.settle(l.spare)
		worth := l.worthOf(l.next)
		most := worth / (l.worth * math.Exp(heat*math.Log(1-l.rng.Float64())))
		limit := instance.Tick(min(most*(1+1e-12)+1e-9, 1<<50))
		if l.in.MaxPeriod > 0 {
			limit = min(limit, l.in.MaxPeriod)
		}
		if limit < 1 || !l.clock.least(l.next, limit) {
			continue
		}
		l.taken[kind]++
		now := worth / float64(l.next.period)
		if now > l.worth*(1+1e-12) {
			l.gained[kind]++
		}
		l.now, l.next, l.worth = l.next, l.now, now
		l.keep()
		l.renew()
	}
}

// keep remembers now if it is the best.
func (l *rotaLane) keep() {
	r := make([]int, len(l.in.Jobs))
	for j, chain := range l.now.chain {
		r[j] = len(chain)
	}
	if v, _ := l.in.RateValue(r, l.now.period).Float64(); v > l.value*(1+1e-12) {
		l.value, l.best = v, l.now.schedule()
	}
}

// round lets all walk, and takes over what is best.
func (s *periodicImprover) round() {
	var next atomic.Int64
	var wg sync.WaitGroup
	both := len(s.scouts) + len(s.lanes)
	for range min(runtime.GOMAXPROCS(0), both) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < both; i = int(next.Add(1)) - 1 {
				if i < len(s.scouts) {
					s.scouts[i].walk(s.ctx)
				} else {
					s.lanes[i-len(s.scouts)].walk(s.ctx, rotaWork)
				}
			}
		}()
	}
	wg.Wait()
	for _, c := range s.scouts {
		s.offer(c.best, c.value)
	}
	for _, l := range s.lanes {
		s.offer(l.best, l.value)
		l.best = nil
	}
	for _, l := range s.lanes {
		l.value = s.value
		if l.rounds++; l.rounds < l.cycle {
			continue
		}
		l.rounds = 0
		switch draw := l.rng.IntN(4); {
		case draw < 2 && len(s.scouts) > 0:
			if c := s.scouts[l.rng.IntN(len(s.scouts))]; c.best != nil {
				l.load(c.best)
			}
			l.cycle = rotaCycle
		case draw == 2:
			l.load(s.best)
			l.cycle += l.cycle / 2
		default:
			l.cycle += l.cycle / 2
		}
		if l.rng.IntN(2) == 0 && 2*len(l.now.list) <= mostRota && (l.in.MaxPeriod == 0 || 2*l.now.period <= l.in.MaxPeriod) {
			l.next.copyFrom(l.now)
			l.next.double()
			l.enter()
		}
	}
}

// offer takes a plan over if it is better than all before it.
func (s *periodicImprover) offer(plan *instance.Schedule, value float64) {
	if plan == nil || value <= s.value*(1+1e-12) {
		return
	}
	s.best, s.value = plan, value
	if s.config.Improved != nil {
		s.config.Improved(plan)
	}
}

// periodicScout makes plans by list scheduling for lanes to begin from: a
// greedy search, and after some rounds another one.
type periodicScout struct {
	in     *instance.Instance
	rng    *rand.Rand
	search *periodicSearch
	counts [][]int
	rounds int
	best   *instance.Schedule // of this search; nil: none yet
	value  float64
}

// scoutRounds is for how many rounds a scout goes on with a search.
const scoutRounds = 5

// walk goes on for a round.
func (c *periodicScout) walk(ctx context.Context) {
	if c.rounds%scoutRounds == 0 {
		c.search = newPeriodicSearch(ctx, c.in, c.rng, nil)
		c.search.mostWork, c.search.mostEvaluations = 0, 0
		c.counts = startCounts(c.in)
		if c.rounds > 0 && c.rng.IntN(2) == 0 {
			c.counts = c.search.multisets()
		}
		c.search.begin(c.counts)
		c.best = nil
	}
	c.rounds++
	c.search.mostWork += periodicWork(c.in) / scoutRounds
	c.search.mostEvaluations += periodicEvaluations / scoutRounds
	c.search.vary(c.counts)
	if c.search.best == nil {
		return
	}
	if v, _ := c.search.bestValue.Float64(); c.best == nil || v > c.value {
		c.best, c.value = c.search.best.schedule(), v
	}
}
