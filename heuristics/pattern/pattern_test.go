package pattern_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// patterned is a tiny instance with a pattern of all its jobs on all its nodes; nil: they do not fit together.
func patterned(t *testing.T, rng *rand.Rand) (*instance.Instance, *pattern.Pattern) {
	t.Helper()
	in := heuristicstest.Queueing(rng, instance.Makespan)
	jobs := slices.Clone(in.Jobs)
	for _, alike := range in.Classes() {
		more := rng.IntN(150)
		for _, j := range alike {
			jobs[j].Iterations += more
		}
	}
	in = in.WithJobs(jobs)
	p, err := pattern.New(t.Context(), in, rng, in.AllJobs(), instance.UpTo[instance.NodeID](len(in.Nodes)), 4)
	if err != nil {
		return in, nil
	}
	return in, p
}

// TestWholePlans: a pattern with what is left after it is a valid plan, in each way of writing it, also with slack between its tasks,
// and ends when the last block does.
func TestWholePlans(t *testing.T) {
	made, longer := 0, 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in, p := patterned(t, rng)
		if p == nil {
			continue
		}
		made++
		gpus, jobs := instance.UpTo[instance.GPUID](len(in.GPUs)), state.Pick(in.AllJobs(), p.At)
		start, left := instance.Tick(0), make([]int, len(jobs))
		for n, j := range jobs {
			start, left[n] = max(start, in.Jobs[j].Release+in.Jobs[j].Load), in.Jobs[j].Iterations
		}
		require.NotZero(t, slices.Max(p.Iterations))
		checked := func(name string, blocks []instance.Block, end instance.Tick) {
			plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs)), Blocks: blocks}
			for n, j := range jobs {
				plan.Residency[j] = p.Schedule.Residency[n]
			}
			plan.Sort()
			require.Empty(t, check.Blocks(in, plan), "%s, seed %d", name, seed)
			require.Equal(t, end, plan.Makespan(in), "%s, seed %d", name, seed)
		}
		blocks, end := p.Blocks(jobs, gpus, slices.Clone(left), start)
		checked("blocks", blocks, end)
		blocks, last := p.Evenly(jobs, gpus, slices.Clone(left), start)
		checked("evenly", blocks, last)

		some := slices.Clone(left)
		blocks, now := p.Phase(jobs, gpus, some, start, start+instance.Tick(rng.IntN(3))*p.Period)
		more, last := p.Blocks(jobs, gpus, some, now)
		checked("phase", append(blocks, more...), max(now, last))

		period := p.Period
		if slack := []float64{1, 1.25, 1.5, 2}; p.Loosen(slack) {
			require.GreaterOrEqual(t, p.Period, period)
			blocks, last = p.Blocks(jobs, gpus, slices.Clone(left), start)
			checked("loose", blocks, last)
			if last > end {
				longer++
			}
		}
		require.False(t, p.Loosen([]float64{}), "no job may be on a GPU")
	}
	require.Greater(t, made, 50)
	require.Greater(t, longer, 10)
}

// TestShrink: a smaller pattern has no more tasks than are allowed, and iterations of every job that wants some.
func TestShrink(t *testing.T) {
	shrunk := 0
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		in, p := patterned(t, rng)
		if p == nil {
			continue
		}
		size := func() (sum int) {
			for n, r := range p.Iterations {
				sum += r * p.Part.Jobs[n].Workers
			}
			return sum
		}
		want, workers := make([]float64, len(in.Jobs)), 0
		for j := range in.Jobs {
			want[j], workers = float64(in.Jobs[j].Iterations), workers+in.Jobs[j].Workers
		}
		before := size()
		p.Shrink(want, slices.Max(p.Iterations), 3*workers)
		require.Positive(t, slices.Min(p.Iterations))
		require.LessOrEqual(t, size(), max(before, 3*workers))
		if size() < before {
			shrunk++
			require.True(t, size() <= 3*workers || slices.Max(p.Iterations) == 1, "seed %d: %d tasks", seed, size())
		}
	}
	require.Greater(t, shrunk, 10)
}
