package tree

import (
	"context"
	"errors"

	"jigsaw/formulation/bound/packing"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/trees"
)

// packed proves by the contents of GPUs that a node, in which some homes are undecided, holds
// no schedule of a makespan better than the target; nil if it cannot. Once homes are decided
// orders of tasks prove all that contents do, unless schedules are long.
func (t *search) packed(ctx context.Context, n *cases.Node) *leafProof {
	if t.in.Objective != instance.Makespan || n.Decided() && !t.long || t.target < 2 {
		return nil
	}
	s := packing.NewSearch(t.m, t.target-1, n.Residency())
	r, err := s.Solve(ctx, t.engine, packing.Result{})
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

// errOpen ends a search of long schedules in which a node cannot be closed for any target.
var errOpen = errors.New("formulation: a node of long schedules stays open")

// lower lowers the target to the best value that contents prove for a node of long schedules
// whose homes are decided, if that is above what is proven for all nodes: the tree proves no
// more.
func (t *search) lower(ctx context.Context, n *cases.Node) (*leafProof, error) {
	var best *leafProof
	low, high := t.proven, t.target
	for high-low > 1 && ctx.Err() == nil {
		t.target = (low + high) / 2
		if proof := t.packed(ctx, n); proof != nil {
			best, low = proof, t.target
		} else {
			high = t.target
		}
	}
	if best == nil {
		return nil, errOpen
	}
	t.target, t.lowered = low, true
	return best, nil
}
