package tree

import (
	"context"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver/tree"
)

// splitTree lets the search prove an optimum in a tree whose first splits are arbitrary
// valid ones. It returns nil if the search did not close it.
func splitTree(t *testing.T, rng *rand.Rand, in *instance.Instance, optimum *instance.Schedule, depth int) *relax.Certificate {
	p := newTreeProblem(in, boundtest.LiveEngine(t), Limits{Start: optimum})
	require.NotNil(t, p)
	p.goal(nil)
	plans := plansOf(in, optimum)
	closed := true
	var grow func(n *node, depth int)
	grow = func(n *node, depth int) {
		if depth > 0 {
			how := anySplit(n.node, rng, in, plans)
			children, ok := n.node.Children(in, how, cases.MostAssignments)
			require.True(t, ok)
			n.split = &how
			for _, c := range children {
				child := &node{node: c}
				n.children = append(n.children, child)
				grow(child, depth-1)
			}
			return
		}
		r, err := tree.Search(context.Background(), p, n, tree.Options[*node]{Nodes: 200, Cutoff: func() float64 { return float64(p.target) }})
		require.NoError(t, err)
		closed = closed && r.Status == tree.Closed
	}
	grow(p.root, depth)
	if !closed {
		return nil
	}
	c, _ := p.certificate()
	b := relax.Proven{Kind: relax.TreeBound, Certificate: c, Certified: true, Value: &c.Bound.Rat}
	return b.Proof(in)
}

// TestGenuineTrees proves optima in trees with splits of every kind, which the check
// accepts, and then changes single numbers, nodes and prices: what the check still accepts
// is true. Weights go up to 10^9.
func TestGenuineTrees(t *testing.T) {
	n := uint64(120)
	if testing.Short() {
		n = 24
	}
	kinds := map[string]int{}
	proven, changed, believed := 0, 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 86))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		if relax.Infeasible(in) != nil {
			continue
		}
		if seed%4 == 3 {
			for j := range in.Jobs {
				in.Jobs[j].Weight *= 333_333_333
			}
		}
		best, optimum, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		proof := splitTree(t, rng, in, optimum, 1+rng.IntN(4))
		if proof == nil {
			continue
		}
		proven++
		b, err := verify.Certificate(context.Background(), in, proof)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, b.Value.Cmp(best), "seed %d: %s, not %s", seed, b.Value, best)
		for i := range proof.Tree {
			kind := proof.Tree[i].Kind
			if len(proof.Tree[i].Sets) > 0 {
				kind = "orders"
			}
			kinds[kind]++
		}
		for range 40 {
			c := *proof
			c.Tree, c.Prices = slices.Clone(proof.Tree), slices.Clone(proof.Prices)
			claim := rng.Int64N(2)
			boundtest.Alter(rng, &c)
			c.Bound = relax.NewClaim(new(big.Rat).Add(&proof.Bound.Rat, big.NewRat(claim, 1)))
			for i := range c.Tree {
				if c.Tree[i].Target > 0 {
					c.Tree[i].Target += claim
				}
			}
			changed++
			if b, err := verify.Certificate(context.Background(), in, &c); err == nil {
				require.LessOrEqual(t, b.Value.Cmp(best), 0, "seed %d: more than the optimum is believed", seed)
				believed++
			}
		}
	}
	t.Logf("%d trees with nodes %v; of %d changed ones %d prove what they may", proven, kinds, changed, believed)
	assert.Greater(t, proven, int(n)/3)
	assert.Less(t, believed, changed/2)
	assert.Subset(t, slices.Collect(maps.Keys(kinds)), []string{"home", "end", "start", "sync", "single", relax.LeafKind, relax.PackedKind, "orders"})
}
