package colgen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"jigsaw/solver"
)

// Options of [Master.Run]. The zero value solves to optimality.
type Options struct {
	// Rounds is the largest number of rounds; 0 means no limit.
	Rounds int
	// Cutoff ends the run once the bound reaches it; nil means none.
	Cutoff *float64
	// Enough ends the run once the value of the restricted program is at most this,
	// since the bound can no longer exceed it. nil means none.
	Enough *float64
	// Gap ends the run once bound and restricted program differ by at most this
	// fraction of the latter; 0 means [solver.GapTol].
	Gap float64
	// Prices, by row, are priced before the first solve: good prices, of a similar
	// program, save rounds. nil means none.
	Prices []float64
	// Smoothing is the weight of the best prices so far, from 0 (none) to below 1.
	Smoothing float64
	// Event, if not nil, is called after every round.
	Event func(Event)
}

// Event is the state after a round.
type Event struct {
	Round int
	Value float64 // of the restricted program
	Bound float64 // the best so far
}

// Status says why a run ended.
type Status int

const (
	// Optimal means: the bound meets the value of the restricted program, or no
	// pricer knows a column that prices out.
	Optimal Status = iota
	// Cutoff means: the bound reached Options.Cutoff.
	Cutoff
	// Limit means: rounds ran out, or the engine reached a limit of its own.
	Limit
	// Infeasible means: the engine calls the restricted program infeasible. This
	// says nothing about the whole program; one with explicit slack is never
	// infeasible.
	Infeasible
	// Stalled means: some pricer still claims columns that price out, but offers no
	// new one: prices are too inaccurate.
	Stalled
	// Enough means: the value fell to Options.Enough.
	Enough
)

// Result of a run. Bound is valid whatever the status.
type Result[T any] struct {
	Status Status
	// Value and Solution of the last restricted program; Weights[j] is the value
	// of Master.Columns()[j] in it.
	Value    float64
	Weights  []float64
	Solution *solver.Solution
	// Bound is the best Lagrangian bound, and Prices, by row, the prices that give
	// it; -Inf and nil if there is none. Neither depends on what the engine says,
	// only on what the pricers prove.
	Bound  float64
	Prices []float64
	Rounds int
}

// Run generates columns until the program is solved or a limit is reached. It
// returns an error for an engine that fails or returns NaN, a pricer that
// offers a column outside the rows, and a context that ends; the result then
// still holds the bound proven so far. The same pricers give the same result on
// any number of cores.
func (m *Master[T]) Run(ctx context.Context, pricers []Pricer[T], opt Options) (Result[T], error) {
	if opt.Gap == 0 {
		opt.Gap = solver.GapTol
	}
	r := Result[T]{Status: Limit, Bound: math.Inf(-1)}
	if opt.Prices != nil {
		if len(opt.Prices) != m.rows.Rows() || !finite(opt.Prices) {
			return r, errors.New("colgen: the prices to begin with do not fit the rows")
		}
		prices := m.project(opt.Prices)
		if _, err := m.round(ctx, pricers, prices, prices, &r); err != nil {
			return r, err
		}
	}
	for opt.Rounds == 0 || r.Rounds < opt.Rounds {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		s, err := m.model.Solve(ctx, solver.Limits{})
		if err != nil {
			return r, fmt.Errorf("colgen: %w", err)
		}
		switch s.Status {
		case solver.Optimal:
		case solver.Infeasible:
			r.Status = Infeasible
			return r, nil
		default:
			return r, nil
		}
		if len(s.Primal) != m.explicit+len(m.columns) || len(s.RowDual) != m.rows.Rows() ||
			!finite(s.Primal) || !finite(s.RowDual) || !finite([]float64{s.Objective}) {
			return r, errors.New("colgen: what the engine calls optimal is no solution")
		}
		r.Value, r.Solution, r.Weights = s.Objective, s, s.Primal[m.explicit:]
		if m.done(&r, opt) {
			return r, nil
		}
		r.Rounds++
		master := m.project(s.RowDual)
		prices, smoothed := master, r.Prices != nil && opt.Smoothing > 0
		if smoothed {
			prices = mix(r.Prices, master, opt.Smoothing)
		}
		found, err := m.round(ctx, pricers, prices, master, &r)
		if err != nil {
			return r, err
		}
		if found.added == 0 && smoothed { // a mis-price
			if m.done(&r, opt) {
				return r, nil
			}
			if found, err = m.round(ctx, pricers, master, master, &r); err != nil {
				return r, err
			}
		}
		if opt.Event != nil {
			opt.Event(Event{r.Rounds, r.Value, r.Bound})
		}
		if m.done(&r, opt) {
			return r, nil
		}
		if found.added == 0 {
			r.Status = Optimal
			if found.open || !(found.least >= -solver.DualTol*max(1, math.Abs(r.Value))) {
				r.Status = Stalled
			}
			return r, nil
		}
	}
	return r, nil
}

// finite reports whether all are numbers.
func finite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// project returns the prices with 0 in place of those whose sign requires a
// bound that the row does not have: such rounding errors would destroy the whole
// bound.
func (m *Master[T]) project(prices []float64) []float64 {
	out := slices.Clone(prices)
	for i, y := range prices {
		if y > 0 && math.IsInf(m.rows.RowLower[i], -1) || y < 0 && math.IsInf(m.rows.RowUpper[i], 1) {
			out[i] = 0
		}
	}
	return out
}

// done reports whether the bound ends the run.
func (m *Master[T]) done(r *Result[T], opt Options) bool {
	switch {
	case opt.Cutoff != nil && r.Bound >= *opt.Cutoff:
		r.Status = Cutoff
	case opt.Enough != nil && r.Value <= *opt.Enough:
		r.Status = Enough
	case r.Value-r.Bound <= opt.Gap*max(1, math.Abs(r.Value)):
		r.Status = Optimal
	default:
		return false
	}
	return true
}

func mix(a, b []float64, weight float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = weight*a[i] + (1-weight)*b[i]
	}
	return out
}

// priceTol is the reduced cost, relative to the cost, above which a column is left
// out. All columns left out together change the value by less than [solver.GapTol].
const priceTol = solver.DualTol / 100

// found is the result of a round.
type found struct {
	added int     // columns added
	open  bool    // some column priced out, new or not
	least float64 // lower bound on the reduced cost of all columns
}

// round prices at the given prices, adds what prices out at those of the
// master, and improves the bound.
func (m *Master[T]) round(ctx context.Context, pricers []Pricer[T], prices, master []float64, r *Result[T]) (found, error) {
	priced := make([]Priced[T], len(pricers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0), len(pricers))) {
		wg.Go(func() {
			for p := int(next.Add(1)) - 1; p < len(pricers) && ctx.Err() == nil; p = int(next.Add(1)) - 1 {
				priced[p] = pricers[p].Price(prices, true)
			}
		})
	}
	wg.Wait()
	var f found
	if err := ctx.Err(); err != nil {
		return f, err
	}
	bound := m.constant(prices)
	var columns []Column[T]
	for p := range priced {
		if !(priced[p].Bound >= f.least) { // also true for NaN
			f.least = priced[p].Bound
		}
		bound += multiplied(pricers[p], priced[p].Bound)
		for _, c := range priced[p].Columns {
			// The pricer's claims about its columns are not trusted.
			for _, e := range c.Entries {
				if e.Row < 0 || int(e.Row) >= m.rows.Rows() {
					return f, fmt.Errorf("colgen: pricer %d offers a column with row %d of %d", p, e.Row, m.rows.Rows())
				}
			}
			if reducedCost(c.Cost, c.Entries, master) < -priceTol*max(1, math.Abs(c.Cost)) {
				columns = append(columns, c)
			}
		}
	}
	if bound > r.Bound {
		r.Bound, r.Prices = bound, prices
	}
	f.open = len(columns) > 0
	var err error
	f.added, err = m.Add(columns...)
	return f, err
}

// multiplied is the part of the Lagrangian bound from a pricer's bound on
// reduced costs.
func multiplied[T any](p Pricer[T], bound float64) float64 {
	least, most := p.Multiplicity()
	switch {
	case math.IsNaN(bound):
		return math.Inf(-1) // it proves nothing
	case bound < 0 && most > 0:
		return most * bound
	case bound > 0 && least > 0:
		return least * bound
	}
	return 0
}
