package heuristics

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Improve searches for schedules better than start, a valid one, and returns
// the best it has, start at worst. With start nil it begins with
// [Config.Greedy], whose errors are then its own. The search ends with the
// context, after c.Rounds rounds, or when c.Stop says so; the end of the
// context is no error once there is a schedule. With equal rounds, instance,
// state of rng and start the schedule is the same on any number of cores.
func (c Config) Improve(ctx context.Context, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) (*instance.Schedule, error) {
	best := start
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
	if in.Objective.Periodic() {
		return c.improvePeriodic(ctx, in, rng, best)
	}
	if c.stops(in.Value(best)) {
		return best, nil
	}
	s := newSearch(ctx, c, in, rng, best, mostLanes)
	s.pieces = newPieces(in, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
	s.trades = newTrades(in, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())), rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
	for round := 0; ctx.Err() == nil && (c.Rounds == 0 || round < c.Rounds); round++ {
		if s.round(); c.stops(in.Value(s.best.schedule)) {
			break
		}
	}
	return s.best.schedule, nil
}

// stops reports whether a value is good enough.
func (c Config) stops(value *big.Rat) bool { return c.Stop != nil && c.Stop(value) }

// improvePeriodic is Improve for the periodic objectives.
func (c Config) improvePeriodic(ctx context.Context, in *instance.Instance, rng *rand.Rand, best *instance.Schedule) (*instance.Schedule, error) {
	if c.stops(in.Value(best)) {
		return best, nil
	}
	s := newPeriodicImprover(ctx, c, in, rng, best)
	for round := 0; ctx.Err() == nil && (c.Rounds == 0 || round < c.Rounds); round++ {
		if s.round(); c.stops(in.Value(s.best)) {
			break
		}
	}
	return s.best, nil
}

// search looks for schedules in several ways side by side. Scouts look for
// residencies, which decide most; see [scout]. Lanes anneal whole schedules,
// sequences, with residencies that others found. There are as many of both on
// any number of cores; after each round, in which each does about the same
// amount of work, they exchange what they found.
type search struct {
	ctx    context.Context
	config Config
	in     *instance.Instance
	ops    *operations
	lanes  []*lane
	scouts []*scout
	finds  []find // of the scouts, the best first, for lanes to begin from
	pieces *pieces
	trades *trades
	best   find
	work   int // of each walk in a round
	due    int // of each walk, put off
}

// lane is one walk of simulated annealing.
type lane struct {
	mover
	decoder *sequenceDecoder
	best    find // better than all that the search has; nil: none
	value   value
	// rounds are those since the walk was last heated up; it cools for as many as cycle.
	rounds, cycle int

	tried  [moveKinds]int
	gained [moveKinds]int
}

const (
	// A lane places all operations roundPasses times over in a round, but at
	// least leastRound operations, and no more than mostRound if that is enough
	// for leastPasses.
	roundPasses, leastPasses = 100, 4
	leastRound, mostRound    = 40_000, 400_000
	// firstCycle is the length of the first cycles of cooling, in rounds; those
	// after it grow.
	firstCycle = 8
	// Temperatures at the start and the end of a cycle, as parts of the value.
	hot, cold = 1e-3, 2e-5
	// mostLanes is how many lanes there are but for instances of many operations.
	mostLanes = 6
	// maxFinds is how many schedules wait for a lane.
	maxFinds = 16
)

// newSearch begins a search from a valid schedule with at most so many lanes, and
// without pieces.
func newSearch(ctx context.Context, c Config, in *instance.Instance, rng *rand.Rand, start *instance.Schedule, lanes int) *search {
	s := &search{ctx: ctx, config: c, in: in, ops: newOperations(in)}
	s.best = find{start, valueOf(in, start.Completion(in))}
	all := s.ops.tasks + s.ops.syncs
	s.work = max(leastPasses*all, min(max(leastRound, roundPasses*all), mostRound))
	reach := newReach(in)
	for n := range min(max(1, (1<<18)/max(1, all)), lanes) {
		if ctx.Err() != nil {
			break
		}
		l := &lane{decoder: newSequenceDecoder(s.ops), cycle: firstCycle, value: s.best.value}
		l.rng = rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		l.load(newSequence(s.ops, start))
		s.lanes = append(s.lanes, l)
		if n%3 == 0 { // their finds take longer to work out than to make
			s.scouts = append(s.scouts, newScout(s.ops, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())), reach))
		}
	}
	return s
}

// load makes the lane go on from a sequence.
func (l *lane) load(q *sequence) {
	l.sequence, l.rounds = q, 0
	l.renew()
	l.renew()
}

// renew brings the order of the operations into that of their starts, and
// decodes it.
func (l *lane) renew() {
	if l.marks != nil {
		l.sort()
	}
	energy, _ := l.decoder.decode(l.sequence, 0, math.Inf(1))
	l.decoder.accept(l.sequence, energy)
	l.fresh = false
}

// round lets all walk and, where the instance falls apart, jobs be traded and pieces
// be improved for a part of the work. Of a large instance scouts and lanes walk only
// once a whole round's work is due, for they cannot do with much less.
func (s *search) round() {
	walks := float64(s.work * (len(s.lanes) + len(s.scouts)))
	left := 1 - s.trades.walk(s.ctx, int(walks), s.best)
	s.offer(s.trades.best)
	part := left * s.pieces.follow(s.best, s.trades.best)
	if part > 0 {
		s.pieces.improve(s.ctx, int(part*walks))
		s.offer(s.pieces.best)
		left -= part
	}
	s.due += int(left * float64(s.work))
	if large := part > 0 || s.work > mostRound; !large || s.due >= s.work {
		s.walk(s.due)
		s.due = 0
	}
}

// walk lets lanes and scouts walk, and takes over what is best.
func (s *search) walk(work int) {
	parallelBut(s.config.Spare, len(s.scouts)+len(s.lanes), func(i int) {
		if i < len(s.scouts) {
			s.scouts[i].walk(s.ctx, work)
		} else {
			s.lanes[i-len(s.scouts)].walk(s.ctx, work)
		}
	})
	for _, c := range s.scouts {
		s.offer(c.best)
		c.best.schedule = nil
		for _, f := range c.finds {
			at, _ := slices.BinarySearchFunc(s.finds, f, func(a, b find) int {
				if b.value.less(a.value) {
					return 1
				}
				return -1
			})
			s.finds = slices.Insert(s.finds, at, f)
		}
		c.finds = c.finds[:0]
	}
	s.finds = s.finds[:min(len(s.finds), maxFinds)]
	for _, l := range s.lanes {
		s.offer(l.best)
		l.best.schedule = nil
	}
	best := 0
	for n, l := range s.lanes {
		if l.energy < s.lanes[best].energy {
			best = n
		}
	}
	for _, l := range s.lanes {
		l.value = s.best.value
		if l.rounds++; l.rounds < l.cycle {
			continue
		}
		// The next cycle begins from what a scout found, whose homes may be good
		// although its order is not yet, or from the best, or goes on from here.
		switch draw := l.rng.IntN(4); {
		case draw < 2 && len(s.finds) > 0:
			n := l.rng.IntN(min(len(s.finds), 4))
			l.load(newSequence(s.ops, s.finds[n].schedule))
			s.finds = slices.Delete(s.finds, n, n+1)
			l.cycle = firstCycle
		case draw == 2 && l.energy < 1.02*s.lanes[best].energy:
			l.load(l.sequence)
			l.cycle += l.cycle / 2
		default:
			l.load(newSequence(s.ops, s.best.schedule))
			l.cycle += l.cycle / 2
		}
	}
}

// offer takes a schedule over if it is better than all before it.
func (s *search) offer(f find) {
	if f.schedule == nil || !f.value.less(s.best.value) {
		return
	}
	s.best = f
	if s.config.Improved != nil && f.value.late == 0 {
		s.config.Improved(f.schedule)
	}
}

// walk anneals for about the given number of operations at one temperature.
func (l *lane) walk(ctx context.Context, work int) {
	heat := hot * pow(cold/hot, float64(l.rounds)/float64(l.cycle-1))
	scale := heat * l.energy
	if l.in.Objective == instance.WeightedCompletion {
		scale /= math.Sqrt(float64(len(l.in.Jobs)))
	}
	end := l.decoder.work + work
	for tries := 0; l.decoder.work < end; tries++ {
		if tries&15 == 0 && ctx.Err() != nil {
			return
		}
		l.decoder.work += 16 // drawing takes time, too
		l.begin()
		kind := l.rng.IntN(l.kinds)
		if !l.draw(kind) {
			l.undo()
			continue
		}
		l.tried[kind]++
		limit := l.energy - scale*math.Log(1-l.rng.Float64())
		energy, ok := l.decoder.decode(l.sequence, l.from, limit)
		if !ok {
			l.undo()
			continue
		}
		if energy < l.energy {
			l.gained[kind]++
		}
		l.decoder.accept(l.sequence, energy)
		l.fresh = false
		if v := valueOf(l.in, l.times.completion); v.less(l.value) {
			l.value, l.best = v, find{l.schedule(), v}
		}
	}
	l.renew()
}
