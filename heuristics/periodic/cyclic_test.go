package periodic

import (
	"context"
	"math/big"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

func periodicObjective(seed uint64) instance.Objective {
	return []instance.Objective{instance.Throughput, instance.MaxMinThroughput}[seed%2]
}

// TestCyclicSequenceReads reads plans, and expects them back at least as good.
func TestCyclicSequenceReads(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 40
	}
	read := 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: periodicObjective(seed), Jobs: 5, GPUs: 6, MaxPeriod: 30})
		s, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(seed))
		require.NoError(t, err)
		if len(s.Tasks) == 0 {
			continue
		}
		read++
		r := newCyclicSequence(newResidencyTable(in))
		r.read(s)
		clock := newPeriodClock(in)
		require.True(t, clock.least(r, s.Period), "seed %d", seed)
		back := r.schedule()
		require.Empty(t, check.Schedule(in, back), "seed %d", seed)
		require.LessOrEqual(t, back.Period, s.Period)
		require.Equal(t, s.Iterations(in), back.Iterations(in))

		if 2*r.period > in.MaxPeriod {
			continue
		}
		r = newCyclicSequence(r.residencyTable)
		r.read(twice(in, back))
		require.True(t, clock.least(r, 2*back.Period), "seed %d", seed)
		require.Empty(t, check.Schedule(in, r.schedule()), "seed %d", seed)
	}
	require.Greater(t, read, int(seeds)/2)
}

// TestCyclicSequenceWalks changes plans at random. Whatever the clock passes has to be
// valid, and no shorter period may do for the same constraints.
func TestCyclicSequenceWalks(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 40
	}
	passed, kinds := 0, [moveKinds]int{}
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: periodicObjective(seed), Jobs: 4, GPUs: 5, MaxPeriod: 40})
		s, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(seed))
		require.NoError(t, err)
		if len(s.Tasks) == 0 {
			continue
		}
		residencyTable := newResidencyTable(in)
		now := newCyclicSequence(residencyTable)
		now.read(s)
		clock := newPeriodClock(in)
		require.True(t, clock.least(now, s.Period))
		m := cyclicMover{residencyTable: residencyTable, rng: heuristicstest.Source(seed), counts: state.CheapestMultisets(in), busy: clock.load, next: newCyclicSequence(residencyTable)}
		for try := range 400 {
			kind := try % moveKinds
			m.critical = clock.critical(now, m.critical[:0])
			m.next.copyFrom(now)
			if !m.draw(kind) {
				continue
			}
			m.next.settle()
			if !clock.least(m.next, in.MaxPeriod) {
				continue
			}
			passed++
			kinds[kind]++
			now, m.next = m.next, now
			require.Empty(t, check.Schedule(in, now.schedule()), "seed %d, try %d, kind %d", seed, try, kind)
			require.True(t, slow(clock, now.period), "seed %d, try %d", seed, try)
			require.False(t, slow(clock, now.period-1), "seed %d, try %d: %d is too long", seed, try, now.period)
			if len(now.owner) > 4*len(now.list) {
				now.compact()
			}
		}
	}
	t.Logf("%d plans, by kind of change %v", passed, kinds)
	for kind, n := range kinds {
		assert.Positive(t, n, "kind %d", kind)
	}
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
	seeds := uint64(300)
	if testing.Short() {
		seeds = 12
	}
	known, optimal := 0, 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: periodicObjective(seed)})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		if status != instancetest.Optimal {
			continue
		}
		known++
		rng := heuristicstest.Source(seed)
		start, err := Greedy(t.Context(), state.Options{}, in, rng)
		require.NoError(t, err)
		s := Improve(t.Context(), state.Options{Rounds: 4, Stop: func(v *big.Rat) bool { return v.Cmp(want) == 0 }}, in, rng, start, nil)
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
	assert.Positive(t, known)
	assert.GreaterOrEqual(t, float64(optimal), 0.97*float64(known))
}

// TestImprovePeriodicDeterministic compares plans made on one and on two cores.
func TestImprovePeriodicDeterministic(t *testing.T) {
	for seed := range uint64(2) {
		in := instancetest.Random(heuristicstest.Source(seed+1), instancetest.Options{Objective: periodicObjective(seed), Jobs: 6, GPUs: 8, MaxPeriod: 30})
		start, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(5))
		require.NoError(t, err)
		run := func(cores int) *instance.Schedule {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			return Improve(t.Context(), state.Options{Rounds: 1}, in, heuristicstest.Source(5), start, nil)
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
	s := Improve(ctx, state.Options{}, in, heuristicstest.Source(1), start, nil)
	assert.Same(t, start, s)
}

// TestCyclicSequenceOpens makes room in a list, and expects what comes later to be later.
func TestCyclicSequenceOpens(t *testing.T) {
	r := cyclicSequence{list: []int32{0, 1, 2}, at: []instance.Tick{0, 5, 9}, period: 12}
	r.open(5, 3)
	assert.Equal(t, []instance.Tick{0, 8, 12}, r.at)
	assert.Equal(t, instance.Tick(15), r.period)
	r.move(2, 8, false)
	r.settle()
	assert.Equal(t, []int32{0, 2, 1}, r.list)
	r.move(0, -7, true)
	r.settle()
	assert.True(t, slices.Equal([]int32{2, 1, 0}, r.list))
}
