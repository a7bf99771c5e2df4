package periods

import (
	"context"
	"errors"
	"fmt"
	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/fluid"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver"
	"jigsaw/solver/backend"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// bounds computes every bound available in the build.
func bounds(t testing.TB, in *instance.Instance, s solver.Solver) []bound.Bound {
	all := []bound.Bound{area.Chain(in), area.Bound(in)}
	if s != nil {
		b, err := fluid.Bound(context.Background(), in, s, fluid.Limits{})
		require.NoError(t, err)
		all = append(all, b)
		if b, err = Bound(context.Background(), in, s, Limits{Until: func() *big.Rat { return nil }, Nodes: max(60, 3*int(in.MaxPeriod))}); b.Value != nil {
			all = append(all, b)
		}
		require.NoError(t, err)
	}
	return all
}

// tightness collects the distances of bounds from optima.
type tightness struct {
	n        int
	sum, max float64
	exact    int
}

func (g *tightness) add(bound, optimum *big.Rat) {
	if optimum.Sign() == 0 {
		return
	}
	gap, _ := new(big.Rat).Quo(new(big.Rat).Sub(bound, optimum), optimum).Float64()
	gap = max(gap, -gap)
	g.n++
	g.sum += gap
	g.max = max(g.max, gap)
	if gap == 0 {
		g.exact++
	}
}

func (g *tightness) String() string {
	return fmt.Sprintf("mean gap %.2f %%, max %.1f %%, exact on %d of %d", 100*g.sum/float64(max(1, g.n)), 100*g.max, g.exact, g.n)
}

// TestBoundsAgainstOptima compares every bound with the optimum by brute force
// on random instances, and every proof of infeasibility with exhaustive search.
func TestBoundsAgainstOptima(t *testing.T) {
	count := 400
	if testing.Short() {
		count = 60
	}
	s, err := backend.OneShot()
	if errors.Is(err, backend.ErrNone) {
		t.Log("without the fluid bound:", err)
		s = nil
	} else {
		require.NoError(t, err)
	}
	for _, objective := range instance.Objectives() {
		t.Run(string(objective), func(t *testing.T) {
			t.Parallel()
			gaps := map[relax.Kind]*tightness{}
			best := &tightness{}
			solved, infeasible, proven, skipped := 0, 0, 0, 0
			for seed := range uint64(count) {
				in := instancetest.Random(rand.New(rand.NewPCG(seed, 7)), instancetest.Options{Objective: objective})
				optimum, _, status := instancetest.OptimumWithin(in, 200_000)
				if status == instancetest.Skipped {
					skipped++
					continue
				}
				all := bounds(t, in, s)
				cheap := relax.Infeasible(in)
				if status == instancetest.Infeasible {
					infeasible++
					if bound.Best(in, all...).Infeasible != nil || cheap != nil {
						proven++
					}
					continue
				}
				solved++
				require.True(t, cheap == nil || objective == instance.MaxMinThroughput && optimum.Sign() == 0, "seed %d has a schedule of value %v", seed, optimum)
				for _, b := range all {
					require.Nil(t, b.Infeasible, "seed %d: %s, but there is a schedule", seed, b.Kind)
					require.NotNil(t, b.Value, "seed %d: %s has status %v", seed, b.Kind, b.LP.Status)
					require.True(t, b.Certified)
					require.False(t, objective.Better(optimum, b.Value),
						"seed %d: %s claims %v, the optimum is %v", seed, b.Kind, b.Value, optimum)
					if gaps[b.Kind] == nil {
						gaps[b.Kind] = &tightness{}
					}
					gaps[b.Kind].add(b.Value, optimum)
					if b.Kind == relax.PeriodsBound {
						checked, err := verify.Certificate(context.Background(), in, b.Proof(in))
						require.NoError(t, err)
						require.Zero(t, checked.Value.Cmp(b.Value))
					}
					if b.Kind == relax.FluidBound {
						checked, err := verify.Check(context.Background(), in, b.Certificate)
						require.NoError(t, err)
						require.Zero(t, checked.Value.Cmp(b.Value))
					}
				}
				best.add(bound.Best(in, all...).Value, optimum)
			}
			for kind, g := range gaps {
				t.Logf("%-6s %v", kind, g)
			}
			t.Logf("best   %v", best)
			t.Logf("%d solved, %d infeasible of which %d proven, %d skipped", solved, infeasible, proven, skipped)
			require.Greater(t, solved, count/3)
		})
	}
}

// TestFluidMonotone adds nodes and permutes jobs.
func TestFluidMonotone(t *testing.T) {
	s := boundtest.Engine(t)
	for seed := range uint64(60) {
		spec := instancetest.RandomSpec(rand.New(rand.NewPCG(seed, 21)), instancetest.Options{Objective: instance.Makespan})
		in := boundtest.Compile(t, spec)
		before := bounds(t, in, s)
		if relax.Infeasible(in) != nil || bound.Best(in, before...).Infeasible != nil {
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
		for i, b := range bounds(t, boundtest.Compile(t, &permuted), s) {
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

// seeds is the number of instances used out of all.
func seeds(all uint64) uint64 {
	if testing.Short() {
		return all / 3
	}
	return all
}
