package heuristics

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

func TestImproveStops(t *testing.T) {
	in := mediums()["plain"].instance(t, 1)
	start, err := Greedy(t.Context(), in, source(1))
	require.NoError(t, err)
	s, err := Config{Stop: func(*big.Rat) bool { return true }}.Improve(t.Context(), in, source(1), start)
	require.NoError(t, err)
	assert.Same(t, start, s)
	s, err = Config{Rounds: 1}.Improve(t.Context(), in, source(2), start)
	require.NoError(t, err)
	require.Empty(t, instance.Check(in, s))
	assert.False(t, in.Objective.Better(in.Value(start), in.Value(s)))
}
