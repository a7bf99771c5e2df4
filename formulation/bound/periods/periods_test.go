package periods

import (
	"context"
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
	"jigsaw/formulation/relax/verify"
)

// Two jobs of one GPU each, with 12 ticks an iteration, and one GPU: they do 1/12
// together, and each does some from 24 ticks on.
func TestPeriodsByHand(t *testing.T) {
	spec := boundtest.TwoNodes(1, instance.JobSpec{Name: "a", Model: "four", Workers: 1}, instance.JobSpec{Name: "b", Model: "four", Workers: 1})
	spec.Cluster.Racks[0].Nodes = 1
	for _, objective := range []instance.Objective{instance.Throughput, instance.MaxMinThroughput} {
		spec.Objective = objective
		for ms, want := range map[instance.Duration]string{12: "1/12", 23: "1/12", 24: "1/12", 30: "1/12"} {
			spec.MaxPeriod = ms * 1e6
			if objective == instance.MaxMinThroughput && ms < 24 {
				want = "0" // no room for an iteration of each
			} else if objective == instance.MaxMinThroughput {
				want = "1/2"
			}
			in := boundtest.Compile(t, spec)
			b, err := Bound(context.Background(), in, boundtest.Engine(t), Limits{Until: boundtest.NoSchedule})
			require.NoError(t, err)
			require.NotNil(t, b.Value)
			assert.Equal(t, want, b.Value.RatString(), "%s within %d ms", objective, ms)
		}
	}
}

// TestTamperedPeriods changes every number of the nodes of certificates, and
// prices, one at a time: they are rejected, since a leaf's value is part of the
// file, unless the price belongs to a row without effect.
func TestTamperedPeriods(t *testing.T) {
	s := boundtest.Engine(t)
	splits, empties, tried, held := 0, 0, 0, 0
	for seed := range instancetest.Many(uint64(16), 8) {
		objective := []instance.Objective{instance.Throughput, instance.MaxMinThroughput}[seed%2]
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 7)), instancetest.Options{Objective: objective})
		b, err := Bound(context.Background(), in, s, Limits{Until: boundtest.NoSchedule, Nodes: 40})
		require.NoError(t, err)
		if b.Value == nil {
			continue
		}
		proof := b.Proof(in)
		refused := func(what string) {
			_, err := verify.Certificate(context.Background(), in, proof)
			assert.Error(t, err, "seed %d: %s", seed, what)
		}
		for i := range proof.Tree {
			n := &proof.Tree[i]
			whole := *n
			switch n.Kind {
			case relax.ColumnKind:
				splits++
				n.Column = 1 << 20
				refused("a column that is not there")
				n.Column = -1
				refused("a column before the first")
				*n = whole
				n.At = 1 << 40
				refused("a split past the end")
			case relax.CutKind:
				n.Column = 1 << 20
				refused("a cut of links that are not there")
			case relax.EmptyKind:
				empties++
				n.Kind = relax.LeafKind
				refused("another kind")
			default:
				n.Value = new(big.Int).Add(n.Value, big.NewInt(1))
				refused("another value")
				*n = whole
				n.Prices++
				refused("more prices")
				*n = whole
				n.Denominator = 0
				refused("no denominator")
			}
			*n = whole
		}
		for i, price := range proof.Prices {
			if price.Sign() == 0 || i%4 > 0 {
				continue
			}
			tried++
			proof.Prices[i] = new(big.Int).Neg(price)
			if _, err := verify.Certificate(context.Background(), in, proof); err == nil {
				held++ // a row without effect there
			}
			proof.Prices[i] = price
		}
		_, err = verify.Certificate(context.Background(), in, proof)
		require.NoError(t, err)
		proof.Tree = proof.Tree[1:]
		refused("a node less")
	}
	assert.Positive(t, splits)
	assert.Positive(t, empties)
	t.Logf("%d prices, of which %d may have the other sign", tried, held)
	assert.Less(t, held, tried/20)
}

// TestPeriodsApart: no plan is above the limit of its period, and the limits of some periods, like the
// iterations that are not ruled out, tell where the optimum is.
func TestPeriodsApart(t *testing.T) {
	known, below, told := 0, 0, 0
	for seed := range instancetest.Many(uint64(150), 30) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 9)), instancetest.Options{Objective: instance.Throughput})
		optimum, plan, status := instancetest.OptimumWithin(in, 200_000)
		if status != instancetest.Optimal || optimum.Sign() == 0 {
			continue
		}
		start := new(big.Rat).Mul(optimum, big.NewRat(9, 10))
		b, err := Bound(t.Context(), in, boundtest.Engine(t), Limits{
			Until: func() *big.Rat { return start },
			Periods: func(most []*big.Rat, iterations [][]int) {
				known++
				require.Len(t, most, int(in.MaxPeriod))
				limit := most[plan.Period-1]
				require.False(t, limit != nil && limit.Cmp(optimum) < 0, "seed %d: a plan of %v has a value of %v", seed, plan.Period, optimum)
				for _, limit := range most {
					if limit != nil && limit.Cmp(optimum) < 0 {
						below++
					}
				}
				if slices.ContainsFunc(iterations, func(n []int) bool { return slices.Equal(n, plan.Iterations(in)) }) {
					told++
				}
			},
		})
		require.NoError(t, err)
		require.NotNil(t, b.Value)
	}
	t.Logf("%d instances, %d periods without an optimal plan, iterations of %d optima", known, below, told)
	assert.Positive(t, below)
	assert.Positive(t, told)
}
