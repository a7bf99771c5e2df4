//go:build cgo && !noclp && !js

package backend

import (
	"fmt"

	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// Default returns the engine for live models.
func Default() (solver.Solver, error) {
	s, err := clp.New()
	if err != nil {
		return nil, fmt.Errorf("backend: %w", err)
	}
	return s, nil
}

// OneShot returns the engine for programs that are solved once and ranged.
func OneShot() (solver.Solver, error) {
	s, err := clp.NewOneShot()
	if err != nil {
		return nil, fmt.Errorf("backend: %w", err)
	}
	return s, nil
}

// Description names the engine of this build and how it is reached, for a
// version line.
func Description() string {
	s, err := clp.New()
	if err != nil {
		return "none"
	}
	return s.Name() + ", by cgo"
}
