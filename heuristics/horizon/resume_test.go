package horizon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/heuristics/horizon"
)

// TestResumeGaps: if others have left its block, a job no longer waits in their gaps.
func TestResumeGaps(t *testing.T) {
	d, err := codec.Decode([]byte(`
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 2kB, activations: 1MB}, {name: b, forward: 2ms, backward: 2ms, parameters: 3kB, activations: 1MB}]}
jobs:
  - {name: short, model: m, workers: 2, iterations: 1000, resident: [0, 1]}
`))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	plan, err := horizon.Queue(in)
	require.NoError(t, err)
	length := plan.Makespan(in)
	plan.Blocks[0].Period *= 9
	require.Empty(t, check.Blocks(in, plan))
	for _, left := range []bool{false, true} {
		r, err := horizon.Resume(in, horizon.Interrupted{
			Plan: plan, GPU: func(g instance.GPUID) (instance.GPUID, bool) { return g, true }, Now: length / 10,
			Begun: []bool{true}, Moves: []bool{false}, Changed: []bool{false}, Left: []bool{left},
		})
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, r.Plan))
		if left {
			require.Less(t, r.Plan.Makespan(in), 2*length)
		} else {
			require.Equal(t, plan, r.Plan)
		}
	}
}
