package resume_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/resume"
)

// TestResumeGaps: if others have left its block, a job no longer waits in their gaps.
func TestResumeGaps(t *testing.T) {
	in := heuristicstest.Compiled(t, `
residence: run
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
jobs:
  - {name: short, model: m, workers: 2, iterations: 1000, resident: [0, 1]}
`)
	plan, err := queue.FirstCome(in)
	require.NoError(t, err)
	length := plan.Makespan(in)
	plan.Blocks[0].Period *= 9
	require.Empty(t, check.Blocks(in, plan))
	for _, left := range []bool{false, true} {
		r, err := resume.Resume(in, resume.Interrupted{
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
