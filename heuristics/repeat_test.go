package heuristics

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/periodic"
	"jigsaw/method"
)

// TestRepeated: plans for the least rate are valid, none better than the optimum by brute force, and
// most of those that are searched for reach it.
func TestRepeated(t *testing.T) {
	seeds := instancetest.Many(uint64(150), 6)
	known, optimal := 0, 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: instance.MaxMinThroughput})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		start, err := Greedy(t.Context(), in, heuristicstest.Source(seed))
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, start), "seed %d", seed)
		if status != instancetest.Optimal {
			continue
		}
		known++
		s, err := Config{Rounds: 4, Stop: func(v *big.Rat) bool { return v.Cmp(want) == 0 }}.Improve(t.Context(), in, heuristicstest.Source(seed), start)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s), "seed %d", seed)
		got := in.Value(s)
		require.False(t, in.Objective.Better(got, want), "seed %d", seed)
		if got.Cmp(want) == 0 {
			optimal++
		} else {
			t.Logf("seed %d: greedy %v, searched %v, optimum %v", seed, in.Value(start).RatString(), got.RatString(), want.RatString())
		}
	}
	t.Logf("%d of %d optimal", optimal, known)
	assert.Positive(t, known)
	assert.GreaterOrEqual(t, float64(optimal), 0.9*float64(known))
}

// TestRepeatedGroups: a worker of two GPUs shares them with two jobs. Its tasks still start together if one of them has to wait
// so that the period becomes shorter.
func TestRepeatedGroups(t *testing.T) {
	document, err := codec.Decode([]byte(`
version: 1
objective: throughput
cluster: {gpu_types: [{name: v, memory: 1GB}], racks: [{nodes: 1, gpus: 2, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}]}
profiles:
  - {model: pair, gpu: v, gpus: 2, batch: 1, layers: [{name: a, forward: 2ms, backward: 3ms}]}
  - {model: long, gpu: v, batch: 1, layers: [{name: a, forward: 3ms, backward: 4ms}]}
  - {model: short, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 1ms}]}
jobs: [{name: pair, model: pair, workers: 1, gpus_per_worker: 2}, {name: long, model: long, workers: 1}, {name: short, model: short, workers: 1}]
`))
	require.NoError(t, err)
	in, err := document.Compile(nil)
	require.NoError(t, err)
	s := &instance.Schedule{
		Residency: [][]instance.GPUID{{0, 1}, {0}, {1}},
		Tasks:     []instance.Task{in.Task(0, 1, 0, 0, 7), in.Task(0, 1, 1, 0, 7), in.Task(1, 1, 0, 0, 0), in.Task(1, 2, 0, 0, 20), in.Task(2, 1, 1, 0, 0)},
		Syncs:     []instance.Sync{{Job: 0, Iteration: 1, Start: 12, End: 12, Rate: 1}},
	}
	plan := periodic.Repeated(in, s)
	require.Empty(t, check.Schedule(in, plan))
	assert.Equal(t, instance.Tick(19), plan.Period, "two iterations of the longer job, and the worker")
}

// TestRepeatedHelps: if jobs of different lengths share GPUs, plans for the least rate gain.
func TestRepeatedHelps(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Jobs, m.Objective = 12, instance.MaxMinThroughput
	in := m.Instance(t, 1)
	whole, err := Config{Without: method.Set{method.Repetition: true}}.Greedy(t.Context(), in, heuristicstest.Source(1))
	require.NoError(t, err)
	s, err := Config{Quick: true}.Greedy(t.Context(), in, heuristicstest.Source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	t.Logf("whole jobs %v, repeated %v", in.Value(whole).FloatString(4), in.Value(s).FloatString(4))
	assert.True(t, in.Objective.Better(in.Value(s), in.Value(whole)))
	same, err := Config{Rounds: 1, Without: method.Set{method.Repetition: true}}.Improve(t.Context(), in, heuristicstest.Source(1), whole)
	require.NoError(t, err)
	assert.Same(t, whole, same)
}

// TestPattern: patterns are in proportion and waste no more than others of the same size.
func TestPattern(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Jobs = 4
	in := m.Instance(t, 1)
	assert.Equal(t, []int{20, 40, 10, 60}, Pattern(in, []float64{2, 4, 1, 6}, 60))
	assert.Equal(t, []int{1, 1, 1, 1}, Pattern(in, []float64{3, 2, 1, 1e-9}, 1))

	want := []float64{math.Pi, math.E, 1, 0.1}
	waste := func(r []int) float64 {
		repeats, work := 0.0, 0.0
		for j := range r {
			repeats = max(repeats, want[j]/float64(r[j]))
			work += float64(in.Jobs[j].Workers) * float64(in.Jobs[j].FastestFull()) * float64(r[j])
		}
		return repeats * work
	}
	const most = 9
	best := Pattern(in, want, most)
	assert.LessOrEqual(t, best[0], most)
	assert.GreaterOrEqual(t, 2*best[0], most)
	for a := (most + 1) / 2; a <= most; a++ {
		for b := 1; b <= most; b++ {
			for c := 1; c <= most; c++ {
				assert.LessOrEqual(t, waste(best), waste([]int{a, b, c, 1})*(1+1e-9))
			}
		}
	}
}

// TestFirstPattern: the first pattern fits into the longest period, though a slow link makes iterations far longer than they look.
func TestFirstPattern(t *testing.T) {
	in := heuristicstest.Compiled(t, `
objective: max_min_throughput
max_period: 1s
cluster:
  gpu_types: [{name: v, memory: 1GiB}]
  switches: [{name: a}, {name: b}]
  nodes:
    - {name: n, switch: a, gpus: 1, gpu: v, nic: 80Mbit/s, fabric: 80Mbit/s}
    - {name: o, switch: b, gpus: 1, gpu: v, nic: 80Mbit/s, fabric: 80Mbit/s}
  links: [{from: a, to: b, rate: 800kbit/s}]
jobs:
  - {name: j, model: m, workers: 2, iterations: 1}
`)
	r := Config{}.newRepeater(t.Context(), in, heuristicstest.Source(1))
	require.True(t, r.begin(mostRepeated))
	plan := r.plan()
	require.NotNil(t, plan)
	require.Empty(t, check.Schedule(in, plan))
}
