package clp

import (
	"math"

	"jigsaw/solver"
)

// withoutCoefficients reports whether no column has coefficients. CLP handles
// such programs in a special way, with statuses that do not distinguish a
// failure from an optimum, so they are solved here.
func withoutCoefficients(p *solver.Problem) bool {
	for _, v := range p.Value {
		if v != 0 {
			return false
		}
	}
	return true
}

// inspect solves a program without coefficients: every row must permit the
// activity 0, and every column goes to its cheapest bound.
func inspect(p *solver.Problem) *solver.Solution {
	m, n := p.Rows(), p.Cols()
	s := &solver.Solution{
		Status:      solver.Optimal,
		Primal:      make([]float64, n),
		RowActivity: make([]float64, m),
		RowDual:     make([]float64, m),
		ReducedCost: append(make([]float64, 0, n), p.Cost...),
		Basis:       &solver.Basis{Cols: make([]solver.VarStatus, n), Rows: make([]solver.VarStatus, m)},
	}
	for i := range m {
		s.Basis.Rows[i] = solver.Basic
		sign := 0.0
		if p.RowLower[i] > solver.FeasibilityTol {
			sign = 1
		} else if p.RowUpper[i] < -solver.FeasibilityTol {
			sign = -1
		}
		if sign != 0 {
			ray := make([]float64, m)
			ray[i] = sign
			return &solver.Solution{Status: solver.Infeasible, Ray: ray}
		}
	}
	var ray []float64
	for j, c := range p.Cost {
		lower, upper := p.ColLower[j], p.ColUpper[j]
		rest := solver.AtLower
		if c < 0 || c == 0 && math.Abs(upper) < math.Abs(lower) {
			rest = solver.AtUpper
		}
		s.Basis.Cols[j] = rest.Rest(lower, upper)
		switch {
		case c > 0 && math.IsInf(lower, -1), c < 0 && math.IsInf(upper, 1):
			if ray == nil {
				ray = make([]float64, n)
				ray[j] = -math.Copysign(1, c)
			}
			s.Primal[j] = nearestZero(lower, upper)
		case c > 0:
			s.Primal[j] = lower
		case c < 0:
			s.Primal[j] = upper
		default:
			s.Primal[j] = nearestZero(lower, upper)
			if s.Primal[j] == 0 && lower < 0 && upper > 0 {
				s.Primal[j] = restValue(s.Basis.Cols[j], lower, upper)
			}
		}
		s.Objective += c * s.Primal[j]
	}
	if ray != nil {
		return &solver.Solution{Status: solver.Unbounded, Objective: s.Objective, Primal: s.Primal,
			RowActivity: s.RowActivity, Ray: ray, Basis: s.Basis}
	}
	return s
}

func nearestZero(lower, upper float64) float64 { return min(max(0, lower), upper) }

// restValue is the value of a nonbasic variable.
func restValue(s solver.VarStatus, lower, upper float64) float64 {
	switch s {
	case solver.AtLower, solver.Fixed:
		return lower
	case solver.AtUpper:
		return upper
	}
	return 0
}
