package clp

import (
	"errors"

	"jigsaw/solver"
)

// ErrUnavailable is the error of the constructors where CLP cannot be reached; what
// wraps it says how that is mended.
var ErrUnavailable = errors.New("clp: CLP is not at hand")

// Values of CLP's status, from ClpModel.hpp; 10 and others are internal.
const (
	clpOptimal          = 0
	clpPrimalInfeasible = 1
	clpDualInfeasible   = 2
	clpStopped          = 3
	clpErrors           = 4
	clpStoppedByEvent   = 5
)

// clpSecondaryOnTime is of CLP's secondary status: with clpStopped, on time and not on iterations.
const clpSecondaryOnTime = 9

// outcome translates CLP's pair of statuses. It is the only place that does. Two
// of its answers are claims that the caller has to prove from the data: an
// optimum that may only hold for the scaled program (secondary 2, 3, 4), and
// Unbounded, which CLP calls dual infeasible and says of programs without any
// feasible point too.
func outcome(status, secondary int32) solver.Status {
	switch status {
	case clpOptimal:
		return solver.Optimal
	case clpPrimalInfeasible:
		return solver.Infeasible
	case clpDualInfeasible:
		return solver.Unbounded
	case clpStopped:
		if secondary == clpSecondaryOnTime {
			return solver.TimeLimit
		}
		return solver.IterationLimit
	case clpStoppedByEvent:
		// Somebody on this side interrupted it, and knows why.
		return solver.IterationLimit
	}
	return solver.Numerical
}
