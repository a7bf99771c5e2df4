package solver

import "time"

// Limits ends a solve early. The zero value sets no limit.
type Limits struct {
	// Iterations is the largest number of simplex iterations of this call; 0
	// means no limit.
	Iterations int
	// Time is the longest wall time of this call; 0 means no limit.
	Time time.Duration
}

// Solution is what a solve found. Parts that do not exist are nil.
type Solution struct {
	Status Status

	// Objective is c'x at Primal. It is meaningful only if Primal is present.
	Objective float64

	// Primal and RowActivity are x, by Col, and Ax, by Row. At Optimal they are
	// feasible. At a limit they are the last iterate and need not be.
	Primal, RowActivity []float64

	// RowDual and ReducedCost are y, by Row, and c - A'y, by Col, with the signs
	// of the package comment. At a limit they need not be dual feasible.
	RowDual, ReducedCost []float64

	// Ray is a Farkas ray by Row at Infeasible, and an improving direction by
	// Col at Unbounded.
	Ray []float64

	// Basis is the basis at which the engine stopped, to be given to
	// Model.SetBasis.
	Basis *Basis

	// Iterations counts the simplex iterations of this call.
	Iterations int
}
