package jigsaw

import (
	"jigsaw/solver"
	"jigsaw/solver/backend"
)

// Solver returns the LP engine that this build uses by default, for programs of
// callers. The error says why there is none and how to get one.
func Solver() (solver.Solver, error) { return backend.Default() }
