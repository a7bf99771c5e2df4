package clp

import (
	"errors"
	"math"

	"jigsaw/solver"
)

// ranging makes a ranging of CLP's values at an optimum: how far up and down the
// cost of each column may go, then the same for the activity of each row.
func ranging(p *solver.Problem, s *solver.Solution, costs, rows func() (up, down []float64, ok bool)) (*solver.Ranging, error) {
	m, n := p.Rows(), p.Cols()
	r := &solver.Ranging{
		CostLower: make([]float64, n), CostUpper: make([]float64, n),
		ActivityLower: make([]float64, m), ActivityUpper: make([]float64, m),
	}
	up, down, ok := costs()
	if !ok {
		return nil, errors.New("clp: ranging: CLP has no ranging of the costs at this optimum")
	}
	for j, c := range p.Cost {
		r.CostLower[j], r.CostUpper[j] = c-fromCoin(down[j]), c+fromCoin(up[j])
	}
	if up, down, ok = rows(); !ok {
		return nil, errors.New("clp: ranging: CLP has no ranging of the rows at this optimum")
	}
	for i, at := range s.RowActivity {
		// If the row is basic CLP returns the distances to its own bounds, which is not
		// what is wanted.
		r.ActivityLower[i], r.ActivityUpper[i] = at, at
		if active(at, p.RowLower[i], p.RowUpper[i]) {
			r.ActivityLower[i] = at - fromCoin(down[i])
			r.ActivityUpper[i] = at + fromCoin(up[i])
		}
	}
	return r, nil
}

// active says whether a row is at one of its bounds.
func active(at, lower, upper float64) bool {
	near := func(bound float64) bool {
		return !math.IsInf(bound, 0) && math.Abs(at-bound) <= solver.FeasibilityTol*max(1, math.Abs(bound))
	}
	return near(lower) || near(upper)
}

// rangeByInspection ranges an optimum of a program without coefficients.
func rangeByInspection(p *solver.Problem) *solver.Ranging {
	m, n := p.Rows(), p.Cols()
	r := &solver.Ranging{
		CostLower: make([]float64, n), CostUpper: make([]float64, n),
		ActivityLower: make([]float64, m), ActivityUpper: make([]float64, m),
	}
	for j, status := range inspect(p).Basis.Cols {
		switch status {
		case solver.Fixed:
			r.CostLower[j], r.CostUpper[j] = math.Inf(-1), math.Inf(1)
		case solver.AtLower:
			r.CostUpper[j] = math.Inf(1)
		case solver.AtUpper:
			r.CostLower[j] = math.Inf(-1)
		}
	}
	return r
}
