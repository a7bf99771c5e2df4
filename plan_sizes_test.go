package jigsaw

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// TestSizes: jobs of two single GPUs each, which compute for as long as they wait, interlock on two GPUs although another job has workers of all
// four GPUs, beside which none has GPUs of its own.
func TestSizes(t *testing.T) {
	layers := []instance.Layer{{Name: "l", Forward: 10e6, Parameters: 1}}
	in, err := instance.Compile(&instance.Spec{
		Version: 1, Profiles: []*instance.Profile{
			{Model: "any", GPU: "a", Batch: 1, Layers: layers}, {Model: "any", GPU: "a", Batch: 1, GPUs: 4, Layers: layers},
		},
		Jobs: []instance.JobSpec{
			{Name: "two", Count: 4, Model: "any", Workers: 2, Iterations: 4}, {Name: "all", Model: "any", Workers: 1, GPUsPerWorker: 4, Iterations: 1},
		},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}, Latency: 10e6, RateLevels: []instance.RateLevel{4},
			Racks: []instance.RackSpec{{Nodes: 1, GPUs: 4, GPU: "a", NIC: 1e9, Fabric: 1e9}},
		},
	}, nil)
	require.NoError(t, err)
	r, err := Plan(t.Context(), in, Options{NoLP: true})
	require.NoError(t, err)
	require.LessOrEqual(t, r.Primal.Cmp(big.NewRat(120, 1)), 0, "%v", r.Primal) // 20 of "all", whose synchronisation waits, 80 of the others, and a seam
}

// TestSizesAnything: whatever sizes there are, plans are valid, and no worse for it.
func TestSizesAnything(t *testing.T) {
	better := 0
	for seed := range instancetest.Many(uint64(200), 40) {
		rng := rand.New(rand.NewPCG(seed, 41))
		in := instancetest.Grouped(rng, instancetest.Options{Jobs: 5, GPUs: 4, Iterations: 5, Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		p, stop := newPlanner(t.Context(), in, Options{NoLP: true})
		p.bySize()
		stop()
		require.Empty(t, p.faults, "seed %d", seed)
		if s := p.result.Schedule; s != nil {
			require.Empty(t, check.Schedule(in, s), "seed %d", seed)
			better++
		}
	}
	require.Greater(t, better, 10)
}
