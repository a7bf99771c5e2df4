package bound

import (
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/solver"
)

// Bound is what a relaxation proves, and how it came about.
type Bound struct {
	relax.Proven
	// Binding says what limits the plan in this relaxation, by falling effect.
	Binding []Binding
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
