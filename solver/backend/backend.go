package backend

import (
	"errors"
	"fmt"

	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// ErrNone is the error of [Default] if there is no engine; errors that wrap it say
// how to get one.
var ErrNone = errors.New("backend: there is no linear programming engine")

// Default returns the engine for live models.
func Default() (solver.Solver, error) { return named(clp.New()) }

// OneShot returns the engine for programs that are solved once, with ranging if its
// Caps say so.
func OneShot() (solver.Solver, error) { return named(clp.NewOneShot()) }

func named(s solver.Solver, err error) (solver.Solver, error) {
	switch {
	case errors.Is(err, clp.ErrUnavailable):
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	case err != nil:
		return nil, fmt.Errorf("backend: %w", err)
	}
	return s, nil
}

// Description names the engine of this build and how it is reached, for a version
// line.
func Description() string {
	s, err := Default()
	if err != nil {
		return "none"
	}
	return s.Name() + ", " + clp.Way()
}
