package linear

import (
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"math/big"
)

// Program is a linear program in integers: minimise cost'x over the rows and 0
// <= x <= upper. The engine gets it in floating point, which represents all its
// numbers exactly; the certificate is evaluated on the integers.
type Program struct {
	Name string
	Rows []Row
	Cols []Col
}

// Sense is which side of a row its constant limits.
type Sense int8

// The senses of rows.
const (
	AtLeast Sense = iota
	AtMost
	Equal
)

// Row is a row; its coefficients are stored with the columns.
type Row struct {
	Name  string
	Sense Sense
	Rhs   int64
	About About
}

// About describes a row for messages.
type About struct {
	Resource string // as Binding.Resource; empty for bookkeeping
	Subject  string
	// Capacity is the column that stands for time in a row of the form
	// capacity x time - load >= rhs; -1 for rows load <= rhs.
	Capacity int
}

// Col is a column: a variable that is not negative.
type Col struct {
	Name  string
	Cost  int64
	Upper int64 // [NoUpper] if there is none
	Terms []Term
}

// Term is a coefficient of a column.
type Term struct {
	Row   int
	Value int64
}

// NoUpper is the upper limit of columns without one.
const NoUpper = -1

// Row adds a row and returns its number.
func (p *Program) Row(name string, s Sense, rhs int64, a About) int {
	p.Rows = append(p.Rows, Row{name, s, rhs, a})
	return len(p.Rows) - 1
}

// Col adds a column without coefficients and returns its number.
func (p *Program) Col(name string, cost, upper int64) int {
	p.Cols = append(p.Cols, Col{Name: name, Cost: cost, Upper: upper})
	return len(p.Cols) - 1
}

// Term adds to the coefficient of a column in a row.
func (p *Program) Term(row, col int, value int64) {
	if value == 0 {
		return
	}
	terms := p.Cols[col].Terms
	if last := len(terms) - 1; last >= 0 && terms[last].Row == row {
		terms[last].Value = exact.Kept(terms[last].Value + exact.Kept(value)) // neither is far from exact
		return
	}
	p.Cols[col].Terms = append(terms, Term{row, exact.Kept(value)})
}

// Fits returns an error if some number is, or has been, too large for a program.
func (p *Program) Fits() error {
	for _, r := range p.Rows {
		if exact.Large(r.Rhs) {
			return fmt.Errorf("formulation: row %s: %d is too large for a linear program; choose a longer tick_us", r.Name, r.Rhs)
		}
	}
	for _, c := range p.Cols {
		if exact.Large(c.Cost) || exact.Large(c.Upper) {
			return fmt.Errorf("formulation: column %s is too large for a linear program; choose a longer tick_us", c.Name)
		}
		for _, t := range c.Terms {
			if exact.Large(t.Value) {
				return fmt.Errorf("formulation: row %s, column %s: %d is too large for a linear program; choose a longer tick_us",
					p.Rows[t.Row].Name, c.Name, t.Value)
			}
		}
	}
	return nil
}

// Evaluate returns the bound that prices prove, times the denominator, in
// integer arithmetic. It makes no assumptions about the prices. With costs
// false the costs are zero.
func (p *Program) Evaluate(prices []*big.Int, denominator *big.Int, costs bool) (*big.Int, error) {
	return p.EvaluateWithin(prices, denominator, costs, nil, nil)
}

// EvaluateWithin is [Program.Evaluate] with other bounds on the columns; nil for the program's.
func (p *Program) EvaluateWithin(prices []*big.Int, denominator *big.Int, costs bool, lower, upper []int64) (*big.Int, error) {
	if len(prices) != len(p.Rows) || denominator == nil || denominator.Sign() <= 0 {
		return nil, relax.ErrPrices
	}
	if err := p.Fits(); err != nil {
		return nil, err
	}
	sum, v := new(big.Int), new(big.Int)
	for i := range p.Rows {
		r := &p.Rows[i]
		if prices[i] == nil ||
			r.Sense == AtLeast && prices[i].Sign() < 0 || r.Sense == AtMost && prices[i].Sign() > 0 {
			return nil, relax.ErrPrices
		}
		sum.Add(sum, v.Mul(big.NewInt(r.Rhs), prices[i]))
	}
	reduced := new(big.Int)
	for j := range p.Cols {
		c := &p.Cols[j]
		reduced.SetInt64(0)
		if costs {
			reduced.Mul(big.NewInt(c.Cost), denominator)
		}
		for _, t := range c.Terms {
			reduced.Sub(reduced, v.Mul(big.NewInt(t.Value), prices[t.Row]))
		}
		at := int64(0) // the cheapest value of the column
		switch {
		case reduced.Sign() >= 0 && lower != nil:
			at = lower[j]
		case reduced.Sign() >= 0:
		case upper != nil:
			at = upper[j]
		case c.Upper == NoUpper:
			return nil, relax.ErrPrices
		default:
			at = c.Upper
		}
		sum.Add(sum, v.Mul(big.NewInt(at), reduced))
	}
	return sum, nil
}
