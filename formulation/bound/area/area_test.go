package area

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

// TestAnyLoads: for any loads, heads, tails and multipliers that a certificate names, the proven bound is no better
// than the optimum, and the terms found by the search prove the claimed bound.
func TestAnyLoads(t *testing.T) {
	count := 150
	if testing.Short() {
		count = 40
	}
	proven, refused, above := 0, 0, 0
	for _, objective := range instance.Objectives() {
		for seed := range uint64(count) {
			rng := rand.New(rand.NewPCG(seed, 31))
			in := instancetest.Random(rng, instancetest.Options{Objective: objective})
			optimum, _, status := instancetest.OptimumWithin(in, 100_000)
			if status != instancetest.Optimal {
				continue
			}
			b := Bound(in)
			require.True(t, b.Certified)
			again, err := verify.Certificate(context.Background(), in, b.Proof(in))
			require.NoError(t, err, "%s seed %d", objective, seed)
			require.Zero(t, again.Value.Cmp(b.Value))
			require.False(t, objective.Better(optimum, b.Value), "%s seed %d: %v, the optimum is %v", objective, seed, b.Value, optimum)
			if objective.Better(Chain(in).Value, b.Value) {
				above++
			}
			m := relax.New(in)
			loads := m.AreaLoads()
			for range 40 {
				var terms []relax.LoadTerms
				for range 1 + rng.IntN(3) {
					terms = append(terms, relax.LoadTerms{Load: rng.IntN(len(loads)+2) - 1, Head: rng.Int64N(6) - 1, Tail: rng.Int64N(6) - 1})
					last := &terms[len(terms)-1]
					if objective != instance.Makespan && rng.IntN(4) > 0 {
						last.Head, last.Tail = 0, 0
					}
					if objective == instance.WeightedCompletion && last.Load >= 0 && last.Load < len(loads) {
						for range loads[last.Load].Items {
							last.Multipliers = append(last.Multipliers, rng.Int64N(70)-2)
						}
					}
				}
				c := &relax.Certificate{Kind: relax.AreaBound, Denominator: big.NewInt(1), Loads: terms}
				p, err := verify.Check(context.Background(), in, c)
				if err != nil {
					refused++
					continue
				}
				proven++
				require.False(t, objective.Better(optimum, p.Value), "%s seed %d: %v prove %v, the optimum is %v", objective, seed, terms, p.Value, optimum)
			}
		}
	}
	t.Logf("%d proven, %d refused; %d bounds above the chain's", proven, refused, above)
	assert.Greater(t, proven, 3*count)
	assert.Greater(t, refused, 3*count)
	assert.Greater(t, above, count/4)
}

// TestLoadsOnce: loads that share a class do not count twice.
func TestLoadsOnce(t *testing.T) {
	seen := 0
	for seed := range uint64(60) {
		for _, objective := range []instance.Objective{instance.WeightedCompletion, instance.Throughput} {
			in := instancetest.Random(rand.New(rand.NewPCG(seed, 32)), instancetest.Options{Objective: objective})
			b := Bound(in)
			if len(b.Certificate.Loads) == 0 {
				continue
			}
			c := *b.Proof(in)
			c.Loads = append(slices.Clone(c.Loads), c.Loads[0])
			_, err := verify.Certificate(context.Background(), in, &c)
			require.Error(t, err, "%s seed %d", objective, seed)
			seen++
		}
	}
	assert.Greater(t, seen, 10)
}

// TestCrowded: of three jobs on two GPUs two share one, and have at most half their rates, while total work permits two
// thirds.
func TestCrowded(t *testing.T) {
	for workers, want := range map[int]*big.Rat{1: big.NewRat(1, 2), 2: big.NewRat(1, 3)} {
		spec := &instance.Spec{Version: instance.Version, Objective: instance.MaxMinThroughput, Jobs: []instance.JobSpec{
			{Name: "j", Count: 2, Model: "m"}, {Name: "k", Model: "m"}}}
		spec.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}
		spec.Cluster.Racks = []instance.RackSpec{{Nodes: 1, GPUs: 2, GPU: "a", NIC: 8e9, Fabric: 8e9}}
		spec.Profiles = []*instance.Profile{{Model: "m", GPU: "a", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 1e6, Backward: 2e6}}}}
		for j := range spec.Jobs {
			spec.Jobs[j].Workers, spec.Jobs[j].SPB.Rule = workers, "full"
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		b := Bound(in)
		require.Equal(t, want, b.Value)
		require.NotEmpty(t, b.Binding)
		again, err := verify.Certificate(context.Background(), in, b.Proof(in))
		require.NoError(t, err)
		require.Zero(t, again.Value.Cmp(want))
	}
}
