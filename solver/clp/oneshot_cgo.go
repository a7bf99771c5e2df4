//go:build cgo && !noclp && !js

package clp

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	coin "github.com/lanl/clp"

	"jigsaw/solver"
)

// NewOneShot returns the solver for programs that are solved once, with
// ranging.
func NewOneShot() (solver.Solver, error) {
	return solver.OneShot{
		Title:    "CLP through lanl/clp, one shot",
		Optimise: optimiseOnce,
		Ranging:  rangeOnce,
		Rays:     true,
	}, nil
}

// once is a program inside the binding. The binding frees both objects in
// finalizers and does not keep them alive during its own calls, so every user
// has to, with keep.
type once struct {
	simplex *coin.Simplex
	matrix  *coin.PackedMatrix
}

func loadOnce(p *solver.Problem) *once {
	o := &once{simplex: coin.NewSimplex(), matrix: coin.NewPackedMatrix()}
	// Without reserved space each added column moves the whole matrix.
	o.matrix.Reserve(p.Cols(), len(p.Value), false)
	for j := range p.Cols() {
		rows, values := p.Column(solver.Col(j))
		column := make([]coin.Nonzero, len(rows))
		for k, i := range rows {
			column[k] = coin.Nonzero{Index: int(i), Value: values[k]}
		}
		o.matrix.AppendColumn(column)
	}
	// Without this the last rows would be missing when they are empty.
	o.matrix.SetDimensions(p.Rows(), p.Cols())
	o.simplex.LoadProblem(o.matrix, coinBounds(p.ColLower, p.ColUpper), p.Cost, coinBounds(p.RowLower, p.RowUpper), nil)
	o.simplex.SetOptimizationDirection(coin.Minimize)
	return o
}

func (o *once) keep() {
	runtime.KeepAlive(o.simplex)
	runtime.KeepAlive(o.matrix)
}

func coinBounds(lower, upper []float64) []coin.Bounds {
	low, high := toCoin(lower), toCoin(upper)
	out := make([]coin.Bounds, len(low))
	for k := range out {
		out[k] = coin.Bounds{Lower: low[k], Upper: high[k]}
	}
	return out
}

// onceEfforts are the ways to try, the later ones more careful.
var onceEfforts = [...]struct {
	alg     algorithm
	scaling coin.Scaling
}{
	{dualSimplex, coin.AutoScaling},
	{primalSimplex, coin.AutoScaling},
	{primalSimplex, coin.NoScaling},
}

func optimiseOnce(ctx context.Context, p *solver.Problem, limits solver.Limits) (*solver.Solution, error) {
	return solveOnce(newBudget(ctx, limits), p, false)
}

// solveOnce solves from scratch until an answer passes its check. A side program
// is one that is known to have an optimum.
func solveOnce(b *budget, p *solver.Problem, isSide bool) (*solver.Solution, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	if withoutCoefficients(p) {
		s := inspect(p)
		s.Basis = nil
		return s, nil
	}
	var doubts []error
	for _, e := range onceEfforts {
		o := loadOnce(p)
		o.simplex.SetScaling(e.scaling)
		s, doubt, err := o.try(b, p, e.alg, isSide)
		o.keep()
		if err != nil {
			return nil, err
		}
		if doubt == nil {
			return s, nil
		}
		doubts = append(doubts, doubt)
	}
	return nil, fmt.Errorf("clp: solve: no answer stood its check: %w", errors.Join(doubts...))
}

// try solves once and checks what CLP claims, as the live model does.
func (o *once) try(b *budget, p *solver.Problem, alg algorithm, isSide bool) (s *solver.Solution, doubt, err error) {
	status, err := o.iterate(b, p, alg)
	if err == nil && status == solver.Unbounded && alg == dualSimplex {
		status, err = o.iterate(b, p, primalSimplex)
	}
	if err != nil {
		return nil, nil, err
	}
	v := prover{problem: p, side: func(side *solver.Problem) (*solver.Solution, error) {
		s, err := solveOnce(b, side, true)
		if err == nil && s.Status != solver.Optimal {
			s = &solver.Solution{Status: s.Status} // the iterate belongs to another program
		}
		return s, err
	}}
	switch {
	case status == solver.Optimal:
		s := o.solution(p, status)
		return s, solver.Verify(p, s), nil
	case status == solver.IterationLimit || status == solver.TimeLimit:
		return o.solution(p, status), nil, nil
	case isSide:
		return nil, fmt.Errorf("clp: a side program, which has an optimum, was called %v", status), nil
	case status == solver.Infeasible:
		return v.infeasible(nil)
	case status == solver.Unbounded:
		return v.unbounded(nil, o.solution(p, status))
	}
	return nil, fmt.Errorf("clp: stopped with secondary status %d", o.simplex.SecondaryStatus()), nil
}

// solution reads what the binding provides at the point where CLP stopped.
func (o *once) solution(p *solver.Problem, status solver.Status) *solver.Solution {
	s := &solver.Solution{
		Status:      status,
		Primal:      o.simplex.PrimalColumnSolution(),
		RowActivity: o.simplex.PrimalRowSolution(),
		RowDual:     o.simplex.DualRowSolution(),
		ReducedCost: o.simplex.DualColumnSolution(),
	}
	for j, c := range p.Cost {
		s.Objective += c * s.Primal[j]
	}
	return s
}

// iterate runs one algorithm in slices. The binding does not report the number
// of iterations of a slice: one that was not the last is assumed to have taken
// all.
func (o *once) iterate(b *budget, p *solver.Problem, alg algorithm) (solver.Status, error) {
	slice := max(sliceLength(p, onceWork), minSliceOnce)
	for {
		if err := b.err(); err != nil {
			return solver.Unsolved, err
		}
		count, seconds, spent := b.next(slice)
		if spent != solver.Unsolved {
			return spent, nil
		}
		o.simplex.SetMaxIterations(count)
		o.simplex.SetMaxSeconds(seconds)
		var primary coin.SimplexStatus
		if alg == dualSimplex {
			primary = o.simplex.Dual(coin.NoValuesPass, coin.NoStartFinishOptions)
		} else {
			primary = o.simplex.Primal(coin.NoValuesPass, coin.NoStartFinishOptions)
		}
		status := outcome(int32(primary), int32(o.simplex.SecondaryStatus()))
		if status != solver.IterationLimit && status != solver.TimeLimit {
			return status, nil
		}
		b.iterations += count
		if b.iterations > hopeless(p) {
			return solver.Numerical, nil
		}
		// CLP forgets the weights of its pricing between slices: equal slices can cycle
		// on a degenerate program that one run would solve.
		slice *= 2
	}
}

// minSliceOnce is the smallest slice of this solver. Programs that are solved
// once take many iterations, and short slices would increase their number,
// since CLP forgets the weights of its pricing at the end of each.
const minSliceOnce = 500

// hopeless is a number of iterations that no program of this size needs. The
// binding does not distinguish a slice with progress from one without.
func hopeless(p *solver.Problem) int { return 10_000_000 + 1000*(p.Rows()+p.Cols()) }

// rangeOnce solves from scratch and asks CLP for its ranging. CLP solves once
// more inside each of its two calls, from the optimal basis.
func rangeOnce(ctx context.Context, p *solver.Problem) (*solver.Ranging, error) {
	m, n := p.Rows(), p.Cols()
	if withoutCoefficients(p) {
		return rangeByInspection(p), nil
	}
	b := newBudget(ctx, solver.Limits{})
	o := loadOnce(p)
	defer o.keep()
	s, doubt, err := o.try(b, p, dualSimplex, true)
	if err == nil {
		err = doubt
	}
	if err != nil {
		return nil, fmt.Errorf("clp: ranging: %w", err)
	}
	if s.Status != solver.Optimal {
		return nil, fmt.Errorf("clp: ranging: the program is %v", s.Status)
	}

	return ranging(p, s, func() (up, down []float64, ok bool) {
		up, down, which := make([]float64, n), make([]float64, n), make([]int, n)
		for j := range which {
			which[j] = j
		}
		return up, down, o.simplex.DualRanging(n, which, up, make([]int, n), down, make([]int, n), nil, nil) == 0
	}, func() (up, down []float64, ok bool) {
		up, down, which := make([]float64, m), make([]float64, m), make([]int, m)
		for i := range which {
			which[i] = n + i // rows come after the columns in CLP's numbering
		}
		return up, down, o.simplex.PrimalRanging(m, which, up, make([]int, m), down, make([]int, m)) == 0
	})
}
