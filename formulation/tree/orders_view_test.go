package tree

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/orders"
	"jigsaw/formulation/relax/verify"
)

// TestViewsLetOthersBegin: in a view of one of two alike GPUs the deepest task of an iteration
// may run on the other, before the first here begins. Two jobs interlock around a third with a
// fixed time, each deep on a GPU of its own; on one GPU alone their shallow tasks fit only one
// before and one after it.
func TestViewsLetOthersBegin(t *testing.T) {
	const tick = instance.Duration(1e6)
	model := func(name string, forward, backward instance.Duration, layers int) *instance.Profile {
		p := &instance.Profile{Model: name, GPU: "a", Batch: 8}
		for range layers {
			p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: forward * tick, Backward: backward * tick})
		}
		return p
	}
	wide := instance.JobSpec{Model: "wide", Batch: 8, Workers: 2, Iterations: 1, SPB: instance.SPBSpec{Rule: "free", MinFull: 1, Cuts: 2}}
	a, b := wide, wide
	a.Name, b.Name = "a", "b"
	in := boundtest.Compile(t, &instance.Spec{
		Version: instance.Version, Objective: instance.Makespan,
		Profiles: []*instance.Profile{model("wide", 1, 2, 2), model("fixed", 1, 0, 1)}, // of 4 and 6 ticks, and of 1
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: 2, GPU: "a", NIC: 8e6, Fabric: 8e6}},
		},
		Jobs: []instance.JobSpec{a, b, {Name: "fixed", Model: "fixed", Batch: 8, Workers: 2, Release: 6 * tick, Deadline: 7 * tick}},
	})
	best, _, status := instancetest.Optimum(in)
	require.Equal(t, instancetest.Optimal, status)
	require.Equal(t, big.NewRat(11, 1), best)
	for claim := best.Num().Int64() + 1; claim < 20; claim++ {
		c := &relax.Certificate{
			Version: relax.CertificateVersion, Kind: relax.TreeBound, Instance: in.Digest(), Bound: relax.NewClaim(big.NewRat(claim, 1)), Denominator: big.NewInt(1), Prices: []*big.Int{},
			Tree: []relax.ProofNode{{Kind: "home"}, {Kind: "home", Job: 1}, {Kind: "home", Job: 2}, {Kind: "leaf", Target: claim, Sets: []int{0}, Alike: 1}},
		}
		_, err := verify.Certificate(context.Background(), in, c)
		require.ErrorContains(t, err, "does not prove the bound", "%d", claim)
	}
	// Nor does the search believe it.
	m := relax.New(in).Split()
	node := cases.Root(in)
	var ways [][]relax.ModeOptions
	for j := range in.Jobs {
		node = node.With(j, func(b *cases.JobLimits) { b.Assignment = []instance.GPUID{0, 1} })
		ways = append(ways, m.ModeOptions(&m.Classes[j]))
	}
	master, ok := cases.NewProgram(m, node, ways, 12, 1)
	require.True(t, ok)
	few := view(orders.Problems(master, node, 12)[0], 1)
	require.Len(t, few.Residents, 1)
	some, _ := newSequenceSearch(context.Background(), few, 11, 1<<20).run(true)
	require.Equal(t, someWay, some)
}

// gaps has jobs on all GPUs, or nearly all, that interlock around others with fixed times.
func gaps(rng *rand.Rand, objective instance.Objective) *instance.Spec {
	const tick = instance.Duration(1e6)
	s := &instance.Spec{Version: instance.Version, Objective: objective}
	rack := instance.RackSpec{Nodes: 1, GPUs: 2 + rng.IntN(2), GPU: "a", NIC: 8e6, Fabric: 8e6}
	if rng.IntN(3) == 0 {
		rack.Nodes, rack.GPUs = 2, 1+rng.IntN(2)
	}
	gpus := rack.Nodes * rack.GPUs
	s.Cluster.GPUTypes, s.Cluster.Racks = []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}, []instance.RackSpec{rack}
	volume := instance.Bytes(rng.IntN(3) / 2 * 500)
	for j := range 2 + rng.IntN(2) {
		p := &instance.Profile{Model: fmt.Sprint("m", j), GPU: "a", Batch: 8}
		for range 2 + rng.IntN(2) {
			p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: tick, Backward: tick * instance.Duration(rng.IntN(4)), Parameters: volume})
		}
		s.Profiles = append(s.Profiles, p)
		s.Jobs = append(s.Jobs, instance.JobSpec{
			Name: fmt.Sprint("j", j), Model: p.Model, Batch: 8, Workers: gpus - rng.IntN(4)/3, Iterations: 1 + rng.IntN(2), Weight: int64(1 + rng.IntN(3)), Gang: rng.IntN(8) == 0,
			Release: tick * instance.Duration(rng.IntN(3)), SPB: instance.SPBSpec{Rule: "free", MinFull: 1, Cuts: 2 + rng.IntN(2)},
		})
	}
	s.Profiles = append(s.Profiles, &instance.Profile{Model: "fixed", GPU: "a", Batch: 8, Layers: []instance.Layer{{Name: "l", Forward: tick}}})
	for at := 0; at < 20; at++ {
		at += 3 + rng.IntN(8)
		s.Jobs = append(s.Jobs, instance.JobSpec{Name: fmt.Sprint("f", at), Model: "fixed", Batch: 8, Workers: gpus, Release: tick * instance.Duration(at), Deadline: tick * instance.Duration(at+1)})
	}
	return s
}

// sameView requires that search and check see the same in a view.
func sameView(t *testing.T, q *orders.Problem, alike int) {
	t.Helper()
	a, b := view(q, alike), q.View(alike)
	require.Equal(t, a == nil, b == nil)
	if a == nil {
		return
	}
	require.Equal(t, a.Residents, b.Residents)
	require.Equal(t, a.Alike, b.Alike)
	require.Equal(t, a.Twins, b.Twins)
	for j := range a.Jobs {
		x, y := &a.Jobs[j], &b.Jobs[j]
		require.Equal(t, []any{x.GPUs, x.Place, x.Twin, x.Least, x.Pause, x.SyncLevels, x.Apart, x.Time, x.Depths}, []any{y.GPUs, y.Place, y.Twin, y.Least, y.Pause, y.SyncLevels, y.Apart, y.Time, y.Depths})
		require.Len(t, y.Multisets, len(x.Multisets))
		for d := range x.Multisets {
			require.Equal(t, []any{x.Multisets[d].Counts, x.Multisets[d].Sync}, []any{y.Multisets[d].Counts, y.Multisets[d].Sync})
		}
	}
}

// TestViewsOfGaps: where jobs with homes can all end in time, views of some GPUs do not prove
// that they cannot.
func TestViewsOfGaps(t *testing.T) {
	n := uint64(1500)
	if testing.Short() {
		n = 200
	}
	const steps, late = 20_000, 100
	ctx, views, linked := context.Background(), 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 96))
		in := boundtest.Compile(t, gaps(rng, []instance.Objective{instance.Makespan, instance.Makespan, instance.WeightedCompletion}[seed%3]))
		m, node := relax.New(in).Split(), cases.Root(in)
		var ways [][]relax.ModeOptions
		for j := range in.Jobs {
			var home []instance.GPUID
			for _, g := range rng.Perm(len(in.GPUs))[:in.Jobs[j].Workers] {
				home = append(home, instance.GPUID(g))
			}
			slices.Sort(home)
			node = node.With(j, func(b *cases.JobLimits) { b.Assignment = home })
			ways = append(ways, m.ModeOptions(&m.Classes[j]))
		}
		// The least target that the orders on all GPUs leave possible, or the least sum.
		sequence := func(target int64) *orders.Problem {
			if s, ok := cases.NewProgram(m, node, ways, target, 1); ok {
				return orders.Problems(s, node, target)[0] // the fixed jobs tie all together
			}
			return nil
		}
		least := func(q *orders.Problem, most int64) int64 {
			if q == nil {
				return exact.NoPrice
			}
			e := orders.Examiner{Ctx: ctx, Problem: q, Most: most, Steps: steps}
			if sum, ok := e.Examine(); ok {
				return sum
			}
			return exact.NoPrice + 1
		}
		var target int64
		most := int64(late * 100)
		if in.Objective == instance.WeightedCompletion {
			target = most
			most = least(sequence(target), most)
		} else {
			target = int64(sort.Search(late, func(target int) bool { return least(sequence(int64(target)), most) != exact.NoPrice }))
		}
		q := sequence(target)
		if q == nil || most >= exact.NoPrice || least(q, most) >= exact.NoPrice {
			continue
		}
		linked += min(1, len(q.Shares))
		sameView(t, q, 0)
		for k := 1; view(q, k) != nil; k++ {
			views++
			sameView(t, q, k)
			seen := least(q.View(k), most)
			require.True(t, seen <= most || seen > exact.NoPrice, "seed %d, target %d, %d of each", seed, target, k)
			verdict, _ := newSequenceSearch(ctx, view(q, k), most, steps).run(true)
			require.NotEqual(t, noWay, verdict, "seed %d, target %d, %d of each", seed, target, k)
		}
	}
	t.Logf("%d views, %d instances with links", views, linked)
	assert.Greater(t, views, int(n)/2)
}
