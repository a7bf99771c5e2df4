//go:build !cgo || noclp || js

package backend

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// A build without an engine says how to get one, and can be told apart.
func TestNoEngineSaysHowToMendIt(t *testing.T) {
	t.Parallel()
	for _, get := range []func() (solver.Solver, error){Default, OneShot} {
		engine, err := get()
		require.Nil(t, engine)
		require.ErrorIs(t, err, ErrNone)
		for _, word := range []string{"coinor-libclp-dev", "pkg-config", "CGO_ENABLED=1", "noclp"} {
			require.ErrorContains(t, err, word)
		}
	}
	require.Equal(t, "none", Description())
}
