//go:build cgo && !noclp && !js

package clp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// browserEngine is CLP as used by browsers, run by wazero; if it has not been built
// the test is skipped.
func browserEngine(t *testing.T) solver.Solver {
	t.Helper()
	const path = "../../bin/clp/clp.wasm"
	if _, err := os.Stat(path); err != nil {
		t.Skip("make clp-wasm has not been run: ", err)
	}
	engine, err := clp.NewWasm(path)
	require.NoError(t, err)
	return engine
}

// The C library and clp.wasm take the same steps with bit-identical results, from a
// cold start and after columns and bounds: plans that depend on them are then equal
// too.
func TestSameBitsInTheBrowser(t *testing.T) {
	t.Parallel()
	browser := browserEngine(t)
	native, err := clp.New()
	require.NoError(t, err)
	for _, size := range []struct{ rows, cols, covers, seeds int }{{10, 40, 3, 20}, {60, 300, 6, 10}, {600, 6000, 10, 1}} {
		for seed := range uint64(size.seeds) {
			t.Run(fmt.Sprintf("rows=%d/seed=%d", size.rows, seed), func(t *testing.T) {
				t.Parallel()
				p := covering(rand.New(rand.NewPCG(seed, 1)), size.rows, size.cols, size.covers)
				var models [2]solver.Model
				for k, engine := range []solver.Solver{native, browser} {
					m, err := engine.Load(p)
					require.NoError(t, err)
					defer m.Close()
					models[k] = m
				}
				same := func(change func(m solver.Model) error, limits solver.Limits) {
					var answers [2]*solver.Solution
					for k, m := range models {
						require.NoError(t, change(m))
						s, err := m.Solve(t.Context(), limits)
						require.NoError(t, err)
						answers[k] = s
					}
					require.Equal(t, answers[0], answers[1])
				}
				same(func(solver.Model) error { return nil }, solver.Limits{})
				joined := coverColumns(rand.New(rand.NewPCG(seed, 2)), size.rows/5, size.rows, size.covers)
				for k := range joined {
					joined[k].Cost /= 4
				}
				same(func(m solver.Model) error { return m.AddCols(joined...) }, solver.Limits{})
				same(func(m solver.Model) error { return m.SetColBounds(solver.Col(seed), 1, 1) }, solver.Limits{})
			})
		}
	}
}
