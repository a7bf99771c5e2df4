package heuristics

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
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/method"
)

// TestShorterPatterns: numbers of iterations that are too many for a pattern are scaled down.
func TestShorterPatterns(t *testing.T) {
	for seed := range uint64(20) {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: instance.Throughput, Jobs: 3})
		in.MaxPeriod = 0
		s := Config{}.newRateSearch(t.Context(), in, heuristicstest.Source(seed))
		iterations := make([]int, len(in.Jobs))
		for j := range iterations {
			iterations[j] = 10_000 * j
		}
		if len(in.Jobs) < 2 {
			continue
		}
		require.False(t, fits(in, s.needs, iterations))
		got := s.shorter(iterations)
		require.True(t, fits(in, s.needs, got), "seed %d: %v", seed, got)
		require.Zero(t, got[0])
		require.Positive(t, got[1])
		require.Equal(t, make([]int, len(in.Jobs)), s.shorter(make([]int, len(in.Jobs))))
	}
}

// TestRatesTiny counts how often the search finds the optimum by
// brute force.
func TestRatesTiny(t *testing.T) {
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
		start, err := Greedy(t.Context(), in, rng)
		require.NoError(t, err)
		s, err := Config{Rounds: 4, Stop: func(v *big.Rat) bool { return v.Cmp(want) == 0 }}.Improve(t.Context(), in, rng, start)
		require.NoError(t, err)
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

// TestRatesDeterministic compares plans made on one and on two cores.
func TestRatesDeterministic(t *testing.T) {
	for seed := range uint64(2) {
		in := instancetest.Random(heuristicstest.Source(seed+1), instancetest.Options{Objective: instance.Throughput, Jobs: 6, GPUs: 8, MaxPeriod: 30})
		start, err := Greedy(t.Context(), in, heuristicstest.Source(5))
		require.NoError(t, err)
		run := func(cores int) *instance.Schedule {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			s, err := Config{Rounds: 4}.Improve(t.Context(), in, heuristicstest.Source(5), start)
			require.NoError(t, err)
			return s
		}
		assert.Equal(t, run(1), run(2))
	}
}

// TestRatesStops expects start back from a search that ended before it began.
func TestRatesStops(t *testing.T) {
	in := instancetest.Random(heuristicstest.Source(3), instancetest.Options{Objective: instance.Throughput, Jobs: 5, GPUs: 6, MaxPeriod: 30})
	start, err := Greedy(t.Context(), in, heuristicstest.Source(1))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := Config{}.Improve(ctx, in, heuristicstest.Source(1), start)
	require.NoError(t, err)
	assert.Same(t, start, s)
}

// TestRatesPatterns: a pattern with other numbers of iterations beats the best plan of ruin and recreate.
// The instance is a small version of row tiny-network-throughput-3 of the benchmark: one job on all GPUs,
// whose synchronisations leave time for those of another on half of them.
func TestRatesPatterns(t *testing.T) {
	document, err := codec.Decode([]byte(`
version: 1
tick_us: 10000
objective: throughput
max_period: 640ms
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 2, gpus: 4, gpu: v100, nic: 1Gbit/s, fabric: 100Gbit/s}]
  rate_levels: [1, 1/2]
profiles:
  - model: m
    gpu: v100
    batch: 32
    workspace: 64MB
    layers:
      - {name: l0, forward: 2.5ms, backward: 5ms, parameters: 8MB, activations: 140MB}
      - {name: l1, forward: 2.5ms, backward: 5ms, parameters: 6MB, activations: 110MB}
      - {name: l2, forward: 7.5ms, backward: 15ms, parameters: 8MB, activations: 170MB}
      - {name: l3, forward: 5ms, backward: 10ms, parameters: 1MB, activations: 120MB}
jobs:
  - {name: wide, model: m, workers: 8, weight: 5, spb: {rule: free, min_mean_depth: 0.5}}
  - {name: narrow, model: m, workers: 4, placement: {within: node}, spb: {rule: ladder}}
`))
	require.NoError(t, err)
	in, err := document.Compile(nil)
	require.NoError(t, err)
	plan := func(c Config) *big.Rat {
		s, err := c.Improve(t.Context(), in, heuristicstest.Source(1), nil)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		return in.Value(s)
	}
	alone, both := plan(Config{Rounds: 8, Without: method.Set{method.Repetition: true}}), plan(Config{Rounds: 8})
	t.Logf("ruin and recreate %v, with patterns %v", alone.RatString(), both.RatString())
	assert.Equal(t, "4/11", alone.RatString())
	assert.Equal(t, "5/13", both.RatString())

	// A bound that leaves one period open, and the iterations there, take the search to the same plan at once.
	periods := slices.Repeat([]*big.Rat{big.NewRat(4, 11)}, int(in.MaxPeriod))
	for p := instance.Tick(13); p <= in.MaxPeriod; p += 13 {
		periods[p-1] = both
	}
	soon, told := Config{Rounds: 2}, Config{Rounds: 2, Periods: periods, Iterations: [][]int{{3, 0}, {2, 3}, {1, 0}}}
	assert.NotEqual(t, "5/13", plan(soon).RatString())
	assert.Equal(t, "5/13", plan(told).RatString())
}
