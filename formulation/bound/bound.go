package bound

import (
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/solver"
)

// Bound is what a relaxation proves, and how it was found.
type Bound struct {
	relax.Proven
	// Binding says what limits the plan in this relaxation, by falling effect.
	Binding []Binding
	// LP describes the linear program behind the bound.
	LP LP
	// Proving is about how long it takes to prove a bound of columns, periods or a
	// tree once more. It is not given for other kinds.
	Proving time.Duration
}

// LP describes a linear program and how its solution ended.
type LP struct {
	Cols   int
	Status solver.Status
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
