package clp

import (
	"errors"

	"jigsaw/solver"
)

// ErrUnavailable is the error of the constructors if CLP cannot be reached; errors
// that wrap it say how to fix that.
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

// clpSecondaryOnTime is a value of CLP's secondary status: together with clpStopped, stopped by
// time and not by iterations.
const clpSecondaryOnTime = 9

// outcome translates CLP's pair of statuses, and nothing else does. Two of the
// results are claims that the caller has to prove from the data: an optimum
// that may only hold for the scaled program (secondary 2, 3, 4), and Unbounded,
// which CLP calls dual infeasible and also reports for programs without any
// feasible point.
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
		// It was interrupted by the caller, who knows why.
		return solver.IterationLimit
	}
	return solver.Numerical
}
