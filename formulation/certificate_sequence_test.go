package formulation

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrdersWithoutMemory: where there is no memory for more states, nothing is proven.
func TestOrdersWithoutMemory(t *testing.T) {
	seen := 0
	for seed := range uint64(60) {
		p, node, best, ok := decidedTree(seed)
		if !ok {
			continue
		}
		s, ok := p.m.nodeMaster(node, p.ways, best, 1)
		if !ok {
			continue
		}
		for _, q := range s.sequencings(node, best) {
			e := sequenceExaminer{ctx: context.Background(), sequencing: q, most: best, steps: 1 << 24}
			if _, ok := e.examine(); !ok || e.held == 0 {
				continue
			}
			require.Less(t, e.held, 1<<20)
			short := sequenceExaminer{ctx: context.Background(), sequencing: q, most: best, steps: 1 << 24, held: mostHeld - e.held + 1}
			_, ok := short.examine()
			require.False(t, ok, "seed %d", seed)
			require.Negative(t, short.steps)
			seen++
		}
	}
	require.Greater(t, seen, 10)
}

// TestOrdersWithoutSteps: where there are no steps for all orders, nothing is proven.
func TestOrdersWithoutSteps(t *testing.T) {
	engine, seen := liveEngine(t), 0
	for seed := range uint64(20) {
		p, _, _, ok := decidedTree(seed)
		if !ok {
			continue
		}
		r, err := BranchAndPrice(context.Background(), p.in, engine, TreeLimits{Start: p.limits.Start})
		require.NoError(t, err)
		proof := r.Bound.Proof(p.in)
		if !slices.ContainsFunc(proof.Tree, func(n ProofNode) bool { return len(n.Sets) > 0 }) {
			continue
		}
		m := newModel(p.in)
		m.ctx = context.Background()
		require.NoError(t, m.proveTree(&Bound{}, proof, proofSteps))
		if err := m.proveTree(&Bound{}, proof, 0); err != nil { // but for jobs that alone end too late
			require.ErrorIs(t, err, errOrders, "seed %d", seed)
			seen++
		}
	}
	require.Positive(t, seen)
}
