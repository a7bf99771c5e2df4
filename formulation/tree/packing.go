package tree

import (
	"context"

	"jigsaw/formulation/bound/packing"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/trees"
)

// packed proves by the contents of GPUs that a node, in which some homes are open, holds no
// schedule of a makespan better than the target; nil where it cannot. Where homes are decided
// orders of tasks say all that contents do.
func (t *search) packed(ctx context.Context, n *cases.Node) *leafProof {
	if t.in.Objective != instance.Makespan || n.Decided() || t.target < 2 {
		return nil
	}
	s := packing.NewSearch(t.m, t.target-1, n.Residency())
	r, err := s.Solve(ctx, t.engine, packing.Result{}, t.limits.Solver)
	if err != nil || r.Prices == nil {
		return nil
	}
	proof := &leafProof{Leaf: trees.Leaf{Target: t.target, Scale: packing.PackScale, Prices: r.Prices, Packed: true}}
	var ok bool
	if proof.Value, ok = trees.ProvePacked(t.m, n, &proof.Leaf); !ok {
		return nil
	}
	return proof
}
