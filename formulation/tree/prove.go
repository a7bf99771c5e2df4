package tree

import (
	"context"
	"math"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/trees"
	"jigsaw/solver/colgen"
)

// attempt is one way to prove that a node holds nothing better than the target: with prices
// in a number of buckets or, if orders is set, by sequencings within a number of steps.
type attempt struct {
	orders  bool
	buckets int64
	steps   int
}

// midSteps limits sequencings before a linear program with prices for each tick.
const midSteps = 50_000

// attempts lists what is tried at a node, in this order, with prices in some of these numbers of
// buckets. For weighted completion, linear programs are nearly exact once homes are decided, and
// sequencings cost more the closer a target is to the optimum, so they come last; at nodes whose
// ends are split, too, more than a few steps prove nothing, nor do few prices. For makespan it is the other way
// round, as long as links do not matter.
func (t *search) attempts(n *cases.Node, buckets []int64) (list []attempt) {
	effort := t.effort(n)
	few, some, each := attempt{buckets: nodeBuckets[0]}, attempt{buckets: nodeBuckets[1]}, attempt{buckets: nodeBuckets[2]}
	mid, long := attempt{orders: true, steps: min(effort, midSteps)}, attempt{orders: true, steps: effort}
	switch {
	case t.in.Objective == instance.WeightedCompletion && n.Decided() && !settled(n):
		list = []attempt{some, each}
	case t.in.Objective == instance.WeightedCompletion && n.Decided():
		list = []attempt{few, some, mid, each, long}
	case settled(n) && !t.linked:
		list = []attempt{long, some, each}
	default:
		list = []attempt{few, long, some, each}
	}
	return slices.DeleteFunc(list, func(a attempt) bool { return !a.orders && (t.long || !slices.Contains(buckets, a.buckets)) })
}

// prove makes the attempts at a node until one succeeds, which sets at.proof. It returns the
// outcome of the last linear program.
func (t *search) prove(ctx context.Context, at *node, buckets []int64, before *leafProof) (n solved, err error) {
	n.outcome.Bound = -unproven
	for _, a := range t.attempts(at.node, buckets) {
		if a.orders {
			at.proof = t.sequences(ctx, at.node, a.steps)
		} else {
			if n, err = t.close(ctx, at, a.buckets, before); err == nil && at.proof == nil && a.buckets == 0 {
				err = t.yield(ctx, at)
			}
			before = nil
		}
		if err != nil || at.proof != nil {
			return n, err
		}
	}
	if t.long && at.node.Decided() {
		at.proof, err = t.lower(ctx, at.node)
	}
	return n, err
}

// yield lowers the target to what the linear program of a node proves, if that is above what
// is proven for all nodes: the other nodes are closed sooner, and with the next target the
// node is split. It is used once all homes are decided, when sum w C loses little by it.
func (t *search) yield(ctx context.Context, at *node) error {
	if t.in.Objective != instance.WeightedCompletion || !at.node.Decided() || at.yielded {
		return nil
	}
	at.yielded = true
	s, ok := newNodeSearch(t.m, at.node, t.modes, t.target, 0)
	if !ok {
		return nil
	}
	opt := colgen.Options{Smoothing: bound.Smoothing, Gap: 1e-6}
	result, _, err := t.generate(ctx, at, s, opt, math.Inf(1), 0)
	if err != nil || result.Prices == nil {
		return err
	}
	aimed, lower := t.target, int64(math.Ceil(result.Bound*s.Unit-margin))
	if lower <= t.proven || lower >= t.target {
		return nil
	}
	t.target = lower
	warm := &leafProof{Leaf: trees.Leaf{Buckets: 0, Scale: s.Scale, Prices: s.Flat(s.Prices(result.Prices))}}
	if _, err = t.close(ctx, at, 0, warm); at.proof == nil {
		t.target = aimed
	}
	return err
}
