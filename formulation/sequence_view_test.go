package formulation

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

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
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
	in := compile(t, &instance.Spec{
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
		c := &Certificate{
			Version: CertificateVersion, Kind: TreeBound, Instance: in.Digest(), Bound: NewClaim(big.NewRat(claim, 1)), Denominator: big.NewInt(1), Prices: []*big.Int{},
			Tree: []ProofNode{{Kind: "home"}, {Kind: "home", Job: 1}, {Kind: "home", Job: 2}, {Kind: "leaf", Target: claim, Sets: []int{0}, Alike: 1}},
		}
		_, err := VerifyCertificate(context.Background(), in, c)
		require.ErrorContains(t, err, "does not prove the bound", "%d", claim)
	}
	// Nor does the search believe it.
	m := newModel(in).split()
	node := rootNode(in)
	var ways [][]way
	for j := range in.Jobs {
		node = node.with(j, func(b *branchJob) { b.home = []instance.GPUID{0, 1} })
		ways = append(ways, m.ways(&m.demands[j]))
	}
	master, ok := m.nodeMaster(node, ways, 12, 1)
	require.True(t, ok)
	view := master.sequencings(node, 12)[0].view(1)
	require.Len(t, view.residents, 1)
	some, _ := newSequenceSearch(context.Background(), view, 11, 1<<20).run(true)
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
func sameView(t *testing.T, q *sequencing, alike int) {
	t.Helper()
	a, b := q.view(alike), q.outlook(alike)
	require.Equal(t, a == nil, b == nil)
	if a == nil {
		return
	}
	require.Equal(t, a.residents, b.residents)
	require.Equal(t, a.alike, b.alike)
	require.Equal(t, a.twins, b.twins)
	for j := range a.jobs {
		x, y := &a.jobs[j], &b.jobs[j]
		require.Equal(t, []any{x.gpus, x.place, x.twin, x.least, x.pause, x.tempos, x.apart, x.time, x.depths}, []any{y.gpus, y.place, y.twin, y.least, y.pause, y.tempos, y.apart, y.time, y.depths})
		require.Len(t, y.dishes, len(x.dishes))
		for d := range x.dishes {
			require.Equal(t, []any{x.dishes[d].counts, x.dishes[d].sync}, []any{y.dishes[d].counts, y.dishes[d].sync})
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
		in := compile(t, gaps(rng, []instance.Objective{instance.Makespan, instance.Makespan, instance.WeightedCompletion}[seed%3]))
		m, node := newModel(in).split(), rootNode(in)
		var ways [][]way
		for j := range in.Jobs {
			var home []instance.GPUID
			for _, g := range rng.Perm(len(in.GPUs))[:in.Jobs[j].Workers] {
				home = append(home, instance.GPUID(g))
			}
			slices.Sort(home)
			node = node.with(j, func(b *branchJob) { b.home = home })
			ways = append(ways, m.ways(&m.demands[j]))
		}
		// The least target that the orders on all GPUs leave possible, or the least sum.
		sequence := func(target int64) *sequencing {
			if s, ok := m.nodeMaster(node, ways, target, 1); ok {
				return s.sequencings(node, target)[0] // the fixed jobs tie all together
			}
			return nil
		}
		least := func(q *sequencing, most int64) int64 {
			if q == nil {
				return noPrice
			}
			e := sequenceExaminer{ctx: ctx, sequencing: q, most: most, steps: steps}
			if sum, ok := e.examine(); ok {
				return sum
			}
			return noPrice + 1
		}
		var target int64
		most := int64(late * 100)
		if in.Objective == instance.WeightedCompletion {
			target = most
			most = least(sequence(target), most)
		} else {
			target = int64(sort.Search(late, func(target int) bool { return least(sequence(int64(target)), most) != noPrice }))
		}
		q := sequence(target)
		if q == nil || most >= noPrice || least(q, most) >= noPrice {
			continue
		}
		linked += min(1, len(q.shares))
		sameView(t, q, 0)
		for k := 1; q.view(k) != nil; k++ {
			views++
			sameView(t, q, k)
			seen := least(q.outlook(k), most)
			require.True(t, seen <= most || seen > noPrice, "seed %d, target %d, %d of each", seed, target, k)
			verdict, _ := newSequenceSearch(ctx, q.view(k), most, steps).run(true)
			require.NotEqual(t, noWay, verdict, "seed %d, target %d, %d of each", seed, target, k)
		}
	}
	t.Logf("%d views, %d instances with links", views, linked)
	assert.Greater(t, views, int(n)/2)
}
