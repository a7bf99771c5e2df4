package exchange

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// TestFillings compares the sets listed with all there are, and those of drawn areas with
// what they are to be.
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
		got, _ := fillings(areas, room, idle, nil)
		require.ElementsMatch(t, want, got, "seed %d", seed)
		require.True(t, slices.IsSortedFunc(got, func(a, b []int) int { return len(a) - len(b) }))
		listed += len(got)
	}
	require.NotZero(t, listed)

	ones := slices.Repeat([]float64{1}, 60)
	first, _ := fillings(ones, 3, 0, nil)
	drawn, _ := fillings(ones, 3, 0, heuristicstest.Source(1))
	require.Len(t, first, setChoices)
	require.NotEqual(t, first, drawn)
	for _, set := range drawn {
		require.Len(t, set, 3)
		require.Zero(t, set[0])
		require.Less(t, set[1], set[2])
	}
}

// TestCompletion: where nodes can be filled to the last tick, completions find how.
func TestCompletion(t *testing.T) {
	const ticks = 60
	begun, optimal, runs := 0, 0, 0
	for seed := range uint64(10) {
		in := heuristicstest.Planted(t, heuristicstest.Source(seed), 6, 4, ticks, 24)
		annealer := NewAnnealer(in, heuristicstest.Source(seed), heuristicstest.Source(seed), nil)
		s := divide(t.Context(), in, annealer.rng)
		require.NotNil(t, s)
		groups := groupsOf(in, s)
		if len(groups) < partitionGroups {
			continue
		}
		runs++
		annealer.take(state.Incumbent{Schedule: s, Value: state.ValueOf(in, s.Completion(in))}, groups)
		require.InDelta(t, ticks, annealer.leastEnd(), 0)
		if annealer.Best.Value.Float() == ticks {
			begun++
		}
		for range 6 {
			before := annealer.Best.Value
			annealer.complete(t.Context())
			require.False(t, before.Less(annealer.Best.Value))
			require.Empty(t, instance.Check(in, annealer.Best.Schedule))
		}
		if annealer.Best.Value.Float() == ticks {
			optimal++
		}
	}
	t.Logf("of %d runs %d begin with the optimum, %d find it", runs, begun, optimal)
	assert.Greater(t, optimal, begun+runs/2)
}

// TestCompletionDeterministic: what completions find does not depend on the cores.
func TestCompletionDeterministic(t *testing.T) {
	in := manyNodes(t, "plain", 0)
	run := func(cores int) *Annealer {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
		require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
		require.Equal(t, 1, annealer.completions)
		annealer.complete(t.Context())
		return annealer
	}
	one, two := run(1), run(2)
	require.NotEmpty(t, one.given)
	assert.Equal(t, one.given, two.given)
	assert.Equal(t, one.partitions.known, two.partitions.known)
	assert.Equal(t, one.Best, two.Best)
}
