//go:build !cgo || noclp || js

package clp

import "jigsaw/solver"

// NewOneShot returns [ErrUnavailable] in this build.
func NewOneShot() (solver.Solver, error) { return nil, ErrUnavailable }
