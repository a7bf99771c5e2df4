package sequence

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Search looks for schedules in two ways in parallel. Residency searches look for
// residencies, which matter most; see [residencySearch]. Lanes anneal whole
// schedules, sequences, with residencies that others found. The numbers of both
// are the same on any number of cores; after each round, in which each does about
// the same amount of work, they exchange their results.
type Search struct {
	ctx         context.Context
	options     state.Options
	ops         *state.Operations
	choices     [][][]int // per job: multisets that its iterations may get
	lanes       []*lane
	residencies []*residencySearch
	finds       []state.Incumbent // of the residency searches, the best first, as starting points for lanes
	Best        state.Incumbent
	Work        int // of each walk in a round
}

// lane is one walk of simulated annealing.
type lane struct {
	mover
	decoder *sequenceDecoder
	best    state.Incumbent // better than the best of the search; nil: none
	value   state.Value
	coarse  float64 // the least initial temperature of a cycle
	// rounds is the number since the walk was last reheated; it cools over cycle rounds.
	rounds, cycle int

	tried [moveKinds]int
}

const (
	// A lane places all operations roundPasses times in a round, but at least
	// leastRound operations, and at most mostRound if that is enough for
	// leastPasses.
	roundPasses, leastPasses = 100, 4
	leastRound, mostRound    = 40_000, 400_000
	// FirstCycle is the length of the first cycles of cooling, in rounds; later cycles
	// grow.
	FirstCycle = 8
	// Temperatures at the start and the end of a cycle, relative to the value.
	hot, cold = 1e-3, 2e-5
	// The first one is at least this many ticks of the makespan, or of a job of mean weight: if a
	// tick is a large part of the value, at lower temperatures only changes without loss are
	// accepted.
	leastTicks, leastTicksWeighted = 0.5, 1.5
	// MostLanes is the number of lanes, except for instances of many operations.
	MostLanes = 6
	// maxFinds is the largest number of schedules waiting for a lane.
	maxFinds = 16
)

// NewSearch starts a search from a valid schedule with at most the given number of
// lanes.
func NewSearch(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, start *instance.Schedule, lanes int) *Search {
	s := &Search{ctx: ctx, options: o, ops: state.NewOperations(in), choices: choicesOf(in)}
	s.Best = state.Incumbent{Schedule: start, Value: state.ValueOf(in, start.Completion(in))}
	all := s.ops.Tasks + s.ops.Syncs
	s.Work = max(leastPasses*all, min(max(leastRound, roundPasses*all), mostRound))
	reach := placement.NewReach(in)
	search := func() {
		s.residencies = append(s.residencies, newResidencySearch(s.ops, state.Fork(rng), reach))
	}
	for n := range min(max(1, (1<<18)/max(1, all)), lanes) {
		if ctx.Err() != nil {
			break
		}
		if o.Without[method.Lanes] {
			search()
			continue
		}
		l := &lane{decoder: newSequenceDecoder(s.ops), cycle: FirstCycle, value: s.Best.Value, coarse: coarse(in)}
		l.rng = state.Fork(rng)
		l.load(newSequence(s.ops, s.choices, start))
		s.lanes = append(s.lanes, l)
		if n%3 == 0 && !o.Without[method.Residencies] { // their finds take longer to work out than to make
			search()
		}
	}
	return s
}

// coarse is the least initial temperature of a cycle, in units of the objective.
func coarse(in *instance.Instance) float64 {
	if in.Objective == instance.Makespan {
		return leastTicks
	}
	weights := int64(0)
	for j := range in.Jobs {
		weights += in.Jobs[j].Weight
	}
	return leastTicksWeighted * float64(weights) / float64(len(in.Jobs))
}

// load makes the lane continue from a sequence.
func (l *lane) load(q *sequence) {
	l.sequence, l.rounds = q, 0
	l.renew()
	l.renew()
}

// renew sorts the operations by their starts, and decodes the sequence.
func (l *lane) renew() {
	if l.marks != nil {
		l.sort()
	}
	energy, _ := l.decoder.decode(l.sequence, 0, math.Inf(1))
	l.decoder.accept(l.sequence, energy)
	l.fresh = false
}

// Total is the work of all walks in a round.
func (s *Search) Total() int { return s.Work * (len(s.lanes) + len(s.residencies)) }

// Large reports whether the instance has so many operations that a round does more than
// the usual work.
func (s *Search) Large() bool { return s.Work > mostRound }

// Cool lets all walk for a cycle of cooling of the given number of rounds, and returns their work.
// So few rounds do not recover from temperatures that destroy a good schedule.
func (s *Search) Cool(rounds int) int {
	for _, l := range s.lanes {
		l.cycle, l.coarse = rounds, 0
	}
	for range rounds {
		if s.ctx.Err() != nil {
			break
		}
		s.Walk(s.Work)
	}
	return rounds * s.Total()
}

// Walk lets lanes and residency searches walk, and takes over the best results.
func (s *Search) Walk(work int) {
	state.ParallelBut(s.options.Spare, len(s.residencies)+len(s.lanes), func(i int) {
		if i < len(s.residencies) {
			s.residencies[i].walk(s.ctx, work)
		} else {
			s.lanes[i-len(s.residencies)].walk(s.ctx, work)
		}
	})
	for _, c := range s.residencies {
		s.Offer(c.best)
		c.best.Schedule = nil
		for _, f := range c.finds {
			at, _ := slices.BinarySearchFunc(s.finds, f, func(a, b state.Incumbent) int {
				if b.Value.Less(a.Value) {
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
		s.Offer(l.best)
		l.best.Schedule = nil
	}
	best := 0
	for n, l := range s.lanes {
		if l.energy < s.lanes[best].energy {
			best = n
		}
	}
	for _, l := range s.lanes {
		l.value = s.Best.Value
		if l.rounds++; l.rounds < l.cycle {
			continue
		}
		// The next cycle starts from the result of a residency search, whose residencies may be
		// good although its order is not yet, or from the best, or from the current sequence.
		switch draw := l.rng.IntN(4); {
		case draw < 2 && len(s.finds) > 0:
			n := l.rng.IntN(min(len(s.finds), 4))
			l.load(newSequence(s.ops, s.choices, s.finds[n].Schedule))
			s.finds = slices.Delete(s.finds, n, n+1)
			l.cycle = FirstCycle
		case draw == 2 && l.energy < 1.02*s.lanes[best].energy:
			l.load(l.sequence)
			l.cycle += l.cycle / 2
		default:
			l.load(newSequence(s.ops, s.choices, s.Best.Schedule))
			l.cycle += l.cycle / 2
		}
	}
}

// Offer takes a schedule over if it is better than all before it.
func (s *Search) Offer(f state.Incumbent) {
	if f.Schedule == nil || !f.Value.Less(s.Best.Value) {
		return
	}
	s.Best = f
	if s.options.Improved != nil && f.Value.Late == 0 {
		s.options.Improved(f.Schedule)
	}
}

// walk anneals for about the given number of operations at one temperature.
func (l *lane) walk(ctx context.Context, work int) {
	heat := state.Cooled(hot, cold, float64(l.rounds)/float64(l.cycle-1))
	scale := heat * l.energy
	if l.In.Objective == instance.WeightedCompletion {
		scale /= math.Sqrt(float64(len(l.In.Jobs)))
	}
	scale = max(scale, l.coarse*heat/hot)
	kinds := l.kinds()
	end := l.decoder.work + work
	for tries := 0; l.decoder.work < end; tries++ {
		if tries&15 == 0 && ctx.Err() != nil {
			return
		}
		l.decoder.work += 16 // drawing takes time, too
		l.begin()
		kind := kinds[l.rng.IntN(len(kinds))]
		if !l.draw(kind) {
			l.undo()
			continue
		}
		l.tried[kind]++
		limit := l.energy + state.Allowance(l.rng, scale)
		energy, ok := l.decoder.decode(l.sequence, l.from, limit)
		if !ok {
			l.undo()
			continue
		}
		l.decoder.accept(l.sequence, energy)
		l.fresh = false
		if v := state.ValueOf(l.In, l.times.completion); v.Less(l.value) {
			l.value, l.best = v, state.Incumbent{Schedule: l.schedule(), Value: v}
		}
	}
	l.renew()
}
