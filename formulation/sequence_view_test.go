package formulation

import (
	"context"
	"math/big"
	"testing"

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
