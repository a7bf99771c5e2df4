package tree

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver/tree"
)

// TestBranchAndPrice compares branch-and-price with brute force on tiny
// instances: started from a poor schedule it ends with an optimal one, a closed
// tree, and a certificate that survives a round trip through JSON.
func TestBranchAndPrice(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := 6000
	if testing.Short() {
		n = 60
	}
	solved, nodes, improved, split := 0, 0, 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 6))
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective})
		if relax.Infeasible(in) != nil {
			continue
		}
		best, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		start, ok := instancetest.ValidSchedule(rng, in)
		if !ok || seed%3 == 0 {
			start = schedule
		}
		r, err := BranchAndPrice(context.Background(), in, engine, Limits{Start: start, Nodes: 30000})
		require.NoError(t, err, "seed %d", seed)
		require.Empty(t, check.Schedule(in, r.Schedule), "seed %d", seed)
		require.Equal(t, tree.Closed, r.Status, "seed %d: after %d nodes %s, optimum %s", seed, r.Nodes, in.Value(r.Schedule), best)
		require.Zero(t, in.Value(r.Schedule).Cmp(best), "seed %d: %s, optimum %s", seed, in.Value(r.Schedule), best)
		require.Zero(t, r.Bound.Value.Cmp(best), "seed %d", seed)
		solved++
		nodes += r.Nodes
		if in.Value(start).Cmp(best) > 0 {
			improved++
		}
		if r.Nodes > 1 {
			split++
		}

		data, err := json.Marshal(r.Bound.Proof(in))
		require.NoError(t, err)
		read := boundtest.Read(t, in, data)
		checked, err := verify.Certificate(context.Background(), in, read)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(best))
		read.Bound = relax.NewClaim(new(big.Rat).Add(best, big.NewRat(1, 1)))
		_, err = verify.Certificate(context.Background(), in, read)
		require.Error(t, err, "seed %d", seed)
	}
	t.Logf("%d solved in %d nodes, %d improved on their start, %d needed to branch", solved, nodes, improved, split)
	assert.Greater(t, solved, n*2/3)
	assert.Greater(t, improved, solved/10)
	assert.Greater(t, split, solved/20)
}

// TestTreeGoals lets the tree raise a weak bound goal by goal: each bound is
// valid, exceeds the one before, and has a certificate, in which no number can
// be changed such that it proves more.
func TestTreeGoals(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := 600
	if testing.Short() {
		n = 40
	}
	told, several, coarse, packed := 0, 0, 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 16))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		best, _, status := instancetest.Optimum(in)
		start, ok := instancetest.ValidSchedule(rng, in)
		if relax.Infeasible(in) != nil || status != instancetest.Optimal || !ok {
			continue
		}
		known := new(big.Rat)
		bounds := 0
		r, err := BranchAndPrice(context.Background(), in, engine, Limits{Start: start, Known: known, Nodes: 30000, Bounded: func(b bound.Bound) {
			require.True(t, b.Certified)
			require.Positive(t, b.Value.Cmp(known), "seed %d", seed)
			require.LessOrEqual(t, b.Value.Cmp(best), 0, "seed %d: %s, optimum %s", seed, b.Value, best)
			known = b.Value
			proof := b.Proof(in)
			checked, err := verify.Certificate(context.Background(), in, proof)
			require.NoError(t, err, "seed %d", seed)
			require.Zero(t, checked.Value.Cmp(b.Value))
			leaf := &proof.Tree[slices.IndexFunc(proof.Tree, func(p relax.ProofNode) bool { return p.Kind == relax.LeafKind || p.Kind == relax.PackedKind })]
			if leaf.Buckets > 0 {
				coarse++
			}
			if leaf.Kind == relax.PackedKind {
				packed++
			}
			for _, number := range []*int64{&leaf.Target, &leaf.Buckets, &leaf.Denominator} {
				for _, change := range []int64{-1, 1} {
					*number += change
					if checked, err := verify.Certificate(context.Background(), in, proof); err == nil {
						require.LessOrEqual(t, checked.Value.Cmp(b.Value), 0, "seed %d", seed)
					}
					*number -= change
				}
			}
			bounds++
		}})
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, tree.Closed, r.Status, "seed %d", seed)
		require.Zero(t, r.Bound.Value.Cmp(best), "seed %d", seed)
		require.Zero(t, known.Cmp(best), "seed %d", seed)
		told += bounds
		if bounds > 1 {
			several++
		}
	}
	t.Logf("%d bounds, more than one of %d instances, %d with coarse prices, %d with contents of GPUs", told, several, coarse, packed)
	assert.Greater(t, several, n/4)
	assert.Positive(t, coarse)
	assert.Positive(t, packed)
}

// TestHugeTree requests a tree whose plans do not fit in memory; it is rejected at
// once.
func TestHugeTree(t *testing.T) {
	for seed := range uint64(20) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 13)), instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		for _, target := range []int64{1 << 20, 1 << 40, 1<<48 - 1} {
			c := &relax.Certificate{
				Kind: relax.TreeBound, Bound: relax.NewClaim(new(big.Rat).SetInt64(target)), Denominator: big.NewInt(1), Prices: []*big.Int{},
				Tree: []relax.ProofNode{{Kind: relax.LeafKind, Target: target, Denominator: 1}},
			}
			_, err := verify.Check(context.Background(), in, c)
			require.Error(t, err)
		}
	}
}

// TestHostileTree: splits whose children do not fit in memory are rejected before they are
// made, and so are those with more children than the file has nodes.
func TestHostileTree(t *testing.T) {
	in := boundtest.Compile(t, &instance.Spec{
		Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()}, TickUS: 60_000_000,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 8, GPUs: 1000, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "four", Workers: 8000, Iterations: 1400, SPB: instance.SPBSpec{Rule: "full"}}, {Name: "b", Model: "four", Workers: 2}},
	})
	c := &relax.Certificate{Kind: relax.TreeBound, Bound: relax.NewClaim(big.NewRat(1500, 1)), Denominator: big.NewInt(1), Prices: []*big.Int{}}
	for _, test := range []struct {
		nodes  int
		splits []relax.ProofNode
		want   string
	}{
		{1000, []relax.ProofNode{{Kind: "home"}, {Kind: "start", Iteration: 1399}}, "more than there is memory for"},
		{1, []relax.ProofNode{{Kind: "home", Job: 1}}, "of more than it has nodes"},
		{0, []relax.ProofNode{{Kind: "end"}, {Kind: relax.LeafKind}}, "of more than it has nodes"},
		{0, []relax.ProofNode{{Kind: "end"}, {Kind: "end"}, {Kind: relax.LeafKind}}, "of more than it has nodes"},
	} {
		c.Tree = test.splits
		for range test.nodes {
			c.Tree = append(c.Tree, relax.ProofNode{Kind: relax.LeafKind, Target: 1500, Denominator: 1})
		}
		_, err := verify.Check(context.Background(), in, c)
		require.ErrorContains(t, err, test.want)
	}
}

// TestManyDeals: if depths can be assigned to workers in too many ways, or if there are too
// many workers, no tree is searched.
func TestManyDeals(t *testing.T) {
	p := boundtest.FourLayers()
	for range 12 {
		p.Layers = append(p.Layers, p.Layers[0])
	}
	spec := &instance.Spec{
		Version: instance.Version, Profiles: []*instance.Profile{p},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 6, GPUs: 8, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "four", Workers: 48, SPB: instance.SPBSpec{Cuts: 16}}},
	}
	c := &relax.Certificate{
		Kind: relax.TreeBound, Bound: relax.NewClaim(big.NewRat(100, 1)), Denominator: big.NewInt(1), Prices: []*big.Int{},
		Tree: []relax.ProofNode{{Kind: "home"}, {Kind: relax.LeafKind, Target: 100, Denominator: 1}},
	}
	_, err := verify.Check(context.Background(), boundtest.Compile(t, spec), c)
	require.ErrorContains(t, err, "not for this instance")
	require.Nil(t, newTreeProblem(boundtest.Compile(t, spec), nil, Limits{Start: &instance.Schedule{}}))
	spec.Jobs[0] = instance.JobSpec{Name: "a", Model: "four", Workers: 8193, SPB: instance.SPBSpec{Rule: "full"}}
	spec.Cluster.Racks[0].Nodes = 1025
	_, err = verify.Check(context.Background(), boundtest.Compile(t, spec), c)
	require.ErrorContains(t, err, "not for this instance")
	spec.Jobs[0] = instance.JobSpec{Name: "a", Model: "four", Workers: 16, SPB: instance.SPBSpec{Cuts: 16}}
	spec.Cluster.Racks[0].Nodes = 2
	_, err = verify.Check(context.Background(), boundtest.Compile(t, spec), c)
	require.NoError(t, err) // for an instance for which 100 ticks are too few
}
