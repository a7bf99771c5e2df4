package list

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// Greedy asks repeatedly whether its best is good enough, since a bound may have
// arrived, and tries nothing more once it is.
func TestGreedyAsksAgain(t *testing.T) {
	t.Parallel()
	in := heuristicstest.Medium{Racks: 2, Nodes: 2, GPUs: 4, Jobs: 12, Iterations: 8, NIC: 5e9, Objective: instance.Makespan}.Instance(t, 1)
	asked := 0
	s, err := Greedy(t.Context(), state.Options{Stop: func(*big.Rat) bool { asked++; return asked > 40 }}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	require.Equal(t, 41, asked)
}

// Attempts without balance are tried before the first one: it draws nothing.
func TestGreedyDecodesFirst(t *testing.T) {
	t.Parallel()
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in := heuristicstest.Medium{Racks: 2, Nodes: 2, GPUs: 4, Jobs: 12, Iterations: 8, NIC: 5e9, Objective: objective}.Instance(t, 1)
		rng := heuristicstest.Source(1)
		_, err := Greedy(t.Context(), state.Options{Stop: func(*big.Rat) bool { return true }}, in, rng)
		require.NoError(t, err)
		require.Equal(t, heuristicstest.Source(1).Uint64(), rng.Uint64(), "of %s", objective)
	}
}
