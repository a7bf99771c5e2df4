package tree

import (
	"context"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/trees"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrdersWithoutSteps: without steps for all orders, nothing is proven.
func TestOrdersWithoutSteps(t *testing.T) {
	engine, seen := boundtest.LiveEngine(t), 0
	for seed := range uint64(20) {
		p, _, _, ok := decidedTree(seed)
		if !ok {
			continue
		}
		r, err := BranchAndPrice(context.Background(), p.in, engine, Limits{Start: p.limits.Start})
		require.NoError(t, err)
		proof := r.Bound.Proof(p.in)
		if !slices.ContainsFunc(proof.Tree, func(n relax.ProofNode) bool { return len(n.Sets) > 0 }) {
			continue
		}
		m := relax.New(p.in)
		m.Context = context.Background()
		require.NoError(t, trees.Prove(m, &relax.Proven{}, proof, trees.ProofSteps))
		if err := trees.Prove(m, &relax.Proven{}, proof, 0); err != nil { // except for jobs that alone end too late
			require.ErrorIs(t, err, trees.ErrOrders, "seed %d", seed)
			seen++
		}
	}
	require.Positive(t, seen)
}
