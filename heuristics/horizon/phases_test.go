package horizon_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/horizon"
	"jigsaw/heuristics/queue"
)

// TestPhases: phases make valid plans with no more weighted completion, or that end no later, in which no
// job ends after the limit or its deadline, and are reproducible.
func TestPhases(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 10))
	made, better := 0, 0
	for n := range instancetest.Many(6000, 600) {
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[n%2]
		in := heuristicstest.Queueing(rng, objective)
		for _, alike := range in.Classes() {
			iterations := 1 + rng.IntN(300)
			for _, j := range alike {
				in.Jobs[j].Iterations = iterations
			}
		}
		var s *instance.BlockSchedule
		var err error
		if n%3 == 0 {
			s, _, err = queue.Search{Rounds: 20}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		} else {
			s, err = cells(horizon.Config{Quick: true}, in)
		}
		if err != nil || len(check.Blocks(in, s)) > 0 {
			continue
		}
		made++
		_, ends := s.Spans(in)
		by := []instance.Tick{0, s.Makespan(in), s.Makespan(in) * 11 / 10}[rng.IntN(3)]
		if rng.IntN(3) == 0 {
			for j := range in.Jobs {
				in.Jobs[j].Deadline = ends[j] + instance.Tick(rng.IntN(int(ends[j])))
			}
		}
		phased := horizon.Config{Rounds: 1}.Phases(context.Background(), in, s, by, rand.New(rand.NewPCG(1, 1)))
		require.Empty(t, check.Blocks(in, phased), "%d", n)
		written, err := phased.Expand(in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, written), "%d", n)
		if by > 0 {
			require.LessOrEqual(t, phased.Makespan(in), by)
		}
		weighted := *in
		weighted.Objective = instance.WeightedCompletion
		before, after := weighted.Value(s), weighted.Value(phased)
		if by == 0 && objective == instance.Makespan { // the ends of groups are the objective
			require.LessOrEqual(t, phased.Makespan(in), s.Makespan(in), "%d", n)
		} else {
			require.LessOrEqual(t, after.Cmp(before), 0, "%d", n)
		}
		if after.Cmp(before) < 0 {
			better++
		}
		again := horizon.Config{Rounds: 1}.Phases(context.Background(), in, s, by, rand.New(rand.NewPCG(1, 1)))
		require.Equal(t, phased, again)
	}
	t.Logf("%d of %d plans are better", better, made)
	require.Greater(t, better, made/12)
}

// TestPhasesApart: jobs of one pattern that share no node need not keep its pace, nor wait for each other.
func TestPhasesApart(t *testing.T) {
	in := heuristicstest.Compiled(t, `
residence: run
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{nodes: 2, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
jobs:
  - {name: long, model: m, workers: 2, iterations: 9000, placement: {within: node}}
  - {name: short, model: m, workers: 2, iterations: 1000, release: 4s, placement: {within: node}}
`)
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
	plan, err := queue.FirstCome(in)
	require.NoError(t, err)
	long, short := plan.Blocks[0], plan.Blocks[1]
	require.Len(t, plan.Blocks, 2)
	// In one block, at the pace of the long one, once both are there.
	require.Equal(t, long.Period, short.Period)
	both := instance.Block{Start: short.Start, Period: 9 * long.Period, Repeats: 1000}
	for i := range 9 {
		one := instance.Block{Tasks: slices.Clone(long.Tasks), Syncs: slices.Clone(long.Syncs)}
		instance.Shift(one.Tasks, one.Syncs, instance.Tick(i)*long.Period)
		for n := range one.Tasks {
			one.Tasks[n].Iteration += i
		}
		for n := range one.Syncs {
			one.Syncs[n].Iteration += i
		}
		both.Tasks, both.Syncs = append(both.Tasks, one.Tasks...), append(both.Syncs, one.Syncs...)
	}
	both.Tasks, both.Syncs = append(both.Tasks, short.Tasks...), append(both.Syncs, short.Syncs...)
	together := &instance.BlockSchedule{Residency: plan.Residency, Blocks: []instance.Block{both}}
	together.Sort()
	require.Empty(t, check.Blocks(in, together))
	for _, by := range []instance.Tick{0, together.Makespan(in)} {
		apart := horizon.Config{}.Phases(context.Background(), in, together, by, rng())
		require.Empty(t, check.Blocks(in, apart))
		_, alone := plan.Spans(in)
		_, ends := apart.Spans(in)
		for j := range in.Jobs {
			require.LessOrEqual(t, ends[j], alone[j], "%s by %d", in.Jobs[j].Name, by)
		}
	}
}
