package formulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"jigsaw/formulation/instance"
)

// CertificateVersion is the version of [Certificate] as a file.
const CertificateVersion = 1

// Certificate is the exact proof of a bound. The program that it refers to is
// not in it: it is built anew from the instance, in integers, when the
// certificate is checked. What a certificate holds besides the claim are prices.
//
// Fluid: for prices y of the rows of the program min c'x, Ax >= b, 0 <= x <= u
// (with y >= 0 for rows >=, y <= 0 for rows <=, any sign for equalities) weak
// duality gives the bound
//
//	y'b + sum_j u_j min(0, c_j - A_j'y),
//
// where a column without an upper limit needs c_j - A_j'y >= 0. With c = 0 a
// positive value proves that the program has no solution.
//
// Columns: for prices u >= 0 of GPU time and link use in the buckets of a
// calendar, Lagrangian duality gives the bound
//
//	sum_classes jobs x (price of the cheapest plan) - sum_rows capacity x u.
//
// With a due, plans cost nothing but their use, and a positive value proves that
// no schedule ends by then.
//
// Tree: every schedule belongs to some leaf of a tree of cases, and the prices
// of each leaf prove, as those of columns do, that it holds no schedule better
// than the bound.
//
// Periods: every plan belongs to a leaf of the tree of some period, within whose
// bounds of the columns the prices prove, as those of fluid do, a value; or prices of
// the program of GPUs do, as [gpuProgram] says.
//
// Chain, area and the proofs of [Infeasible] are exact as they are computed and
// need no prices.
//
// All hold for any prices of the right sign; good prices make them good.
type Certificate struct {
	Version int  `json:"version"`
	Kind    Kind `json:"kind"`
	// Instance is the digest of the instance that the bound is about.
	Instance string `json:"instance"`
	// Bound is the claim, in the unit of [instance.Instance.Value]; nil where
	// infeasibility is claimed.
	Bound *Claim `json:"bound"`
	// Infeasible says that the prices prove infeasibility rather than a bound.
	Infeasible bool `json:"infeasible,omitempty"`
	// Value is what the prices prove before rounding. It is part of the claim.
	Value *big.Rat `json:"value,omitempty"`
	// Denominator of all prices.
	Denominator *big.Int `json:"denominator"`
	// Prices by row of the program: of a fluid program in its order, of a
	// columns program by group of rows that has any, then bucket.
	Prices []*big.Int `json:"prices"`
	// Columns is the column budget a fluid program was built with, see [Limits], and
	// of programs of periods how many companies have columns of their own.
	Columns int `json:"columns,omitempty"`
	// Plans says which columns program it is.
	Plans *PlanTerms `json:"plans,omitempty"`
	// Tree is the tree of a tree certificate.
	Tree []ProofNode `json:"tree,omitempty"`
}

// PlanTerms are the parameters of a columns program. Any make a valid one.
type PlanTerms struct {
	// Due is the tick that no schedule is claimed to end by; 0 for none.
	Due int64 `json:"due,omitempty"`
	// Horizon is the tick after which nothing has a price.
	Horizon int64 `json:"horizon"`
	// Points and Buckets of the time axes.
	Points  int64 `json:"points"`
	Buckets int64 `json:"buckets"`
}

// Claim is the value of a bound. In a file it is a JSON number where it is an
// integer, and else a string with a fraction.
type Claim struct{ big.Rat }

// NewClaim returns v as a claim, nil for nil.
func NewClaim(v *big.Rat) *Claim {
	if v == nil {
		return nil
	}
	c := &Claim{}
	c.Set(v)
	return c
}

// MarshalJSON implements [json.Marshaler].
func (c *Claim) MarshalJSON() ([]byte, error) {
	if c.IsInt() {
		return []byte(c.Num().String()), nil
	}
	return json.Marshal(c.RatString())
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Claim) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if len(text) > 1000 {
		return errors.New("formulation: the bound of a certificate has too many digits")
	}
	if strings.ContainsAny(text, "eE") {
		return fmt.Errorf("formulation: the bound of a certificate must be an integer or a fraction, not %s", text)
	}
	if _, ok := c.SetString(text); !ok {
		return fmt.Errorf("formulation: %q is not the bound of a certificate", text)
	}
	return nil
}

// VerifyCertificate proves the claims of a certificate anew from the instance,
// in exact arithmetic. The error says what about it is wrong, or is that of the context.
func VerifyCertificate(ctx context.Context, in *instance.Instance, c *Certificate) (Bound, error) {
	if c.Version != CertificateVersion {
		return Bound{}, fmt.Errorf("formulation: certificate version %d: this JigSaw checks version %d", c.Version, CertificateVersion)
	}
	if digest := in.Digest(); c.Instance != digest {
		return Bound{}, fmt.Errorf("formulation: the certificate is about another instance (digest %.12s, this one has %.12s)", c.Instance, digest)
	}
	if c.Bound == nil && !c.Infeasible {
		return Bound{}, errors.New("formulation: the certificate claims nothing: it has no bound")
	}
	b, err := CheckCertificate(ctx, in, c)
	if err != nil {
		return Bound{}, err
	}
	switch {
	case c.Infeasible != (b.Infeasible != nil):
		return Bound{}, errors.New("formulation: the certificate does not prove infeasibility, which it claims")
	case c.Infeasible:
		return b, nil
	case b.Value == nil || b.Value.Cmp(&c.Bound.Rat) != 0:
		return Bound{}, fmt.Errorf("formulation: the certificate claims %s, but what it holds proves %s", c.Bound.RatString(), ratString(b.Value))
	case c.Value != nil && (b.exact == nil || b.exact.Cmp(c.Value) != 0):
		return Bound{}, fmt.Errorf("formulation: the certificate's prices were changed: they do not give its value %s", c.Value.RatString())
	case c.Value == nil && b.exact != nil:
		return Bound{}, errors.New("formulation: the certificate lacks the value that its prices give")
	}
	return b, nil
}

func ratString(v *big.Rat) string {
	if v == nil {
		return "nothing"
	}
	return v.RatString()
}

// Proof returns the certificate of a bound of the instance as a file holds it,
// with its claims; nil where the bound is not certified.
func (b *Bound) Proof(in *instance.Instance) *Certificate {
	if !b.Certified || b.Value == nil && b.Infeasible == nil {
		return nil
	}
	c := Certificate{Denominator: big.NewInt(1), Prices: []*big.Int{}}
	if b.Certificate != nil {
		c = *b.Certificate
	}
	c.Version, c.Kind, c.Instance = CertificateVersion, b.Kind, in.Digest()
	c.Infeasible, c.Value = b.Infeasible != nil, b.exact
	if !c.Infeasible {
		c.Bound = NewClaim(b.Value)
	}
	return &c
}

// priceBits is the precision of the prices of a fluid certificate, relative to
// the largest.
const priceBits = 62

// price rounds floating-point prices to integers of so many bits over a common
// denominator, with the signs that the rows ask for, and lowers those that overcharge a
// column without an upper limit. What comes out may be a poor choice of prices;
// nothing else rests on it.
func (p *program) price(y []float64, costs bool, bits int) (prices []*big.Int, denominator *big.Int, err error) {
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
	shift := max(0, bits-exponent)
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

// small returns prices as 64-bit integers; an error says that some are none.
func small(prices []*big.Int) ([]int64, error) {
	list := make([]int64, len(prices))
	for i, price := range prices {
		if price == nil || !price.IsInt64() {
			return nil, errPrices
		}
		list[i] = price.Int64()
	}
	return list, nil
}

// errPrices is of prices that prove nothing.
var errPrices = errors.New("formulation: the prices prove nothing")

// evaluate returns the bound that prices prove, times the denominator, in
// integer arithmetic. It trusts nothing about the prices. With costs false the
// cost vector is zero.
func (p *program) evaluate(prices []*big.Int, denominator *big.Int, costs bool) (*big.Int, error) {
	return p.evaluateWithin(prices, denominator, costs, nil, nil)
}

// evaluateWithin is evaluate with other bounds of the columns; nil for the program's.
func (p *program) evaluateWithin(prices []*big.Int, denominator *big.Int, costs bool, lower, upper []int64) (*big.Int, error) {
	if len(prices) != len(p.rows) || denominator == nil || denominator.Sign() <= 0 {
		return nil, errPrices
	}
	if err := p.fits(); err != nil {
		return nil, err
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
		at := int64(0) // the cheapest value of the column
		switch {
		case reduced.Sign() >= 0 && lower != nil:
			at = lower[j]
		case reduced.Sign() >= 0:
		case upper != nil:
			at = upper[j]
		case c.upper == noUpper:
			return nil, errPrices
		default:
			at = c.upper
		}
		sum.Add(sum, v.Mul(big.NewInt(at), reduced))
	}
	return sum, nil
}

// CheckCertificate evaluates the prices of a certificate on the program that
// it builds from the instance, in exact arithmetic. It returns what they prove,
// a bound or infeasibility, whatever the certificate claims; see
// [VerifyCertificate].
func CheckCertificate(ctx context.Context, in *instance.Instance, c *Certificate) (Bound, error) {
	b := Bound{Kind: c.Kind}
	m := newModel(in)
	m.ctx = ctx
	var err error
	switch c.Kind {
	case ChainBound:
		b = Chain(in)
	case AreaBound:
		b = Area(in)
	case PresolveProof:
		b.Infeasible = Infeasible(in)
		b.Certified = b.Infeasible != nil
	case FluidBound:
		err = m.fluid(c.Columns).prove(&b, c.Prices, c.Denominator, c.Infeasible)
	case ColumnsBound:
		err = m.provePlans(&b, c)
	case PackingBound:
		err = m.provePacking(&b, c)
	case PeriodsBound:
		err = m.provePeriods(&b, c)
	case TreeBound:
		err = m.proveTree(&b, c, proofSteps)
	default:
		return Bound{}, fmt.Errorf("formulation: unknown kind of certificate %q", c.Kind)
	}
	if ctx.Err() != nil {
		return Bound{}, ctx.Err() // whatever else is wrong
	}
	if err != nil {
		return Bound{}, err
	}
	return b, nil
}
