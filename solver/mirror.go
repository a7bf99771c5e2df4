package solver

import (
	"errors"
	"fmt"
)

// Mirror is the Go side of a live model: the current program, changed only by
// validated calls. Engines keep one beside their own copy, since an answer is
// checked against the data and not against the engine's view of it.
type Mirror struct{ problem *Problem }

// NewMirror copies a validated program.
func NewMirror(p *Problem) *Mirror { return &Mirror{problem: p.Clone()} }

// Problem returns the current program, not a copy.
func (m *Mirror) Problem() *Problem { return m.problem }

// AddCols appends columns, all or none.
func (m *Mirror) AddCols(cols ...Column) error {
	var faults []error
	for _, c := range cols {
		faults = append(faults, c.Validate(m.problem.Rows()))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, c := range cols {
		m.problem.AddCol(c.Name, c.Cost, c.Lower, c.Upper, c.Entries...)
	}
	return nil
}

// SetColBounds replaces the bounds of a column.
func (m *Mirror) SetColBounds(col Col, lower, upper float64) error {
	if col < 0 || int(col) >= m.problem.Cols() {
		return fmt.Errorf("solver: column %d out of range, there are %d", col, m.problem.Cols())
	}
	if fault := crossed(lower, upper); fault != "" {
		return errors.New("solver: " + fault)
	}
	m.problem.ColLower[col], m.problem.ColUpper[col] = lower, upper
	return nil
}
