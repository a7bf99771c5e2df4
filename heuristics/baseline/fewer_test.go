package baseline

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// TestFewerWorkers: iterations, weights and dates are unchanged, every job is within one
// worker of its work with SPB, and the totals within the work of a small job's worker.
func TestFewerWorkers(t *testing.T) {
	fewer, even := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 17))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Objectives()[seed%4]})
		got := FewerWorkers(in)
		require.Len(t, got.Jobs, len(in.Jobs))
		lead, most := int64(0), int64(0)
		for j := range in.Jobs {
			was, is := &in.Jobs[j], &got.Jobs[j]
			require.Equal(t, [4]int64{int64(was.Iterations), was.Weight, int64(was.Release), int64(was.Deadline)},
				[4]int64{int64(is.Iterations), is.Weight, int64(is.Release), int64(is.Deadline)})
			require.GreaterOrEqual(t, is.Workers, 1)
			require.LessOrEqual(t, is.Workers, was.Workers)
			require.Equal(t, is.Workers, is.Rule.Fixed[is.Full()])
			kind := state.FastestType(in, was)
			work, unit := int64(0), int64(was.On[kind].Time[was.Full()])
			for d, n := range multiset.Cheapest(was, kind) {
				work += int64(n) * int64(was.On[kind].Time[d])
			}
			require.Less(t, max(work-unit*int64(is.Workers), unit*int64(is.Workers)-work), unit)
			if !in.Objective.Periodic() {
				work, unit = work*int64(was.Iterations), unit*int64(was.Iterations)
			}
			lead += unit*int64(is.Workers) - work
			most = max(most, unit)
			if is.Workers < was.Workers {
				fewer++
			}
		}
		require.LessOrEqual(t, max(lead, -lead), most/2+1, "seed %d", seed)
		if lead == 0 {
			even++
		}
	}
	assert.Greater(t, fewer, 10)
	t.Logf("%d jobs lose workers, %d instances match exactly", fewer, even)
}

// TestFewerWorkersByHand checks rounding in a case worked out by hand.
func TestFewerWorkersByHand(t *testing.T) {
	job := func(workers int, full, half instance.Tick, fixed ...int) instance.Job {
		return instance.Job{
			Workers: workers, Iterations: 1, Weight: 1, Depths: make([]instance.Depth, 2), SegmentBytes: make([]instance.Bytes, 2),
			Rule: instance.Rule{Fixed: fixed},
			On:   []*instance.Costs{{Time: []instance.Tick{half, full}, Ephemeral: make([]instance.Bytes, 2)}},
		}
	}
	in := (&instance.Instance{
		Types: make([]instance.GPUType, 1), Nodes: []instance.Node{{GPUs: 4}}, GPUs: make([]instance.GPU, 4),
		Jobs: []instance.Job{job(4, 100, 20, 2, 2), job(4, 100, 30, 2, 2), job(2, 10, 6, 1, 1)},
	}).FullDepthOn([]int{4, 4, 2})
	// FullDepthOn has classified the jobs; give them their rules back.
	for j, fixed := range [][]int{{2, 2}, {2, 2}, {1, 1}} {
		in.Jobs[j].Rule.Fixed = fixed
	}
	got := FewerWorkers(in)
	// 240 of 400 ticks: 2 workers, 40 short. 260: 3, which compensates for it. 16 of 20:
	// 2.
	assert.Equal(t, []int{2, 3, 2}, []int{got.Jobs[0].Workers, got.Jobs[1].Workers, got.Jobs[2].Workers})
	require.Same(t, got, FewerWorkers(got))
}
