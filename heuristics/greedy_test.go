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
	"jigsaw/formulation/instance/instancetest"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func finite(seed uint64) instance.Objective {
	return []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
}

func ratio(a, b *big.Rat) float64 {
	if b.Sign() == 0 {
		return 1
	}
	f, _ := new(big.Rat).Quo(a, b).Float64()
	return f
}

// TestGreedyTiny holds greedy between the optimum by brute force and validity.
func TestGreedyTiny(t *testing.T) {
	seeds := uint64(120)
	if testing.Short() {
		seeds = 8
	}
	var proven, optimal, lost int
	var sum, most float64
	for seed := range seeds {
		in := instancetest.Random(source(seed), instancetest.Options{Objective: finite(seed)})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		full := in.FullDepth()
		for _, f := range []func(context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error){Config{}.InterleavedFull, Config{}.Exclusive} {
			if s, err := f(t.Context(), in, source(seed)); err == nil {
				require.Empty(t, instance.Check(full, s), "seed %d", seed)
			} else {
				var none *NoPlan
				require.ErrorAs(t, err, &none, "seed %d", seed)
			}
		}
		s, err := Greedy(t.Context(), in, source(seed))
		if err != nil {
			var none *NoPlan
			require.ErrorAs(t, err, &none, "seed %d", seed)
			if status == instancetest.Optimal {
				lost++
				t.Logf("seed %d: %v", seed, err)
			}
			continue
		}
		require.Empty(t, instance.Check(in, s), "seed %d", seed)
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

func mediums() map[string]medium {
	base := medium{racks: 2, nodes: 2, gpus: 4, jobs: 20, iterations: 12, nic: 25e9}
	m := map[string]medium{"plain": base}
	thin := base
	thin.nic = 1e9
	m["thin"] = thin
	gangs := base
	gangs.gangs, gangs.releases = true, true
	m["gangs"] = gangs
	thinGangs := gangs
	thinGangs.nic, thinGangs.free = 2e9, true
	m["thin gangs"] = thinGangs
	limits := base
	limits.limits, limits.free, limits.releases, limits.deadlines, limits.mixed = true, true, true, true, true
	m["limits"] = limits
	tight := base
	tight.tight, tight.jobs = true, 14
	m["tight"] = tight
	return m
}

func TestGreedyMedium(t *testing.T) {
	if testing.Short() {
		t.Skip("the full tier schedules medium instances")
	}
	for name, m := range mediums() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(6) {
				m.objective = finite(seed)
				in := m.instance(t, seed)
				for n, f := range []func(context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error){Greedy, Config{}.InterleavedFull, Config{}.Exclusive} {
					valid := in
					if n > 0 {
						valid = in.FullDepth()
					}
					s, err := f(t.Context(), in, source(seed))
					var none *NoPlan
					if errors.As(err, &none) {
						t.Logf("seed %d, function %d: %v", seed, n, err)
						continue
					}
					require.NoError(t, err)
					require.Empty(t, instance.Check(valid, s), "seed %d, function %d", seed, n)
					if in.Objective == instance.Makespan {
						t.Logf("seed %d, function %d: %.3f", seed, n, float64(s.Makespan(in))/float64(chainArea(in)))
					}
				}
			}
		})
	}
}

// TestDecoders checks what both decoders make of every rule and patience,
// leaving out deadlines, which a single decision need not meet.
func TestDecoders(t *testing.T) {
	for name, m := range mediums() {
		t.Run(name, func(t *testing.T) {
			m.jobs, m.iterations = 12, 8
			in := m.instance(t, 11)
			counts := startCounts(in)
			where, err := placeHard(in, placing{counts: counts, noise: source(1)})
			require.NoError(t, err)
			l := newLayout(in)
			dispatch, insert, out := newDispatcher(in, l), newInserter(in, l), l.newRecord(len(in.Jobs))
			for r := longestChain; r <= criticalRatio; r++ {
				base, slope := measure(in, where, counts).keys(in, r)
				for patience := range 6 {
					d := &decision{counts: counts, where: where, base: base, slope: slope, patience: patience}
					var by decoder = dispatch
					if patience == 5 {
						by = insert
					}
					require.NoError(t, by.decode(t.Context(), d, out))
					s := out.schedule(in, l)
					assert.Equal(t, s.Completion(in), out.completion)
					for _, v := range instance.Check(in, s) {
						require.Equal(t, 10, v.Rule, "rule %d, patience %d: %v", r, patience, v)
					}
				}
			}
		})
	}
}

// TestGreedyDeterministic compares schedules made on one and on two cores.
func TestGreedyDeterministic(t *testing.T) {
	m := mediums()["limits"]
	m.jobs, m.iterations = 10, 6
	in := m.instance(t, 3)
	run := func(cores int) *instance.Schedule {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		s, err := Greedy(t.Context(), in, source(5))
		require.NoError(t, err)
		return s
	}
	one := run(1)
	assert.Equal(t, one, run(2))
	assert.Equal(t, one, run(2))
}

func TestGreedyCancelled(t *testing.T) {
	in := mediums()["plain"].instance(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Greedy(ctx, in, source(1))
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel = context.WithCancel(t.Context())
	var first *instance.Schedule
	s, err := Config{Improved: func(s *instance.Schedule) {
		first = s
		cancel()
	}}.Greedy(ctx, in, source(1))
	require.NoError(t, err)
	assert.Equal(t, first, s, "what was found before the end")
}

func TestImprovedOnlyImproves(t *testing.T) {
	for seed := range uint64(2) {
		m := mediums()["limits"]
		if testing.Short() {
			m.jobs, m.iterations = 8, 4
		}
		m.objective = finite(seed)
		in := m.instance(t, seed)
		var last *big.Rat
		s, err := Config{Improved: func(s *instance.Schedule) {
			require.Empty(t, instance.Check(in, s))
			v := in.Value(s)
			require.True(t, last == nil || in.Objective.Better(v, last))
			last = v
		}}.Greedy(t.Context(), in, source(seed))
		require.NoError(t, err)
		assert.Equal(t, last, in.Value(s))
	}
}

// weightedChains is the weighted completion if no job waited for another.
func weightedChains(in *instance.Instance) *big.Rat {
	sum := new(big.Rat)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		end := job.Release + instance.Tick(job.Iterations)*job.On[fastestType(in, job)].Time[job.Full()]
		sum.Add(sum, new(big.Rat).Mul(big.NewRat(job.Weight, 1), big.NewRat(int64(end), 1)))
	}
	return sum
}

func benchmark(b *testing.B, m medium) {
	for _, seed := range []uint64{1, 2, 3} {
		for _, m.objective = range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
			in := m.instance(b, seed)
			b.Run(fmt.Sprintf("%s/seed%d", m.objective, seed), func(b *testing.B) {
				var s *instance.Schedule
				for b.Loop() {
					var err error
					s, err = Greedy(b.Context(), in, source(seed))
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
		benchmark(b, medium{racks: 2, nodes: 4, gpus: 8, jobs: 40, iterations: 40, nic: 100e9})
	})
	b.Run("1024x1000", func(b *testing.B) {
		benchmark(b, medium{racks: 8, nodes: 16, gpus: 8, jobs: 1000, iterations: 60, nic: 100e9})
	})
	b.Run("10240x3000", func(b *testing.B) {
		benchmark(b, medium{racks: 32, nodes: 40, gpus: 8, jobs: 3000, iterations: 100, nic: 100e9})
	})
}

func BenchmarkExclusive(b *testing.B) {
	m := medium{racks: 8, nodes: 16, gpus: 8, jobs: 1000, iterations: 60, nic: 100e9}
	in := m.instance(b, 1)
	var s *instance.Schedule
	for b.Loop() {
		var err error
		s, err = Config{}.Exclusive(b.Context(), in, source(1))
		require.NoError(b, err)
	}
	b.ReportMetric(float64(s.Makespan(in))/float64(chainArea(in)), "x-chain-area")
}
