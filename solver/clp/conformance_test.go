package clp_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/clp"
	"jigsaw/solver/lptest"
)

// opener makes engines, and skips the test if CLP cannot be reached.
func opener(t *testing.T, get func() (solver.Solver, error)) func() solver.Solver {
	t.Helper()
	if _, err := get(); errors.Is(err, clp.ErrUnavailable) {
		t.Skip(err)
	}
	return func() solver.Solver {
		s, err := get()
		require.NoError(t, err)
		return s
	}
}

// Both CLP solvers fulfil the contract, however CLP is reached.
func TestLiveConformance(t *testing.T) {
	t.Parallel()
	lptest.Run(t, opener(t, clp.New))
}

func TestOneShotConformance(t *testing.T) {
	t.Parallel()
	lptest.Run(t, opener(t, clp.NewOneShot))
}

// TestScaled runs the conformance suite on CLP with programs in other units.
func TestScaled(t *testing.T) {
	t.Parallel()
	engine := opener(t, clp.New)
	lptest.Run(t, func() solver.Solver { return solver.Scale(engine()) })
}
