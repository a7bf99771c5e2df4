package colgen

import (
	"context"
	"fmt"
	"math"
	"runtime"
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
	// Gap ends the run once bound and restricted program differ by no more than
	// this part of the latter; 0 means [solver.GapTol].
	Gap float64
	// Prices, by row, are priced before the first solve: good ones, of a similar
	// program, save rounds. nil means none.
	Prices []float64
	// Smoothing is the weight of the best prices so far, from 0 (none) to below 1.
	Smoothing float64
	// Solver limits each solve of the restricted program.
	Solver solver.Limits
	// Event, if not nil, is told of every round.
	Event func(Event)
}

// Event is the state after a round.
type Event struct {
	Round   int
	Value   float64 // of the restricted program
	Bound   float64 // the best so far
	Columns int     // in the restricted program
	Added   int     // in this round
}

// Status says why a run ended.
type Status int

const (
	// Optimal means: the bound meets the value of the restricted program, or an
	// exact round found no column.
	Optimal Status = iota
	// Cutoff means: the bound reached Options.Cutoff.
	Cutoff
	// Limit means: rounds ran out, or the engine reached a limit of its own.
	Limit
	// Infeasible means: the restricted program is infeasible, and no pricer has
	// a column that would help. Programs with explicit slack are never so.
	Infeasible
)

// Result of a run. Bound is valid whatever the status.
type Result[T any] struct {
	Status Status
	// Value and Solution of the last restricted program; Weights[j] is the value
	// of Master.Columns()[j] in it.
	Value    float64
	Weights  []float64
	Solution *solver.Solution
	// Bound is the best Lagrangian bound; Prices, by row, give it. -Inf and nil
	// where there is none.
	Bound  float64
	Prices []float64
	Rounds int
}

// Run generates columns until the program is solved or a limit is met. An
// engine that fails is an error, and the result beside it still holds the bound
// proven so far. The same pricers give the same result whatever the number of
// cores.
func (m *Master[T]) Run(ctx context.Context, pricers []Pricer[T], opt Options) (Result[T], error) {
	if opt.Gap == 0 {
		opt.Gap = solver.GapTol
	}
	r := Result[T]{Status: Limit, Bound: math.Inf(-1)}
	if opt.Prices != nil {
		if _, err := m.round(pricers, opt.Prices, opt.Prices, &r); err != nil {
			return r, err
		}
	}
	for opt.Rounds == 0 || r.Rounds < opt.Rounds {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		s, err := m.model.Solve(ctx, opt.Solver)
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
		r.Value, r.Solution, r.Weights = s.Objective, s, s.Primal[m.explicit:]
		if m.done(&r, opt) {
			return r, nil
		}
		r.Rounds++
		prices := s.RowDual
		if r.Prices != nil && opt.Smoothing > 0 {
			prices = mix(r.Prices, s.RowDual, opt.Smoothing)
		}
		added, err := m.round(pricers, prices, s.RowDual, &r)
		if err != nil {
			return r, err
		}
		if added == 0 && &prices[0] != &s.RowDual[0] { // a mis-price
			if m.done(&r, opt) {
				return r, nil
			}
			if added, err = m.round(pricers, s.RowDual, s.RowDual, &r); err != nil {
				return r, err
			}
		}
		if opt.Event != nil {
			opt.Event(Event{r.Rounds, r.Value, r.Bound, len(m.columns), added})
		}
		if m.done(&r, opt) {
			return r, nil
		}
		if added == 0 {
			r.Status = Optimal
			return r, nil
		}
	}
	return r, nil
}

// done reports whether the bound settles the run.
func (m *Master[T]) done(r *Result[T], opt Options) bool {
	switch {
	case opt.Cutoff != nil && r.Bound >= *opt.Cutoff:
		r.Status = Cutoff
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

// round prices at the given prices, adds what prices out at those of the
// master, and improves the bound.
func (m *Master[T]) round(pricers []Pricer[T], prices, master []float64, r *Result[T]) (added int, err error) {
	found := make([]Priced[T], len(pricers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0), len(pricers))) {
		wg.Go(func() {
			for p := int(next.Add(1)) - 1; p < len(pricers); p = int(next.Add(1)) - 1 {
				found[p] = pricers[p].Price(prices, true)
			}
		})
	}
	wg.Wait()
	bound := m.constant(prices)
	var columns []Column[T]
	for p := range found {
		least, most := pricers[p].Multiplicity()
		if v := found[p].Bound; v < 0 {
			bound += most * v
		} else {
			bound += least * v
		}
		for _, c := range found[p].Columns {
			// Nothing a pricer says about its columns is believed.
			if reducedCost(c.Cost, c.Entries, master) < -solver.DualTol*max(1, math.Abs(c.Cost)) {
				columns = append(columns, c)
			}
		}
	}
	if bound > r.Bound || r.Prices == nil {
		r.Bound, r.Prices = bound, prices
	}
	return m.Add(columns...)
}
