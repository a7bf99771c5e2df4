package exchange

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// TestCompletion: where nodes can be filled to the last tick, completions find how. Their plans are valid, and no worse.
func TestCompletion(t *testing.T) {
	const ticks = 60
	begun, optimal, runs := 0, 0, 0
	for seed := range uint64(10) {
		in := heuristicstest.Planted(t, heuristicstest.Source(seed), 6, 4, ticks, 24)
		annealer := NewAnnealer(in, heuristicstest.Source(seed), heuristicstest.Source(seed), nil)
		annealer.begin(t.Context(), state.Incumbent{})
		if len(annealer.groups) < completionGroups {
			continue
		}
		runs++
		require.InDelta(t, ticks, annealer.leastEnd(), 0)
		if annealer.Best.Value.Float() == ticks {
			begun++
		}
		for range 6 {
			before := annealer.Best.Value
			annealer.complete(t.Context(), before.Float())
			require.False(t, before.Less(annealer.Best.Value))
			require.Empty(t, check.Schedule(in, annealer.Best.Schedule))
		}
		if annealer.Best.Value.Float() == ticks {
			optimal++
		}
	}
	t.Logf("of %d runs %d begin with the optimum, %d find it", runs, begun, optimal)
	assert.Greater(t, optimal, begun+runs/2)
}

// TestCompletionKinds: nodes of different GPUs are of different kinds, and a set only goes where it was scheduled. Plans of
// several kinds and of trunks between racks are valid.
func TestCompletionKinds(t *testing.T) {
	plans := 0
	for _, name := range []string{"limits", "thin gangs", "tight", "plain"} {
		for seed := range uint64(4) {
			in := manyNodes(t, name, seed)
			if in.Objective != instance.Makespan {
				continue
			}
			annealer := NewAnnealer(in, heuristicstest.Source(seed), heuristicstest.Source(seed), nil)
			annealer.begin(t.Context(), state.Incumbent{})
			c := annealer.completions
			if len(c.groups) < completionGroups {
				continue
			}
			for n := range c.groups {
				for m := range n {
					a, b := groups.Part(in, c.groups, c.taken[n], n), groups.Part(in, c.groups, c.taken[m], m)
					same := slices.EqualFunc(a.Nodes, b.Nodes, func(x, y instance.Node) bool { return x.Type == y.Type && x.GPUs == y.GPUs })
					require.True(t, same || c.kindAt[n] != c.kindAt[m], "groups %d and %d", n, m)
				}
			}
			before := annealer.Best.Value
			annealer.complete(t.Context(), before.Float())
			require.Empty(t, check.Schedule(in, annealer.Best.Schedule), "%s %d", name, seed)
			if annealer.Best.Value.Less(before) {
				plans++
			}
		}
	}
	assert.NotZero(t, plans)
}

// TestCompletionDeterministic: what completions find does not depend on the cores. Switched off, they do nothing.
func TestCompletionDeterministic(t *testing.T) {
	in := manyNodes(t, "plain", 0)
	run := func(cores int, without method.Set) *Annealer {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), without)
		require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
		for range 3 {
			require.NotZero(t, annealer.Walk(t.Context(), 1_000_000, annealer.Best))
		}
		return annealer
	}
	one, two, off := run(1, nil), run(2, nil), run(2, method.Set{method.BinCompletion: true})
	require.NotZero(t, one.completions.count)
	require.NotEmpty(t, one.completions.tried)
	assert.Equal(t, one.completions.tried, two.completions.tried)
	assert.Equal(t, one.completions.sets, two.completions.sets)
	assert.Equal(t, one.Best, two.Best)
	assert.Zero(t, off.completions.count)
}
