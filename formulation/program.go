package formulation

import (
	"fmt"
	"math"
	"math/bits"

	"jigsaw/solver"
)

// program is a linear program in integers: minimise cost'x over the rows and
// 0 <= x <= upper. The engine gets it in floating point, which holds all its
// numbers exactly; the certificate is evaluated on the integers.
type program struct {
	name string
	rows []programRow
	cols []programCol
}

type sense int8

const (
	atLeast sense = iota
	atMost
	equal
)

type programRow struct {
	name  string
	sense sense
	rhs   int64
	about about
}

// about says what a row stands for, for people.
type about struct {
	resource string // as Binding.Resource; empty for bookkeeping
	subject  string
	// capacity is the column that stands for time in a row of the form
	// capacity x time - load >= rhs; -1 for rows load <= rhs.
	capacity int
}

type programCol struct {
	name  string
	cost  int64
	upper int64 // noUpper where there is none
	terms []programTerm
}

type programTerm struct {
	row   int
	value int64
}

const noUpper = -1

func (p *program) row(name string, s sense, rhs int64, a about) int {
	p.rows = append(p.rows, programRow{name, s, rhs, a})
	return len(p.rows) - 1
}

func (p *program) col(name string, cost, upper int64) int {
	p.cols = append(p.cols, programCol{name: name, cost: cost, upper: upper})
	return len(p.cols) - 1
}

// term adds to the coefficient of a column in a row.
func (p *program) term(row, col int, value int64) {
	if value == 0 {
		return
	}
	terms := p.cols[col].terms
	if last := len(terms) - 1; last >= 0 && terms[last].row == row {
		terms[last].value = kept(terms[last].value + kept(value)) // neither is far from an exact one
		return
	}
	p.cols[col].terms = append(terms, programTerm{row, kept(value)})
}

// maxExact is the largest integer below which floating point is exact.
const maxExact = int64(1) << 53

// large reports whether a number is not for a program.
func large(v int64) bool { return v > maxExact || v < -maxExact }

// kept keeps a number that is too large for a program from growing further, and recognisable.
func kept(v int64) int64 { return max(-maxExact-1, min(v, maxExact+1)) }

// multiply returns a product; what is too large for a program stays recognisable, as by [saturate].
func multiply(factors ...int64) int64 {
	n := int64(1)
	for _, f := range factors {
		f = kept(f)
		switch high, low := bits.Mul64(uint64(max(n, -n)), uint64(max(f, -f))); {
		case high == 0 && low <= uint64(maxExact):
			n *= f
		case (n < 0) != (f < 0):
			n = -maxExact - 1
		default:
			n = maxExact + 1
		}
	}
	return n
}

// fits returns an error where some number is too large for a program, or has been.
func (p *program) fits() error {
	for _, r := range p.rows {
		if large(r.rhs) {
			return fmt.Errorf("formulation: row %s: %d is too large for a linear program; choose a longer tick_us", r.name, r.rhs)
		}
	}
	for _, c := range p.cols {
		if large(c.cost) || large(c.upper) {
			return fmt.Errorf("formulation: column %s is too large for a linear program; choose a longer tick_us", c.name)
		}
		for _, t := range c.terms {
			if large(t.value) {
				return fmt.Errorf("formulation: row %s, column %s: %d is too large for a linear program; choose a longer tick_us",
					p.rows[t.row].name, c.name, t.value)
			}
		}
	}
	return nil
}

// problem returns the program as an engine takes it.
func (p *program) problem() (*solver.Problem, error) {
	if err := p.fits(); err != nil {
		return nil, err
	}
	q := &solver.Problem{Name: p.name}
	for _, r := range p.rows {
		lower, upper := math.Inf(-1), math.Inf(1)
		if r.sense != atMost {
			lower = float64(r.rhs)
		}
		if r.sense != atLeast {
			upper = float64(r.rhs)
		}
		q.AddRow(r.name, lower, upper)
	}
	var entries []solver.Entry
	for _, c := range p.cols {
		entries = entries[:0]
		for _, t := range c.terms {
			entries = append(entries, solver.Entry{Row: solver.Row(t.row), Value: float64(t.value)})
		}
		upper := math.Inf(1)
		if c.upper != noUpper {
			upper = float64(c.upper)
		}
		q.AddCol(c.name, float64(c.cost), 0, upper, entries...)
	}
	return q, nil
}

// entries counts the coefficients.
func (p *program) entries() int {
	n := 0
	for i := range p.cols {
		n += len(p.cols[i].terms)
	}
	return n
}
