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
	// Deep asks for full depth everywhere.
	Deep bool
	// Quick leaves out of [Config.Cells] the search that follows list scheduling.
	Quick bool
	// Improved is told of each plan better than all before it.
	Improved func(*instance.BlockSchedule)
	// Stop is asked about the value of the best plan; true ends the search. nil: never.
	Stop func(value *big.Rat) bool
}

// Orders searches for the order of whole jobs whose queue is best: by release, length, area, width
// and Smith's ratio, and then by moves of single jobs, which are kept where the plan is no
// worse. start may be nil. The error is the [*NoPlan] of the first order where none gave a plan. The answer is the same for
// the same instance, state of rng and rounds.
func (c Config) Orders(ctx context.Context, in *instance.Instance, rng *rand.Rand, start *instance.BlockSchedule) (*instance.BlockSchedule, error) {
	q := newQueue(in, c.Deep)
	best, refused := start, error(nil)
	var value *big.Rat
	if best != nil {
		value = in.BlockValue(best)
	}
	rounds := 0
	spent := func() bool {
		return ctx.Err() != nil || c.Rounds > 0 && rounds >= c.Rounds || c.Stop != nil && value != nil && c.Stop(value)
	}
	var kept []instance.JobID
	var current *big.Rat
	try := func(order []instance.JobID) {
		rounds++
		s, err := q.run(order)
		if err != nil {
			if refused == nil {
				refused = err
			}
			return
		}
		v := in.BlockValue(s)
		if current == nil || v.Cmp(current) <= 0 {
			current, kept = v, order
		}
		if value == nil || v.Cmp(value) < 0 {
			best, value = s, v
			if c.Improved != nil {
				c.Improved(s)
			}
		}
	}
	for _, order := range q.orders() {
		if spent() && best != nil {
			break
		}
		try(order)
	}
	for len(kept) > 1 && !spent() {
		next := slices.Clone(kept)
		for range 1 + rng.IntN(3) {
			from, to := rng.IntN(len(next)), rng.IntN(len(next))
			job := next[from]
			next = slices.Insert(slices.Delete(next, from, from+1), to, job)
		}
		try(next)
	}
	if best == nil {
		if refused == nil {
			refused = ctx.Err()
		}
		return nil, refused
	}
	return best, nil
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
