package horizon_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/horizon"
	"jigsaw/heuristics/queue"
)

// TestScaled: plans of a fraction of the iterations are valid when scaled up, where memory is short, jobs are loaded, released
// later or due, and reproducible.
func TestScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	made, short := 0, 0
	for n := range instancetest.Many(120, 8) {
		in := heuristicstest.Queueing(rng, instance.WeightedCompletion)
		if n%4 == 0 {
			in.Residence = instance.WholePlan
		}
		for _, alike := range in.Classes() {
			iterations := 1 + rng.IntN([]int{10, 300, 30_000}[n%3])
			for _, j := range alike {
				in.Jobs[j].Iterations = iterations
				if n%5 == 0 {
					in.Jobs[j].Deadline = instance.Tick(iterations) * in.Jobs[j].FastestFull() * instance.Tick(len(in.Jobs))
				}
			}
		}
		plan := func() (*instance.BlockSchedule, error) {
			return horizon.Config{Rounds: 1}.Scaled(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
		}
		s, err := plan()
		if err != nil {
			continue
		}
		made++
		require.Empty(t, check.Blocks(in, s), "%d", n)
		if s.Tasks() < 2000 {
			short++
			written, err := s.Expand(in)
			require.NoError(t, err)
			require.Empty(t, check.Schedule(in, written), "%d", n)
		}
		if n%4 == 3 {
			again, err := plan()
			require.NoError(t, err)
			require.Equal(t, s, again)
		}
	}
	t.Logf("%d plans, %d of them short", made, short)
	require.Greater(t, made, instancetest.Many(60, 4))
	require.Positive(t, short)
}

// TestScaledBundles: workers of two GPUs each, of which memory holds two jobs at once.
func TestScaledBundles(t *testing.T) {
	document, err := codec.Decode([]byte(`
version: 1
objective: weighted_completion
residence: run
cluster: {gpu_types: [{name: v, memory: 1GB}], racks: [{nodes: 2, gpus: 4, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}]}
profiles: [{model: pair, gpu: v, gpus: 2, batch: 1, layers: [{name: a, forward: 2ms, backward: 3ms, parameters: 1MB, activations: 1MB}]}]
jobs:
  - {name: wide, model: pair, workers: 4, iterations: 3000, gpus_per_worker: 2}
  - {name: one, model: pair, workers: 1, iterations: 5000, gpus_per_worker: 2}
  - {name: two, model: pair, workers: 2, iterations: 2000, gpus_per_worker: 2, weight: 3}
  - {name: more, model: pair, workers: 2, iterations: 4000, gpus_per_worker: 2}
`))
	require.NoError(t, err)
	in, err := document.Compile(nil)
	require.NoError(t, err)
	for j := range in.Jobs {
		in.Jobs[j].On[0].Persistent = 450 << 20
	}
	s, err := horizon.Config{Rounds: 1}.Scaled(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Blocks(in, s))
}

// TestGroupedNights: where some workers have two GPUs and share them with workers of one, their tasks still start together.
func TestGroupedNights(t *testing.T) {
	made := 0
	for n := range instancetest.Many(6, 1) {
		rng := rand.New(rand.NewPCG(uint64(n), 41))
		spec := heuristicstest.NightSpec(2+n%2, 16, 20_000, instance.Makespan)
		for _, p := range spec.Profiles {
			pair := *p
			pair.GPUs = 2
			spec.Profiles = append(spec.Profiles, &pair)
		}
		for j := range spec.Jobs {
			job := &spec.Jobs[j]
			job.Workers = min(job.Workers, 8)
			if job.Workers > 1 && j%3 == 0 {
				job.Workers, job.GPUsPerWorker = job.Workers/2, 2
			}
			if n%2 == 1 {
				job.Release = instance.Duration(rng.Int64N(3600 * 1e9))
			}
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		c := horizon.Config{Rounds: 1, Quick: true}
		for what, plan := range map[string]func(context.Context, *instance.Instance, *rand.Rand) (*instance.BlockSchedule, error){
			"cells": c.Cells, "arrivals": c.Arrivals, "scaled": c.Scaled,
		} {
			s, err := plan(t.Context(), in, rand.New(rand.NewPCG(uint64(n), 42)))
			if err == nil { // arrivals have no pattern if pairs of GPUs overlap
				require.Empty(t, check.Blocks(in, s), "%d: %s", n, what)
				made++
			}
		}
	}
	require.Positive(t, made)
}

// TestFollowsKeys: memory holds one of two jobs, and the one that is worth more per tick goes first.
func TestFollowsKeys(t *testing.T) {
	in := heuristicstest.Compiled(t, `
objective: weighted_completion
residence: run
cluster: {gpu_types: [{name: v, memory: 1GB}], racks: [{nodes: 1, gpus: 1, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}]}
jobs: [{name: long, model: m, workers: 1, iterations: 90000}, {name: short, model: m, workers: 1, iterations: 30000}]
`)
	for j := range in.Jobs {
		in.Jobs[j].On[0].Persistent = 600 << 20
	}
	s, err := horizon.Config{Rounds: 1}.Scaled(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Blocks(in, s))
	from, to := s.Spans(in)
	require.Zero(t, from[1])
	require.GreaterOrEqual(t, from[0], to[1])
}

// TestScaledNight: on a small night they have less weighted completion than units that queue.
func TestScaledNight(t *testing.T) {
	in := heuristicstest.Night(t, 4, 24, 60_000, instance.WeightedCompletion)
	s, err := horizon.Config{Rounds: 1}.Scaled(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Blocks(in, s))
	queue, _, err := queue.Search{Rounds: 300}.Orders(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	v, _ := in.Value(s).Float64()
	units, _ := in.Value(queue).Float64()
	t.Logf("%.3f of units that queue", v/units)
	require.Less(t, v, units)
}

// TestScaledReleased: jobs that are released one after the other, and all find memory, end together, and sooner than cells, whose jobs start
// when the last of them is released.
func TestScaledReleased(t *testing.T) {
	in := heuristicstest.Night(t, 4, 24, 60_000, instance.Makespan)
	rng := rand.New(rand.NewPCG(19, 32))
	for j := range in.Jobs {
		in.Jobs[j].Release = instance.Tick(rng.IntN(2 * 3600 * 1000))
	}
	in.Types[0].Memory = 1 << 45
	s, err := horizon.Config{Rounds: 1}.Scaled(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Blocks(in, s))
	inCells, err := cells(horizon.Config{Quick: true}, in)
	require.NoError(t, err)
	_, ends := s.Spans(in)
	mean := 0.0
	for _, end := range ends {
		mean += float64(end) / float64(len(ends))
	}
	t.Logf("%v, jobs end after %.2f of it in the mean; cells %v", in.Duration(s.Makespan(in)), mean/float64(s.Makespan(in)), in.Duration(inCells.Makespan(in)))
	require.Less(t, s.Makespan(in), inCells.Makespan(in))
	require.Greater(t, mean/float64(s.Makespan(in)), 0.92)
}

// TestScaledStarts: of several plans to start from the one counts whose simulation is best.
func TestScaledStarts(t *testing.T) {
	t.Parallel()
	in := heuristicstest.Night(t, 4, 40, 40_000, instance.Makespan)
	search := horizon.Config{Quick: true}
	cells, err := search.Cells(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	arrivals, err := search.Arrivals(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	from := func(plans ...*instance.BlockSchedule) instance.Tick {
		search := search
		search.Starts = plans
		s, err := search.Scaled(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, s))
		return s.Makespan(in)
	}
	a, b := from(cells), from(arrivals)
	t.Logf("%d from cells, %d from arrivals, %d from neither", a, b, from())
	require.NotEqual(t, a, b)
	require.Less(t, min(a, b), from())
	require.Equal(t, min(a, b), from(cells, arrivals))
	require.Equal(t, min(a, b), from(arrivals, cells))
}
