package clp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"jigsaw/solver"
)

// proveInfeasible finds a Farkas ray that the data bear out: CLP's own, or else
// the duals of a program that is always feasible.
func (m *model) proveInfeasible(b *budget) (s *solver.Solution, doubt, err error) {
	p := m.mirror.Problem()
	m.dualFeasible = true
	ray := make([]float64, p.Rows())
	if m.table.infeasibilityRay(m.handle, ray) {
		for i := range ray {
			ray[i] = -ray[i]
		}
		if solver.CheckFarkas(p, ray) == nil {
			return m.infeasible(ray), nil, nil
		}
	}
	phase, err := m.side(b, elastic(p))
	if err != nil || phase.Status != solver.Optimal {
		return phase, nil, err
	}
	if doubt := solver.CheckFarkas(p, phase.RowDual); doubt != nil {
		return nil, fmt.Errorf("clp: infeasible: %w", doubt), nil
	}
	return m.infeasible(phase.RowDual), nil, nil
}

func (m *model) infeasible(ray []float64) *solver.Solution {
	return &solver.Solution{Status: solver.Infeasible, Ray: ray, Basis: m.basis.Clone()}
}

// proveUnbounded finds a feasible point and a ray that the data bear out: CLP's
// own, or else the answers of two programs that have one.
func (m *model) proveUnbounded(b *budget) (s *solver.Solution, doubt, err error) {
	p := m.mirror.Problem()
	s = m.solution(solver.Unbounded)
	s.RowDual, s.ReducedCost = nil, nil

	s.Ray = make([]float64, p.Cols())
	if !m.table.unboundedRay(m.handle, s.Ray) || solver.CheckRay(p, s.Ray) != nil {
		direction, err := m.side(b, recession(p))
		if err != nil || direction.Status != solver.Optimal {
			return direction, nil, err
		}
		if doubt := solver.CheckRay(p, direction.Primal); doubt != nil {
			return nil, fmt.Errorf("clp: unbounded: %w", doubt), nil
		}
		s.Ray = direction.Primal
	}
	if !feasible(p, s) {
		point, err := m.side(b, withoutCosts(p))
		if err != nil {
			return nil, nil, err
		}
		switch point.Status {
		case solver.Infeasible:
			return m.infeasible(point.Ray), nil, nil
		case solver.Optimal:
			s.Primal, s.RowActivity, s.Objective = point.Primal, point.RowActivity, 0
			for j, c := range p.Cost {
				s.Objective += c * s.Primal[j]
			}
		default:
			return point, nil, nil
		}
	}
	m.primalFeasible = true
	return s, nil, nil
}

// feasible checks the point of a solution alone: with zero costs and duals it
// has to be optimal.
func feasible(p *solver.Problem, s *solver.Solution) bool {
	r, err := solver.Check(withoutCosts(p), &solver.Solution{
		Status:      solver.Optimal,
		Primal:      s.Primal,
		RowActivity: s.RowActivity,
		RowDual:     make([]float64, p.Rows()),
		ReducedCost: make([]float64, p.Cols()),
	})
	return err == nil && r.Err() == nil
}

// side solves a program beside this one, on the same budget.
func (m *model) side(b *budget, p *solver.Problem) (*solver.Solution, error) {
	other := newModel(m.table, p)
	defer other.Close()
	limits := solver.Limits{}
	if b.limits.Iterations > 0 {
		limits.Iterations = b.limits.Iterations - b.iterations
		if limits.Iterations <= 0 {
			return &solver.Solution{Status: solver.IterationLimit, Basis: m.basis.Clone()}, nil
		}
	}
	ctx, cancel := b.ctx, context.CancelFunc(func() {})
	if !b.deadline.IsZero() {
		ctx, cancel = context.WithDeadline(b.ctx, b.deadline)
	}
	defer cancel()
	s, err := other.Solve(ctx, limits)
	if err != nil && errors.Is(err, context.DeadlineExceeded) && b.ctx.Err() == nil {
		return &solver.Solution{Status: solver.TimeLimit, Basis: m.basis.Clone()}, nil
	}
	if err != nil {
		return nil, err
	}
	b.iterations += s.Iterations
	switch s.Status {
	case solver.IterationLimit, solver.TimeLimit:
		// The iterate is of another program.
		return &solver.Solution{Status: s.Status, Basis: m.basis.Clone()}, nil
	}
	return s, nil
}

// elastic lets every row be missed at a price: min s+ + s-, rowLower <= Ax + s+
// - s- <= rowUpper. It is feasible and bounded, and its optimal row duals are a
// Farkas ray when its optimum is positive.
func elastic(p *solver.Problem) *solver.Problem {
	e := withoutCosts(p)
	for i := range p.Rows() {
		e.AddCol("", 1, 0, math.Inf(1), solver.Entry{Row: solver.Row(i), Value: 1})
		e.AddCol("", 1, 0, math.Inf(1), solver.Entry{Row: solver.Row(i), Value: -1})
	}
	return e
}

// recession is the program of the directions that meet no finite bound, cut off
// at a largest component of 1: min c'r. It is feasible and bounded.
func recession(p *solver.Problem) *solver.Problem {
	r := p.Clone()
	open := func(lower, upper []float64, end float64) {
		for k := range lower {
			low, high := 0.0, 0.0
			if math.IsInf(lower[k], -1) {
				low = -end
			}
			if math.IsInf(upper[k], 1) {
				high = end
			}
			lower[k], upper[k] = low, high
		}
	}
	open(r.ColLower, r.ColUpper, 1)
	open(r.RowLower, r.RowUpper, math.Inf(1))
	return r
}

// withoutCosts is the program of the feasible points.
func withoutCosts(p *solver.Problem) *solver.Problem {
	f := p.Clone()
	clear(f.Cost)
	return f
}
