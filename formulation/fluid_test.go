package formulation

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver"
)

// TestShapesAgainstOptima holds the programs of large instances, in which
// classes share shapes, against brute force.
func TestShapesAgainstOptima(t *testing.T) {
	s := engine(t)
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
				m := newModel(in)
				m.few = 0
				b, err := m.fluidBound(context.Background(), s, Limits{Columns: columns})
				require.NoError(t, err)
				require.Nil(t, b.Infeasible, "%s seed %d", objective, seed)
				require.NotNil(t, b.Value)
				require.False(t, objective.Better(optimum, b.Value), "%s seed %d: claims %v, the optimum is %v", objective, seed, b.Value, optimum)
			}
		}
	}
}

// TestTamperedPrices checks that prices that were changed at random prove a
// weaker bound or none, never one beyond the optimum.
func TestTamperedPrices(t *testing.T) {
	s := engine(t)
	rng := rand.New(rand.NewPCG(3, 3))
	tampered, weaker := 0, 0
	for _, objective := range instance.Objectives() {
		for seed := range uint64(12) {
			in := instancetest.Random(rand.New(rand.NewPCG(seed, 5)), instancetest.Options{Objective: objective})
			optimum, _, status := instancetest.OptimumWithin(in, 100_000)
			if status != instancetest.Optimal {
				continue
			}
			b, err := Fluid(context.Background(), in, s, Limits{})
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
				checked, err := CheckCertificate(context.Background(), in, &c)
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
				_, err = CheckCertificate(context.Background(), in, &c)
				require.ErrorIs(t, err, errPrices)
			}
		}
	}
	assert.Greater(t, weaker, tampered/10)
}

func TestCertificateOfWrongShape(t *testing.T) {
	in := compile(t, twoNodes(2, instance.JobSpec{Name: "a", Model: "four", Workers: 2}))
	_, err := CheckCertificate(context.Background(), in, &Certificate{Kind: FluidBound})
	require.ErrorIs(t, err, errPrices)
	rows := len(newModel(in).fluid(0).p.rows)
	_, err = CheckCertificate(context.Background(), in, &Certificate{Kind: FluidBound, Denominator: big.NewInt(1), Prices: make([]*big.Int, rows)})
	require.ErrorIs(t, err, errPrices, "prices that are missing")
}

// TestFluidIsDeterministic builds each program twice, and checks that
// engines accept it and that all rows and columns have names of their own.
func TestFluidIsDeterministic(t *testing.T) {
	for _, objective := range instance.Objectives() {
		in := synthetic(t, 4, 250, objective)
		a, err := newModel(in).fluid(3000).p.problem()
		require.NoError(t, err)
		b, err := newModel(in).fluid(3000).p.problem()
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
	s := engine(t)
	in := synthetic(t, 2, 300, instance.WeightedCompletion)
	b, err := Fluid(context.Background(), in, s, Limits{Solver: solver.Limits{Time: time.Nanosecond}})
	require.NoError(t, err)
	if b.LP.Status != solver.Optimal && b.Value != nil {
		require.True(t, b.Certified, "what a limit leaves is proven or absent")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Fluid(ctx, in, s, Limits{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestFluidMonotone adds nodes and permutes jobs.
func TestFluidMonotone(t *testing.T) {
	s := engine(t)
	for seed := range uint64(60) {
		spec := instancetest.RandomSpec(rand.New(rand.NewPCG(seed, 21)), instancetest.Options{Objective: instance.Makespan})
		in := compile(t, spec)
		before := bounds(t, in, s)
		if Infeasible(in) != nil || Best(in, before...).Infeasible != nil {
			continue
		}

		rng := rand.New(rand.NewPCG(seed, 22))
		permuted := *spec
		permuted.Jobs = slices.Clone(spec.Jobs)
		rng.Shuffle(len(permuted.Jobs), func(a, b int) {
			permuted.Jobs[a], permuted.Jobs[b] = permuted.Jobs[b], permuted.Jobs[a]
		})
		permuted.Cluster.Nodes = slices.Clone(spec.Cluster.Nodes)
		slices.Reverse(permuted.Cluster.Nodes)
		for i, b := range bounds(t, compile(t, &permuted), s) {
			require.Zero(t, b.Value.Cmp(before[i].Value), "seed %d: %s is %v, permuted %v", seed, b.Kind, before[i].Value, b.Value)
		}

		// One more node in each group of racks, or another node like the first.
		larger := *spec
		larger.Cluster.Racks = slices.Clone(spec.Cluster.Racks)
		for i := range larger.Cluster.Racks {
			r := &larger.Cluster.Racks[i]
			if r.Uplink == 0 && r.Oversubscription == 0 {
				r.Uplink = r.NIC * instance.BitRate(r.Nodes)
			}
			r.Nodes++
		}
		if len(spec.Cluster.Nodes) > 0 {
			extra := spec.Cluster.Nodes[0]
			extra.Name = "extra"
			larger.Cluster.Nodes = append(slices.Clone(spec.Cluster.Nodes), extra)
		}
		bigger, err := instance.Compile(&larger, nil)
		if err != nil {
			continue
		}
		for i, b := range bounds(t, bigger, s) {
			require.LessOrEqual(t, b.Value.Cmp(before[i].Value), 0, "seed %d: %s rose from %v to %v with another node", seed, b.Kind, before[i].Value, b.Value)
		}
	}
}
