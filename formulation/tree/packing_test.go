package tree

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

// TestLongSchedules: what the tree proves of schedules that it treats as too long for linear programs
// of every tick is below the optimum of brute force, and more than the chain in some instances.
func TestLongSchedules(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := 3000
	if testing.Short() {
		n = 100
	}
	proven, optimal, packed := 0, 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 15))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		if relax.Infeasible(in) != nil {
			continue
		}
		best, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		r, err := BranchAndPrice(context.Background(), in, engine, Limits{Start: schedule, Nodes: 1000, long: true})
		require.NoError(t, err, "seed %d", seed)
		if r.Bound.Value == nil {
			continue
		}
		require.LessOrEqual(t, r.Bound.Value.Cmp(best), 0, "seed %d: %s, optimum %s", seed, r.Bound.Value, best)
		checked, err := verify.Certificate(context.Background(), in, r.Bound.Proof(in))
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(r.Bound.Value), "seed %d", seed)
		proven++
		if r.Bound.Value.Cmp(best) == 0 {
			optimal++
		}
		for _, p := range r.Bound.Certificate.Tree {
			if p.Kind == relax.PackedKind {
				packed++
				break
			}
		}
	}
	t.Logf("%d bounds, %d of them optimal, %d by contents of GPUs", proven, optimal, packed)
	assert.Greater(t, proven, n/2)
	assert.Greater(t, optimal, n/4)
	assert.Positive(t, packed)
}
