package periodic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
)

// TestCyclicSequence reads plans, and expects them back at least as good, with the least period
// that their constraints permit.
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

// slow reports whether the constraints built by a clock permit a period, by Bellman and Ford.
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
