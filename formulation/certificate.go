package formulation

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"jigsaw/formulation/instance"
)

// Certificate is the exact proof of a fluid bound. The program that it refers
// to is not in it: it is built anew from the instance, in integers, when the
// certificate is checked.
//
// For prices y of the rows of the program min c'x, Ax >= b, 0 <= x <= u (with
// y >= 0 for rows >=, y <= 0 for rows <=, any sign for equalities) weak duality
// gives the bound
//
//	y'b + sum_j u_j min(0, c_j - A_j'y),
//
// where a column without an upper limit needs c_j - A_j'y >= 0. It holds for
// any prices of the right sign; good prices make it good. With c = 0 a positive
// value proves that the program has no solution.
type Certificate struct {
	// Columns is the column budget the program was built with; see [Limits].
	Columns int `json:"columns"`
	// Denominator of all prices.
	Denominator *big.Int `json:"denominator"`
	// Prices by row of the program.
	Prices []*big.Int `json:"prices"`
	// Infeasible says that the prices prove infeasibility rather than a bound.
	Infeasible bool `json:"infeasible,omitempty"`
	// Bound is the claim, in the unit of [instance.Instance.Value].
	Bound *big.Rat `json:"bound,omitempty"`
}

// priceBits is the precision to which prices are rounded, relative to the
// largest.
const priceBits = 62

// price rounds floating-point prices to integers over a common denominator,
// with the signs that the rows ask for, and lowers those that overcharge a
// column without an upper limit. What comes out may be a poor choice of prices;
// nothing else rests on it.
func (p *program) price(y []float64, costs bool) (prices []*big.Int, denominator *big.Int, err error) {
	if len(y) != len(p.rows) {
		return nil, nil, fmt.Errorf("formulation: %d prices for %d rows", len(y), len(p.rows))
	}
	size := 0.0
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, errors.New("formulation: a price is not finite")
		}
		size = max(size, math.Abs(v))
	}
	_, exponent := math.Frexp(size)
	shift := max(0, priceBits-exponent)
	denominator = new(big.Int).Lsh(big.NewInt(1), uint(shift))
	prices = make([]*big.Int, len(y))
	for i, v := range y {
		if p.rows[i].sense == atLeast && v < 0 || p.rows[i].sense == atMost && v > 0 {
			v = 0
		}
		prices[i], _ = big.NewFloat(math.Ldexp(v, shift)).Int(nil)
	}
	for j := range p.cols {
		c := &p.cols[j]
		if c.upper != noUpper {
			continue
		}
		charged, limit := new(big.Int), new(big.Int)
		if costs {
			limit.Mul(big.NewInt(c.cost), denominator)
		}
		for _, t := range c.terms {
			charged.Add(charged, new(big.Int).Mul(big.NewInt(t.value), prices[t.row]))
		}
		if charged.Cmp(limit) <= 0 {
			continue
		}
		// Every row of such a column gives, so that none turns negative.
		for _, t := range c.terms {
			price := prices[t.row]
			price.Quo(price.Mul(price, limit), charged)
		}
	}
	return prices, denominator, nil
}

// errPrices is of prices that prove nothing.
var errPrices = errors.New("formulation: the prices prove nothing")

// evaluate returns the bound that prices prove, times the denominator, in
// integer arithmetic. It trusts nothing about the prices. With costs false the
// cost vector is zero.
func (p *program) evaluate(prices []*big.Int, denominator *big.Int, costs bool) (*big.Int, error) {
	if len(prices) != len(p.rows) || denominator == nil || denominator.Sign() <= 0 {
		return nil, errPrices
	}
	sum, v := new(big.Int), new(big.Int)
	for i := range p.rows {
		r := &p.rows[i]
		if prices[i] == nil ||
			r.sense == atLeast && prices[i].Sign() < 0 || r.sense == atMost && prices[i].Sign() > 0 {
			return nil, errPrices
		}
		sum.Add(sum, v.Mul(big.NewInt(r.rhs), prices[i]))
	}
	reduced := new(big.Int)
	for j := range p.cols {
		c := &p.cols[j]
		reduced.SetInt64(0)
		if costs {
			reduced.Mul(big.NewInt(c.cost), denominator)
		}
		for _, t := range c.terms {
			reduced.Sub(reduced, v.Mul(big.NewInt(t.value), prices[t.row]))
		}
		if reduced.Sign() >= 0 {
			continue
		}
		if c.upper == noUpper {
			return nil, errPrices
		}
		sum.Add(sum, v.Mul(big.NewInt(c.upper), reduced))
	}
	return sum, nil
}

// CheckCertificate rebuilds the program from the instance and evaluates the
// prices in exact arithmetic. It returns the bound that they prove, which may
// differ from the claim in the certificate, or a proof of infeasibility.
func CheckCertificate(in *instance.Instance, c *Certificate) (Bound, error) {
	f := newModel(in).fluid(c.Columns)
	b := Bound{Kind: FluidBound}
	if err := f.prove(&b, c.Prices, c.Denominator, c.Infeasible); err != nil {
		return Bound{}, err
	}
	return b, nil
}
