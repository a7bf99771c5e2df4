package columns_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/relax/verify"
)

// TestManyIterations: bounds of jobs of one worker each on one GPU, whose optimum is Smith's order, are as close to it whatever
// the number of iterations.
func TestManyIterations(t *testing.T) {
	t.Parallel()
	engine := boundtest.LiveEngine(t)
	for _, iterations := range []int{10_000_000, 333_000_000} {
		in, optimum := boundtest.SmithsOrder(t, iterations)
		b, err := columns.Bound(context.Background(), in, engine, columns.Limits{Work: 4_000_000_000})
		require.NoError(t, err)
		require.LessOrEqual(t, b.Value.Cmp(optimum), 0)
		ratio, _ := new(big.Rat).Quo(b.Value, optimum).Float64()
		assert.Greater(t, ratio, 0.96, "%d iterations", iterations)
		checked, err := verify.Certificate(context.Background(), in, b.Proof(in))
		require.NoError(t, err)
		require.Zero(t, checked.Value.Cmp(b.Value))
	}
}
