package baseline

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// search is one run of Exclusive.
type search struct {
	*problem
	ctx     context.Context
	config  Config
	rng     *rand.Rand
	best    *instance.Schedule
	value   *big.Rat
	refused error // why the first order had no schedule
	// Initial orders, sorted by the value of their schedules.
	starts []start
}

// start is an order of jobs and the value of its schedule.
type start struct {
	order []instance.JobID
	value float64
}

// offer records the result of a run.
func (s *search) offer(run *simulator, err error) {
	if err == nil {
		err = run.late()
	}
	if err != nil {
		if s.refused == nil {
			s.refused = err
		}
		return
	}
	if s.best != nil && !s.in.Objective.Better(run.value(), s.value) {
		return
	}
	s.best, s.value = run.schedule(), run.value()
}

// value returns the exact value of the simulated schedule.
func (s *simulator) value() *big.Rat {
	return s.in.ValueAt(s.completed)
}

// enough reports whether the search is to end with the best schedule so far.
func (s *search) enough() bool {
	return s.ctx.Err() != nil || s.best != nil && s.config.Stop != nil && s.config.Stop(s.value)
}

// begin makes the schedules of simple orders: by a decoder, and by the queue.
func (s *search) begin() {
	orders := s.orders()
	for _, order := range orders {
		if s.enough() {
			return
		}
		run, err := runQueue(s.ctx, s.ctx, s.problem, order)
		s.offer(run, err)
		if err == nil {
			value, _ := run.value().Float64()
			s.starts = append(s.starts, start{run.order(), value})
		}
	}
	if s.best == nil && s.config.Residencies != nil {
		for _, order := range orders {
			q := newQueue(s.problem, order)
			q.fixed = s.config.Residencies
			s.offer(q.run(s.ctx))
		}
	}
	slices.SortStableFunc(s.starts, func(a, b start) int { return int(math.Copysign(1, a.value-b.value)) })
	if len(s.starts) == 0 {
		for _, order := range orders {
			s.starts = append(s.starts, start{order, math.Inf(1)})
		}
	}
}

// order in which jobs started.
func (s *simulator) order() []instance.JobID {
	return state.OrderBy(len(s.jobs), func(j instance.JobID) float64 { return float64(s.jobs[j].starts[0]) })
}

const (
	// lanes is the number of walks, on any number of cores.
	lanes = 2
	// Operations of a lane in the first round, and the most in any; every round has twice as
	// many as the one before it.
	firstRound, mostRound = 200_000, 20_000_000
)

// improve searches among orders: lanes run in parallel and exchange their results after
// every cycle.
func (s *search) improve() {
	walks := make([]*lane, lanes)
	for n := range walks {
		walks[n] = newLane(s.problem, s.decoder(), state.Fork(s.rng))
	}
	fill := newFiller(s.problem, state.Fork(s.rng))
	least, quota := s.least(), firstRound
	top := find{order: s.starts[0].order, value: math.Inf(1)}
	idle, last := 0, s.value // rounds since the best value last changed
	for round := 0; ; round++ {
		most := walks[0].work + quota
		if s.config.Work > 0 {
			most = min(most, s.config.Work/lanes)
		}
		quota = min(2*quota, mostRound)
		state.Parallel(lanes, func(n int) {
			l, from := walks[n], top.order
			switch {
			case round == 0:
				from = s.starts[min(n, len(s.starts)-1)].order
			case n > 0 && s.fillable():
				from = fill.search(s.ctx, least, top.value, &l.work, most)
			case n > 0:
				from = slices.Clone(from)
				l.rng.Shuffle(len(from), func(a, b int) { from[a], from[b] = from[b], from[a] })
			}
			if from != nil {
				l.cycle(s.ctx, from, most, least)
			}
		})
		for _, l := range walks {
			for _, f := range l.finds {
				if s.ctx.Err() == nil {
					s.offer(follow(s.ctx, s.problem, f.turns, f.sites))
				}
				if f.value < top.value {
					top = f
				}
			}
		}
		for _, l := range walks {
			l.meet(top.value)
		}
		if idle++; s.value.Cmp(last) != 0 {
			idle, last = 0, s.value
		}
		if s.config.Work > 0 && most >= s.config.Work/lanes || top.value <= least || s.enough() || idle == s.config.Patience && idle > 0 {
			return
		}
	}
}

func (s *search) decoder() decoder {
	if s.alike {
		return newProfile(s.problem)
	}
	return newAppender(s.problem)
}

// least is a lower bound on the value of every order: by the work and the longest job,
// or the jobs one by one.
func (s *search) least() float64 {
	area, longest, sum := 0.0, 0.0, 0.0
	for j := range s.in.Jobs {
		job, length := &s.in.Jobs[j], float64(s.shortest[j])
		area += s.area(instance.JobID(j))
		longest = max(longest, float64(job.Release)+length)
		sum += float64(job.Weight) * (float64(job.Release) + length)
	}
	if s.in.Objective == instance.WeightedCompletion {
		return sum
	}
	return max(longest, math.Ceil(area/float64(len(s.in.GPUs))))
}
