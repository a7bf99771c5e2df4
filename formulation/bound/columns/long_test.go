package columns_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/verify"
)

// TestManyIterations: bounds of jobs of one worker each on one GPU, whose optimum is Smith's order, are as close to it whatever
// the number of iterations.
func TestManyIterations(t *testing.T) {
	t.Parallel()
	engine := boundtest.LiveEngine(t)
	for _, iterations := range []int{10_000_000, 333_000_000} {
		spec := boundtest.TwoNodes(1,
			instance.JobSpec{Name: "a", Model: "four", Workers: 1, Iterations: iterations, Weight: 3},
			instance.JobSpec{Name: "b", Model: "four", Workers: 1, Iterations: 2 * iterations, Weight: 5},
			instance.JobSpec{Name: "c", Model: "four", Workers: 1, Iterations: 3 * iterations, Weight: 7},
		)
		spec.Objective, spec.Cluster.Racks[0].Nodes = instance.WeightedCompletion, 1
		in := boundtest.Compile(t, spec)
		b, err := columns.Bound(context.Background(), in, engine, columns.Limits{Work: 4_000_000_000})
		require.NoError(t, err)
		p := int64(in.Jobs[0].On[0].Time[in.Jobs[0].Full()])
		optimum := new(big.Rat).SetInt64(int64(iterations) * p * (1*3 + 3*5 + 6*7))
		require.LessOrEqual(t, b.Value.Cmp(optimum), 0)
		ratio, _ := new(big.Rat).Quo(b.Value, optimum).Float64()
		assert.Greater(t, ratio, 0.96, "%d iterations", iterations)
		checked, err := verify.Certificate(context.Background(), in, b.Proof(in))
		require.NoError(t, err)
		require.Zero(t, checked.Value.Cmp(b.Value))
	}
}
