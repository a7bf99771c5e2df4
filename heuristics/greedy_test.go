package heuristics

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
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

func ratio(a, b *big.Rat) float64 {
	if b.Sign() == 0 {
		return 1
	}
	f, _ := new(big.Rat).Quo(a, b).Float64()
	return f
}

// interleavedFull is [Greedy] with every worker at full depth.
func interleavedFull(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return Greedy(ctx, in.FullDepth(), rng)
}

// TestGreedyTiny checks that greedy is valid and no better than the optimum by
// brute force.
func TestGreedyTiny(t *testing.T) {
	seeds := instancetest.Many(uint64(120), 8)
	var proven, optimal, lost int
	var sum, most float64
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: heuristicstest.Finite(seed)})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		full := in.FullDepth()
		if s, err := interleavedFull(t.Context(), in, heuristicstest.Source(seed)); err == nil {
			require.Empty(t, check.Schedule(full, s), "seed %d", seed)
		} else {
			var none *NoPlan
			require.ErrorAs(t, err, &none, "seed %d", seed)
		}
		s, err := Greedy(t.Context(), in, heuristicstest.Source(seed))
		if err != nil {
			var none *NoPlan
			require.ErrorAs(t, err, &none, "seed %d", seed)
			if status == instancetest.Optimal {
				lost++
				t.Logf("seed %d: %v", seed, err)
			}
			continue
		}
		require.Empty(t, check.Schedule(in, s), "seed %d", seed)
		require.NotEqual(t, instancetest.Infeasible, status, "seed %d", seed)
		if status != instancetest.Optimal {
			continue
		}
		got := in.Value(s)
		require.False(t, in.Objective.Better(got, want), "seed %d: greedy %v beats the optimum %v", seed, got, want)
		gap := ratio(got, want) - 1
		proven++
		if gap == 0 {
			optimal++
		} else {
			t.Logf("seed %d %s: gap %.3f", seed, in.Objective, gap)
		}
		sum += gap
		most = max(most, gap)
	}
	t.Logf("%d optima known: mean gap %.2f %%, largest %.1f %%, %d optimal; %d feasible ones without a plan",
		proven, 100*sum/float64(proven), 100*most, optimal, lost)
	assert.LessOrEqual(t, sum/float64(proven), 0.05)
}

func TestGreedyMedium(t *testing.T) {
	if testing.Short() {
		t.Skip("the full tier schedules medium instances")
	}
	for name, m := range heuristicstest.Mediums() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(6) {
				m.Objective = heuristicstest.Finite(seed)
				in := m.Instance(t, seed)
				for n, f := range []func(context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error){Greedy, interleavedFull} {
					valid := in
					if n > 0 {
						valid = in.FullDepth()
					}
					s, err := f(t.Context(), in, heuristicstest.Source(seed))
					var none *NoPlan
					if errors.As(err, &none) {
						t.Logf("seed %d, function %d: %v", seed, n, err)
						continue
					}
					require.NoError(t, err)
					require.Empty(t, check.Schedule(valid, s), "seed %d, function %d", seed, n)
					if in.Objective == instance.Makespan {
						t.Logf("seed %d, function %d: %.3f", seed, n, float64(s.Makespan(in))/float64(chainArea(in)))
					}
				}
			}
		})
	}
}

// TestGreedyDeterministic compares schedules made on one and on two cores.
func TestGreedyDeterministic(t *testing.T) {
	m := heuristicstest.Mediums()["limits"]
	m.Jobs, m.Iterations = 10, 6
	in := m.Instance(t, 3)
	run := func(cores int) *instance.Schedule {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		s, err := Greedy(t.Context(), in, heuristicstest.Source(5))
		require.NoError(t, err)
		return s
	}
	one := run(1)
	assert.Equal(t, one, run(2))
	assert.Equal(t, one, run(2))
}

func TestGreedyCancelled(t *testing.T) {
	in := heuristicstest.Mediums()["plain"].Instance(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Greedy(ctx, in, heuristicstest.Source(1))
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel = context.WithCancel(t.Context())
	var first *instance.Schedule
	s, err := Config{Improved: func(s *instance.Schedule) {
		first = s
		cancel()
	}}.Greedy(ctx, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Equal(t, first, s, "what was found before the end")
}

func TestImprovedOnlyImproves(t *testing.T) {
	for seed := range uint64(2) {
		m := heuristicstest.Mediums()["limits"]
		if testing.Short() {
			m.Jobs, m.Iterations = 8, 4
		}
		m.Objective = heuristicstest.Finite(seed)
		in := m.Instance(t, seed)
		var last *big.Rat
		s, err := Config{Improved: func(s *instance.Schedule) {
			require.Empty(t, check.Schedule(in, s))
			v := in.Value(s)
			require.True(t, last == nil || in.Objective.Better(v, last))
			last = v
		}}.Greedy(t.Context(), in, heuristicstest.Source(seed))
		require.NoError(t, err)
		assert.Equal(t, last, in.Value(s))
	}
}

// weightedChains is the weighted completion if no job waits for another.
func weightedChains(in *instance.Instance) *big.Rat {
	sum := new(big.Rat)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		end := job.Release + instance.Tick(job.Iterations)*job.On[state.FastestType(in, job)].Time[job.Full()]
		sum.Add(sum, new(big.Rat).Mul(big.NewRat(job.Weight, 1), big.NewRat(int64(end), 1)))
	}
	return sum
}

func benchmark(b *testing.B, m heuristicstest.Medium) {
	for _, seed := range []uint64{1, 2, 3} {
		for _, m.Objective = range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
			in := m.Instance(b, seed)
			b.Run(fmt.Sprintf("%s/seed%d", m.Objective, seed), func(b *testing.B) {
				var s *instance.Schedule
				for b.Loop() {
					var err error
					s, err = Greedy(b.Context(), in, heuristicstest.Source(seed))
					require.NoError(b, err)
				}
				if in.Objective == instance.WeightedCompletion {
					b.ReportMetric(ratio(in.Value(s), weightedChains(in)), "x-chains")
				} else {
					b.ReportMetric(float64(s.Makespan(in))/float64(chainArea(in)), "x-chain-area")
				}
				b.ReportMetric(float64(len(s.Tasks)), "tasks")
			})
		}
	}
}

func BenchmarkGreedy(b *testing.B) {
	b.Run("64x40", func(b *testing.B) {
		benchmark(b, heuristicstest.Medium{Racks: 2, Nodes: 4, GPUs: 8, Jobs: 40, Iterations: 40, NIC: 100e9})
	})
	b.Run("1024x1000", func(b *testing.B) {
		benchmark(b, heuristicstest.Medium{Racks: 8, Nodes: 16, GPUs: 8, Jobs: 1000, Iterations: 60, NIC: 100e9})
	})
	b.Run("10240x3000", func(b *testing.B) {
		benchmark(b, heuristicstest.Medium{Racks: 32, Nodes: 40, GPUs: 8, Jobs: 3000, Iterations: 100, NIC: 100e9})
	})
}

// chainArea returns the larger of two simple lower bounds on the makespan:
// the longest chain without synchronisations, and the GPU-ticks over the GPUs,
// with the cheapest multisets on the fastest GPUs.
func chainArea(in *instance.Instance) instance.Tick {
	chain, area := instance.Tick(0), instance.Tick(0)
	for j, counts := range state.CheapestMultisets(in) {
		job := &in.Jobs[j]
		r, on := instance.Tick(job.Iterations), job.On[state.FastestType(in, job)]
		chain = max(chain, job.Release+r*on.Time[job.Full()])
		for d, n := range counts {
			area += r * instance.Tick(n) * on.Time[d]
		}
	}
	return max(chain, (area+instance.Tick(len(in.GPUs))-1)/instance.Tick(len(in.GPUs)))
}

// TestNoBundlesBlameNoJob: if three GPUs are for three workers, and a worker of two, no division of
// them serves both, and the error names neither job.
func TestNoBundlesBlameNoJob(t *testing.T) {
	layers := []instance.Layer{{Name: "l", Forward: 1e6}}
	in, err := instance.Compile(&instance.Spec{
		Version: 1, Profiles: []*instance.Profile{
			{Model: "any", GPU: "a", Batch: 1, Layers: layers}, {Model: "any", GPU: "a", Batch: 1, GPUs: 2, Layers: layers},
		},
		Jobs: []instance.JobSpec{{Name: "wide", Model: "any", Workers: 3}, {Name: "pair", Model: "any", Workers: 1, GPUsPerWorker: 2}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: 3, GPU: "a", NIC: 1e9, Fabric: 1e9}},
		},
	}, nil)
	require.NoError(t, err)
	_, err = Greedy(t.Context(), in, heuristicstest.Source(1))
	require.ErrorContains(t, err, "no schedule found: however the nodes are divided")
}

// TestPeriodicBundles: in a plan that repeats, workers of two and of three GPUs need not all have
// room; the one with more weight has.
func TestPeriodicBundles(t *testing.T) {
	layers := []instance.Layer{{Name: "l", Forward: 1e6}}
	in, err := instance.Compile(&instance.Spec{
		Version: 1, Objective: instance.Throughput, Profiles: []*instance.Profile{
			{Model: "any", GPU: "a", Batch: 1, GPUs: 2, Layers: layers}, {Model: "any", GPU: "a", Batch: 1, GPUs: 3, Layers: layers},
		},
		Jobs: []instance.JobSpec{{Name: "pair", Model: "any", Workers: 2, GPUsPerWorker: 2}, {Name: "trio", Model: "any", Workers: 1, GPUsPerWorker: 3}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: 4, GPU: "a", NIC: 1e9, Fabric: 1e9}},
		},
	}, nil)
	require.NoError(t, err)
	for heavy := range in.Jobs {
		in.Jobs[heavy].Weight, in.Jobs[1-heavy].Weight = 2, 1
		s, err := Greedy(t.Context(), in, heuristicstest.Source(1))
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		require.Zero(t, in.Value(s).Cmp(big.NewRat(2, 1)), "weight on %s", in.Jobs[heavy].Name)
	}
	in.Objective = instance.MaxMinThroughput
	s, err := Greedy(t.Context(), in, heuristicstest.Source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
}
