package formulation

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver/colgen"
)

// TestFinerPools compares the columns program whose pool is three nodes with the
// one that has a pool for each of them: their values are equal, whether jobs
// live on one node or on several. Nodes are told apart by NICs and fabrics so
// fast that no synchronisation is any longer on the slower ones.
func TestFinerPools(t *testing.T) {
	engine := liveEngine(t)
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
			s := fineMaster(in, Chain(in).Value.Num().Int64())
			if objective == instance.WeightedCompletion {
				s = fineMaster(in, 20)
			}
			require.Len(t, s.m.network.pools, 1+2*int(step))
			live, r, err := s.run(context.Background(), engine, nil, colgen.Options{Smoothing: smoothing})
			require.NoError(t, err)
			require.NoError(t, live.Close())
			values = append(values, r.Value)
		}
		assert.InEpsilon(t, values[0], values[1], 1e-4, "seed %d", seed)
		if values[0] > 1+1e-3 { // more than there is, or longer than jobs that never wait
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

// TestNearlyAlikeRacks: racks whose uplinks differ by less than is printed of a speed are not
// alike. A synchronisation between the two faster ones takes 40 ticks, over the slower 41.
func TestNearlyAlikeRacks(t *testing.T) {
	rack := func(count int, uplink instance.BitRate) instance.RackSpec {
		return instance.RackSpec{Count: count, Nodes: 1, GPUs: 1, GPU: "v100", NIC: 1e9, Fabric: 1e9, Uplink: uplink}
	}
	in := compile(t, &instance.Spec{
		Version:  instance.Version,
		Profiles: []*instance.Profile{{Model: "m", GPU: "v100", Batch: 8, Layers: []instance.Layer{{Name: "l", Forward: 1e6, Backward: 1e6, Parameters: 40_002}}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{rack(1, 8_000_000), rack(2, 8_000_400)},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "m", Workers: 2, Iterations: 3}},
	})
	require.Equal(t, in.Links[0].Capacity.String(), in.Links[5].Capacity.String())
	assert.Len(t, newNetwork(in).racks, 2)
	optimum, _, _ := instancetest.Optimum(in)
	assert.Equal(t, big.NewRat(126, 1), optimum)
	assert.Equal(t, optimum, Chain(in).Value)
	homes, ok := rootNode(in).homes(in, 0, mostHomes)
	assert.True(t, ok)
	assert.Len(t, homes, 2)
}
