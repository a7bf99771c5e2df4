package clp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"jigsaw/solver"
	"jigsaw/solver/eventloop"
)

// algorithm is one of CLP's two simplex methods.
type algorithm int

const (
	dualSimplex algorithm = iota
	primalSimplex
)

// Modes of Clp_scaling and Clp_setPerturbation.
const (
	scalingOff       = 0
	scalingAuto      = 3
	perturbationAuto = 100
	perturbationOff  = 102
)

// effort is one way to solve: each next one is slower and more careful.
type effort struct {
	primal       bool // primal simplex whatever the basis
	fresh        bool // discard CLP's copy and the basis
	scaling      int32
	perturbation int32
}

var efforts = [...]effort{
	{scaling: scalingAuto, perturbation: perturbationAuto},
	{primal: true, scaling: scalingOff, perturbation: perturbationOff},
	{fresh: true, scaling: scalingAuto, perturbation: perturbationOff},
	{fresh: true, primal: true, scaling: scalingOff, perturbation: perturbationOff},
}

// Solve optimises from the current basis.
func (m *model) Solve(ctx context.Context, limits solver.Limits) (s *solver.Solution, err error) {
	defer trapped(&err)
	if m.closed {
		return nil, errClosed
	}
	return m.solve(newBudget(ctx, limits))
}

// solve tries until an answer passes its check.
func (m *model) solve(b *budget) (*solver.Solution, error) {
	defer runtime.KeepAlive(m)
	if err := b.err(); err != nil {
		return nil, err
	}
	if p := m.mirror.Problem(); withoutCoefficients(p) {
		s := inspect(p)
		if s.Basis != nil {
			m.basis, m.basisChanged = s.Basis.Clone(), true
		}
		return s, nil
	}
	before := b.iterations
	var doubts []error
	for _, e := range efforts {
		s, doubt, err := m.try(b, e)
		if err != nil {
			return nil, err
		}
		if doubt != nil {
			doubts = append(doubts, doubt)
			continue
		}
		s.Iterations = b.iterations - before
		if s.Basis == nil {
			s.Basis = m.basis.Clone()
		}
		return s, nil
	}
	return nil, fmt.Errorf("clp: solve: no answer stood its check: %w", errors.Join(doubts...))
}

// try solves once and checks what CLP claims. A doubt is a claim that the data
// do not confirm, and worth a more careful try; an error is final.
func (m *model) try(b *budget, e effort) (s *solver.Solution, doubt, err error) {
	if e.fresh {
		m.unload()
		m.basis = nil
		m.load()
	}
	if err := m.flush(); err != nil {
		return nil, nil, err
	}
	m.table.scaling(m.handle, e.scaling)
	m.table.setPerturbation(m.handle, e.perturbation)

	alg := dualSimplex
	if e.primal || m.primalFeasible && !m.dualFeasible {
		alg = primalSimplex
	}
	m.primalFeasible, m.dualFeasible = false, false
	status, err := m.iterate(b, alg)
	if err == nil && status == solver.Unbounded && alg == dualSimplex {
		// The dual simplex only found that there is no dual point.
		status, err = m.iterate(b, primalSimplex)
	}
	if err != nil {
		return nil, nil, err
	}

	p := m.mirror.Problem()
	switch status {
	case solver.Optimal:
		s := m.solution(status)
		if doubt := solver.Verify(p, s); doubt != nil {
			return nil, doubt, nil
		}
		m.primalFeasible, m.dualFeasible = true, true
		return s, nil, nil
	case solver.IterationLimit, solver.TimeLimit:
		return m.solution(status), nil, nil
	case solver.Infeasible, solver.Unbounded:
		return m.prove(b, status)
	}
	return nil, fmt.Errorf("clp: stopped with status %d, secondary %d",
		m.table.status(m.handle), m.table.secondaryStatus(m.handle)), nil
}

// prove turns a claim that there is no optimum into a proven answer.
func (m *model) prove(b *budget, status solver.Status) (s *solver.Solution, doubt, err error) {
	p := m.mirror.Problem()
	if m.isSide {
		return nil, fmt.Errorf("clp: a side program, which has an optimum, was called %v", status), nil
	}
	v := prover{problem: p, side: func(side *solver.Problem) (*solver.Solution, error) {
		other := newModel(m.table, side)
		other.isSide = true
		defer other.Close()
		rest := *b
		s, err := other.solve(&rest)
		b.iterations = rest.iterations
		if err == nil && s.Status != solver.Optimal {
			s = &solver.Solution{Status: s.Status} // the iterate belongs to another program
		}
		return s, err
	}}
	if status == solver.Infeasible {
		ray := make([]float64, p.Rows())
		if m.table.infeasibilityRay(m.handle, ray) {
			for i := range ray {
				ray[i] = -ray[i] // CLP's sign is the opposite
			}
		} else {
			ray = nil
		}
		return v.infeasible(ray)
	}
	ray := make([]float64, p.Cols())
	if !m.table.unboundedRay(m.handle, ray) {
		ray = nil
	}
	return v.unbounded(ray, m.solution(status))
}

// iterate runs one algorithm until it stops by itself or the budget ends: in one piece
// if CLP can be interrupted, otherwise in growing slices, so that forgetting between
// them costs only a fraction of the whole. The basis is read back in every case.
func (m *model) iterate(b *budget, alg algorithm) (solver.Status, error) {
	defer m.fetchBasis()
	slice := sliceLength(m.mirror.Problem(), liveWork)
	if m.table.canInterrupt() {
		slice = wholeSlice
		m.table.interrupt(m.handle, false)
		release := b.onEnd(func() { m.table.interrupt(m.handle, true) })
		defer release()
	}
	idle := 0
	for {
		eventloop.Yield()
		if err := b.err(); err != nil {
			return solver.Unsolved, err
		}
		count, seconds, spent := b.next(slice)
		if spent != solver.Unsolved {
			return spent, nil
		}
		m.table.setMaximumIterations(m.handle, int32(count))
		m.table.setMaximumSeconds(m.handle, seconds)
		if alg == dualSimplex {
			m.table.dual(m.handle, 0)
		} else {
			m.table.primal(m.handle, 0)
		}
		used := int(m.table.numberIterations(m.handle))
		b.iterations += used
		status := outcome(m.table.status(m.handle), m.table.secondaryStatus(m.handle))
		if status != solver.IterationLimit && status != solver.TimeLimit {
			return status, nil
		}
		// CLP counts processor time, of all threads, and may stop too early: the next
		// round of the loop checks the wall clock. Repeated slices without progress are
		// an error of their own.
		if used > 0 {
			idle = 0
		} else if idle++; idle > maxIdleSlices {
			return solver.Numerical, nil
		}
		slice = min(2*slice, wholeSlice)
	}
}

// solution reads everything CLP has at the point where it stopped.
func (m *model) solution(status solver.Status) *solver.Solution {
	p := m.mirror.Problem()
	s := &solver.Solution{
		Status:      status,
		Primal:      make([]float64, p.Cols()),
		RowActivity: make([]float64, p.Rows()),
		RowDual:     make([]float64, p.Rows()),
		ReducedCost: make([]float64, p.Cols()),
	}
	m.table.primalColumnSolution(m.handle, s.Primal)
	m.table.primalRowSolution(m.handle, s.RowActivity)
	m.table.dualRowSolution(m.handle, s.RowDual)
	m.table.dualColumnSolution(m.handle, s.ReducedCost)
	for j, c := range p.Cost {
		s.Objective += c * s.Primal[j]
	}
	settle(m.basis.Cols, s.Primal, p.ColLower, p.ColUpper)
	settle(m.basis.Rows, s.RowActivity, p.RowLower, p.RowUpper)
	return s
}

// settle corrects the statuses of nonbasic variables by their values. CLP
// leaves a column that lost its bounds where it was and calls it free, and
// calls some fixed that no longer are.
func settle(status []solver.VarStatus, at, lower, upper []float64) {
	near := func(v, bound float64) bool {
		return !math.IsInf(bound, 0) && math.Abs(v-bound) <= solver.FeasibilityTol*max(1, math.Abs(bound))
	}
	for k, s := range status {
		low, high := near(at[k], lower[k]), near(at[k], upper[k])
		switch {
		case s == solver.Basic:
			continue
		case low && high:
			status[k] = solver.AtLower.Rest(lower[k], upper[k])
		case low:
			status[k] = solver.AtLower
		case high:
			status[k] = solver.AtUpper
		case at[k] == 0 && math.IsInf(lower[k], -1) && math.IsInf(upper[k], 1):
			status[k] = solver.AtZero
		default:
			status[k] = solver.Superbasic
		}
	}
}
