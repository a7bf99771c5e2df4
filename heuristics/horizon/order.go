package horizon

import (
	"cmp"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Config sets how [Config.Orders] runs.
type Config struct {
	// Rounds is how many queues are tried; 0 means until the context ends.
	Rounds int
	// Quick leaves out of [Config.Cells] the search that follows list scheduling.
	Quick bool
	// Whole leaves every job GPUs of its own in [Config.Orders].
	Whole bool
	// Improved is told of the value of each plan better than all before it.
	Improved func(value *big.Rat)
	// Stop is asked about the value of the best plan; true ends the search. nil: never.
	Stop func(value *big.Rat) bool
}

// Orders searches for the order of jobs whose queue is best: by release, length, area, width
// and Smith's ratio, after the given ones, and then by moves of single jobs, which are kept where the plan is no
// worse. Where memory is held while jobs run alone, jobs also join into units that share whole nodes, and leave them. The error
// is the [*NoPlan] of the first order where none gave a plan. The answer is the same for
// the same instance, state of rng and rounds. It comes with the order of jobs in it, for another search to begin with.
func (c Config) Orders(ctx context.Context, in *instance.Instance, rng *rand.Rand, known ...[]instance.JobID) (*instance.BlockSchedule, []instance.JobID, error) {
	q := newQueue(in, false)
	f := newFormer(q, rng)
	var kept []instance.JobID // and units
	var timetable []stint
	var value *big.Rat
	var refused error
	rounds := 0
	spent := func() bool {
		return ctx.Err() != nil || c.Rounds > 0 && rounds >= c.Rounds || c.Stop != nil && value != nil && c.Stop(value)
	}
	try := func(order []instance.JobID) (taken bool) {
		rounds++
		list, err := q.run(order)
		var v *big.Rat
		if err == nil {
			v, err = q.judge(list)
		}
		if err != nil {
			if refused == nil {
				refused = err
			}
			return false
		}
		if value != nil && v.Cmp(value) > 0 {
			return false
		}
		better := value == nil || v.Cmp(value) < 0
		kept, timetable, value = order, list, v
		if better && c.Improved != nil {
			c.Improved(v)
		}
		return true
	}
	for _, order := range append(known, q.orders()...) {
		if spent() && value != nil {
			break
		}
		try(order)
	}
	for len(kept) > 1 && !spent() {
		next, units := slices.Clone(kept), len(q.units)
		if in.Queues() && !c.Whole && rng.IntN(2) == 0 {
			next = f.regroup(ctx, next, rng)
		} else {
			for range 1 + rng.IntN(3) {
				from, to := rng.IntN(len(next)), rng.IntN(len(next))
				job := next[from]
				next = slices.Insert(slices.Delete(next, from, from+1), to, job)
			}
		}
		if next == nil {
			rounds++
		}
		if next == nil || !try(next) {
			q.units = q.units[:units]
		}
	}
	if value == nil {
		if refused == nil {
			refused = ctx.Err()
		}
		return nil, nil, refused
	}
	var order []instance.JobID
	for _, id := range kept {
		if u := q.unit(id); u != nil {
			order = append(order, u.jobs...)
		} else {
			order = append(order, id)
		}
	}
	return q.plan(timetable), order, nil
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
		order := byRelease(in)
		slices.SortStableFunc(order, func(a, b instance.JobID) int { return cmp.Compare(key(a), key(b)) })
		return order
	}
	orders := [][]instance.JobID{byRelease(in)}
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
