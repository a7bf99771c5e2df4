package heuristics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
)

// TestPlanted reports the distance of greedy from optima known by construction.
func TestPlanted(t *testing.T) {
	for _, size := range []struct{ gpus, ticks, cuts int }{{4, 60, 8}, {8, 200, 25}, {16, 400, 80}} {
		sum, most := 0.0, 0.0
		seeds := 5
		if testing.Short() {
			seeds = 1
		}
		for seed := range uint64(seeds) {
			in := heuristicstest.Planted(t, heuristicstest.Source(seed), 1, size.gpus, size.ticks, size.cuts)
			s, err := Greedy(t.Context(), in, heuristicstest.Source(seed))
			require.NoError(t, err)
			require.Empty(t, check.Schedule(in, s))
			gap := float64(s.Makespan(in))/float64(size.ticks) - 1
			require.GreaterOrEqual(t, gap, 0.0)
			sum += gap
			most = max(most, gap)
		}
		t.Logf("%d GPUs, %d ticks, %d cuts: mean gap %.1f %%, largest %.1f %%", size.gpus, size.ticks, size.cuts, 100*sum/float64(seeds), 100*most)
		assert.LessOrEqual(t, sum/float64(seeds), 0.15)
	}
}
