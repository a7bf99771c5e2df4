//go:build cgo && !noclp && !js

package jigsaw_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// The engine of the browser gives the plan, the bound and the proof that the C library
// gives. `make same-plans` compares the whole program on more examples and seeds.
func TestEnginesGiveTheSamePlan(t *testing.T) {
	t.Parallel()
	const path = "bin/clp/clp.wasm"
	if _, err := os.Stat(path); err != nil {
		t.Skip("make clp-wasm has not been run: ", err)
	}
	browser, err := clp.NewWasm(path)
	require.NoError(t, err)
	native, err := clp.New()
	require.NoError(t, err)

	seeds, part := map[string]uint64{"quickstart": 3, "tight-memory": 1, "infeasible": 1}, 1
	if testing.Short() {
		seeds, part = map[string]uint64{"quickstart": 1}, 6
	}
	for name, count := range seeds {
		in := shortened(t, name, part)
		for seed := range count {
			var got [2]*jigsaw.Result
			for k, engine := range []solver.Solver{native, browser} {
				r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Seed: seed, Solver: engine})
				require.NoError(t, err)
				got[k] = r
			}
			require.Equal(t, got[0].Status, got[1].Status)
			require.Equal(t, got[0].Primal, got[1].Primal, "%s, seed %d", name, seed)
			require.Equal(t, got[0].Dual, got[1].Dual, "%s, seed %d", name, seed)
			require.Equal(t, got[0].Schedule, got[1].Schedule, "%s, seed %d", name, seed)
			require.Equal(t, got[0].Proof, got[1].Proof, "%s, seed %d", name, seed)
		}
	}
}
