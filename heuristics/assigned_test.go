package heuristics

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/assign"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// TestUnrelated: on unrelated machines the search comes close to a bound.
func TestUnrelated(t *testing.T) {
	t.Parallel()
	rng := heuristicstest.Source(5)
	spec := &instance.Spec{Version: instance.Version}
	const machines, jobs = 40, 160
	for m := range machines {
		gpu := fmt.Sprintf("m%d", m)
		spec.Cluster.GPUTypes = append(spec.Cluster.GPUTypes, instance.GPUTypeSpec{Name: gpu, Memory: 1 << 30})
		spec.Cluster.Racks = append(spec.Cluster.Racks, instance.RackSpec{Nodes: 1, GPUs: 1, GPU: gpu, NIC: 1e9, Fabric: 1e9})
		for j := range jobs {
			spec.Profiles = append(spec.Profiles, &instance.Profile{
				Model: fmt.Sprintf("j%d", j), GPU: gpu, Batch: 1, Layers: []instance.Layer{{Forward: instance.Duration((1 + rng.IntN(100)) * 1e6)}},
			})
		}
	}
	for j := range jobs {
		name := fmt.Sprintf("j%d", j)
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: name, Model: name, Workers: 1, Iterations: 1 + j%3, SPB: instance.SPBSpec{Rule: "full"}})
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	plan := func() *instance.Schedule {
		rng := heuristicstest.Source(1)
		s, err := Greedy(context.Background(), in, rng)
		require.NoError(t, err)
		s, err = Config{Rounds: 3}.Improve(context.Background(), in, rng, s)
		require.NoError(t, err)
		return s
	}
	s := plan()
	require.Empty(t, check.Schedule(in, s))
	gpu := make([]instance.GPUID, jobs)
	for j := range gpu {
		gpu[j] = s.Residency[j][0]
	}
	bound := assign.New(in, state.CheapestMultisets(in), gpu, make([]int, jobs), heuristicstest.Source(1)).Bound()
	t.Logf("makespan %d, bound %d", s.Makespan(in), bound)
	require.LessOrEqual(t, float64(s.Makespan(in)), 1.05*float64(bound))
	require.Equal(t, s, plan())
}
