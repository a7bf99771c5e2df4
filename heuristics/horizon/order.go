package horizon

import (
	"cmp"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Config sets how [Config.Orders] runs.
type Config struct {
	// Rounds is how many queues are tried; 0 means until the context ends.
	Rounds int
	// Quick leaves out of [Config.Cells] most exchanges of jobs between cells, and the search that follows list scheduling.
	Quick bool
	// Whole leaves every job GPUs of its own in [Config.Orders].
	Whole bool
	// Slack says how many times as long as it has to be the period of a pattern is where 1, 2, ... jobs share a GPU; more than there are
	// entries never do. nil: as long as it has to be, however many share one.
	Slack []float64
	// Improved is told of the value of each plan better than all before it.
	Improved func(value *big.Rat)
	// Stop is asked about the value of the best plan; true ends the search. nil: never.
	Stop func(value *big.Rat) bool
}

// Orders searches for the order of jobs whose queue is best: by release, length, area, width
// and Smith's ratio, after the given ones, and then by moves of single jobs, which are kept where the plan is no
// worse. Jobs also join into units that share whole nodes, and leave them. The error
// is the [*NoPlan] of the first order where none gave a plan. The answer is the same for
// the same instance, state of rng and rounds. It comes with the order of jobs in it, for another search to begin with.
func (c Config) Orders(ctx context.Context, in *instance.Instance, rng *rand.Rand, known ...[]instance.JobID) (*instance.BlockSchedule, []instance.JobID, error) {
	q := newQueue(in, false)
	list, kept, err := c.orders(ctx, q, rng, known...)
	if err != nil {
		return nil, nil, err
	}
	var order []instance.JobID
	for _, id := range kept {
		if u := q.unit(id); u != nil {
			order = append(order, u.jobs...)
		} else {
			order = append(order, id)
		}
	}
	return q.plan(list), order, nil
}

// orders is [Config.Orders] of a queue, to a timetable and the order of jobs and units in it.
func (c Config) orders(ctx context.Context, q *queue, rng *rand.Rand, known ...[]instance.JobID) ([]stint, []instance.JobID, error) {
	f := newFormer(q, rng, c.Slack)
	var kept []instance.JobID // and units
	var timetable []stint
	var value *big.Rat
	var refused error
	rounds := 0
	spent := func() bool {
		return ctx.Err() != nil || c.Rounds > 0 && rounds >= c.Rounds || c.Stop != nil && value != nil && c.Stop(value)
	}
	run := func(order []instance.JobID) (o outcome) {
		if o.order = order; order != nil {
			if o.list, o.err = q.run(order); o.err == nil {
				o.value, o.err = q.judge(o.list)
			}
		}
		return o
	}
	take := func(o outcome) (taken bool) {
		rounds++
		if o.err != nil && refused == nil {
			refused = o.err
		}
		if o.order == nil || o.err != nil || value != nil && o.value.Cmp(value) > 0 {
			return false
		}
		better := value == nil || o.value.Cmp(value) < 0
		kept, timetable, value = o.order, o.list, o.value
		if better && c.Improved != nil {
			c.Improved(value)
		}
		return true
	}
	starts := append(known, q.orders()...)
	if q.begun != nil { // there is a plan after the known order already
		starts = append(q.orders(), known...)
	}
	for _, order := range starts {
		if spent() && value != nil {
			break
		}
		take(run(order))
	}
	for len(kept) > 1 && !spent() {
		units := len(q.units)
		var made [2]outcome // side by side
		for n := range made {
			made[n].order = f.change(ctx, slices.Clone(kept), !c.Whole, rng)
		}
		state.Parallel(len(made), func(n int) { made[n] = run(made[n].order) })
		taken := false
		for _, o := range made {
			taken = take(o) || taken
		}
		if !taken {
			q.units = q.units[:units]
		}
	}
	if value == nil {
		if refused == nil {
			refused = ctx.Err()
		}
		return nil, nil, refused
	}
	return timetable, kept, nil
}

// outcome is the timetable of an order of jobs and units, and its value.
type outcome struct {
	order []instance.JobID // nil: none
	list  []stint
	value *big.Rat
	err   error
}

// near is how far apart in the order jobs are that join, and shift how far a job is moved at most for weighted completion,
// where orders far from Smith's are bad.
const near, shift = 24, 12

// change moves jobs in an order or, where units may be made, changes one or two of these. nil: it came to nothing.
func (f *former) change(ctx context.Context, order []instance.JobID, join bool, rng *rand.Rand) []instance.JobID {
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

// orders returns the orders that a search begins with.
func (q *queue) orders() [][]instance.JobID {
	in := q.in
	length := make([]float64, len(in.Jobs)) // about, of a job on one node
	for i := range in.Jobs {
		length[i] = float64(in.Jobs[i].Iterations) * float64(in.Jobs[i].FastestFull())
	}
	width := func(j instance.JobID) float64 { return float64(in.Jobs[j].Workers) }
	by := func(key func(j instance.JobID) float64) []instance.JobID {
		order := q.byRelease()
		slices.SortStableFunc(order, func(a, b instance.JobID) int { return cmp.Compare(key(a), key(b)) })
		return order
	}
	var orders [][]instance.JobID
	if q.begun == nil { // else there is an order that is known
		orders = append(orders, q.byRelease())
	}
	if in.Objective == instance.WeightedCompletion {
		weight := func(j instance.JobID) float64 { return float64(in.Jobs[j].Weight) }
		orders = append(orders,
			by(func(j instance.JobID) float64 { return length[j] * width(j) / weight(j) }),
			by(func(j instance.JobID) float64 { return length[j] / weight(j) }))
	}
	orders = append(orders,
		by(func(j instance.JobID) float64 { return -length[j] }),
		by(func(j instance.JobID) float64 { return -length[j] * width(j) }),
		by(func(j instance.JobID) float64 { return -width(j)*1e15 - length[j] }))
	if slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }) {
		orders = append(orders, by(func(j instance.JobID) float64 {
			if due := in.Jobs[j].Deadline; due > 0 {
				return float64(due)
			}
			return float64(1 << 62)
		}))
	}
	return orders
}
