package solver

import (
	"errors"
	"fmt"
	"math"
)

// Validate reports all errors in the data at once, joined: lengths that do not
// match, NaN, numbers beyond [Huge], infinite costs or coefficients, crossed
// bounds, rows out of range, two entries in one place. It returns nil for a
// program that an engine may load.
func (p *Problem) Validate() error {
	var faults []error
	bad := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("solver: "+format, args...))
	}

	m, n := p.Rows(), p.Cols()
	length := func(what string, got, want int) bool {
		if got != want {
			bad("%s has length %d, want %d", what, got, want)
		}
		return got == want
	}
	colsFit := length("ColLower", len(p.ColLower), n)
	colsFit = length("ColUpper", len(p.ColUpper), n) && colsFit
	rowsFit := length("RowUpper", len(p.RowUpper), m)
	if p.Integer != nil {
		length("Integer", len(p.Integer), n)
	}
	if p.ColNames != nil {
		length("ColNames", len(p.ColNames), n)
	}
	if p.RowNames != nil {
		length("RowNames", len(p.RowNames), m)
	}

	for j, c := range p.Cost {
		if fault := finite(c); fault != "" {
			bad("%s: cost %g is %s", p.colLabel(Col(j)), c, fault)
		}
	}
	if colsFit {
		for j := range n {
			if fault := crossed(p.ColLower[j], p.ColUpper[j]); fault != "" {
				bad("%s: %s", p.colLabel(Col(j)), fault)
			}
		}
	}
	if rowsFit {
		for i := range m {
			if fault := crossed(p.RowLower[i], p.RowUpper[i]); fault != "" {
				bad("%s: %s", p.rowLabel(Row(i)), fault)
			}
		}
	}
	faults = append(faults, p.validateMatrix()...)
	return errors.Join(faults...)
}

// validateMatrix checks the shape of the column-major matrix, then its entries.
func (p *Problem) validateMatrix() []error {
	var faults []error
	bad := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("solver: "+format, args...))
	}
	m, n := p.Rows(), p.Cols()
	if len(p.Index) != len(p.Value) {
		bad("Index has length %d, Value %d; they must be equal", len(p.Index), len(p.Value))
		return faults
	}
	if n == 0 && len(p.Start) == 0 {
		if len(p.Index) != 0 {
			bad("Index has length %d in a program without columns", len(p.Index))
		}
		return faults
	}
	if len(p.Start) != n+1 {
		bad("Start has length %d, want %d", len(p.Start), n+1)
		return faults
	}
	if p.Start[0] != 0 || p.Start[n] != len(p.Index) {
		bad("Start runs from %d to %d, want from 0 to %d", p.Start[0], p.Start[n], len(p.Index))
		return faults
	}
	for j := range n {
		if p.Start[j] > p.Start[j+1] {
			bad("Start falls from %d to %d at %s", p.Start[j], p.Start[j+1], p.colLabel(Col(j)))
			return faults
		}
	}
	seen := newMarks(m)
	for j := range n {
		seen.next()
		rows, values := p.Column(Col(j))
		for k, i := range rows {
			if fault := entryFault(int(i), m, values[k], seen); fault != "" {
				bad("%s, row %d: %s", p.colLabel(Col(j)), i, fault)
			}
		}
	}
	return faults
}

// Validate reports all errors in a column to be added to a program with the
// given number of rows.
func (c Column) Validate(rows int) error {
	var faults []error
	label := "solver: column " + quoted(c.Name)
	if fault := finite(c.Cost); fault != "" {
		faults = append(faults, fmt.Errorf("%s: cost %g is %s", label, c.Cost, fault))
	}
	if fault := crossed(c.Lower, c.Upper); fault != "" {
		faults = append(faults, fmt.Errorf("%s: %s", label, fault))
	}
	seen := make(sparseMarks, len(c.Entries))
	for _, e := range c.Entries {
		if fault := entryFault(int(e.Row), rows, e.Value, seen); fault != "" {
			faults = append(faults, fmt.Errorf("%s, row %d: %s", label, e.Row, fault))
		}
	}
	return errors.Join(faults...)
}

// finite says what is wrong with a number that has to be finite.
func finite(v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	case math.Abs(v) >= Huge:
		return fmt.Sprintf("not below %g in magnitude; rescale the program", Huge)
	}
	return ""
}

// crossed says what is wrong with a pair of bounds.
func crossed(lower, upper float64) string {
	for _, v := range [...]float64{lower, upper} {
		if math.IsNaN(v) {
			return fmt.Sprintf("bounds [%g, %g] are not numbers", lower, upper)
		}
		if !math.IsInf(v, 0) && math.Abs(v) >= Huge {
			return fmt.Sprintf("bound %g is not below %g in magnitude; write an infinity for a missing bound", v, Huge)
		}
	}
	if math.IsInf(lower, 1) || math.IsInf(upper, -1) {
		return fmt.Sprintf("bounds [%g, %g] leave no finite value", lower, upper)
	}
	if lower > upper {
		return fmt.Sprintf("lower bound %g is above upper bound %g", lower, upper)
	}
	return ""
}

// marker remembers indices already seen.
type marker interface {
	mark(int) (again bool)
}

// entryFault says what is wrong with one coefficient.
func entryFault(at, count int, value float64, seen marker) string {
	if at < 0 || at >= count {
		return fmt.Sprintf("out of range, there are %d", count)
	}
	if seen.mark(at) {
		return "two coefficients in one place; add them up"
	}
	if fault := finite(value); fault != "" {
		return fmt.Sprintf("coefficient %g is %s", value, fault)
	}
	return ""
}

// marks is a marker over a dense range that is cleared in constant time.
type marks struct {
	stamp []int
	now   int
}

func newMarks(count int) *marks { return &marks{stamp: make([]int, count)} }

func (s *marks) next() { s.now++ }

func (s *marks) mark(at int) bool {
	again := s.stamp[at] == s.now
	s.stamp[at] = s.now
	return again
}

// sparseMarks is a marker for one short vector.
type sparseMarks map[int]struct{}

func (s sparseMarks) mark(at int) bool {
	_, again := s[at]
	s[at] = struct{}{}
	return again
}

func (p *Problem) colLabel(j Col) string {
	if int(j) < len(p.ColNames) && p.ColNames[j] != "" {
		return fmt.Sprintf("column %d %q", j, p.ColNames[j])
	}
	return fmt.Sprintf("column %d", j)
}

func (p *Problem) rowLabel(i Row) string {
	if int(i) < len(p.RowNames) && p.RowNames[i] != "" {
		return fmt.Sprintf("row %d %q", i, p.RowNames[i])
	}
	return fmt.Sprintf("row %d", i)
}

func quoted(name string) string { return fmt.Sprintf("%q", name) }
