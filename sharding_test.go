package jigsaw_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// TestBoundsOfSharding is [TestBoundsOptimumHeuristics] for jobs that shard their states,
// accumulate gradients and keep checkpoints: bounds <= optimum <= plan.
func TestBoundsOfSharding(t *testing.T) {
	per := 100
	if testing.Short() {
		per = 12
	}
	for _, objective := range instance.Objectives() {
		t.Run(string(objective), func(t *testing.T) {
			t.Parallel()
			solved := 0
			for seed := range uint64(per) {
				rng := rand.New(rand.NewPCG(seed, 1910_02054))
				in := sharded(t, rng, instancetest.Options{Objective: objective, Jobs: 2})
				best, _, status := instancetest.Optimum(in)
				if status != instancetest.Optimal {
					continue
				}
				solved++
				r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Seed: seed})
				require.NoError(t, err, "seed %d", seed)
				require.NotEqual(t, jigsaw.Infeasible, r.Status, "seed %d: %v", seed, r.Reasons)
				for _, b := range r.Bounds {
					require.True(t, b.Certified, "seed %d: %s", seed, b.Kind)
					require.False(t, objective.Better(best, b.Value), "seed %d: %s bound %s, optimum %s", seed, b.Kind, b.Value, best)
				}
				if r.Schedule != nil {
					require.Empty(t, check.Schedule(in, r.Schedule), "seed %d", seed)
					require.False(t, objective.Better(r.Primal, best), "seed %d: plan %s, optimum %s", seed, r.Primal, best)
				}
			}
			assert.Greater(t, solved, per/2)
		})
	}
}

// sharded draws a tiny instance and makes its jobs shard their states.
func sharded(t *testing.T, rng *rand.Rand, options instancetest.Options) *instance.Instance {
	t.Helper()
	for range 100 {
		spec := instancetest.RandomSpec(rng, options)
		for _, p := range spec.Profiles {
			for i := range p.Layers {
				p.Layers[i].Input = instance.Bytes(1 + rng.IntN(20))
			}
		}
		for i := range spec.Jobs {
			j := &spec.Jobs[i]
			j.Sharding = []string{"", "zero1", "zero2", "zero3", "zero3"}[rng.IntN(5)]
			j.Accumulate = rng.IntN(3)
			j.Checkpointing = rng.IntN(3) == 0
		}
		if in, err := instance.Compile(spec, nil); err == nil { // memory may be too tight by now
			return in
		}
	}
	t.Fatal("no instance compiles")
	return nil
}
