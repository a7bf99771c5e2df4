package bound

import (
	"errors"
	"fmt"
	"jigsaw/formulation/relax/linear"
	"jigsaw/solver"
	"maps"
	"math"
	"math/big"
	"slices"
)

// PriceBits is the precision of the prices of a fluid certificate, relative to
// the largest.
const PriceBits = 62

// Prices rounds floating-point prices to integers of limited size, given in bits, over
// a common denominator, with the signs that the rows require, and lowers those that
// overcharge a column without an upper limit. The result may be a poor choice of
// prices; nothing else depends on it.
func Prices(p *linear.Program, y []float64, costs bool, bits int) (prices []*big.Int, denominator *big.Int, err error) {
	if len(y) != len(p.Rows) {
		return nil, nil, fmt.Errorf("formulation: %d prices for %d rows", len(y), len(p.Rows))
	}
	size := 0.0
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, errors.New("formulation: a price is not finite")
		}
		size = max(size, math.Abs(v))
	}
	_, exponent := math.Frexp(size)
	shift := max(0, bits-exponent)
	denominator = new(big.Int).Lsh(big.NewInt(1), uint(shift))
	prices = make([]*big.Int, len(y))
	for i, v := range y {
		if p.Rows[i].Sense == linear.AtLeast && v < 0 || p.Rows[i].Sense == linear.AtMost && v > 0 {
			v = 0
		}
		prices[i], _ = big.NewFloat(math.Ldexp(v, shift)).Int(nil)
	}
	for j := range p.Cols {
		c := &p.Cols[j]
		if c.Upper != linear.NoUpper {
			continue
		}
		charged, limit := new(big.Int), new(big.Int)
		if costs {
			limit.Mul(big.NewInt(c.Cost), denominator)
		}
		for _, t := range c.Terms {
			charged.Add(charged, new(big.Int).Mul(big.NewInt(t.Value), prices[t.Row]))
		}
		if charged.Cmp(limit) <= 0 {
			continue
		}
		// Every row of such a column is reduced, so that none turns negative.
		for _, t := range c.Terms {
			price := prices[t.Row]
			price.Quo(price.Mul(price, limit), charged)
		}
	}
	return prices, denominator, nil
}

// Entries lists the nonzero entries of a column, by row.
func Entries(values map[int]float64) (list []solver.Entry) {
	for _, row := range slices.Sorted(maps.Keys(values)) {
		if v := values[row]; v != 0 {
			list = append(list, solver.Entry{Row: solver.Row(row), Value: v})
		}
	}
	return list
}

// Integers returns prices in the form of a certificate.
func Integers(prices []int64) []*big.Int {
	list := make([]*big.Int, len(prices))
	for i, price := range prices {
		list[i] = big.NewInt(price)
	}
	return list
}

// Problem returns the program in the form of an engine.
func Problem(p *linear.Program) (*solver.Problem, error) {
	if err := p.Fits(); err != nil {
		return nil, err
	}
	q := &solver.Problem{Name: p.Name}
	for _, r := range p.Rows {
		lower, upper := math.Inf(-1), math.Inf(1)
		if r.Sense != linear.AtMost {
			lower = float64(r.Rhs)
		}
		if r.Sense != linear.AtLeast {
			upper = float64(r.Rhs)
		}
		q.AddRow(r.Name, lower, upper)
	}
	var entries []solver.Entry
	for _, c := range p.Cols {
		entries = entries[:0]
		for _, t := range c.Terms {
			entries = append(entries, solver.Entry{Row: solver.Row(t.Row), Value: float64(t.Value)})
		}
		upper := math.Inf(1)
		if c.Upper != linear.NoUpper {
			upper = float64(c.Upper)
		}
		q.AddCol(c.Name, float64(c.Cost), 0, upper, entries...)
	}
	return q, nil
}
