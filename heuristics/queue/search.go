package queue

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Search sets how [Search.Orders] searches.
type Search struct {
	// Rounds is the number of queues tried; 0 means until the context ends.
	Rounds int
	// Whole gives every job GPUs of its own.
	Whole bool
	// Prompt starts every job as soon as there is room: none waits for others that are released later.
	Prompt bool
	// Slack[n-1] is the factor by which the period of a pattern is stretched if n jobs share a GPU (interference). No more
	// jobs share a GPU than it has entries. nil: any number may, and no pattern is stretched.
	Slack []float64
	// Improved is called with the value of each plan better than all before it; nil: no one is told.
	Improved func(value *big.Rat)
	// Stop is called with the value of the best plan; true ends the search. nil: never.
	Stop func(value *big.Rat) bool
}

// Order is an order of jobs or units. Some of its jobs may wait although there is a place for them.
type Order struct {
	Jobs []instance.JobID

	waiting
}

// Orders searches for the order of jobs with the best queue. It starts from the given orders and those by release,
// length, area, width and Smith's ratio, and continues with local search: single jobs move, start or stop waiting for
// the type of GPU on which they are fastest, join units that share whole nodes, and leave them. For weighted completion they do not join
// units, unless there is interference, but also wait for jobs that are released later. A change is kept if the plan is no worse: total tardiness first, then the value. The error is the [*state.NoPlan] of the first order if none
// gave a plan. The result is the same for the same instance, state of rng and rounds. It includes the order of its
// jobs, as a starting point for another search.
func (c Search) Orders(ctx context.Context, in *instance.Instance, rng *rand.Rand, known ...Order) (*instance.BlockSchedule, Order, error) {
	q := New(in)
	list, kept, err := c.Timetable(ctx, q, rng, known...)
	if err != nil {
		return nil, Order{}, err
	}
	order := Order{waiting: kept.waiting}
	for _, id := range kept.Jobs {
		if u := q.Unit(id); u != nil {
			order.Jobs = append(order.Jobs, u.Jobs...)
		} else {
			order.Jobs = append(order.Jobs, id)
		}
	}
	return q.Plan(list), order, nil
}

// Timetable is [Search.Orders] for a queue; it returns a timetable and its order of jobs and units.
func (c Search) Timetable(ctx context.Context, q *Simulation, rng *rand.Rand, known ...Order) ([]Stint, Order, error) {
	f := newFormer(q, rng, c.Slack)
	var kept, best outcome // among equals, the last is kept, so that other changes continue from it, and the one with the smaller sum of ends is best
	var refused error
	rounds := 0
	spent := func() bool {
		return ctx.Err() != nil || c.Rounds > 0 && rounds >= c.Rounds || c.Stop != nil && kept.valid() && c.Stop(kept.value)
	}
	take := func(o outcome) (taken bool) {
		rounds++
		if refused == nil {
			refused = cmp.Or(o.err, o.missed)
		}
		if o.Jobs == nil || o.err != nil || kept.value != nil && o.compare(&kept) > 0 {
			return false
		}
		better := kept.value == nil || o.compare(&kept) < 0
		if kept = o; better && o.valid() && c.Improved != nil {
			c.Improved(o.value)
		}
		if better || o.ends < best.ends {
			best = o
		}
		return true
	}
	jobs := q.byRelease()
	reserves := !c.Prompt && q.reserves(jobs)
	starts := append(known, q.starts(reserves)...)
	if q.Begun != nil { // the known order already has a plan
		starts = append(q.starts(reserves), known...)
	}
	for _, order := range starts {
		if spent() && kept.value != nil {
			break
		}
		take(q.outcome(order))
		if q.fastest != nil && order.choosy == nil {
			order.choosy = q.everyone()
			take(q.outcome(order))
		}
	}
	for len(kept.Jobs) > 1 && !spent() {
		units := len(q.Units)
		var made [2]outcome // in parallel
		for n := range made {
			made[n] = outcome{Order: kept.Order}
			switch {
			case q.fastest != nil && rng.IntN(4) == 0:
				made[n].waiting = kept.choice(len(q.in.Jobs), rng)
			case reserves && rng.IntN(4) == 0:
				made[n].waiting = q.reservation(kept.waiting, jobs, rng)
			default:
				made[n].Jobs = f.change(ctx, slices.Clone(kept.Jobs), kept.tardy, !c.Whole && f.joins(), rng)
			}
		}
		state.Parallel(len(made), func(n int) { made[n] = q.outcome(made[n].Order) })
		taken := false
		for _, o := range made {
			taken = take(o) || taken
		}
		if !taken {
			q.Units = q.Units[:units]
		}
	}
	if !kept.valid() {
		return nil, Order{}, cmp.Or(refused, ctx.Err())
	}
	return best.list, best.Order, nil
}

// outcome is the result of an order.
func (q *Simulation) outcome(order Order) (o outcome) {
	if o.Order = order; order.Jobs != nil {
		if o.list, o.err = q.run(order); o.err == nil {
			q.judge(&o)
		}
	}
	return o
}

// outcome is the timetable of an order of jobs and units, and its value.
type outcome struct {
	Order     // without jobs: none
	list      []Stint
	err       error // there is no timetable
	value     *big.Rat
	tardy     []instance.JobID // jobs and units that miss deadlines
	tardiness instance.Tick    // in total
	ends      instance.Tick    // sum of the ends of all jobs
	missed    error            // the first of them
}

// valid reports whether it meets all deadlines.
func (o *outcome) valid() bool { return o.value != nil && o.missed == nil }

func (o *outcome) compare(p *outcome) int {
	return cmp.Or(cmp.Compare(o.tardiness, p.tardiness), o.value.Cmp(p.value))
}

// near is the largest distance in the order of jobs that join, and shift the largest distance that a job is moved for
// weighted completion, where orders far from Smith's are bad.
const near, shift = 24, 12

// change returns a neighbour of an order: jobs moved or, if units may be made, one or two units changed. If jobs are
// late, every second change moves a late one forward. nil: the change was not possible.
func (f *former) change(ctx context.Context, order, tardy []instance.JobID, join bool, rng *rand.Rand) []instance.JobID {
	if len(tardy) > 0 && rng.IntN(2) == 0 {
		job := tardy[rng.IntN(len(tardy))]
		if from := slices.Index(order, job); from > 0 { // it has not begun
			return slices.Insert(slices.Delete(order, from, from+1), rng.IntN(from), job)
		}
	}
	if join && rng.IntN(2) == 0 {
		return f.regroup(ctx, order, rng)
	}
	for range 1 + rng.IntN(2) {
		from, to := rng.IntN(len(order)), rng.IntN(len(order))
		if f.q.in.Objective == instance.WeightedCompletion {
			to = min(len(order)-1, max(0, from-shift+rng.IntN(2*shift+1)))
		}
		job := order[from]
		order = slices.Insert(slices.Delete(order, from, from+1), to, job)
	}
	return order
}

// starts returns the initial orders of a search, with or without jobs that wait for others.
func (q *Simulation) starts(reserves bool) []Order {
	in := q.in
	length := make([]float64, len(in.Jobs)) // approximate, of a job on one node
	for i := range in.Jobs {
		length[i] = float64(in.Jobs[i].Iterations) * float64(in.Jobs[i].FastestFull())
	}
	width := func(j instance.JobID) float64 { return float64(in.Jobs[j].Workers) }
	by := func(key func(j instance.JobID) float64) Order { return Order{Jobs: q.by(key)} }
	var orders []Order
	if q.Begun == nil { // otherwise there is a known order
		orders = append(orders, Order{Jobs: q.byRelease()})
	}
	if in.Objective == instance.WeightedCompletion {
		weight := func(j instance.JobID) float64 { return float64(in.Jobs[j].Weight) }
		smith := []Order{
			by(func(j instance.JobID) float64 { return length[j] * width(j) / weight(j) }),
			by(func(j instance.JobID) float64 { return length[j] / weight(j) }),
		}
		orders = append(orders, smith...)
		if reserves {
			for _, part := range reservedParts {
				for _, o := range smith {
					o.until = q.reserved(part)
					orders = append(orders, o)
				}
			}
		}
	}
	orders = append(orders,
		by(func(j instance.JobID) float64 { return -length[j] }),
		by(func(j instance.JobID) float64 { return -length[j] * width(j) }),
		by(func(j instance.JobID) float64 { return -width(j)*1e15 - length[j] }))
	if slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }) {
		latest := func(j instance.JobID) float64 { // approximate start
			if due := in.Jobs[j].Deadline; due > 0 {
				return float64(due-in.Jobs[j].Load) - length[j]
			}
			return math.Inf(1)
		}
		orders = append(orders, by(latest))
		if in.Objective == instance.WeightedCompletion {
			// By Smith's ratio, but jobs that would start near their latest start in that order come earlier.
			start, gpus := make([]float64, len(in.Jobs)), float64(len(in.GPUs))
			sum := 0.0
			for _, j := range q.by(q.Smith) {
				start[j] = sum / gpus
				sum += length[j] * width(j)
			}
			for _, part := range []float64{1, 0.75, 0.5, 0.25} {
				orders = append(orders, by(func(j instance.JobID) float64 { return min(start[j], part*latest(j)) }))
			}
		}
	}
	return orders
}
