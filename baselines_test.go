package jigsaw_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance/check"
)

// TestEqualBaselines: with the budget of the plan there are all baselines, each valid for
// its instance, interleaved no worse than exclusive and exclusive no worse than the queue;
// and the plan is the same as without them.
func TestEqualBaselines(t *testing.T) {
	for _, name := range []string{"quickstart", "periodic"} {
		in := example(t, name)
		alone, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Seed: 3, Quick: true})
		require.NoError(t, err)
		assert.Nil(t, alone.FewerExclusive.Schedule)
		assert.Contains(t, alone.FewerExclusive.Reason, "not computed")
		r, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Seed: 3, Quick: true, EqualBaselines: true})
		require.NoError(t, err)
		assert.Equal(t, alone.Schedule, r.Schedule)
		for name, b := range map[string]jigsaw.Baseline{
			"queue": r.Queue, "exclusive": r.Exclusive, "interleaved-full": r.InterleavedFull,
			"fewer-exclusive": r.FewerExclusive, "fewer-interleaved": r.FewerInterleaved, "greedy": r.Greedy,
		} {
			require.NotNil(t, b.Schedule, "%s: %s", name, b.Reason)
			assert.Empty(t, check.Schedule(b.Instance, b.Schedule), name)
			assert.Zero(t, b.Instance.Value(b.Schedule).Cmp(b.Value), name)
		}
		worse := func(a, b jigsaw.Baseline) bool { return in.Objective.Better(b.Value, a.Value) }
		assert.False(t, worse(r.Exclusive, r.Queue))
		assert.False(t, worse(r.Exclusive, alone.Exclusive))
		assert.False(t, worse(r.InterleavedFull, r.Exclusive))
		assert.False(t, worse(r.FewerInterleaved, r.FewerExclusive))
		for j := range in.Jobs {
			assert.Equal(t, in.Jobs[j].Iterations, r.FewerExclusive.Instance.Jobs[j].Iterations)
		}
	}
}

// TestEqualBaselinesOfBlocks is TestEqualBaselines of a plan in blocks, which has no greedy.
func TestEqualBaselinesOfBlocks(t *testing.T) {
	in := example(t, "queue")
	r, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Quick: true, EqualBaselines: true})
	require.NoError(t, err)
	alone, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	assert.Equal(t, alone.Blocks, r.Blocks)
	for name, b := range map[string]jigsaw.Baseline{
		"queue": r.Queue, "exclusive": r.Exclusive, "interleaved-full": r.InterleavedFull, "fewer-exclusive": r.FewerExclusive, "fewer-interleaved": r.FewerInterleaved,
	} {
		require.NotNil(t, b.Blocks, "%s: %s", name, b.Reason)
		assert.Empty(t, check.Blocks(b.Instance, b.Blocks), name)
		assert.Zero(t, b.Instance.Value(b.Blocks).Cmp(b.Value), name)
	}
	assert.LessOrEqual(t, r.Exclusive.Value.Cmp(r.Queue.Value), 0)
	assert.LessOrEqual(t, r.Exclusive.Value.Cmp(alone.Exclusive.Value), 0)
	assert.LessOrEqual(t, r.InterleavedFull.Value.Cmp(r.Exclusive.Value), 0)
	assert.LessOrEqual(t, r.FewerInterleaved.Value.Cmp(r.FewerExclusive.Value), 0)
	assert.Nil(t, r.Greedy.Instance)
	assert.Empty(t, r.Greedy.Reason)
}
