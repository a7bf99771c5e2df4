package solver

import (
	"fmt"
	"slices"
)

// VarStatus says where a column, or the activity of a row, rests in a basis.
type VarStatus uint8

const (
	// AtLower is nonbasic at the lower bound.
	AtLower VarStatus = iota
	// Basic is in the basis.
	Basic
	// AtUpper is nonbasic at the upper bound.
	AtUpper
	// AtZero is nonbasic without a bound, at zero.
	AtZero
	// Fixed is nonbasic between two equal bounds.
	Fixed
	// Superbasic is nonbasic at a value between its bounds; an engine that
	// stopped early may leave such a column.
	Superbasic
)

// Basis is a basis of a program: as many of its columns and rows are Basic as
// there are rows.
type Basis struct {
	Cols []VarStatus // by Col
	Rows []VarStatus // by Row
}

// Clone returns a deep copy; of nil it is nil.
func (b *Basis) Clone() *Basis {
	if b == nil {
		return nil
	}
	return &Basis{Cols: slices.Clone(b.Cols), Rows: slices.Clone(b.Rows)}
}

// Complete returns a copy of the basis that fits the program: columns added
// later are nonbasic, rows added later basic, and a variable at a bound that
// does not exist moves to one that does. A basis larger than the program is an
// error.
func (b *Basis) Complete(p *Problem) (*Basis, error) {
	m, n := p.Rows(), p.Cols()
	if b == nil {
		b = &Basis{}
	}
	if len(b.Cols) > n || len(b.Rows) > m {
		return nil, fmt.Errorf("solver: basis of %d rows and %d columns for a program of %d and %d",
			len(b.Rows), len(b.Cols), m, n)
	}
	full := &Basis{Cols: make([]VarStatus, n), Rows: make([]VarStatus, m)}
	copy(full.Cols, b.Cols)
	copy(full.Rows, b.Rows)
	for i := len(b.Rows); i < m; i++ {
		full.Rows[i] = Basic
	}
	for j := range full.Cols {
		full.Cols[j] = full.Cols[j].Rest(p.ColLower[j], p.ColUpper[j])
	}
	for i := range full.Rows {
		full.Rows[i] = full.Rows[i].Rest(p.RowLower[i], p.RowUpper[i])
	}
	return full, nil
}

// Rest returns the status of the same kind that fits the bounds: a nonbasic
// variable rests at a bound that exists.
func (s VarStatus) Rest(lower, upper float64) VarStatus {
	low, high := lower >= -Huge, upper <= Huge
	switch {
	case s == Basic || s == Superbasic:
		return s
	case low && high && lower == upper:
		return Fixed
	case !low && !high:
		return AtZero
	case !low:
		return AtUpper
	case !high:
		return AtLower
	case s == AtUpper:
		return AtUpper
	}
	return AtLower
}
