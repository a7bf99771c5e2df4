//go:build !cgo || noclp || js

package backend

import "jigsaw/solver"

// Default returns [ErrNone].
func Default() (solver.Solver, error) { return nil, ErrNone }

// OneShot returns [ErrNone].
func OneShot() (solver.Solver, error) { return nil, ErrNone }

// Description names the engine of this build and how it is reached, for a
// version line.
func Description() string { return "none" }
