package columns

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver/colgen"
)

// TestFinerPools compares a columns program with one pool of three nodes with
// one that has a pool for each node: their values are equal, whether jobs live
// on one node or on several. Nodes are distinguished by NICs and fabrics so
// fast that no synchronisation takes longer on the slower ones.
func TestFinerPools(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := 60
	if testing.Short() {
		n = 10
	}
	scarce := 0
	for seed := range uint64(n) {
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		var values []float64
		for _, step := range []instance.BitRate{0, 1} {
			in := threeNodes(t, rand.New(rand.NewPCG(seed, 6)), objective, step)
			s := fineMaster(in, area.Chain(in).Value.Num().Int64())
			if objective == instance.WeightedCompletion {
				s = fineMaster(in, 20)
			}
			require.Len(t, s.Model.Network.Pools, 1+2*int(step))
			live, r, err := s.Run(context.Background(), engine, nil, colgen.Options{Smoothing: bound.Smoothing})
			require.NoError(t, err)
			require.NoError(t, live.Close())
			values = append(values, r.Value)
		}
		assert.InEpsilon(t, values[0], values[1], 1e-4, "seed %d", seed)
		if values[0] > 1+1e-3 { // more than available, or longer than jobs that never wait
			scarce++
		}
	}
	t.Logf("GPUs are scarce in %d of %d programs", scarce, n)
	assert.Greater(t, scarce, n/3)
}

// threeNodes draws jobs for three nodes of two GPUs whose links differ by the
// step.
func threeNodes(t *testing.T, rng *rand.Rand, objective instance.Objective, step instance.BitRate) *instance.Instance {
	t.Helper()
	const ms = instance.Duration(1e6)
	s := &instance.Spec{Version: instance.Version, Name: "three", Objective: objective}
	s.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}
	s.Cluster.Switches = []instance.SwitchSpec{{Name: "s"}}
	for i := range 3 {
		rate := 1e12 + step*instance.BitRate(i)*1e6
		s.Cluster.Nodes = append(s.Cluster.Nodes, instance.NodeSpec{Name: fmt.Sprint("n", i), Switch: "s", GPUs: 2, GPU: "a", NIC: rate, Fabric: rate})
	}
	p := &instance.Profile{Model: "m", GPU: "a", Batch: 8}
	for l := range 3 {
		p.Layers = append(p.Layers, instance.Layer{Name: fmt.Sprint(l), Forward: ms / 2, Backward: ms, Parameters: 1000})
	}
	s.Profiles = []*instance.Profile{p}
	for j := range 4 + rng.IntN(3) {
		job := instance.JobSpec{Name: fmt.Sprint("j", j), Model: "m", Workers: 1 + rng.IntN(4), Iterations: 1 + rng.IntN(3), Weight: 1 + rng.Int64N(3)}
		if job.Workers == 2 && rng.IntN(2) == 0 {
			job.Placement = instance.PlacementSpec{Within: "node"}
		}
		s.Jobs = append(s.Jobs, job)
	}
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	return in
}

// TestManyWays: some multisets of a job can be divided among pools in few ways, others in too many, which are not told apart.
func TestManyWays(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	s := &instance.Spec{Version: instance.Version, Name: "ways", Objective: instance.Makespan}
	s.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 34}}
	s.Cluster.Racks = []instance.RackSpec{
		{Nodes: 6, GPUs: 1, GPU: "a", NIC: 25e9, Fabric: 1200e9}, {Nodes: 4, GPUs: 2, GPU: "a", NIC: 25e9, Fabric: 300e9},
	}
	p := &instance.Profile{Model: "deep", GPU: "a", Batch: 1}
	for range 24 {
		p.Layers = append(p.Layers, instance.Layer{Forward: 4e6, Backward: 5e6, Parameters: 50 << 20})
	}
	s.Profiles = []*instance.Profile{p}
	s.Jobs = []instance.JobSpec{{Name: "j", Model: "deep", Workers: 8, Iterations: 40, SPB: instance.SPBSpec{Rule: "free", MinFull: 1, MinMeanDepth: 500_000}}}
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	known := area.Chain(in).Value
	b, err := Bound(context.Background(), in, engine, Limits{Known: known})
	require.NoError(t, err)
	if b.Value != nil {
		_, err = verify.Certificate(context.Background(), in, b.Proof(in))
		require.NoError(t, err)
	}
}
