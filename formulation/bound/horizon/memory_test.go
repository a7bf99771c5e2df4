package horizon_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/horizon"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	queues "jigsaw/heuristics/horizon"
)

// TestSandwich: every bound <= the optimum of brute force <= every plan, and nothing that fits by itself
// is infeasible.
func TestSandwich(t *testing.T) {
	t.Parallel()
	count := 2600
	if testing.Short() {
		count = 200
	}
	rng := rand.New(rand.NewPCG(19, 7))
	solved, tight, binding, waited := 0, 0, 0, 0
	for n := range count {
		in := instancetest.Queueing(rng, []instance.Objective{instance.Makespan, instance.WeightedCompletion}[n%2])
		optimum, s, status := instancetest.OptimumWithin(in, 40_000)
		if status == instancetest.Skipped {
			continue
		}
		reasons := relax.Infeasible(in.Roomy())
		if status == instancetest.Infeasible {
			continue // a link has failed
		}
		require.Empty(t, reasons)
		require.Empty(t, check.Schedule(in, s))
		solved++
		chain, work, memory := area.Chain(in.Roomy()), area.Bound(in.Roomy()), horizon.Memory(in)
		for _, b := range []bound.Bound{chain, work, memory} {
			if b.Value == nil {
				continue // no memory at all
			}
			require.LessOrEqual(t, b.Value.Cmp(optimum), 0, "%s: %s above %s\n%+v", b.Kind, b.Value, optimum, in.Jobs)
		}
		best := bound.Best(in, chain, work)
		if memory.Value != nil && memory.Value.Cmp(best.Value) > 0 {
			binding++
		}
		if bound.Best(in, best, memory).Value.Cmp(optimum) == 0 {
			tight++
		}
		if together, _, _ := instancetest.OptimumWithin(in.Resident(), 40_000); together == nil || together.Cmp(optimum) > 0 {
			waited++
		}
		if _, err := queues.Queue(in, false); err != nil {
			continue
		}
		plan, _, err := queues.Config{Rounds: 10}.Orders(context.Background(), in, rng)
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, plan))
		require.LessOrEqual(t, optimum.Cmp(in.BlockValue(plan)), 0)
	}
	t.Logf("%d solved; %d bounds tight; memory x time strongest in %d; %d better than where all stay", solved, tight, binding, waited)
	require.Greater(t, solved, count*3/4)
	require.Greater(t, binding, count/50)
	require.Greater(t, waited, count/50)
}

// TestMemoryByHand: three jobs of more than half a GPU's memory on two GPUs.
func TestMemoryByHand(t *testing.T) {
	d, err := codec.Decode([]byte(`
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 10MB}]
  racks: [{nodes: 2, gpus: 1, gpu: v, nic: 8Mbit/s, fabric: 8Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 2MB, activations: 1MB}]}
jobs:
  - {name: a, count: 3, model: m, workers: 1, iterations: 10, load: 5ms}
`))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	// 35 ticks each, never two on a GPU at a time: 3 x 35 / 2 = 52.5.
	require.Equal(t, big.NewRat(53, 1), horizon.Memory(in).Value)
	in.Objective = instance.WeightedCompletion
	// Areas of 17.5: means at 8.75, 26.25 and 43.75, and half of 35 each: 131.25.
	require.Equal(t, big.NewRat(132, 1), horizon.Memory(in).Value)
	in.Residence = ""
	require.Nil(t, horizon.Memory(in).Value)
}

// TestNoRoomAlone: what fits nowhere by itself is told with its own numbers.
func TestNoRoomAlone(t *testing.T) {
	d, err := codec.Decode([]byte(`
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 16GiB}]
  racks: [{nodes: 2, gpus: 1, gpu: v, nic: 8Mbit/s, fabric: 8Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 20GiB, activations: 1MB}]}
jobs:
  - {name: a, model: m, workers: 1, iterations: 10}
`))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	require.Equal(t, []string{`job "a": a worker needs at least 60.00 GiB of memory, the GPUs it may use have 16.00 GiB`}, relax.Infeasible(in.Roomy()))
}
