package relax

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
	"math/big"
)

// Kind names a relaxation.
type Kind string

// The relaxations, from cheap to tight.
const (
	ChainBound Kind = "chain"
	AreaBound  Kind = "area"
	FluidBound Kind = "fluid"
	// MemoryTimeBound is that of plans in which jobs hold memory only while they run.
	MemoryTimeBound Kind = "memory_time"
	// PeriodsBound is that of whole numbers in every period; see package periods.
	PeriodsBound Kind = "periods"
	// ColumnsBound is that of whole-job plans on pools; see package columns.
	ColumnsBound Kind = "columns"
	// PackingBound is that of whole workers on whole GPUs; see package packing.
	PackingBound Kind = "packing"
	// TreeBound is that of a closed tree; see package trees.
	TreeBound Kind = "tree"
	// PresolveProof is that no schedule has all jobs; see [Refuted].
	PresolveProof Kind = "presolve"
	// WeightsBound is that of work in weighted ticks; see [ProveWeights].
	WeightsBound Kind = "weights"
	// CostBound is not of the objective, but of what a schedule costs; see [Model.ProveCost].
	CostBound Kind = "cost"
	// BackgroundBound is not of an [instance.Instance], but of [instance.Bursts].
	BackgroundBound Kind = "background"
)

// Kinds lists the kinds of proofs that package verify knows.
func Kinds() []Kind {
	return []Kind{PresolveProof, ChainBound, AreaBound, WeightsBound, CostBound, MemoryTimeBound, FluidBound, PeriodsBound, PackingBound, ColumnsBound, TreeBound}
}

// Proven is what a certificate proves about every valid schedule of an instance:
// a lower bound on a minimised objective, an upper bound on a maximised one.
type Proven struct {
	Kind Kind
	// Value in the unit of [instance.Instance.Value]. Objectives that take
	// integer values only have their bound rounded up. It is nil where nothing
	// was proven, or where Infeasible was.
	Value *big.Rat
	// Certified says that Value comes from exact arithmetic alone.
	Certified bool
	// Infeasible says in sentences why no valid schedule exists; nil where the
	// relaxation did not prove that.
	Infeasible []string
	// Certificate holds the prices that prove a bound which takes some; see
	// [Proven.Proof].
	Certificate *Certificate
	// Exact is what the prices prove before rounding.
	Exact *big.Rat
}

// Integral rounds a bound on an integer objective up; others it keeps.
func Integral(in *instance.Instance, v *big.Rat) *big.Rat {
	if in.Objective.Periodic() {
		return v
	}
	return new(big.Rat).SetInt(exact.Ceil(v))
}

// Proof returns the certificate of a bound of the instance as a file holds it,
// with its claims; nil where the bound is not certified.
func (b *Proven) Proof(in interface{ Digest() string }) *Certificate {
	if !b.Certified || b.Value == nil && b.Infeasible == nil {
		return nil
	}
	c := Certificate{Denominator: big.NewInt(1), Prices: []*big.Int{}}
	if b.Certificate != nil {
		c = *b.Certificate
	}
	c.Version, c.Kind, c.Instance = CertificateVersion, b.Kind, in.Digest()
	c.Infeasible, c.Value = b.Infeasible != nil, b.Exact
	if !c.Infeasible {
		c.Bound = NewClaim(b.Value)
	}
	return &c
}
