package fluid

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver"
)

// TestShapesAgainstOptima compares the programs of large instances, in which
// classes share shapes, with brute force.
func TestShapesAgainstOptima(t *testing.T) {
	s := boundtest.Engine(t)
	count := 150
	if testing.Short() {
		count = 50
	}
	for _, objective := range instance.Objectives() {
		for seed := range uint64(count) {
			in := instancetest.Random(rand.New(rand.NewPCG(seed, 11)), instancetest.Options{Objective: objective})
			optimum, _, status := instancetest.OptimumWithin(in, 100_000)
			if status != instancetest.Optimal {
				continue
			}
			for _, columns := range []int{50, 2000} {
				b, err := fluidBound(context.Background(), relax.New(in), s, Limits{}, fluid.Detail{Columns: columns, CoResidentSets: fluid.MostCoResidentSets})
				require.NoError(t, err)
				require.Nil(t, b.Infeasible, "%s seed %d", objective, seed)
				require.NotNil(t, b.Value)
				require.False(t, objective.Better(optimum, b.Value), "%s seed %d: claims %v, the optimum is %v", objective, seed, b.Value, optimum)
			}
		}
	}
}

// TestTamperedPrices checks that randomly changed prices prove a weaker bound
// or none, never one beyond the optimum.
func TestTamperedPrices(t *testing.T) {
	s := boundtest.Engine(t)
	rng := rand.New(rand.NewPCG(3, 3))
	tampered, weaker := 0, 0
	for _, objective := range instance.Objectives() {
		for seed := range uint64(12) {
			in := instancetest.Random(rand.New(rand.NewPCG(seed, 5)), instancetest.Options{Objective: objective})
			optimum, _, status := instancetest.OptimumWithin(in, 100_000)
			if status != instancetest.Optimal {
				continue
			}
			b, err := Bound(context.Background(), in, s, Limits{})
			require.NoError(t, err)
			require.NotNil(t, b.Certificate)
			for range 60 {
				c := *b.Certificate
				c.Prices = slices.Clone(c.Prices)
				if len(c.Prices) == 0 {
					continue
				}
				for range 1 + rng.IntN(4) {
					i := rng.IntN(len(c.Prices))
					p := new(big.Int).Set(c.Prices[i])
					switch rng.IntN(5) {
					case 0:
						p.Neg(p)
					case 1:
						p.Mul(p, big.NewInt(rng.Int64N(5)))
					case 2:
						p.Add(p, new(big.Int).Mul(c.Denominator, big.NewInt(rng.Int64N(20)-10)))
					case 3:
						p.Quo(p, big.NewInt(1+rng.Int64N(9)))
					case 4:
						c.Denominator = new(big.Int).Add(c.Denominator, big.NewInt(rng.Int64N(1<<40)-1<<39))
					}
					c.Prices[i] = p
				}
				tampered++
				checked, err := verify.Check(context.Background(), in, &c)
				if err != nil {
					continue
				}
				if checked.Value.Cmp(b.Value) != 0 {
					weaker++
				}
				require.False(t, objective.Better(optimum, checked.Value), "%s seed %d: tampered prices claim %v, the optimum is %v",
					objective, seed, checked.Value, optimum)
				// Nor may they prove that there is no schedule.
				c.Infeasible = true
				_, err = verify.Check(context.Background(), in, &c)
				require.ErrorIs(t, err, relax.ErrPrices)
			}
		}
	}
	assert.Greater(t, weaker, tampered/10)
}

func TestCertificateOfWrongShape(t *testing.T) {
	in := boundtest.Compile(t, boundtest.TwoNodes(2, instance.JobSpec{Name: "a", Model: "four", Workers: 2}))
	_, err := verify.Check(context.Background(), in, &relax.Certificate{Kind: relax.FluidBound})
	require.ErrorIs(t, err, relax.ErrPrices)
	rows := len(fluid.New(relax.New(in), fluid.UsualDetail(0)).Linear.Rows)
	_, err = verify.Check(context.Background(), in, &relax.Certificate{Kind: relax.FluidBound, Denominator: big.NewInt(1), Prices: make([]*big.Int, rows)})
	require.ErrorIs(t, err, relax.ErrPrices, "prices that are missing")
}

// TestFluidIsDeterministic builds each program twice, and checks that engines
// accept it and that all rows and columns have distinct names.
func TestFluidIsDeterministic(t *testing.T) {
	for _, objective := range instance.Objectives() {
		in := boundtest.Synthetic(t, 4, 250, objective)
		a, err := bound.Problem(&fluid.New(relax.New(in), fluid.UsualDetail(3000)).Linear)
		require.NoError(t, err)
		b, err := bound.Problem(&fluid.New(relax.New(in), fluid.UsualDetail(3000)).Linear)
		require.NoError(t, err)
		require.Equal(t, a, b)
		require.NoError(t, a.Validate())
		for _, names := range [][]string{slices.Clone(a.RowNames), slices.Clone(a.ColNames)} {
			n := len(names)
			slices.Sort(names)
			require.Len(t, slices.Compact(names), n, "%s: names must differ", objective)
			require.NotContains(t, names, "")
		}
	}
}

func TestFluidLimits(t *testing.T) {
	s := boundtest.Engine(t)
	in := boundtest.Synthetic(t, 2, 300, instance.WeightedCompletion)
	b, err := Bound(context.Background(), in, s, Limits{Solver: solver.Limits{Time: time.Nanosecond}})
	require.NoError(t, err)
	if b.LP.Status != solver.Optimal && b.Value != nil {
		require.True(t, b.Certified, "what a limit leaves is proven or absent")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Bound(ctx, in, s, Limits{})
	require.ErrorIs(t, err, context.Canceled)
}
