package periods

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

// TestGenuinePeriods changes single numbers, nodes and prices of periods certificates that
// have nodes of every kind: what they still prove is no better than the optimum.
func TestGenuinePeriods(t *testing.T) {
	s := boundtest.Engine(t)
	n := uint64(60)
	if testing.Short() {
		n = 16
	}
	kinds := map[string]int{}
	changed, believed := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 73))
		in := boundtest.SlowNICs(t, rng, 3)
		if seed%2 == 1 {
			in = boundtest.BusyGPUs(t, rng, 3)
		}
		optimum, _, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal || optimum.Sign() == 0 {
			continue
		}
		b, err := Bound(context.Background(), in, s, Limits{Until: boundtest.NoSchedule, Nodes: 200})
		require.NoError(t, err)
		proof := b.Proof(in)
		require.NotNil(t, proof, "seed %d", seed)
		for i := range proof.Tree {
			kinds[proof.Tree[i].Kind]++
		}
		for range 30 {
			c := *proof
			c.Tree, c.Prices = slices.Clone(proof.Tree), slices.Clone(proof.Prices)
			boundtest.Alter(rng, &c)
			changed++
			// Regardless of the claim: what do these prices prove?
			if b, err := verify.Check(context.Background(), in, &c); err == nil {
				require.False(t, in.Objective.Better(optimum, b.Value), "seed %d: %v is proven, the optimum is %v", seed, b.Value, optimum)
				believed++
			}
		}
	}
	t.Logf("nodes %v; of %d changed certificates %d prove what they may", kinds, changed, believed)
	assert.Subset(t, slices.Collect(maps.Keys(kinds)), []string{relax.ColumnKind, relax.CutKind, relax.LeafKind, relax.EmptyKind, relax.GPUsKind})
	assert.Less(t, believed, changed/2)
}
