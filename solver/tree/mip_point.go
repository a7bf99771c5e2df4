package tree

import (
	"context"
	"fmt"
	"math"
	"slices"

	"jigsaw/solver"
)

// accept looks for a feasible point at the integers of x and keeps it if it is
// the best so far. It returns its value, +Inf where there is none.
func (m *mip) accept(ctx context.Context, x []float64) (value float64, err error) {
	if y, err := m.rounded(x); err == nil {
		return m.keep(y), nil
	}
	value = math.Inf(1)
	if len(m.integers) == m.p.Cols() {
		return value, nil // rounding is all there is
	}
	// Continuous columns may have leaned on the last digits of the integers.
	type bounds struct {
		col          solver.Col
		lower, upper float64
	}
	var undo []bounds
	for _, j := range m.integers {
		v := math.Round(x[j])
		undo = append(undo, bounds{j, m.p.ColLower[j], m.p.ColUpper[j]})
		if err := m.setBounds(j, v, v); err != nil {
			return value, err
		}
	}
	s, err := m.relax(ctx, solver.Limits{})
	if err == nil && s != nil && s.Status == solver.Optimal {
		if y, unfit := m.rounded(s.Primal); unfit == nil {
			value = m.keep(y)
		}
	}
	for _, b := range undo {
		err = notNil(err, m.setBounds(b.col, b.lower, b.upper))
	}
	return value, err
}

// rounded returns x with its integers rounded, or an error that names a bound
// or row that the result breaks. Rows of integer columns have to hold exactly.
func (m *mip) rounded(x []float64) ([]float64, error) {
	p, y := m.p, slices.Clone(x)
	for _, j := range m.integers {
		y[j] = math.Round(y[j])
		if y[j] < m.lower[j] || y[j] > m.upper[j] {
			return nil, fmt.Errorf("column %d: %v is not in [%v, %v]", j, y[j], m.lower[j], m.upper[j])
		}
	}
	activity := make([]float64, p.Rows())
	size := make([]float64, p.Rows()) // largest term
	loose := make([]bool, p.Rows())   // has continuous columns
	for j := range y {
		integer := p.Integer != nil && p.Integer[j]
		if !integer {
			lower, upper := m.lower[j], m.upper[j]
			if y[j] < lower-solver.FeasibilityTol*max(1, math.Abs(lower)) || y[j] > upper+solver.FeasibilityTol*max(1, math.Abs(upper)) {
				return nil, fmt.Errorf("column %d: %v is not in [%v, %v]", j, y[j], lower, upper)
			}
			y[j] = min(max(y[j], lower), upper)
		}
		rows, values := p.Column(solver.Col(j))
		for k, i := range rows {
			if y[j] == 0 {
				continue
			}
			activity[i] += values[k] * y[j]
			size[i] = max(size[i], math.Abs(values[k]*y[j]))
			loose[i] = loose[i] || !integer
		}
	}
	for i, a := range activity {
		tol := exactTol * max(1, size[i])
		if loose[i] {
			tol = solver.FeasibilityTol
		}
		lower, upper := p.RowLower[i], p.RowUpper[i]
		if a < lower-tol*max(1, math.Abs(lower)) || a > upper+tol*max(1, math.Abs(upper)) {
			return nil, fmt.Errorf("row %d: %v is not in [%v, %v]", i, a, lower, upper)
		}
	}
	return y, nil
}

// keep makes a feasible point the incumbent if it is better, and fixes what
// the root's reduced costs then fix. It returns the point's value.
func (m *mip) keep(y []float64) float64 {
	value := 0.0
	for j, c := range m.p.Cost {
		value += c * y[j]
	}
	if step := m.options.Step; step > 0 {
		value = step * math.Round(value/step)
	}
	if value < min(m.value, m.cutoff) {
		m.value, m.incumbent = value, y
		m.tighten()
	}
	return value
}

// tighten fixes integer columns for the whole tree: moving column j by one from
// the bound at which the root's relaxation has it costs its reduced cost d, so
// where rootBound + |d| is no better than the incumbent it stays there. Nodes
// take it up when they are entered.
func (m *mip) tighten() {
	if m.rootReduced == nil {
		return
	}
	for _, j := range m.integers {
		if m.lower[j] == m.upper[j] || !m.prunes(m.rootBound+math.Abs(m.rootReduced[j])) {
			continue
		}
		// The root's bounds are those before any fixing, which only ever
		// narrows to them.
		if m.rootReduced[j] > 0 {
			m.upper[j] = m.lower[j]
		} else {
			m.lower[j] = m.upper[j]
		}
		m.changed = append(m.changed, j)
	}
}

// How often diving is tried: at the first nodes, then once in a while.
const (
	firstDives = 1
	diveEvery  = 30
	diveSolves = 200
	surely     = 0.9 // fractions from here on are rounded up together
)

func (m *mip) divesNow() bool { return m.evaluated <= firstDives || m.evaluated%diveEvery == 0 }

// dive rounds fractional columns up, the largest fraction first, and solves
// again, until the integers are whole or nothing feasible is left. A column
// that cannot go up goes down, once.
func (m *mip) dive(ctx context.Context, s *solver.Solution) error {
	flipped := false
	for range diveSolves {
		fractional := m.fractional(s.Primal)
		if len(fractional) == 0 {
			_, err := m.accept(ctx, s.Primal)
			return err
		}
		most, fraction := fractional[0], -1.0
		for _, j := range fractional {
			f := s.Primal[j] - math.Floor(s.Primal[j])
			if f > fraction {
				most, fraction = j, f
			}
			if f >= surely {
				m.changed = append(m.changed, j)
				if err := m.setBounds(j, math.Ceil(s.Primal[j]), m.p.ColUpper[j]); err != nil {
					return err
				}
			}
		}
		m.changed = append(m.changed, most)
		up, upper := math.Ceil(s.Primal[most]), m.p.ColUpper[most]
		lower := min(m.p.ColLower[most], up-1)
		if err := m.setBounds(most, up, upper); err != nil {
			return err
		}
		next, err := m.relax(ctx, m.limits(min(m.cutoff, m.value)))
		if err != nil {
			return err
		}
		if next == nil || next.Status != solver.Optimal {
			if next == nil || flipped || lower > up-1 {
				return nil
			}
			flipped = true
			if err := m.setBounds(most, lower, up-1); err != nil {
				return err
			}
			if next, err = m.relax(ctx, m.limits(min(m.cutoff, m.value))); err != nil || next == nil || next.Status != solver.Optimal {
				return err
			}
		} else {
			flipped = false
		}
		if m.prunes(next.Objective) {
			return nil
		}
		s = next
	}
	return nil
}
