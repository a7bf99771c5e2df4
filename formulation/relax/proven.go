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
	// MemoryTimeBound is for plans in which jobs hold memory only while they run.
	MemoryTimeBound Kind = "memory_time"
	// PeriodsBound is for plans that repeat, and for makespans; see package periods.
	PeriodsBound Kind = "periods"
	// ColumnsBound is for whole-job plans on pools; see package columns.
	ColumnsBound Kind = "columns"
	// IntervalsBound is for the weighted completion of jobs of many iterations; see package intervals.
	IntervalsBound Kind = "intervals"
	// PackingBound is for whole workers on whole GPUs; see package packing.
	PackingBound Kind = "packing"
	// TreeBound is for a closed tree; see package trees.
	TreeBound Kind = "tree"
	// PresolveProof proves that no schedule has all jobs; see [Refuted].
	PresolveProof Kind = "presolve"
	// WeightsBound is for work in weighted ticks; see [ProveWeights].
	WeightsBound Kind = "weights"
	// CostBound bounds not the objective, but the cost of a schedule; see [Model.ProveCost].
	CostBound Kind = "cost"
	// BackgroundBound is for [instance.Bursts], not for an [instance.Instance].
	BackgroundBound Kind = "background"
)

// Kinds lists the kinds of proofs that package verify knows.
func Kinds() []Kind {
	return []Kind{PresolveProof, ChainBound, AreaBound, WeightsBound, CostBound, MemoryTimeBound, FluidBound, PeriodsBound, PackingBound, ColumnsBound, IntervalsBound, TreeBound}
}

// Proven is what a certificate proves about every valid schedule of an instance:
// a lower bound on a minimised objective, an upper bound on a maximised one.
type Proven struct {
	Kind Kind
	// Value in the unit of [instance.Instance.Value]. Bounds on objectives with
	// integer values only are rounded up. It is nil if nothing was proven, or if
	// infeasibility was.
	Value *big.Rat
	// Certified reports whether Value comes from exact arithmetic alone.
	Certified bool
	// Infeasible says in sentences why no valid schedule exists; nil if the
	// relaxation did not prove that.
	Infeasible []string
	// Certificate holds the prices that prove a bound, if it needs any; see
	// [Proven.Proof].
	Certificate *Certificate
	// Exact is what the prices prove before rounding.
	Exact *big.Rat
}

// Integral rounds a bound on an integer objective up, and leaves others
// unchanged.
func Integral(in *instance.Instance, v *big.Rat) *big.Rat {
	if in.Objective.Periodic() {
		return v
	}
	return new(big.Rat).SetInt(exact.Ceil(v))
}

// Proof returns the certificate of a bound of the instance in the form of a
// file, with its claims; nil if the bound is not certified.
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
