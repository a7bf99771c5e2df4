package periodic

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// periodicImprover anneals periodic plans in lanes side by side. There are as
// many on any number of cores; after each round, in which each does about the
// same amount of work, they exchange what they found.
type periodicImprover struct {
	ctx      context.Context
	options  state.Options
	in       *instance.Instance
	lanes    []*cyclicLane
	ruins    *ruins // without walks for the least rate
	restarts []*restart
	best     *instance.Schedule
	value    float64
	work     int // of a lane in a round
}

// cyclicLane is one walk of simulated annealing over cyclic sequences.
type cyclicLane struct {
	cyclicMover
	clock *periodClock
	now   *cyclicSequence
	worth float64 // of now; see worthOf
	fresh bool    // critical are operations of now
	// best is better than all that the improver has; nil: none.
	best  *instance.Schedule
	value float64 // of the best plan known to the lane
	// rounds are those since the walk was last heated up; it cools for as many as cycle.
	rounds, cycle int
}

const (
	// A lane looks at so many constraints in a round: laneWork for each operation
	// of the plan that the search begins with, within limits.
	laneWork                    = 20_000
	leastLaneWork, mostLaneWork = 500_000, 3_000_000
	// laneHot and laneCold are the temperatures at the start and the end of a
	// cycle, as parts of the value.
	laneHot, laneCold = 1e-2, 5e-4
	// laneCycle is the length of the first cycles of cooling, in rounds.
	laneCycle = 4
	// pollWork is the work between two looks at the context, about a millisecond.
	pollWork = 300_000
	// mostDoubled bounds the operations of plans that are doubled.
	mostDoubled = 3000
)

// Improve searches for plans better than best, a valid one, and returns the best
// it has; it ends with the context, after o.Rounds rounds, or when o.Stop says so.
// Each round begins with a plan of further's, if that is not nil and has one.
func Improve(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, best *instance.Schedule, further func() *instance.Schedule) *instance.Schedule {
	if o.Stops(in.Value(best)) {
		return best
	}
	s := newPeriodicImprover(ctx, o, in, rng, best)
	for round := 0; ctx.Err() == nil && (o.Rounds == 0 || round < o.Rounds); round++ {
		if further != nil {
			s.join(further())
		}
		if s.round(); o.Stops(in.Value(s.best)) {
			break
		}
	}
	return s.best
}

func newPeriodicImprover(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) *periodicImprover {
	s := &periodicImprover{ctx: ctx, options: o, in: in, best: start}
	s.value, _ = in.Value(start).Float64()
	counts, residencyTable := state.CheapestMultisets(in), newResidencyTable(in)
	operations := len(start.Tasks) + len(start.Syncs)
	s.work = min(max(leastLaneWork, laneWork*operations), mostLaneWork)
	lanes := min(max(1, (1<<18)/max(1, operations)), 6)
	if o.Without[method.CyclicLanes] {
		lanes = 0
	}
	for range lanes {
		l := &cyclicLane{clock: newPeriodClock(in), cycle: laneCycle, now: newCyclicSequence(residencyTable), value: s.value}
		l.cyclicMover = cyclicMover{residencyTable: residencyTable, rng: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())), counts: counts, busy: l.clock.load}
		l.load(start)
		s.lanes = append(s.lanes, l)
	}
	s.ruins = newRuins(in, rng, start, !o.Without[method.RuinRecreate])
	restarts := 1
	if in.Objective == instance.MaxMinThroughput {
		restarts = 2
	}
	if o.Without[method.Restarts] {
		restarts = 0
	}
	for range restarts {
		s.restarts = append(s.restarts, &restart{in: in, without: o.Without, rng: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))})
	}
	return s
}

// load makes the lane go on from a plan.
func (l *cyclicLane) load(s *instance.Schedule) {
	l.next = newCyclicSequence(l.residencyTable)
	l.next.read(s)
	l.enter()
}

// enter makes the lane go on from next, unless that is no plan.
func (l *cyclicLane) enter() {
	if !l.clock.least(l.next, l.next.period) {
		return
	}
	l.now, l.next = l.next, l.now
	l.renew()
	l.rounds = 0
}

// renew sorts the list of now by the starts modulo the period, where that does
// not lengthen it, and works out what now is worth.
func (l *cyclicLane) renew() {
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
	l.worth = l.worthOf(l.now) / float64(l.now.period)
	l.fresh = false
}

// worthOf is the value of a cyclic sequence times its period: for the sum of rates the
// weight of its iterations. For the least rate it is smoothed, so that every
// step towards it counts.
func (l *cyclicLane) worthOf(r *cyclicSequence) float64 {
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
		sum += math.Pow(n*float64(job.FastestFull())/float64(job.Weight), -powerMean)
	}
	return math.Pow(sum/float64(len(r.chain)), -1/powerMean)
}

// powerMean is the exponent of the mean that smooths the least rate.
const powerMean = 16

// walk anneals for about the given work at one temperature.
func (l *cyclicLane) walk(ctx context.Context, work int) {
	heat := state.Cooled(laneHot, laneCold, float64(l.rounds)/float64(max(1, l.cycle-1)))
	for end, poll := l.clock.work+work, 0; l.clock.work < end; {
		if l.clock.work >= poll {
			if ctx.Err() != nil {
				return
			}
			poll = l.clock.work + pollWork
		}
		if !l.fresh {
			l.critical = l.clock.critical(l.now, l.critical[:0])
			l.fresh = true
		}
		l.clock.work += 16 + len(l.now.list)
		l.next.copyFrom(l.now)
		if !l.draw(l.rng.IntN(moveKinds)) {
			continue
		}
		l.next.settle()
		worth := l.worthOf(l.next)
		most := worth / (l.worth * state.Exp(-state.Allowance(l.rng, heat)))
		limit := instance.Tick(min(most*(1+1e-12)+1e-9, 1<<50))
		if l.in.MaxPeriod > 0 {
			limit = min(limit, l.in.MaxPeriod)
		}
		if limit < 1 || !l.clock.least(l.next, limit) {
			continue
		}
		l.now, l.next = l.next, l.now
		l.renew()
		l.keep()
	}
}

// keep remembers now if it is the best.
func (l *cyclicLane) keep() {
	value := l.worth
	if l.in.Objective != instance.Throughput {
		value = math.Inf(1)
		for j, chain := range l.now.chain {
			job := &l.in.Jobs[j]
			value = min(value, float64(len(chain))*float64(job.FastestFull())/float64(job.Weight)/float64(l.now.period))
		}
	}
	if value > l.value*(1+1e-12) {
		l.value, l.best = value, l.now.schedule()
	}
}

// round lets all walk, and takes over what is best.
func (s *periodicImprover) round() {
	s.ruins.begin(s.value)
	walks, restarts := s.ruins.walks, s.restarts
	state.Parallel(len(walks)+len(restarts)+len(s.lanes), func(i int) {
		switch lane := i - len(walks) - len(restarts); {
		case i < len(walks):
			walks[i].walk(s.ctx)
		case lane < 0:
			restarts[i-len(walks)].walk(s.ctx)
		default:
			s.lanes[lane].walk(s.ctx, s.work)
		}
	})
	for _, w := range walks {
		s.offer(s.ruins.end(w))
	}
	for _, c := range restarts {
		s.ruins.note(c.best, c.value)
		s.offer(c.best, c.value)
	}
	for _, l := range s.lanes {
		s.ruins.note(l.best, l.value)
		s.offer(l.best, l.value)
		l.best = nil
	}
	for _, l := range s.lanes {
		l.value = s.value
		if l.rounds++; l.rounds < l.cycle {
			continue
		}
		l.rounds = 0 // heated up again
		switch draw := l.rng.IntN(4); {
		case draw < 2:
			if plan := s.find(l.rng); plan != nil {
				l.load(plan)
			}
			l.cycle = laneCycle
		case draw == 2:
			l.load(s.best)
			l.cycle += l.cycle / 2
		default:
			l.cycle += l.cycle / 2
		}
		if l.rng.IntN(2) == 0 && len(l.now.list) > 0 && 2*len(l.now.list) <= mostDoubled && (l.in.MaxPeriod == 0 || 2*l.now.period <= l.in.MaxPeriod) {
			l.load(twice(l.in, l.now.schedule()))
		}
	}
}

// join takes a plan over, and makes every other lane go on from it, if it is better than all before.
func (s *periodicImprover) join(plan *instance.Schedule) {
	if plan == nil {
		return
	}
	value, _ := s.in.Value(plan).Float64()
	if value <= s.value*(1+1e-12) {
		return
	}
	s.offer(plan, value)
	for n, l := range s.lanes {
		if l.value = value; n%2 == 0 {
			l.load(plan)
		}
	}
}

// find draws a plan for a lane to begin again from: what a restart has, or a walk is at;
// nil: there is none.
func (s *periodicImprover) find(rng *rand.Rand) *instance.Schedule {
	others := len(s.restarts) + len(s.ruins.walks)
	if others == 0 {
		return nil
	}
	n := rng.IntN(others)
	if n < len(s.restarts) {
		return s.restarts[n].best
	}
	return s.ruins.walks[n-len(s.restarts)].plan()
}

// offer takes a plan over if it is better than all before it.
func (s *periodicImprover) offer(plan *instance.Schedule, value float64) {
	if plan == nil || value <= s.value*(1+1e-12) {
		return
	}
	s.best, s.value = plan, value
	if s.options.Improved != nil {
		s.options.Improved(plan)
	}
}

// restart makes plans by list scheduling for lanes to begin from: a
// greedy search, and after some rounds another one.
type restart struct {
	in      *instance.Instance
	without method.Set
	rng     *rand.Rand
	search  *periodicSearch
	counts  [][]int
	rounds  int
	best    *instance.Schedule // of this search; nil: none yet
	value   float64
}

// restartRounds is for how many rounds a restart goes on with a search.
const restartRounds = 5

// walk goes on for a round.
func (c *restart) walk(ctx context.Context) {
	if c.rounds%restartRounds == 0 {
		c.search = newPeriodicSearch(ctx, state.Options{Without: c.without}, c.in, c.rng)
		c.counts, c.best = state.CheapestMultisets(c.in), nil
		if c.rng.IntN(2) == 0 {
			c.counts = c.search.multisets()
		}
		c.search.begin(c.counts)
		c.search.systematic()
		c.search.most, c.search.plans = c.search.work, c.search.evaluations
	}
	c.rounds++
	c.search.most += periodicWork(c.in) / restartRounds
	c.search.plans += periodicEvaluations / restartRounds
	c.search.vary(c.counts)
	if c.search.best == nil {
		return
	}
	if v, _ := c.search.bestValue.Float64(); c.best == nil || v > c.value {
		c.best, c.value = c.search.best.schedule(), v
	}
}
