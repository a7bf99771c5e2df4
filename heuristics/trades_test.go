package heuristics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestTrades: every walk leaves a valid schedule that is no worse, and at least a third
// of the runs gain: a division is often as good as few exchanges can make it.
func TestTrades(t *testing.T) {
	runs, gained := improves(t, func(in *instance.Instance, seed uint64) (best *find, step func()) {
		trades := newTrades(in, source(seed), source(seed))
		if trades.walk(t.Context(), 1, find{}) == 0 {
			return nil, nil
		}
		return &trades.best, func() { trades.walk(t.Context(), 400_000, trades.best) }
	})
	assert.GreaterOrEqual(t, 3*gained, runs)
}

// TestTradesFollow: a cycle goes on from a better schedule that falls apart, and one
// that brought nothing makes trades worth less.
func TestTradesFollow(t *testing.T) {
	in := manyNodes(t, "plain", 1)
	trades := newTrades(in, source(0), source(0))
	require.NotZero(t, trades.walk(t.Context(), 1, find{}))
	better := newTrades(in, source(0), source(0))
	require.NotZero(t, better.walk(t.Context(), 2_000_000, trades.best))
	require.True(t, better.best.value.less(trades.best.value))

	trades.began = trades.own.value
	trades.restart(t.Context(), better.best)
	assert.Equal(t, better.best, trades.best)
	assert.InDelta(t, mostTrades/2, trades.share, 0)
	trades.began.lo = trades.own.value.lo + 1
	trades.restart(t.Context(), trades.best)
	assert.InDelta(t, mostTrades, trades.share, 0)
}

// TestTradesTypes: jobs go only where there are GPUs of their types.
func TestTradesTypes(t *testing.T) {
	in := manyNodes(t, "limits", 0)
	typed := 0
	for j := range in.Jobs {
		if job := &in.Jobs[j]; j%2 == 0 && job.Runs(0) && job.Runs(1) {
			job.On[1] = nil
			typed++
		}
	}
	require.NotZero(t, typed)
	trades := newTrades(in, source(0), source(0))
	require.NotZero(t, trades.walk(t.Context(), 1, find{}))
	trades.walk(t.Context(), 400_000, trades.best)
	require.NotZero(t, trades.tried)
	require.Empty(t, instance.Check(in, trades.best.schedule))
}

// TestTradesAlone: where there is one group there is nothing to trade.
func TestTradesAlone(t *testing.T) {
	in := planted(t, source(1), 1, 4, 60, 8)
	assert.Zero(t, newTrades(in, source(1), source(1)).walk(t.Context(), 1000, find{}))
}

// TestTradesLeast: no group comes to less than exchanges count on.
func TestTradesLeast(t *testing.T) {
	for _, name := range []string{"plain", "limits"} {
		for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
			in := manyNodes(t, name, 1)
			in.Objective = objective
			trades := newTrades(in, source(0), source(0))
			require.NotZero(t, trades.walk(t.Context(), 1, find{}))
			trades.walk(t.Context(), 50_000, trades.best)
			b := &bargain{trades: trades, scale: 1}
			for n, s := range trades.sides {
				least := b.leastEnergy(n, trades.groups[n].jobs)
				assert.LessOrEqual(t, least, b.energy(s.value))
			}
		}
	}
}
