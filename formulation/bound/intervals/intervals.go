package intervals

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/intervals"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
	"jigsaw/solver/eventloop"
)

// Limits of an intervals bound. The zero value is useful.
type Limits struct {
	// Horizon is the length of some plan, in ticks, after which nothing has a price; 0: not known.
	Horizon instance.Tick
	// Most is the largest number of intervals; 0 means the fewest, about 16.
	Most int
	// Improved, if not nil, is called with every better bound on the way.
	Improved func(bound.Bound)
}

const (
	fewest = 16
	// closeGap ends column generation: the remaining gain is smaller than that of more intervals.
	closeGap = 1e-4
	// worthwhile is the least gain of a step after which there is another one.
	worthwhile = 1 + 1e-4
	// One part in so many of the time is left for the last proof.
	proofPart = 20
)

// Bound computes the bound of the intervals program on ever finer time axes, as long as that improves it. There is no such
// bound if the objective is not the weighted completion, or if jobs are too long. If the engine fails or the context ends, the error is returned with
// the best bound so far.
func Bound(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (best bound.Bound, err error) {
	if in.Objective != instance.WeightedCompletion {
		return best, fmt.Errorf("formulation: the intervals bound is not about %s", in.Objective)
	}
	m := relax.New(in)
	if !m.AllRun() {
		return best, nil // infeasible, which others report
	}
	early := ctx
	if deadline, ok := ctx.Deadline(); ok { // leave time to prove what was found until then
		var cancel context.CancelFunc
		early, cancel = context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/proofPart))
		defer cancel()
		early = eventloop.Context(early)
	}
	ends := axis(m, limits.Horizon)
	opt := colgen.Options{Smoothing: bound.Smoothing, Gap: closeGap}
	var before *master
	var prices [][]int64
	for {
		s := intervals.New(m, ends)
		if s == nil {
			return best, nil
		}
		q := newMaster(s)
		if before != nil {
			opt.Prices = before.resample(q, prices)
		}
		found, err := q.solve(early, engine, opt)
		if err != nil {
			err = fmt.Errorf("formulation: intervals: %w", err)
		}
		if found.prices == nil {
			return best, err
		}
		b := q.proven(ctx, m, found)
		gain := better(b.Value, best.Value)
		if gain > 1 {
			if best = b; limits.Improved != nil {
				limits.Improved(b)
			}
		}
		finer := refined(ends, found.loss, min(limits.Most, 2*len(ends)))
		if err != nil || gain < worthwhile || len(finer) <= len(ends) {
			return best, err
		}
		ends, before, prices = finer, q, found.prices
	}
}

// better is the ratio of a bound to the one before; 1 if it is no better.
func better(v, before *big.Rat) float64 {
	switch {
	case v == nil || before != nil && v.Cmp(before) <= 0:
		return 1
	case before == nil || before.Sign() == 0:
		return math.Inf(1)
	}
	ratio, _ := new(big.Rat).Quo(v, before).Float64()
	return ratio
}

// axis returns the ends of a few intervals, each with as many ends of jobs that are never delayed, and the horizon.
func axis(m *relax.Model, horizon instance.Tick) (list []int64) {
	last := max(1, int64(horizon))
	if horizon == 0 {
		last = max(last, exact.Saturate(exact.Floor(m.AreaEnd())))
	}
	var ends []int64
	for c := range m.Classes {
		d := &m.Classes[c]
		end := exact.Saturate(d.Chain(d.Iteration))
		for range d.Jobs {
			ends = append(ends, end)
		}
		last = max(last, end)
	}
	slices.Sort(ends)
	for i := range fewest {
		if end := ends[i*len(ends)/fewest]; end > 0 {
			list = append(list, end)
		}
	}
	return slices.Compact(append(list, last))
}

// refined splits intervals in halves until there are so many. The loss of an interval is the sum, over what ends in it, of the
// weight of the job times its length: within it the order of these ends is not known. A half has a fourth of the loss.
func refined(ends []int64, loss []float64, size int) (list []int64) {
	type part struct {
		from, to int64
		loss     float64
	}
	var parts []part
	from := int64(0)
	for t, end := range ends {
		parts = append(parts, part{from, end, loss[t]})
		from = end
	}
	for len(parts) < size {
		worst := 0
		for i := range parts {
			if parts[i].loss > parts[worst].loss {
				worst = i
			}
		}
		p := parts[worst]
		if p.loss <= 0 || p.to-p.from < 2 {
			break
		}
		middle := p.from + (p.to-p.from)/2
		parts[worst] = part{p.from, middle, p.loss / 4}
		parts = append(parts, part{middle, p.to, p.loss / 4})
	}
	for _, p := range parts {
		list = append(list, p.to)
	}
	slices.Sort(list)
	return list
}
