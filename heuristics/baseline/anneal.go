package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// lane anneals orders of jobs (S. Kirkpatrick et al., Optimization by simulated annealing,
// 1983). Under makespan it does not minimise that, which most changes leave unchanged, but
// the work that ends after one tick less than the best makespan.
type lane struct {
	*problem
	rng     *rand.Rand
	decoder decoder
	class   []int // per job
	// The walk: its current order, and the value of that.
	order, next []instance.JobID
	value       float64
	due         instance.Tick
	work        int
	// The best value so far of any lane, and the orders since the lanes last exchanged
	// results that improved on it, each better than the one before.
	best  float64
	finds []find
}

// find is an order and its schedule if synchronisations never wait.
type find struct {
	order []instance.JobID
	turns []instance.JobID // the order in which jobs start
	sites []site
	value float64
}

const (
	// A cycle begins at a temperature of firstHeat times the typical increase of a change.
	firstHeat = 0.1
	// probes is the number of changes tried to measure that.
	probes = 40
	// The context is checked after about this many operations.
	checkEvery = 20_000
	// This many of the last finds are kept.
	mostFinds = 4
)

func newLane(p *problem, d decoder, rng *rand.Rand) *lane {
	return &lane{problem: p, rng: rng, decoder: d, class: p.in.ClassOf(), best: math.Inf(1), next: make([]instance.JobID, len(p.in.Jobs))}
}

// lateWeight is the weight of a tick after a deadline, in ticks of all jobs.
const lateWeight = 1000

// measure returns the value of the decoder's schedule, including ticks after deadlines,
// and the quantity that the walk minimises.
func (l *lane) measure() (value, guide float64) {
	_, end := l.decoder.times()
	late, over := 0.0, 0.0
	for j := range l.in.Jobs {
		job := &l.in.Jobs[j]
		if job.Deadline > 0 && end[j] > job.Deadline {
			late += float64(end[j] - job.Deadline)
		}
		if l.in.Objective == instance.WeightedCompletion {
			value += float64(float64(job.Weight) * float64(end[j]))
			continue
		}
		value = max(value, float64(end[j]))
		if end[j] > l.due {
			over += float64(float64(job.Workers) * float64(end[j]-l.due))
		}
	}
	if late > 0 {
		late *= float64(lateWeight * float64(len(l.in.Jobs)) * l.heaviest())
		value += late
	}
	if l.in.Objective == instance.WeightedCompletion {
		return value, value
	}
	return value, over + late
}

func (l *lane) heaviest() float64 {
	most := int64(1)
	for j := range l.in.Jobs {
		most = max(most, l.in.Jobs[j].Weight)
	}
	return float64(most)
}

// try decodes an order and returns what the walk minimises, and whether it is the best
// so far, which it then records.
func (l *lane) try(ctx context.Context, order []instance.JobID) (guide float64, better bool) {
	l.work += l.decoder.cost()
	if !l.decoder.decode(ctx, order) {
		return math.Inf(1), false
	}
	value, guide := l.measure()
	if better = value < l.best; better {
		l.best = value
		if len(l.finds) == mostFinds {
			l.finds = slices.Delete(l.finds, 0, 1)
		}
		begin, end := l.decoder.times()
		l.finds = append(l.finds, find{slices.Clone(order), byTick(begin), l.decoder.sites(), value})
		l.due = slices.Max(end) - 1
		_, guide = l.measure()
	}
	return guide, better
}

// meet tells the lane the value of the best schedule found by any lane.
func (l *lane) meet(best float64) {
	l.finds = l.finds[:0]
	if best < l.best {
		l.best = best
		if best < float64(l.due) {
			l.due = instance.Tick(best) - 1
		}
	}
}

// cycle cools once from the given order, until the total work reaches most or the value
// reaches least.
func (l *lane) cycle(ctx context.Context, from []instance.JobID, most int, least float64) {
	if len(l.in.Jobs) < 2 {
		return
	}
	l.order = append(l.order[:0], from...)
	l.value, _ = l.try(ctx, l.order)
	heat := 0.0
	rises := 0
	for range probes {
		if l.work >= most || ctx.Err() != nil {
			return
		}
		if !l.change() {
			continue
		}
		if value, _ := l.try(ctx, l.next); value > l.value && !math.IsInf(value, 1) {
			heat += value - l.value
			rises++
		}
	}
	heat *= firstHeat / float64(max(1, rises))
	every, steps := max(1, checkEvery/l.decoder.cost()), (most-l.work)/l.decoder.cost()
	for n := range steps {
		if l.best <= least || n%every == 0 && ctx.Err() != nil {
			return
		}
		if !l.change() {
			continue
		}
		value, better := l.try(ctx, l.next)
		cool := heat * (1 - float64(n)/float64(steps))
		if better || value <= l.value || value <= l.value+state.Allowance(l.rng, cool) {
			l.value = value
			l.order, l.next = l.next, l.order
		}
	}
}

// change makes the next order: two jobs are swapped, or one moves to another's place.
// False if that changes nothing.
func (l *lane) change() bool {
	n := len(l.order)
	a, b := l.rng.IntN(n), l.rng.IntN(n)
	if l.class[l.order[a]] == l.class[l.order[b]] {
		return false
	}
	copy(l.next, l.order)
	if l.rng.IntN(2) == 0 {
		l.next[a], l.next[b] = l.next[b], l.next[a]
		return true
	}
	j := l.next[a]
	if a < b {
		copy(l.next[a:b], l.next[a+1:b+1])
	} else {
		copy(l.next[b+1:a+1], l.next[b:a])
	}
	l.next[b] = j
	return true
}
