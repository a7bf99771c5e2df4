package formulation

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver/tree"
)

// TestBranchAndPrice compares branch-and-price with brute force on tiny
// instances: started from a poor schedule it ends with an optimal one, a closed
// tree, and a certificate that survives a round trip through JSON.
func TestBranchAndPrice(t *testing.T) {
	engine := liveEngine(t)
	n := 6000
	if testing.Short() {
		n = 60
	}
	solved, nodes, improved, split := 0, 0, 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 6))
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective})
		if Infeasible(in) != nil {
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
		r, err := BranchAndPrice(context.Background(), in, engine, TreeLimits{Start: start, Nodes: 30000})
		require.NoError(t, err, "seed %d", seed)
		require.Empty(t, instance.Check(in, r.Schedule), "seed %d", seed)
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
		var read Certificate
		require.NoError(t, json.Unmarshal(data, &read))
		checked, err := VerifyCertificate(in, &read)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(best))
		read.Bound = NewClaim(new(big.Rat).Add(best, big.NewRat(1, 1)))
		_, err = VerifyCertificate(in, &read)
		require.Error(t, err, "seed %d", seed)
	}
	t.Logf("%d solved in %d nodes, %d improved on their start, %d needed to branch", solved, nodes, improved, split)
	assert.Greater(t, solved, n*2/3)
	assert.Greater(t, improved, solved/10)
	assert.Greater(t, split, solved/20)
}

// TestHugeTree asks for a tree whose plans no memory holds; it is refused at once.
func TestHugeTree(t *testing.T) {
	for seed := range uint64(20) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 13)), instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		for _, target := range []int64{1 << 20, 1 << 40, 1<<48 - 1} {
			c := &Certificate{
				Kind: TreeBound, Bound: NewClaim(new(big.Rat).SetInt64(target)), Denominator: big.NewInt(1), Prices: []*big.Int{},
				Tree: []ProofNode{{Kind: leafKind, Target: target, Denominator: 1}},
			}
			_, err := CheckCertificate(in, c)
			require.Error(t, err)
		}
	}
}
