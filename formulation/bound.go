package formulation

import (
	"math/big"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
)

// Kind names a relaxation.
type Kind string

// The relaxations, from cheap to tight.
const (
	ChainBound Kind = "chain"
	AreaBound  Kind = "area"
	FluidBound Kind = "fluid"
	// PeriodsBound is that of whole numbers in every period; see [Periods].
	PeriodsBound Kind = "periods"
	// ColumnsBound is that of whole-job plans on pools; see [Columns].
	ColumnsBound Kind = "columns"
	// PackingBound is that of whole workers on whole GPUs; see [Packing].
	PackingBound Kind = "packing"
	// TreeBound is that of a closed tree; see [BranchAndPrice].
	TreeBound Kind = "tree"
	// PresolveProof is of no bound but of infeasibility; see [Infeasible].
	PresolveProof Kind = "presolve"
)

// Kinds lists the kinds of proofs that [CheckCertificate] knows.
func Kinds() []Kind {
	return []Kind{PresolveProof, ChainBound, AreaBound, FluidBound, PeriodsBound, PackingBound, ColumnsBound, TreeBound}
}

// Bound is what a relaxation proves about every valid schedule of an instance:
// a lower bound on a minimised objective, an upper bound on a maximised one.
type Bound struct {
	Kind Kind
	// Value in the unit of [instance.Instance.Value]. Objectives that take
	// integer values only have their bound rounded up. It is nil where nothing
	// was proven, or where Infeasible was.
	Value *big.Rat
	// Certified says that Value comes from exact arithmetic alone.
	Certified bool
	// Binding says what limits the plan in this relaxation, by falling effect.
	Binding []Binding
	// Infeasible says in sentences why no valid schedule exists; nil where the
	// relaxation did not prove that.
	Infeasible []string
	// Certificate holds the prices that prove a bound which takes some; see
	// [Bound.Proof].
	Certificate *Certificate
	// exact is what the prices prove before rounding.
	exact *big.Rat
	// LP says what the linear program behind a fluid bound was.
	LP LP
	// Proving is about how long it takes to prove a bound of columns, periods or a
	// tree once more. For other kinds it is not told.
	Proving time.Duration
}

// LP describes a linear program and its solution.
type LP struct {
	Rows, Cols, Entries int
	Status              solver.Status
	Iterations          int
	// Objective is the engine's own optimum, in the unit of Bound.Value.
	Objective float64
	// Note says where the program was made coarser to stay tractable.
	Note string
}

// Binding is one limit of a relaxation that its bound depends on.
type Binding struct {
	// Resource is "gpu", "nic", "uplink", "fabric", "memory", "job" or "time".
	Resource string
	// Row is the name of the row in the linear program; empty for bounds
	// without one.
	Row string
	// Subject is the resource in words: "the 64 GPUs of type v100".
	Subject string
	// Text is a sentence about the limit.
	Text string
	// Dual is the derivative of the bound with respect to the row's constant.
	Dual float64
	// Effect is the relative change of the bound per relative growth of the
	// resource: -0.3 says that 10 % more of it would lower the bound by 3 %.
	Effect float64
	// Lower and Upper limit the relative growth of the resource for which
	// Effect holds, where Ranged is set: -0.1 and 0.06 say from -10 % to +6 %.
	Lower, Upper float64
	Ranged       bool
}

// Best returns the strongest of the bounds of an instance; a proof of
// infeasibility is stronger than any value. Bounds without a value lose; the
// zero Bound is the best of none.
func Best(in *instance.Instance, bounds ...Bound) Bound {
	var best Bound
	for _, b := range bounds {
		switch {
		case best.Infeasible != nil:
		case b.Infeasible != nil, b.Value != nil && best.Value == nil:
			best = b
		case b.Value != nil && in.Objective.Better(best.Value, b.Value):
			best = b
		}
	}
	return best
}

// integral rounds a bound on an integer objective up; others it keeps.
func integral(in *instance.Instance, v *big.Rat) *big.Rat {
	if in.Objective.Periodic() {
		return v
	}
	return new(big.Rat).SetInt(ceil(v))
}
