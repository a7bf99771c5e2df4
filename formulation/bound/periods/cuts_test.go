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
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/periods"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver"
)

// carries reports by the definition whether a link may have the contents.
func carries(s *periods.LinkContents, n []int64) bool {
	ticks := int64(0)
	for i := range n {
		it := &s.Items[i]
		if n[i] > 0 && (n[i] < it.Limit.From || n[i] > it.Limit.To) {
			return false
		}
		ticks += it.Ticks[n[i]]
	}
	if ticks > s.Period*relax.LinkUnit {
		return false
	}
	for a := range n {
		g, ok := s.Gap(&s.Items[a])
		if !ok || n[a] == 0 {
			continue
		}
		load := n[a] * g.Cycle
		for b := range n {
			if b != a {
				load += s.Stretch(&s.Items[b], n[b], g)
			}
		}
		if load > s.Period {
			return false
		}
	}
	return true
}

// TestContents compares the most valuable contents of links, as found by the search and
// the check, with all of them.
func TestContents(t *testing.T) {
	compared, excluded := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 71))
		m := &periods.Programs{Model: relax.New(boundtest.SlowNICs(t, rng, 4)).Split(), CoResidentSets: fluid.MostCoResidentSets}
		period := 6 + rng.Int64N(12)
		f := m.Program(period, nil)
		if f.Rates == nil { // nothing can run
			continue
		}
		limits := slices.Clone(f.Rates.Limits)
		for i := range limits {
			limits[i].To = rng.Int64N(limits[i].To + 1)
			limits[i].From = rng.Int64N(limits[i].To + 1)
		}
		f = m.Program(period, limits)
		for g := range f.Groups {
			s := periods.NewLinkContents(f, f.Items(&f.Groups[g]))
			weights := make([]int64, len(s.Items))
			for i := range weights {
				weights[i] = rng.Int64N(6)
			}
			s.Weigh(weights)
			want := int64(-1)
			n := make([]int64, len(weights))
			var try func(i int, value int64)
			try = func(i int, value int64) {
				if i == len(n) {
					if carries(s, n) {
						want = max(want, value)
					} else {
						excluded++
					}
					return
				}
				for n[i] = 0; n[i] < int64(len(s.Items[i].Ticks)); n[i]++ {
					try(i+1, value+n[i]*weights[i])
				}
				n[i] = 0
			}
			try(0, 0)
			contents, worth := s.Most()
			require.Equal(t, want, worth, "seed %d", seed)
			require.True(t, carries(s, contents))
			cut := &periods.Cut{Group: g, Weights: weights}
			f.Cut(cut, worth)
			f.Rights = f.Rights[len(f.Rights)-1:]
			require.NoError(t, f.Confirm([]*periods.Cut{cut}), "seed %d", seed)
			f.Rights[0]--
			require.ErrorIs(t, f.Confirm([]*periods.Cut{cut}), periods.ErrCut, "seed %d", seed)
			compared++
		}
	}
	assert.Greater(t, excluded, 1000)
	t.Logf("%d compared", compared)
}

// TestContentsOfPlans finds the contents of links in optimal plans among the possible
// contents.
func TestContentsOfPlans(t *testing.T) {
	links, together := 0, 0
	for seed := range seeds(150) {
		in := boundtest.SlowNICs(t, rand.New(rand.NewPCG(seed, 72)), 3)
		_, plan, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal {
			continue
		}
		f := (&periods.Programs{Model: relax.New(in).Split(), CoResidentSets: fluid.MostCoResidentSets}).Program(int64(plan.Period), nil)
		rates := make([]int64, len(in.Jobs))
		for _, y := range plan.Syncs {
			rates[y.Job]++
		}
		for g := range f.Groups {
			s := periods.NewLinkContents(f, f.Items(&f.Groups[g]))
			if kind := f.Shapes[s.Items[0].Shape].Class.Modes[s.Items[0].Uses[0].Mode].Kind; kind != relax.InRack {
				continue
			}
			for node := range in.Nodes {
				n := make([]int64, len(s.Items))
				busy := 0
				for i := range s.Items {
					j := f.Model.Classes[f.Shapes[s.Items[i].Shape].Classes[0]].Jobs[0]
					home := plan.Residency[j]
					on := func(g instance.GPUID) bool { return in.GPUs[g].Node == instance.NodeID(node) }
					if slices.ContainsFunc(home, on) && slices.ContainsFunc(home, func(g instance.GPUID) bool { return !on(g) }) {
						n[i] = rates[j]
						busy++
					}
				}
				require.True(t, carries(s, n), "seed %d: a link carries %v in %d ticks", seed, n, plan.Period)
				if links++; busy > 1 {
					together++
				}
			}
		}
	}
	assert.Greater(t, together, int(seeds(50)), "of %d links", links)
}

// provenBound compares the bound with the optimum and proves it anew. It returns its
// certificate, nil if nothing can run, and whether the bound is the optimum.
func provenBound(t *testing.T, s solver.Solver, in *instance.Instance, optimum *big.Rat) (proof *relax.Certificate, met bool) {
	b, err := Bound(context.Background(), in, s, Limits{Until: boundtest.NoSchedule, Nodes: 200})
	require.NoError(t, err)
	if b.Value == nil && optimum.Sign() == 0 {
		return nil, false
	}
	require.NotNil(t, b.Value)
	require.False(t, in.Objective.Better(optimum, b.Value), "the bound is %v, the optimum %v", b.Value, optimum)
	proof = b.Proof(in)
	_, err = verify.Certificate(context.Background(), in, proof)
	require.NoError(t, err)
	return proof, b.Value.Cmp(optimum) == 0
}

// TestCutsAgainstOptima compares bounds whose trees have cuts with brute force, proves
// them anew and rejects changes to a cut.
func TestCutsAgainstOptima(t *testing.T) {
	s := boundtest.Engine(t)
	solved, cuts, exact := 0, 0, 0
	for seed := range seeds(360) {
		in := boundtest.SlowNICs(t, rand.New(rand.NewPCG(seed, 73)), 3)
		optimum, _, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal {
			continue
		}
		proof, met := provenBound(t, s, in, optimum)
		if proof == nil { // nothing can run
			continue
		}
		if solved++; met {
			exact++
		}
		refused := func(what string) {
			_, err := verify.Certificate(context.Background(), in, proof)
			assert.Error(t, err, "seed %d: %s", seed, what)
		}
		for i, at := 0, 0; i < len(proof.Tree); i++ {
			n := &proof.Tree[i]
			if n.Kind == relax.CutKind {
				cuts++
				whole, w := *n, proof.Prices[at]
				n.Column = 99
				refused("other links")
				*n = whole
				n.Prices--
				refused("a weight less")
				*n = whole
				proof.Prices[at] = big.NewInt(-1)
				refused("a weight below 0")
				proof.Prices[at] = big.NewInt(periods.MostWeight + 1)
				refused("a weight too large")
				proof.Prices[at] = w
			}
			if len(n.Rights) > 0 {
				right := n.Rights[0]
				n.Rights[0]--
				refused("another right side")
				n.Rights[0] = right
			}
			at += n.Prices
		}
	}
	assert.Greater(t, cuts, int(seeds(50)))
	t.Logf("%d solved, %d exact, %d cuts", solved, exact, cuts)
}
