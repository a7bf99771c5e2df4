package list

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// decided is a random decision about an instance as if memory held all jobs at once; nil: some have no place even so.
func decided(t *testing.T, roomy *instance.Instance, rng *rand.Rand) *Decision {
	t.Helper()
	counts := state.CheapestMultisets(roomy)
	where, counts, err := placement.Place(t.Context(), roomy, placement.Options{Counts: counts, Noise: rng, Scatter: rng.IntN(2) == 0})
	if err != nil {
		return nil
	}
	base, slope := Measure(roomy, where, counts).Keys(roomy, Rule(rng.IntN(int(CriticalRatio)+1)))
	return &Decision{Counts: counts, Where: where, Base: base, Slope: slope, Patience: rng.IntN(4), Strict: rng.IntN(2) == 0}
}

// overfull reports whether jobs, each from its load to its end, hold more memory than some GPU has.
func overfull(in *instance.Instance, s *instance.Schedule) bool {
	from, to := make([]instance.Tick, len(in.Jobs)), s.Completion(in)
	for j := range from {
		from[j] = to[j]
	}
	for _, task := range s.Tasks {
		from[task.Job] = min(from[task.Job], task.Start-in.Jobs[task.Job].Load)
	}
	for g := range in.GPUs {
		for _, moment := range from {
			held := instance.Memory{}
			for j, home := range s.Residency {
				for _, at := range home {
					if int(at) == g && from[j] <= moment && moment < to[j] {
						held = held.With(in.Jobs[j].On[in.GPUs[g].Type].Memory(in.Jobs[j].Full()))
					}
				}
			}
			if held.Sum() > in.Types[in.GPUs[g].Type].Memory {
				return true
			}
		}
	}
	return false
}

// TestStays: schedules keep to the memory that jobs hold from their load to their end, and are valid otherwise; without stays
// many would not.
func TestStays(t *testing.T) {
	t.Parallel()
	kept, without := 0, 0
	for seed := range uint64(instancetest.Many(2000, 200)) {
		rng := rand.New(rand.NewPCG(seed, 71))
		in := heuristicstest.Queueing(rng, instance.WeightedCompletion)
		for n := range in.Types { // room for the largest job
			in.Types[n].Memory = 0
			for j := range in.Jobs {
				if costs := in.Jobs[j].On[n]; costs != nil {
					in.Types[n].Memory = max(in.Types[n].Memory, costs.Memory(in.Jobs[j].Full()).Sum())
				}
			}
		}
		roomy := in.Roomy()
		for j := range roomy.Jobs {
			roomy.Jobs[j].Release, roomy.Jobs[j].Load = in.Jobs[j].Release, in.Jobs[j].Load
		}
		d := decided(t, roomy, rng)
		if d == nil {
			continue
		}
		l := state.NewLayout(roomy)
		dispatch, out := NewDispatcher(roomy, l), NewRecord(l, len(in.Jobs))
		require.NoError(t, dispatch.Decode(t.Context(), d, out))
		if overfull(in, out.Schedule(in, l)) {
			without++
		}
		dispatch.stays = newStays(in)
		require.NoError(t, dispatch.Decode(t.Context(), d, out))
		s := out.Schedule(roomy, l)
		kept++
		require.False(t, overfull(in, s), "seed %d", seed)
		for _, v := range check.Schedule(roomy, s) {
			require.Equal(t, 10, v.Rule, "seed %d: %v", seed, v)
		}
	}
	t.Logf("%d schedules, %d would be overfull", kept, without)
	require.Greater(t, kept, 100)
	require.Greater(t, without, kept/10)
}

// TestStrict: the second job has room beside the first, the third has not. A strict decision does not let the last one in before it.
func TestStrict(t *testing.T) {
	in := heuristicstest.Compiled(t, `
objective: weighted_completion
residence: run
cluster: {gpu_types: [{name: v, memory: 1GB}], racks: [{nodes: 1, gpus: 2, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}]}
jobs: [{name: first, model: m, workers: 1, iterations: 10}, {name: both, model: m, workers: 2, iterations: 10}, {name: last, model: m, workers: 1, iterations: 10}]
`)
	for j := range in.Jobs {
		in.Jobs[j].On[0].Persistent = 600 << 20
	}
	roomy := in.Roomy()
	where := placement.Of(roomy, &instance.Schedule{Residency: [][]instance.GPUID{{0}, {0, 1}, {1}}})
	for strict, after := range map[bool]bool{false: false, true: true} {
		d := &Decision{Counts: state.CheapestMultisets(roomy), Where: where, Base: []int64{0, 1, 2}, Slope: make([]int64, 3), Strict: strict}
		l := state.NewLayout(roomy)
		dispatch, out := NewDispatcher(roomy, l), NewRecord(l, 3)
		dispatch.stays = newStays(in)
		require.NoError(t, dispatch.Decode(t.Context(), d, out))
		require.Equal(t, after, out.Completion[2] > out.Completion[1], "strict: %v", strict)
		require.Less(t, out.Completion[0], out.Completion[1])
	}
}

// TestSample: what a sample keeps is a valid schedule of so many iterations of each job, and GPUs are no less busy until its end than
// until that of the whole sample; or, of the job that is furthest behind, no less has been done per tick.
func TestSample(t *testing.T) {
	t.Parallel()
	made, even := 0, 0
	for seed := range uint64(instancetest.Many(2000, 200)) {
		rng := rand.New(rand.NewPCG(seed, 72))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion, Iterations: 30})
		d := decided(t, in, rng)
		if d == nil {
			continue
		}
		l := state.NewLayout(in)
		dispatch, out := NewDispatcher(in, l), NewRecord(l, len(in.Jobs))
		require.NoError(t, dispatch.Decode(t.Context(), d, out))
		whole := out.Schedule(in, l)
		until := 1 + instance.Tick(rng.Int64N(int64(whole.Makespan(in))))
		var left []int // every other time
		for j := range in.Jobs {
			if seed%2 == 0 {
				left = append(left, in.Jobs[j].Iterations)
			}
		}
		counts := dispatch.Sample(t.Context(), d, out, until, left)
		require.Len(t, counts, len(in.Jobs))
		some := 0
		for j, n := range counts {
			require.LessOrEqual(t, n, in.Jobs[j].Iterations)
			some += n
		}
		if some == 0 {
			continue
		}
		made++
		part := out.First(in, l, counts)
		mini := in.Miniature(counts)
		require.Empty(t, check.Schedule(mini, part), "seed %d", seed)
		require.LessOrEqual(t, part.Makespan(mini), until)
		if all := least(endedBy(in, whole, until), left); all > 0 {
			even++
			require.GreaterOrEqual(t, least(counts, left)/float64(part.Makespan(mini)), all/float64(until))
		}
	}
	require.Greater(t, made, 100)
	require.Greater(t, even, 20)
}

// least is the least part of the iterations left of a job that counts has.
func least(counts, left []int) float64 {
	part := math.Inf(1)
	for j := range left {
		part = min(part, float64(counts[j])/float64(left[j]))
	}
	if left == nil {
		return 0
	}
	return part
}

// endedBy is how many iterations of each job have ended by a time.
func endedBy(in *instance.Instance, s *instance.Schedule, by instance.Tick) []int {
	ends := make([][]instance.Tick, len(in.Jobs))
	for j := range ends {
		ends[j] = make([]instance.Tick, in.Jobs[j].Iterations)
	}
	for _, k := range s.Tasks {
		ends[k.Job][k.Iteration-1] = max(ends[k.Job][k.Iteration-1], k.End)
	}
	for _, y := range s.Syncs {
		ends[y.Job][y.Iteration-1] = max(ends[y.Job][y.Iteration-1], y.End)
	}
	counts := make([]int, len(ends))
	for j := range ends {
		for _, end := range ends[j] {
			if end <= by {
				counts[j]++
			}
		}
	}
	return counts
}
