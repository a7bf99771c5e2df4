package heuristics

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// Greedy asks again whether its best is good enough, for a bound may have come since,
// and tries nothing any more once it is.
func TestGreedyAsksAgain(t *testing.T) {
	t.Parallel()
	in := medium{racks: 2, nodes: 2, gpus: 4, jobs: 12, iterations: 8, nic: 5e9, objective: instance.Makespan}.instance(t, 1)
	asked := 0
	s, err := Config{Stop: func(*big.Rat) bool { asked++; return asked > 40 }}.Greedy(t.Context(), in, source(1))
	require.NoError(t, err)
	require.Empty(t, instance.Check(in, s))
	require.Equal(t, 41, asked)
}

// What needs no balance is tried before the first one: it draws nothing.
func TestGreedyDecodesFirst(t *testing.T) {
	t.Parallel()
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in := medium{racks: 2, nodes: 2, gpus: 4, jobs: 12, iterations: 8, nic: 5e9, objective: objective}.instance(t, 1)
		rng := source(1)
		_, err := Config{Stop: func(*big.Rat) bool { return true }}.Greedy(t.Context(), in, rng)
		require.NoError(t, err)
		require.Equal(t, source(1).Uint64(), rng.Uint64(), "of %s", objective)
	}
}
