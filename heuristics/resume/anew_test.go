package resume_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/horizon"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/resume"
)

// TestAnew: what is in flight ends first, then a job that waited shares GPUs with the one that runs.
func TestAnew(t *testing.T) {
	in := heuristicstest.Compiled(t, `
residence: run
objective: weighted_completion
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
jobs:
  - {name: runs, model: m, workers: 2, iterations: 3000, resident: [0, 1]}
  - {name: waits, model: m, workers: 2, iterations: 300}
`)
	plan, err := queue.FirstCome(in)
	require.NoError(t, err)
	_, ends := plan.Spans(in)
	now := ends[0]/10 + 1
	begin := func() *resume.Resumption {
		r, err := resume.Resume(in, resume.Interrupted{
			Plan: plan, GPU: func(g instance.GPUID) (instance.GPUID, bool) { return g, true }, Now: now,
			Begun: []bool{true, false}, Moves: make([]bool, 2), Changed: make([]bool, 2), Left: make([]bool, 2),
		})
		require.NoError(t, err)
		return r
	}
	for _, waits := range []bool{true, false} {
		r := begin()
		before := in.Value(r.Plan)
		s := r.Anew(func(part *instance.Instance, known *instance.BlockSchedule, free []instance.Tick) (*instance.BlockSchedule, error) {
			require.Equal(t, []instance.GPUID{0, 1}, part.Jobs[0].Resident)
			require.Less(t, part.Jobs[0].Iterations, 2800)
			require.Greater(t, part.Jobs[0].Iterations, 2600)
			require.Equal(t, r.Plan.Residency, known.Residency)
			for _, at := range free {
				require.GreaterOrEqual(t, at, now, "an iteration is in flight")
			}
			if !waits {
				free = nil
			}
			return horizon.Config{Free: free}.Scaled(t.Context(), part, rand.New(rand.NewPCG(1, 2)))
		})
		require.Empty(t, check.Blocks(in, s))
		if waits {
			require.Negative(t, in.Value(s).Cmp(before))
		} else {
			require.Zero(t, in.Value(s).Cmp(before), "a plan that begins too early is not taken")
		}
	}
}
