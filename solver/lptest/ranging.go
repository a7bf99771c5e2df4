package lptest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// testRanging moves costs and right-hand sides to the ends of their intervals
// and solves again. The optimal value is concave in a cost and convex in a
// right-hand side, so what holds at both ends holds between them.
func testRanging(t *testing.T, engine solver.Solver) {
	ranging := func(p *solver.Problem) (*solver.Solution, *solver.Ranging) {
		m := load(t, engine, p)
		ranger, ok := m.(solver.Ranger)
		require.True(t, ok, "an engine with Caps.Ranging has models that are Rangers")
		_, err := ranger.Range(t.Context())
		require.Error(t, err, "there is nothing to range before a solve")
		s := solve(t, engine, m)
		r, err := ranger.Range(t.Context())
		require.NoError(t, err)
		require.NoError(t, m.SetColBounds(0, 0, 0))
		_, err = ranger.Range(t.Context())
		require.Error(t, err, "there is nothing to range after a change")
		return s, r
	}
	again := func(p *solver.Problem) float64 {
		s := solve(t, engine, load(t, engine, p))
		require.Equal(t, solver.Optimal, s.Status)
		return s.Objective
	}

	t.Run("Wyndor", func(t *testing.T) {
		// Hillier and Lieberman, sensitivity analysis of the Wyndor Glass example,
		// costs negated: 0 <= c1 <= 15/2, c2 >= 2, b1 >= 2, 6 <= b2 <= 18,
		// 12 <= b3 <= 24.
		_, r := ranging(textbooks[0].problem())
		require.InDelta(t, -7.5, r.CostLower[0], 1e-5)
		require.InDelta(t, 0, r.CostUpper[0], 1e-5)
		require.Equal(t, -infinity, r.CostLower[1])
		require.InDelta(t, -2, r.CostUpper[1], 1e-5)
		require.InDeltaSlice(t, []float64{2, 6, 12}, r.ActivityLower, 1e-5)
		require.InDeltaSlice(t, []float64{2, 18, 24}, r.ActivityUpper, 1e-5)
	})
	t.Run("no coefficients", func(t *testing.T) {
		p := &solver.Problem{}
		p.AddRow("", -1, 1)
		p.AddCol("", 3, 0, infinity)
		p.AddCol("", -3, 0, 2)
		_, r := ranging(p)
		require.Equal(t, []float64{0, -infinity}, r.CostLower)
		require.Equal(t, []float64{infinity, 0}, r.CostUpper)
	})

	moved := 0
	for seed := range seeds(24) {
		rng := random(seed)
		p := plantOptimal(rng, shape{rows: 4 + rng.IntN(10), cols: 6 + rng.IntN(14), density: 0.5, degenerate: 0.1}).problem
		s, r := ranging(p)
		for j, c := range p.Cost {
			require.LessOrEqual(t, r.CostLower[j], c+1e-6)
			require.GreaterOrEqual(t, r.CostUpper[j], c-1e-6)
			for _, end := range [...]float64{max(r.CostLower[j], c-100), min(r.CostUpper[j], c+100)} {
				q := p.Clone()
				q.Cost[j] = end
				want := s.Objective + (end-c)*s.Primal[j]
				require.InDelta(t, want, again(q), 1e-4*max(1, math.Abs(want)),
					"seed %d: column %d at cost %g instead of %g", seed, j, end, c)
				moved++
			}
		}
		for i, at := range s.RowActivity {
			if s.RowDual[i] == 0 {
				continue
			}
			for _, end := range [...]float64{max(r.ActivityLower[i], at-100), min(r.ActivityUpper[i], at+100)} {
				q := p.Clone()
				q.RowLower[i], q.RowUpper[i] = end, end
				want := s.Objective + (end-at)*s.RowDual[i]
				require.InDelta(t, want, again(q), 1e-4*max(1, math.Abs(want)),
					"seed %d: row %d at %g instead of %g", seed, i, end, at)
				moved++
			}
		}
	}
	require.Greater(t, moved, 100)
}
