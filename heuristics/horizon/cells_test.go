package horizon_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/horizon"
)

// cells is the plan of an instance by cells.
func cells(c horizon.Config, in *instance.Instance) (*instance.BlockSchedule, error) {
	return c.Cells(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
}

// TestCells: plans of jobs on cells are valid, also if memory makes them take turns and if iterations
// do not divide into patterns, and are reproducible.
func TestCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 8))
	made, turns := 0, 0
	for n := range 150 {
		in := heuristicstest.Queueing(rng, []instance.Objective{instance.Makespan, instance.WeightedCompletion}[n%2])
		for _, alike := range in.Classes() {
			iterations := 1 + rng.IntN(200)
			for _, j := range alike {
				in.Jobs[j].Iterations = iterations
			}
		}
		plan := func() (*instance.BlockSchedule, error) {
			return cells(horizon.Config{Quick: true}, in)
		}
		s, err := plan()
		if err != nil {
			var none *heuristics.NoPlan
			require.True(t, errors.As(err, &none) || len(in.Nodes) > 1, "%v", err) // one cell may be the whole cluster
			continue
		}
		made++
		require.Empty(t, check.Blocks(in, s))
		written, err := s.Expand(in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, written))
		again, err := plan()
		require.NoError(t, err)
		require.Equal(t, s, again)
		if len(check.Blocks(in.Resident(), s)) > 0 {
			turns++
		}
	}
	t.Logf("%d plans, of which %d take turns in memory", made, turns)
	require.Greater(t, made, 75)
	require.Positive(t, turns)
}

// TestCopies: four times the jobs on four times the nodes, of one rack or of four, are planned like one
// part; with one job more, or one node less, there is still a plan.
func TestCopies(t *testing.T) {
	plan := func(racks, nodes, jobs, more int) *big.Rat {
		in := heuristicstest.Compiled(t, fmt.Sprintf(`
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{count: %d, nodes: %d, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
jobs:
  - {name: a, count: %d, model: m, workers: 4, iterations: 70}
  - {name: b, count: %d, model: m, workers: 2, iterations: 50}
  - {name: c, count: %d, model: m, workers: 1, iterations: 99}
`, racks, nodes, jobs, jobs, jobs+more))
		s, err := cells(horizon.Config{}, in)
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, s))
		return in.Value(s)
	}
	one := plan(1, 2, 1, 0)
	for _, racks := range []int{1, 4} {
		require.Equal(t, one, plan(racks, 8/racks, 4, 0))
	}
	plan(4, 2, 4, 1)
	plan(1, 7, 4, 0)
}

// TestDue: where jobs of cells, which all end together, miss deadlines, those that are admitted as they come may meet them.
func TestDue(t *testing.T) {
	made := 0
	for n := range 3 {
		in := heuristicstest.Compiled(t, fmt.Sprintf(`
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{nodes: 2, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
jobs:
  - {name: a, count: 2, model: m, workers: 2, iterations: %d}
  - {name: b, count: 3, model: m, workers: 1, iterations: %d}
  - {name: c, count: 3, model: m, workers: 1, iterations: %d}
`, 60+5*n, 200-7*n, 150+9*n))
		free, err := cells(horizon.Config{}, in)
		require.NoError(t, err)
		_, ends := free.Spans(in)
		for _, j := range []int{0, 3} {
			in.Jobs[j].Deadline = ends[j] * 2 / 3
		}
		_, err = cells(horizon.Config{}, in)
		require.ErrorContains(t, err, "would miss its deadline")
		s, err := horizon.Config{}.Arrivals(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			require.ErrorContains(t, err, "would miss its deadline")
			continue
		}
		made++
		require.Empty(t, check.Blocks(in, s))
	}
	require.Positive(t, made)
}
