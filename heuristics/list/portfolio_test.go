package list

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// Greedy asks repeatedly whether its best is good enough, since a bound may have
// arrived, and tries nothing more once it is.
func TestGreedyAsksAgain(t *testing.T) {
	t.Parallel()
	in := heuristicstest.Medium{Racks: 2, Nodes: 2, GPUs: 4, Jobs: 12, Iterations: 8, NIC: 5e9, Objective: instance.Makespan}.Instance(t, 1)
	asked := 0
	s, err := Greedy(t.Context(), state.Options{Stop: func(*big.Rat) bool { asked++; return asked > 40 }}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	require.Equal(t, 41, asked)
}

// Attempts without balance are tried before the first one: it draws nothing.
func TestGreedyDecodesFirst(t *testing.T) {
	t.Parallel()
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in := heuristicstest.Medium{Racks: 2, Nodes: 2, GPUs: 4, Jobs: 12, Iterations: 8, NIC: 5e9, Objective: objective}.Instance(t, 1)
		rng := heuristicstest.Source(1)
		_, err := Greedy(t.Context(), state.Options{Stop: func(*big.Rat) bool { return true }}, in, rng)
		require.NoError(t, err)
		require.Equal(t, heuristicstest.Source(1).Uint64(), rng.Uint64(), "of %s", objective)
	}
}

// TestSlowerRates: a job whose synchronisations fill a link for longer than an iteration of another job gives way, whatever the
// number of rate levels.
func TestSlowerRates(t *testing.T) {
	t.Parallel()
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.Makespan,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, RateLevels: []instance.RateLevel{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 20},
			Racks: []instance.RackSpec{{Nodes: 2, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Profiles: []*instance.Profile{
			{Model: "big", GPU: "v100", Batch: 32, Layers: []instance.Layer{{Name: "l", Forward: 1e6, Backward: 1e6, Parameters: 40e6}}},
			{Model: "small", GPU: "v100", Batch: 32, Layers: []instance.Layer{{Name: "l", Forward: 3e6, Backward: 5e6, Parameters: 1e6}}},
		},
		Jobs: []instance.JobSpec{
			{Name: "a", Model: "big", Workers: 2, Iterations: 3}, {Name: "b", Model: "small", Workers: 2, Iterations: 25},
		},
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	s, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	p := NewPortfolio(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, p.Construct())
	before := p.Value
	p.slowDown()
	require.True(t, p.Value.Less(before))
	require.Contains(t, p.Chosen.Slow, uint8(1))
}
