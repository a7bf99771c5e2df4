package jigsaw_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/method"
)

// TestArrivals: makespans of jobs that are released over hours, and wait for memory, are less where jobs are admitted as they come.
func TestArrivals(t *testing.T) {
	t.Parallel()
	in := heuristicstest.Night(t, 4, 60, 40_000, instance.Makespan)
	rng := rand.New(rand.NewPCG(26, 12))
	for j := range in.Jobs {
		in.Jobs[j].Release = instance.Tick(rng.IntN(8 * 3600 * 1000))
	}
	plan := func(without method.Set) *jigsaw.Result {
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true, Quick: true, Without: without})
		require.NoError(t, err)
		requirePlanInBlocks(t, r)
		return r
	}
	alone := method.Set{method.Scaling: true} // a fraction of the iterations is better here
	with, without := plan(alone), plan(method.Set{method.Scaling: true, method.Arrivals: true})
	t.Logf("gaps of %.3f and %.3f", with.Gap(), without.Gap())
	require.Negative(t, with.Primal.Cmp(without.Primal))
	require.Negative(t, with.InterleavedFull.Value.Cmp(without.InterleavedFull.Value), "the baseline gains, too")
	require.Equal(t, with.Blocks, plan(alone).Blocks, "same seed, same plan")
	require.LessOrEqual(t, plan(nil).Primal.Cmp(with.Primal), 0)
}

// TestMoreWorkIsNoWorse: a longer search goes on from the quick plan.
func TestMoreWorkIsNoWorse(t *testing.T) {
	t.Parallel()
	in := heuristicstest.Night(t, 4, 60, 40_000, instance.Makespan)
	quick, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true, Quick: true})
	require.NoError(t, err)
	longer, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	requirePlanInBlocks(t, longer)
	require.LessOrEqual(t, longer.Primal.Cmp(quick.Primal), 0)
}

// TestNothingToGain: where whole jobs in the best order reach the bound, nothing else is searched for, whatever the time limit.
func TestNothingToGain(t *testing.T) {
	t.Parallel()
	in := compiled(t, `
version: 1
objective: makespan
residence: run
cluster: {gpu_types: [{name: v100, memory: 32GiB}], racks: [{nodes: 1, gpus: 3, gpu: v100, nic: 25Gbit/s, fabric: 300Gbit/s}]}
jobs:
  - {name: first, model: gnmt, workers: 1, iterations: 1000000}
  - {name: both, model: resnet50, workers: 2, iterations: 100000, spb: {rule: free, min_mean_depth: 0.9}}
  - {name: long, model: gnmt, workers: 1, iterations: 5000000}
`)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := jigsaw.Plan(ctx, in, jigsaw.Options{NoLP: true, Time: time.Hour})
	require.NoError(t, err)
	require.NoError(t, ctx.Err(), "it goes on to the end of the limit")
	requirePlanInBlocks(t, r)
	require.Equal(t, jigsaw.Optimal, r.Status)
	require.Zero(t, r.Exclusive.Value.Cmp(r.InterleavedFull.Value))
	require.Positive(t, r.Queue.Value.Cmp(r.Exclusive.Value), "first come, first served is not enough")
}
