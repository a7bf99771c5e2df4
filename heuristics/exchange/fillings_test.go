package exchange

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/heuristics/heuristicstest"
)

// TestFillings compares the sets listed with all there are.
func TestFillings(t *testing.T) {
	listed := 0
	for seed := range uint64(300) {
		rng := heuristicstest.Source(seed)
		areas := make([]float64, 1+rng.IntN(10))
		for n := range areas {
			areas[n] = float64(1 + rng.IntN(12))
		}
		slices.SortFunc(areas, func(a, b float64) int { return int(b - a) })
		room := areas[0] + float64(rng.IntN(20))
		idle := float64(rng.IntN(4))
		var want [][]int
		for choice := 1; choice < 1<<len(areas); choice += 2 { // with the first
			var set []int
			sum := 0.0
			for n, a := range areas {
				if choice>>n&1 != 0 {
					set, sum = append(set, n), sum+a
				}
			}
			if sum <= room && sum >= room-idle {
				want = append(want, set)
			}
		}
		got, _ := fillings(areas, room, idle)
		require.ElementsMatch(t, want, got, "seed %d", seed)
		require.True(t, slices.IsSortedFunc(got, func(a, b []int) int { return len(a) - len(b) }))
		listed += len(got)
	}
	require.NotZero(t, listed)

	many, _ := fillings(slices.Repeat([]float64{1}, 60), 3, 0)
	require.Len(t, many, mostFillings)
}
