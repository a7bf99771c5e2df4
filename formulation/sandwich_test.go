package formulation

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver"
	"jigsaw/solver/backend"
)

// engine returns the linear programming engine of the build, or skips the test.
func engine(t testing.TB) solver.Solver {
	t.Helper()
	s, err := backend.OneShot()
	if errors.Is(err, backend.ErrNone) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return s
}

// bounds computes every bound that the build can.
func bounds(t testing.TB, in *instance.Instance, s solver.Solver) []Bound {
	all := []Bound{Chain(in), Area(in)}
	if s != nil {
		b, err := Fluid(context.Background(), in, s, Limits{})
		require.NoError(t, err)
		all = append(all, b)
		if b, err = Periods(context.Background(), in, s, PeriodLimits{Until: func() *big.Rat { return nil }, Nodes: 3 * int(in.MaxPeriod)}); b.Value != nil {
			all = append(all, b)
		}
		require.NoError(t, err)
	}
	return all
}

// tightness gathers how far bounds are from optima.
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

// TestBoundsAgainstOptima holds every bound against the optimum by brute force
// on random instances, and every proof of infeasibility against exhaustion.
func TestBoundsAgainstOptima(t *testing.T) {
	count := 400
	if testing.Short() {
		count = 120
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
			gaps := map[Kind]*tightness{}
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
				cheap := Infeasible(in)
				if status == instancetest.Infeasible {
					infeasible++
					if Best(in, all...).Infeasible != nil || cheap != nil {
						proven++
					}
					continue
				}
				solved++
				require.Empty(t, cheap, "seed %d has a schedule of value %v", seed, optimum)
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
					if b.Kind == PeriodsBound {
						checked, err := VerifyCertificate(context.Background(), in, b.Proof(in))
						require.NoError(t, err)
						require.Zero(t, checked.Value.Cmp(b.Value))
					}
					if b.Kind == FluidBound {
						relative := b.LP.Objective
						exact, _ := b.Value.Float64()
						assert.InEpsilon(t, relative+1, exact+1, 1, "seed %d: certified far from the engine's", seed)
						checked, err := CheckCertificate(context.Background(), in, b.Certificate)
						require.NoError(t, err)
						require.Zero(t, checked.Value.Cmp(b.Value))
					}
				}
				best.add(Best(in, all...).Value, optimum)
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
