package periodic

import (
	"context"
	"math/big"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// TestCyclicSequence reads plans, and expects them back at least as good, in the least period that
// their constraints admit.
func TestCyclicSequence(t *testing.T) {
	seeds := instancetest.Many(uint64(200), 40)
	read, shorter := 0, 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: instance.Throughput, Jobs: 5, GPUs: 6, MaxPeriod: 30})
		first := newRuin(in, wantsOf(in), heuristicstest.Source(seed), in.MaxPeriod)
		first.walk(t.Context(), 300, ruinHot, ruinCold)
		s := first.news()
		if s == nil {
			continue
		}
		read++
		r, clock := newCyclicSequence(in, s), newPeriodClock(in)
		require.True(t, clock.least(r, s.Period), "seed %d", seed)
		back := r.schedule()
		require.Empty(t, check.Schedule(in, back), "seed %d", seed)
		require.LessOrEqual(t, back.Period, s.Period)
		require.Equal(t, s.Iterations(in), back.Iterations(in))
		require.True(t, slow(clock, back.Period), "seed %d", seed)
		require.False(t, slow(clock, back.Period-1), "seed %d: %d is too long", seed, back.Period)
		if back.Period < s.Period {
			shorter++
			require.False(t, clock.least(newCyclicSequence(in, s), back.Period-1), "seed %d", seed)
		}
	}
	t.Logf("%d plans read, %d made shorter", read, shorter)
	require.Greater(t, read, int(seeds)/2)
	assert.Positive(t, shorter)
}

// slow reports whether the constraints that a clock has built admit a period,
// by Bellman and Ford.
func slow(c *periodClock, period instance.Tick) bool {
	x := make([]instance.Tick, len(c.first)-1)
	for range len(x) + 1 {
		settled := true
		wait := func(to int32, t instance.Tick) {
			if t > x[to] {
				x[to], settled = t, false
			}
		}
		for p := range x {
			for _, e := range c.edges[c.first[p]:c.first[p+1]] {
				wait(int32(p), x[e.from]+e.length)
			}
		}
		for _, w := range c.wraps {
			wait(w.to, x[w.from]+w.length-period)
		}
		if settled {
			return true
		}
	}
	return false
}

// TestImprovePeriodicTiny counts how often the search finds the optimum by
// brute force.
func TestImprovePeriodicTiny(t *testing.T) {
	seeds := instancetest.Many(uint64(150), 6)
	known, optimal := 0, 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(2*seed), instancetest.Options{Objective: instance.Throughput})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		if status != instancetest.Optimal {
			continue
		}
		known++
		rng := heuristicstest.Source(seed)
		start, err := Greedy(t.Context(), state.Options{}, in, rng)
		require.NoError(t, err)
		s := Improve(t.Context(), state.Options{Rounds: 4, Stop: func(v *big.Rat) bool { return v.Cmp(want) == 0 }}, in, rng, start)
		require.Empty(t, check.Schedule(in, s), "seed %d", seed)
		got := in.Value(s)
		require.False(t, in.Objective.Better(got, want), "seed %d: %v beats the optimum %v", seed, got, want)
		if got.Cmp(want) == 0 {
			optimal++
		} else {
			t.Logf("seed %d: %v, optimum %v", seed, got.RatString(), want.RatString())
		}
	}
	t.Logf("%d of %d optimal", optimal, known)
	assert.Positive(t, known)
	assert.GreaterOrEqual(t, float64(optimal), 0.97*float64(known))
}

// TestImprovePeriodicDeterministic compares plans made on one and on two cores.
func TestImprovePeriodicDeterministic(t *testing.T) {
	for seed := range uint64(2) {
		in := instancetest.Random(heuristicstest.Source(seed+1), instancetest.Options{Objective: instance.Throughput, Jobs: 6, GPUs: 8, MaxPeriod: 30})
		start, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(5))
		require.NoError(t, err)
		run := func(cores int) *instance.Schedule {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			return Improve(t.Context(), state.Options{Rounds: 1}, in, heuristicstest.Source(5), start)
		}
		assert.Equal(t, run(1), run(2))
	}
}

// TestImprovePeriodicStops wants the start back from a search that has ended
// before it began.
func TestImprovePeriodicStops(t *testing.T) {
	in := instancetest.Random(heuristicstest.Source(3), instancetest.Options{Objective: instance.Throughput, Jobs: 5, GPUs: 6, MaxPeriod: 30})
	start, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := Improve(ctx, state.Options{}, in, heuristicstest.Source(1), start)
	assert.Same(t, start, s)
}
