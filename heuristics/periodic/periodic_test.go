package periodic

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// flatProfile has two layers: forward 1 ms each, backward 2 ms each, so that
// depths 1 and 2 take 4 and 6 ticks.
func flatProfile(parameters instance.Bytes) *instance.Profile {
	layer := instance.Layer{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: parameters, Activations: 100}
	return &instance.Profile{Model: "flat", GPU: "a", Batch: 1, Layers: []instance.Layer{layer, layer}}
}

// periodicByHand compiles jobs on one node of GPUs whose fabric moves 1000 bytes a tick.
func periodicByHand(t testing.TB, objective instance.Objective, gpus int, parameters instance.Bytes, jobs ...instance.JobSpec) *instance.Instance {
	t.Helper()
	for i := range jobs {
		jobs[i].Name, jobs[i].Model = fmt.Sprintf("j%d", i), "flat"
		jobs[i].SPB.Cuts = 2
	}
	in, err := instance.Compile(&instance.Spec{
		Version: instance.Version, Objective: objective, Profiles: []*instance.Profile{flatProfile(parameters)},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: gpus, GPU: "a", NIC: 8e6, Fabric: 8e6}},
		},
		Jobs: jobs,
	}, nil)
	require.NoError(t, err)
	return in
}

type periodicPlanner func(context.Context, state.Options, *instance.Instance, *rand.Rand) (*instance.Schedule, error)

func whole(ctx context.Context, _ state.Options, in *instance.Instance, _ *rand.Rand) (*instance.Schedule, error) {
	return Whole(ctx, in)
}

func planPeriodic(t testing.TB, plan periodicPlanner, in *instance.Instance, seed uint64) *instance.Schedule {
	t.Helper()
	s, err := plan(context.Background(), state.Options{}, in, rand.New(rand.NewPCG(seed, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	return s
}

func TestPeriodicByHand(t *testing.T) {
	ladder := instance.JobSpec{Workers: 2}
	for _, c := range []struct {
		name       string
		objective  instance.Objective
		gpus       int
		parameters instance.Bytes // per layer
		jobs       []instance.JobSpec
		want       *big.Rat
	}{
		// Tasks of 6 and 4 ticks and no sync: the other job runs where a
		// GPU would wait for the deeper one, so no tick is idle in 10.
		{"two ladders interlock", instance.Throughput, 2, 0, []instance.JobSpec{ladder, ladder}, big.NewRat(2, 10)},
		// Alone a job waits for its deepest worker.
		{"a lone ladder", instance.Throughput, 2, 0, []instance.JobSpec{ladder}, big.NewRat(1, 6)},
		// 3000 bytes a layer: segment 0 has two contributors, 1500 + 1500,
		// segment 1 has one, 0 + 1500: 4.5, so 5 ticks. Two jobs of 6 + 5
		// ticks keep two GPUs busy for 20 of 20 ticks in turns of 10.
		// They cannot both: a chain of 11 needs 11 ticks a turn.
		{"syncs in the way", instance.Throughput, 2, 3000, []instance.JobSpec{ladder, ladder}, big.NewRat(2, 11)},
		// The heavy job on its own is worth 9/6; with the light one at 10
		// ticks a turn only 10/10.
		{"weight decides", instance.Throughput, 2, 0, []instance.JobSpec{{Workers: 2, Weight: 9}, ladder}, big.NewRat(9, 6)},
		// A lone worker keeps a GPU busy all the time.
		{"a GPU each", instance.Throughput, 2, 0, []instance.JobSpec{{Workers: 1}, {Workers: 1}}, big.NewRat(2, 6)},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := periodicByHand(t, c.objective, c.gpus, c.parameters, c.jobs...)
			s := planPeriodic(t, Greedy, in, 1)
			assert.Equal(t, c.want.RatString(), in.Value(s).RatString(), "period %d", s.Period)
		})
	}
}

func TestPeriodicExclusiveByHand(t *testing.T) {
	// Two jobs of 6 ticks an iteration and two GPUs each; the second finds
	// no GPUs left.
	two := []instance.JobSpec{{Workers: 2}, {Workers: 2}}
	in := periodicByHand(t, instance.Throughput, 3, 0, two...).FullDepth()
	s := planPeriodic(t, whole, in, 1)
	assert.Equal(t, "1/6", in.Value(s).RatString())
	assert.Empty(t, s.Residency[1])

	in = periodicByHand(t, instance.MaxMinThroughput, 3, 0, two...).FullDepth()
	assert.Zero(t, in.Value(planPeriodic(t, whole, in, 1)).Sign())

	in = periodicByHand(t, instance.MaxMinThroughput, 4, 0, two...).FullDepth()
	assert.Equal(t, "1", in.Value(planPeriodic(t, whole, in, 1)).RatString())
}

// TestPeriodicOptimum compares with brute force on tiny instances.
func TestPeriodicOptimum(t *testing.T) {
	instances := instancetest.Many(400, 25)
	gaps, worst, solved, same := 0.0, 0.0, 0, 0
	for seed := range instances {
		in := instancetest.Random(rand.New(rand.NewPCG(uint64(seed), 7)), instancetest.Options{Objective: instance.Throughput})
		optimum, _, status := instancetest.OptimumWithin(in, 300_000)
		s := planPeriodic(t, Greedy, in, uint64(seed))
		full := in.FullDepth()
		planPeriodic(t, whole, full, uint64(seed))
		if status != instancetest.Optimal {
			continue
		}
		solved++
		value := in.Value(s)
		require.LessOrEqual(t, value.Cmp(optimum), 0, "seed %d: %v is above the optimum %v", seed, value, optimum)
		if value.Cmp(optimum) == 0 {
			same++
			continue
		}
		gap, _ := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Quo(value, optimum)).Float64()
		t.Logf("seed %d: %v of %v", seed, value.RatString(), optimum.RatString())
		gaps += gap
		worst = max(worst, gap)
	}
	require.Positive(t, solved)
	t.Logf("%d of %d solved, %d at the optimum, mean gap %.2f %%, greatest %.1f %%",
		solved, instances, same, 100*gaps/float64(solved), 100*worst)
	assert.Less(t, gaps/float64(solved), 0.01, "mean gap to the optimum")
}

// ceiling is an upper bound on the value of plans.
func ceiling(in *instance.Instance) float64 {
	chain, _ := area.Chain(in).Value.Float64()
	work, _ := area.Bound(in).Value.Float64()
	return min(chain, work)
}

// periodicMediums calls check with the instances of mediums, without releases
// and deadlines.
func periodicMediums(t testing.TB, check func(name string, seed uint64, in *instance.Instance)) {
	all := heuristicstest.Mediums()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := all[name]
		m.Releases, m.Deadlines = false, false
		if testing.Short() {
			if name != "limits" && name != "thin gangs" {
				continue
			}
			m.Jobs /= 2
		}
		m.Objective = instance.Throughput
		check(name, 0, m.Instance(t, 0))
	}
}

// TestPeriodicMedium checks the sandwich exclusive <= greedy <= ceiling.
func TestPeriodicMedium(t *testing.T) {
	if testing.Short() {
		t.Skip("the full tier schedules medium instances")
	}
	periodicMediums(t, func(name string, seed uint64, in *instance.Instance) {
		greedy := planPeriodic(t, Greedy, in, seed)
		full := in.FullDepth()
		interleaved := planPeriodic(t, Greedy, full, seed)
		exclusive := planPeriodic(t, whole, full, seed)
		of := func(s *instance.Schedule) float64 {
			v, _ := in.Value(s).Float64()
			return v / ceiling(in)
		}
		t.Logf("%-10s %d %-18s of the ceiling: greedy %.3f, interleaved %.3f, exclusive %.3f; period %d, %d tasks",
			name, seed, in.Objective, of(greedy), of(interleaved), of(exclusive), greedy.Period, len(greedy.Tasks))
		assert.LessOrEqual(t, of(greedy), 1.0)
		assert.LessOrEqual(t, of(exclusive), 1.0)
	})
}

func TestPeriodicDeterministic(t *testing.T) {
	m := heuristicstest.Mediums()["limits"]
	m.Releases, m.Deadlines, m.Jobs, m.Objective = false, false, 8, instance.Throughput
	in := m.Instance(t, 3)
	assert.Equal(t, planPeriodic(t, Greedy, in, 5), planPeriodic(t, Greedy, in, 5))
	assert.Equal(t, planPeriodic(t, whole, in, 5), planPeriodic(t, whole, in, 5))
}

func TestPeriodicCancelled(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Objective = instance.Throughput
	in := m.Instance(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var last *instance.Schedule
	s, err := Greedy(ctx, state.Options{Improved: func(s *instance.Schedule) {
		require.Empty(t, check.Schedule(in, s))
		last = s
		cancel()
	}}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Equal(t, last, s, "what was found before the end")
	_, err = Greedy(ctx, state.Options{}, in, heuristicstest.Source(1))
	require.ErrorIs(t, err, context.Canceled)
}

func TestPeriodicImproves(t *testing.T) {
	m := heuristicstest.Mediums()["thin"]
	m.Jobs, m.Objective = 8, instance.Throughput
	in := m.Instance(t, 1)
	var last *big.Rat
	s, err := Greedy(t.Context(), state.Options{Improved: func(s *instance.Schedule) {
		v := in.Value(s)
		require.True(t, last == nil || v.Cmp(last) > 0)
		last = v
	}}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Zero(t, last.Cmp(in.Value(s)))
}

// TestPeriodicEmpty: without memory for any job, only the empty plan exists.
func TestPeriodicEmpty(t *testing.T) {
	in := periodicByHand(t, instance.Throughput, 2, 1<<29, instance.JobSpec{Workers: 2})
	for _, plan := range []periodicPlanner{Greedy, whole} {
		s := planPeriodic(t, plan, in, 1)
		assert.Equal(t, instance.Tick(1), s.Period)
		assert.Zero(t, in.Value(s).Sign())
	}
}

// TestPeriodicLongPeriods: cost depends on the number of intervals, not of ticks.
func TestPeriodicLongPeriods(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Objective = instance.Throughput
	spec := m.Spec(heuristicstest.Source(1))
	spec.TickUS = 1 // periods of several hundred thousand ticks
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	s := planPeriodic(t, Greedy, in, 1)
	assert.Greater(t, s.Period, instance.Tick(20_000))
}

func TestCyclicTimelines(t *testing.T) {
	// Random reservations against arrays of ticks.
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		period := instance.Tick(1 + rng.IntN(30))
		w := gpuCycle{period: period}
		l := linkCycle{period: period, capacity: 3}
		busy := make([]bool, period)
		used := make([]instance.Rate, period)
		free := func(start, length instance.Tick) bool {
			for t := start; t < start+length; t++ {
				if busy[t%period] {
					return false
				}
			}
			return length <= period
		}
		room := func(start, length instance.Tick, rate instance.Rate) bool {
			for t := start; t < start+length; t++ {
				if used[t%period]+rate > 3 {
					return false
				}
			}
			return length <= period
		}
		for range 12 {
			t0, length := instance.Tick(rng.IntN(70)), instance.Tick(1+rng.IntN(8))
			want := instance.Tick(-1)
			for s := t0; s < t0+period && want < 0; s++ {
				if free(s, length) {
					want = s
				}
			}
			got, ok := w.first(t0, length)
			require.Equal(t, want >= 0, ok)
			if ok {
				require.Equal(t, want, got)
			}

			limit := t0 + instance.Tick(rng.IntN(int(period)+1))
			last := instance.Tick(-1)
			for s := t0; s+length <= limit; s++ {
				if free(s, length) {
					last = s
				}
			}
			late, ok := w.within(t0, limit, length, true)
			require.Equal(t, last >= 0, ok)
			snug, found := w.within(t0, limit, length, false)
			require.Equal(t, ok, found)
			if ok {
				require.Equal(t, last, late)
				require.True(t, free(snug, length) && snug >= t0 && snug+length <= limit)
				w.add(snug, length)
				for s := snug; s < snug+length; s++ {
					busy[s%period] = true
				}
			}

			rate := instance.Rate(1 + rng.IntN(3))
			want = -1
			for s := t0; s < t0+period && want < 0; s++ {
				if room(s, length, rate) {
					want = s
				}
			}
			start, ok := l.first(t0, length, rate)
			require.Equal(t, want >= 0, ok)
			if ok {
				require.Equal(t, want, start)
				l.add(start, length, rate)
				for s := start; s < start+length; s++ {
					used[s%period] += rate
				}
			}
		}
	}
}

func benchmarkPeriodic(b *testing.B, m heuristicstest.Medium) {
	m.Objective = instance.Throughput
	for _, seed := range []uint64{1, 2} {
		in := m.Instance(b, seed)
		for n, plan := range []periodicPlanner{Greedy, Greedy, whole} {
			on := in
			if n > 0 {
				on = in.FullDepth()
			}
			b.Run(fmt.Sprintf("%s/%s/seed%d", in.Objective, []string{"greedy", "interleaved", "exclusive"}[n], seed), func(b *testing.B) {
				var s *instance.Schedule
				for b.Loop() {
					s = planPeriodic(b, plan, on, seed)
				}
				value, _ := in.Value(s).Float64()
				b.ReportMetric(value/ceiling(in), "of-ceiling")
				b.ReportMetric(float64(len(s.Tasks)), "tasks")
			})
		}
	}
}

func BenchmarkPeriodic(b *testing.B) {
	b.Run("64x40", func(b *testing.B) {
		benchmarkPeriodic(b, heuristicstest.Medium{Racks: 2, Nodes: 4, GPUs: 8, Jobs: 40, Iterations: 1, NIC: 100e9})
	})
	b.Run("1024x1000", func(b *testing.B) {
		benchmarkPeriodic(b, heuristicstest.Medium{Racks: 8, Nodes: 16, GPUs: 8, Jobs: 1000, Iterations: 1, NIC: 100e9})
	})
	b.Run("10240x3000", func(b *testing.B) {
		benchmarkPeriodic(b, heuristicstest.Medium{Racks: 32, Nodes: 40, GPUs: 8, Jobs: 3000, Iterations: 1, NIC: 100e9})
	})
}

// TestPeriodicWholeAtAnyLimit: whole jobs have a plan even if the context has ended,
// and everything that need not exist at any limit ends with it.
func TestPeriodicWholeAtAnyLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, objective := range []instance.Objective{instance.Throughput, instance.MaxMinThroughput} {
		in := instancetest.Random(rand.New(rand.NewPCG(3, 1)), instancetest.Options{Jobs: 6, GPUs: 8, Workers: 3, Objective: objective})
		s, err := Whole(ctx, in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		assert.NotEmpty(t, s.Tasks)
		_, err = Exclusive(ctx, in)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// TestResidencesEndWithTheirContext: no more GPUs are chosen.
func TestResidencesEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := instancetest.Random(rand.New(rand.NewPCG(3, 1)), instancetest.Options{Jobs: 6, GPUs: 8, Workers: 3, Objective: instance.Throughput})
	counts := state.CheapestMultisets(in)
	assert.Empty(t, assignJobs(ctx, in, counts, inTurn(in, counts)))
	assert.NotEmpty(t, assignJobs(context.Background(), in, counts, inTurn(in, counts)))
}

// TestShortPeriodsWithoutPlans: two jobs on two nodes are limited by a link that they use in turn.
// Periods too short for a synchronisation, of which there are many, do not keep the search from the
// best one.
func TestShortPeriodsWithoutPlans(t *testing.T) {
	job := func(name string) instance.JobSpec {
		return instance.JobSpec{Name: name, Model: "flat", Workers: 2, SPB: instance.SPBSpec{Cuts: 2}}
	}
	in, err := instance.Compile(&instance.Spec{
		Version: instance.Version, Objective: instance.Throughput, MaxPeriod: 64e6, Profiles: []*instance.Profile{flatProfile(14_000)},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 1, GPU: "a", NIC: 8e6, Fabric: 8e6}},
		},
		Jobs: []instance.JobSpec{job("a"), job("b")},
	}, nil)
	require.NoError(t, err)
	s := planPeriodic(t, Greedy, in, 1)
	require.Equal(t, big.NewRat(2, 42), in.Value(s), "21 ticks of the link for each")
}
