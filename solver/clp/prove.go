package clp

import (
	"errors"
	"fmt"
	"math"

	"jigsaw/solver"
)

// CLP sometimes calls unbounded programs infeasible, and infeasible ones
// unbounded, mostly those without a feasible dual point. So neither claim is
// trusted without a certificate; if CLP provides none, or a wrong one, two side
// programs provide one.

// prover turns claims about a program into proven answers. Its side function
// solves a program that is known to have an optimum, within the rest of the
// budget; it returns that optimum or the status of a limit.
type prover struct {
	problem *solver.Problem
	side    func(*solver.Problem) (*solver.Solution, error)
}

// errFeasible is the doubt that remains when a program that CLP called
// infeasible has a feasible point.
var errFeasible = errors.New("clp: called infeasible, but has a feasible point")

// infeasible proves the claim that there is no feasible point, by a given ray or
// by one of its own.
func (v prover) infeasible(ray []float64) (s *solver.Solution, doubt, err error) {
	if ray == nil || solver.CheckFarkas(v.problem, signed(v.problem, ray)) != nil {
		phase, err := v.side(elastic(v.problem))
		if err != nil || phase.Status != solver.Optimal {
			return phase, nil, err
		}
		ray = signed(v.problem, phase.RowDual)
		if doubt := solver.CheckFarkas(v.problem, ray); doubt != nil {
			if pointOf(v.problem, phase) != nil {
				return nil, errFeasible, nil
			}
			return nil, fmt.Errorf("clp: called infeasible: %w", doubt), nil
		}
	}
	return &solver.Solution{Status: solver.Infeasible, Ray: ray}, nil, nil
}

// unbounded proves the claim that the objective is unbounded, by a given ray
// and the point of a given solution, or by its own. The answer may be that
// there is no feasible point after all.
func (v prover) unbounded(ray []float64, point *solver.Solution) (s *solver.Solution, doubt, err error) {
	if ray == nil || solver.CheckRay(v.problem, ray) != nil {
		direction, err := v.side(recession(v.problem))
		if err != nil || direction.Status != solver.Optimal {
			return direction, nil, err
		}
		ray = direction.Primal
		if doubt := solver.CheckRay(v.problem, ray); doubt != nil {
			return nil, fmt.Errorf("clp: called unbounded: %w", doubt), nil
		}
	}
	if !feasible(v.problem, point) {
		phase, err := v.side(elastic(v.problem))
		if err != nil || phase.Status != solver.Optimal {
			return phase, nil, err
		}
		if solver.CheckFarkas(v.problem, signed(v.problem, phase.RowDual)) == nil {
			return &solver.Solution{Status: solver.Infeasible, Ray: phase.RowDual}, nil, nil
		}
		if point = pointOf(v.problem, phase); point == nil {
			return nil, errors.New("clp: called unbounded: no point is feasible within the tolerance"), nil
		}
	}
	s = &solver.Solution{
		Status:      solver.Unbounded,
		Primal:      point.Primal,
		RowActivity: point.RowActivity,
		Ray:         ray,
	}
	for j, c := range v.problem.Cost {
		s.Objective += c * s.Primal[j]
	}
	return s, nil, nil
}

// signed sets to zero, in place, the components of a ray that require a row
// bound that does not exist: they are rounding errors, and the proof is better
// without them.
func signed(p *solver.Problem, ray []float64) []float64 {
	for i, y := range ray {
		if y > 0 && math.IsInf(p.RowLower[i], -1) || y < 0 && math.IsInf(p.RowUpper[i], 1) {
			ray[i] = 0
		}
	}
	return ray
}

// pointOf extracts the feasible point from an optimum of the elastic program;
// nil if that point is not feasible.
func pointOf(p *solver.Problem, phase *solver.Solution) *solver.Solution {
	point := &solver.Solution{Primal: phase.Primal[:p.Cols()], RowActivity: make([]float64, p.Rows())}
	for j, x := range point.Primal {
		rows, values := p.Column(solver.Col(j))
		for k, i := range rows {
			point.RowActivity[i] += values[k] * x
		}
	}
	if !feasible(p, point) {
		return nil
	}
	return point
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

// elasticCost is the price of violating a row by its largest coefficient. It is
// large compared with CLP's dual tolerance, so that a ray made of duals is
// precise.
const elasticCost = 1000

// elastic lets every row be violated at a price: min elasticCost (s+ + s-),
// rowLower <= Ax + D s+ - D s- <= rowUpper, D the largest coefficient of each
// row. It is feasible and bounded, and its optimal row duals are a Farkas ray
// when its optimum is positive.
func elastic(p *solver.Problem) *solver.Problem {
	norm := make([]float64, p.Rows())
	for k, i := range p.Index {
		norm[i] = max(norm[i], math.Abs(p.Value[k]))
	}
	e := withoutCosts(p)
	for i, v := range norm {
		if v == 0 {
			v = 1
		}
		e.AddCol("", elasticCost, 0, math.Inf(1), solver.Entry{Row: solver.Row(i), Value: v})
		e.AddCol("", elasticCost, 0, math.Inf(1), solver.Entry{Row: solver.Row(i), Value: -v})
	}
	return e
}

// recession is the program of the directions that meet no finite bound, limited
// to a largest component of 1: min c'r. It is feasible and bounded.
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
