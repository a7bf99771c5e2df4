package heuristics

import (
	"errors"
	"math/big"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
)

func TestImproveStops(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Jobs, m.Iterations = 8, 6
	in := m.Instance(t, 1)
	start, err := Greedy(t.Context(), in, heuristicstest.Source(1))
	require.NoError(t, err)
	s, err := Config{Stop: func(*big.Rat) bool { return true }}.Improve(t.Context(), in, heuristicstest.Source(1), start)
	require.NoError(t, err)
	assert.Same(t, start, s)
	s, err = Config{Rounds: 1}.Improve(t.Context(), in, heuristicstest.Source(2), start)
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	assert.False(t, in.Objective.Better(in.Value(start), in.Value(s)))
}

// TestImproveTiny counts how often the search finds the optimum by brute force.
func TestImproveTiny(t *testing.T) {
	seeds, rounds := uint64(600), 40
	if testing.Short() {
		seeds, rounds = 8, 10
	}
	known, optimal := 0, 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: heuristicstest.Finite(seed)})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		if status != instancetest.Optimal {
			continue
		}
		known++
		s, err := Config{Rounds: rounds, Stop: func(v *big.Rat) bool { return v.Cmp(want) == 0 }}.Improve(t.Context(), in, heuristicstest.Source(seed), nil)
		var none *NoPlan
		if errors.As(err, &none) {
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s), "seed %d", seed)
		got := in.Value(s)
		require.False(t, in.Objective.Better(got, want), "seed %d: %v beats the optimum %v", seed, got, want)
		if got.Cmp(want) == 0 {
			optimal++
		} else {
			t.Logf("seed %d %s: %v, optimum %v", seed, in.Objective, got.RatString(), want.RatString())
		}
	}
	t.Logf("%d of %d optimal", optimal, known)
	assert.GreaterOrEqual(t, float64(optimal), 0.95*float64(known))
}

// TestImproveDeterministic compares schedules made on one and on two cores.
func TestImproveDeterministic(t *testing.T) {
	m := heuristicstest.Mediums()["limits"]
	m.Jobs, m.Iterations = 6, 2
	for seed := range uint64(2) {
		m.Objective = heuristicstest.Finite(seed)
		in := m.Instance(t, 3)
		start, err := Greedy(t.Context(), in, heuristicstest.Source(5))
		require.NoError(t, err)
		run := func(cores int) *instance.Schedule {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			s, err := Config{Rounds: 1}.Improve(t.Context(), in, heuristicstest.Source(5), start)
			require.NoError(t, err)
			return s
		}
		assert.Equal(t, run(1), run(2))
	}
}
