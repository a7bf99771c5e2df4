package formulation

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
)

// slowNICs draws an instance of few jobs that all but one live on several nodes and
// synchronise for longer than they compute.
func slowNICs(t testing.TB, rng *rand.Rand, jobs int) *instance.Instance {
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.Throughput,
		MaxPeriod: instance.Duration(6+rng.IntN(7)) * 1e6,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2 + rng.IntN(2), GPUs: 1 + rng.IntN(2), GPU: "v100", NIC: 8e6, Fabric: 80e6}},
		},
	}
	spec.Cluster.RateLevels = [][]instance.RateLevel{{1}, {1, 2}, {1, 2, 4}}[rng.IntN(3)]
	gpus := spec.Cluster.Racks[0].GPUs
	for _, name := range []string{"a", "b"} {
		p := &instance.Profile{Model: name, GPU: "v100", Batch: 8}
		for range 1 + rng.IntN(2) {
			p.Layers = append(p.Layers, instance.Layer{
				Name: "l", Forward: instance.Duration(rng.IntN(2)) * 5e5, Backward: instance.Duration(1+rng.IntN(2)) * 5e5, Parameters: instance.Bytes(500 * (1 + rng.IntN(5))),
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		job := instance.JobSpec{Name: string(rune('a' + j)), Model: []string{"a", "b"}[rng.IntN(2)], Workers: gpus + 1, Weight: int64(1 + rng.IntN(4))}
		if rng.IntN(4) == 0 {
			job.Workers = 1
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return compile(t, spec)
}

// holds reports by the definition whether a link may have the contents.
func (s *carrier) holds(n []int64) bool {
	ticks := int64(0)
	for i := range n {
		it := &s.items[i]
		if n[i] > 0 && (n[i] < it.limit.from || n[i] > it.limit.to) {
			return false
		}
		ticks += it.ticks[n[i]]
	}
	if ticks > s.period*linkUnit {
		return false
	}
	for a := range n {
		g, ok := s.gap(&s.items[a])
		if !ok || n[a] == 0 {
			continue
		}
		load := n[a] * g.cycle
		for b := range n {
			if b != a {
				load += s.stretch(&s.items[b], n[b], g)
			}
		}
		if load > s.period {
			return false
		}
	}
	return true
}

// TestContents compares the most valuable contents of links, as the search and the check
// know them, with all of them.
func TestContents(t *testing.T) {
	compared, limited, excluded := 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 71))
		m := newModel(slowNICs(t, rng, 4)).split()
		period := 6 + rng.Int64N(12)
		f := m.periodProgram(period, nil)
		if f.rates == nil { // nobody can run
			continue
		}
		limits := slices.Clone(f.rates.limits)
		for i := range limits {
			limits[i].to = rng.Int64N(limits[i].to + 1)
			limits[i].from = rng.Int64N(limits[i].to + 1)
		}
		f = m.periodProgram(period, limits)
		for g := range f.groups {
			s := f.carrier(g)
			weights := make([]int64, len(s.items))
			for i := range weights {
				weights[i] = rng.Int64N(6)
			}
			s.weigh(weights)
			forced := rng.IntN(len(weights))
			for must := range s.items[forced].limit.to + 1 {
				if must > 0 && must < s.items[forced].limit.from {
					continue
				}
				want := int64(-1)
				n := make([]int64, len(weights))
				var try func(i int, value int64)
				try = func(i int, value int64) {
					if i == len(n) {
						switch {
						case must > 0 && n[forced] != must:
						case !s.holds(n):
							excluded++
						default:
							want = max(want, value)
						}
						return
					}
					for n[i] = 0; n[i] < int64(len(s.items[i].ticks)); n[i]++ {
						try(i+1, value+n[i]*weights[i])
					}
					n[i] = 0
				}
				try(0, 0)
				contents, worth := s.most(forced, must)
				require.Equal(t, want, worth, "seed %d, %d of item %d", seed, must, forced)
				if must == 0 {
					cut := &contentCut{g, weights}
					f.cut(cut)
					require.NoError(t, f.confirm([]*contentCut{cut}), "seed %d", seed)
					f.p.rows[len(f.p.rows)-1].rhs -= f.groups[g].links
					require.ErrorIs(t, f.confirm([]*contentCut{cut}), errCut, "seed %d", seed)
				}
				if compared++; want >= 0 {
					require.True(t, s.holds(contents))
				}
				if must > 0 {
					limited++
				}
			}
		}
	}
	assert.Greater(t, limited, 100)
	assert.Greater(t, excluded, 1000)
	t.Logf("%d compared", compared)
}

// TestContentsOfPlans finds what the links of optimal plans carry among the contents that
// links may have.
func TestContentsOfPlans(t *testing.T) {
	links, together := 0, 0
	for seed := range uint64(150) {
		in := slowNICs(t, rand.New(rand.NewPCG(seed, 72)), 3)
		_, plan, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal {
			continue
		}
		f := newModel(in).split().periodProgram(int64(plan.Period), nil)
		rates := make([]int64, len(in.Jobs))
		for _, y := range plan.Syncs {
			rates[y.Job]++
		}
		for g := range f.groups {
			s := f.carrier(g)
			if kind := f.shapes[s.items[0].shape].d.modes[s.items[0].uses[0].mode].kind; kind != inRack {
				continue
			}
			for node := range in.Nodes {
				n := make([]int64, len(s.items))
				busy := 0
				for i := range s.items {
					j := f.m.demands[f.shapes[s.items[i].shape].classes[0]].jobs[0]
					home := plan.Residency[j]
					on := func(g instance.GPUID) bool { return in.GPUs[g].Node == instance.NodeID(node) }
					if slices.ContainsFunc(home, on) && slices.ContainsFunc(home, func(g instance.GPUID) bool { return !on(g) }) {
						n[i] = rates[j]
						busy++
					}
				}
				require.True(t, s.holds(n), "seed %d: a link carries %v in %d ticks", seed, n, plan.Period)
				if links++; busy > 1 {
					together++
				}
			}
		}
	}
	assert.Greater(t, together, 50, "of %d links", links)
}

// TestCutsAgainstOptima holds bounds whose trees have cuts against brute force, proves
// them anew and refuses what is changed about a cut.
func TestCutsAgainstOptima(t *testing.T) {
	s := engine(t)
	solved, cuts, exact := 0, 0, 0
	for seed := range uint64(360) {
		in := slowNICs(t, rand.New(rand.NewPCG(seed, 73)), 3)
		optimum, _, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal {
			continue
		}
		b, err := Periods(context.Background(), in, s, PeriodLimits{Until: noSchedule, Nodes: 200})
		require.NoError(t, err)
		if b.Value == nil && optimum.Sign() == 0 { // nobody can run
			continue
		}
		require.NotNil(t, b.Value, "seed %d", seed)
		require.False(t, in.Objective.Better(optimum, b.Value), "seed %d: the bound is %v, the optimum %v", seed, b.Value, optimum)
		if solved++; b.Value.Cmp(optimum) == 0 {
			exact++
		}
		proof := b.Proof(in)
		_, err = VerifyCertificate(context.Background(), in, proof)
		require.NoError(t, err)
		refused := func(what string) {
			_, err := VerifyCertificate(context.Background(), in, proof)
			assert.Error(t, err, "seed %d: %s", seed, what)
		}
		for i, at := 0, 0; i < len(proof.Tree); i++ {
			n := &proof.Tree[i]
			if n.Kind == cutKind {
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
				proof.Prices[at] = big.NewInt(mostWeight + 1)
				refused("a weight too large")
				proof.Prices[at] = w
			}
			at += n.Prices
		}
	}
	assert.Greater(t, cuts, 50)
	t.Logf("%d solved, %d exact, %d cuts", solved, exact, cuts)
}
