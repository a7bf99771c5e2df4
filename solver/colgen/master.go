package colgen

import (
	"fmt"
	"math"

	"jigsaw/solver"
)

// Master is the restricted program: all rows, and the columns known so far. It is live:
// columns are added, and the basis is kept from solve to solve. Close it after use.
type Master[T any] struct {
	model    solver.Model
	rows     *solver.Problem // the rows and the explicit columns
	explicit int
	columns  []Column[T]
	index    map[string]int
}

// NewMaster loads the rows and the explicit columns into the engine.
func NewMaster[T any](engine solver.Solver, rows *solver.Problem) (*Master[T], error) {
	model, err := engine.Load(rows)
	if err != nil {
		return nil, fmt.Errorf("colgen: %w", err)
	}
	return &Master[T]{model: model, rows: rows.Clone(), explicit: rows.Cols(), index: map[string]int{}}, nil
}

// Close releases the engine's model.
func (m *Master[T]) Close() error { return m.model.Close() }

// Columns returns the generated columns, in the order in which they were added.
// The caller must not change the slice.
func (m *Master[T]) Columns() []Column[T] { return m.columns }

// Add adds columns, except those already present. It returns how many were
// added.
func (m *Master[T]) Add(columns ...Column[T]) (int, error) {
	var fresh []solver.Column
	var keep []Column[T]
	for _, c := range columns {
		if _, known := m.index[c.Key]; known {
			continue
		}
		m.index[c.Key] = len(m.columns) + len(keep)
		keep = append(keep, c)
		fresh = append(fresh, solver.Column{Cost: c.Cost, Upper: math.Inf(1), Entries: c.Entries})
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	if err := m.model.AddCols(fresh...); err != nil {
		for _, c := range keep {
			delete(m.index, c.Key)
		}
		return 0, fmt.Errorf("colgen: %w", err)
	}
	m.columns = append(m.columns, keep...)
	return len(fresh), nil
}

// constant is the part of the Lagrangian bound from rows and explicit columns.
func (m *Master[T]) constant(prices []float64) float64 {
	sum := 0.0
	for i, y := range prices {
		switch {
		case y > 0:
			sum += y * m.rows.RowLower[i]
		case y < 0:
			sum += y * m.rows.RowUpper[i]
		}
	}
	for j := range m.explicit {
		d := m.rows.Cost[j]
		rows, values := m.rows.Column(solver.Col(j))
		for k, i := range rows {
			d -= prices[i] * values[k]
		}
		switch {
		case d < 0 && m.rows.ColUpper[j] > 0:
			sum += d * m.rows.ColUpper[j]
		case d > 0 && m.rows.ColLower[j] != 0:
			sum += d * m.rows.ColLower[j]
		}
	}
	return sum
}
