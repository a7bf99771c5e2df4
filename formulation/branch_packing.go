package formulation

import (
	"context"
	"math/big"

	"jigsaw/formulation/instance"
)

// packed proves by the contents of GPUs that a node, in which some homes are open, holds no
// schedule of a makespan better than the target; nil where it cannot. Where homes are decided
// orders of tasks say all that contents do.
func (t *treeProblem) packed(ctx context.Context, n *branchNode) *leaf {
	if t.in.Objective != instance.Makespan || n.decided() || t.target < 2 {
		return nil
	}
	s := newPacking(t.m, t.target-1, n)
	r, err := s.solve(ctx, t.engine, packResult{}, t.limits.Solver)
	if err != nil || r.prices == nil {
		return nil
	}
	proof := &leaf{target: t.target, scale: packScale, prices: r.prices, packed: true}
	var ok bool
	if proof.value, ok = t.m.provePacked(n, proof); !ok {
		return nil
	}
	return proof
}

// provePacked proves a leaf by the contents of GPUs.
func (m *model) provePacked(n *branchNode, l *leaf) (value *big.Int, ok bool) {
	if m.in.Objective != instance.Makespan || l.scale < 1 || l.target < 2 {
		return nil, false
	}
	return newPacking(m, l.target-1, n).prove(l.prices)
}
