//go:build cgo && !noclp && !js

package clp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/clp"
	"jigsaw/solver/lptest"
)

func opener(t *testing.T, get func() (solver.Solver, error)) func() solver.Solver {
	t.Helper()
	return func() solver.Solver {
		s, err := get()
		require.NoError(t, err)
		return s
	}
}

// Both faces of CLP keep the contract.
func TestLiveConformance(t *testing.T) {
	t.Parallel()
	lptest.Run(t, opener(t, clp.New))
}

func TestOneShotConformance(t *testing.T) {
	t.Parallel()
	lptest.Run(t, opener(t, clp.NewOneShot))
}
