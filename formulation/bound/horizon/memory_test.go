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
	"jigsaw/formulation/relax/memorytime"
	"jigsaw/heuristics/queue"
)

// TestSandwich: every bound <= the optimum of brute force <= every plan, and nothing that fits by itself is
// called infeasible.
func TestSandwich(t *testing.T) {
	t.Parallel()
	count := 2600
	if testing.Short() {
		count = 200
	}
	rng := rand.New(rand.NewPCG(19, 7))
	solved, tight, binding, waited, apart := 0, 0, 0, 0, 0
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
			if memory.Certificate.Share.Apart != nil {
				apart++
			}
		}
		if bound.Best(in, best, memory).Value.Cmp(optimum) == 0 {
			tight++
		}
		if together, _, _ := instancetest.OptimumWithin(in.Resident(), 40_000); together == nil || together.Cmp(optimum) > 0 {
			waited++
		}
		if _, err := queue.FirstCome(in); err != nil {
			continue
		}
		plan, _, err := queue.Search{Rounds: 10}.Orders(context.Background(), in, rng)
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, plan))
		require.LessOrEqual(t, optimum.Cmp(in.Value(plan)), 0)
	}
	t.Logf("%d solved; %d bounds tight; memory x time strongest in %d, of %d by jobs apart; %d better than where all stay", solved, tight, binding, apart, waited)
	require.Greater(t, solved, count*3/4)
	require.Greater(t, binding, count/50)
	require.Greater(t, waited, count/50)
	require.Positive(t, apart)
}

// compiled is the instance in a text.
func compiled(t *testing.T, text string) *instance.Instance {
	t.Helper()
	d, err := codec.Decode([]byte(text))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	return in
}

// TestMemoryByHand: three jobs of more than half a GPU's memory on two GPUs.
func TestMemoryByHand(t *testing.T) {
	in := compiled(t, `
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 10MB}]
  racks: [{nodes: 2, gpus: 1, gpu: v, nic: 8Mbit/s, fabric: 8Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 2MB, activations: 1MB}]}
jobs:
  - {name: a, count: 3, model: m, workers: 1, iterations: 10, load: 5ms}
`)
	// 35 ticks each, never two on a GPU at a time: 3 x 35 / 2 = 52.5.
	require.Equal(t, big.NewRat(53, 1), horizon.Memory(in).Value)
	in.Objective = instance.WeightedCompletion
	// Areas of 17.5: means at 8.75, 26.25 and 43.75, and half of 35 each: 131.25.
	require.Equal(t, big.NewRat(132, 1), horizon.Memory(in).Value)
	in.Residence = ""
	require.Nil(t, horizon.Memory(in).Value)
}

// TestApart: two jobs on both GPUs and one on either, no two of which fit on a GPU, run one after the other.
func TestApart(t *testing.T) {
	in := compiled(t, `
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 20MB}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 8Mbit/s, fabric: 8000Gbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 6MB, activations: 1MB}]}
  - {model: s, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 5MB, activations: 1MB}]}
jobs:
  - {name: a, count: 2, model: m, workers: 2, iterations: 10}
  - {name: b, model: s, workers: 1, iterations: 12, weight: 3}
  - {name: c, model: s, workers: 1, iterations: 4}
`)
	// Iterations of 3 ticks and, for a, a tick of sync; c runs beside b.
	b := horizon.Memory(in)
	require.Equal(t, big.NewRat(116, 1), b.Value)
	require.Equal(t, []instance.JobID{0, 1, 2}, b.Certificate.Share.Apart)
	p := relax.Proven{}
	for _, wrong := range [][]instance.JobID{{0, 1, 2, 3}, {0, 1, 4}, {0, 0}, {1, 0}, {-1, 0}} {
		require.Error(t, memorytime.Prove(in, &p, &relax.ShareTerms{Apart: wrong}), wrong)
	}
	require.Error(t, memorytime.Prove(in, &p, &relax.ShareTerms{Apart: []instance.JobID{0}, Parts: 1}))
	// b, a, a end at 36, 76 and 116; for c half its stay.
	in.Objective = instance.WeightedCompletion
	require.NoError(t, memorytime.Prove(in, &p, &relax.ShareTerms{Apart: []instance.JobID{0, 1, 2}}))
	require.Equal(t, big.NewRat(3*36+76+116+6, 1), p.Value)
}

// TestApartByActivations: two jobs on both GPUs whose parameters fit together, but not beside the
// activations.
func TestApartByActivations(t *testing.T) {
	in := compiled(t, `
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 20MB}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 8Mbit/s, fabric: 8000Gbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 1MB, activations: 15MB}]}
  - {model: s, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 100kB, activations: 1MB}]}
jobs:
  - {name: a, model: m, workers: 2, iterations: 10}
  - {name: b, model: m, workers: 2, iterations: 10}
  - {name: c, model: s, workers: 2, iterations: 3}
`)
	// Iterations of 3 ticks and a tick of sync; the parameters of c and the activations of a also fit.
	b := horizon.Memory(in)
	require.Equal(t, []instance.JobID{0, 1}, b.Certificate.Share.Apart)
	require.Equal(t, big.NewRat(80, 1), b.Value)
}

// TestApartByDeepTasks: a job on all four GPUs fits beside one on two at the least depths, but one of the
// two shared GPUs has a task at full depth.
func TestApartByDeepTasks(t *testing.T) {
	in := compiled(t, `
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 20MB}]
  racks: [{nodes: 1, gpus: 4, gpu: v, nic: 8Mbit/s, fabric: 8000Gbit/s}]
profiles:
  - {model: wide, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 1ms, parameters: 1MB, activations: 100kB}, {name: b, forward: 0ms, backward: 1ms, parameters: 1MB, activations: 100kB}]}
  - {model: deep, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 1ms, parameters: 1MB, activations: 14MB}, {name: b, forward: 0ms, backward: 1ms, parameters: 100kB, activations: 1MB}]}
jobs:
  - {name: wide, model: wide, workers: 4, iterations: 10}
  - {name: deep, model: deep, workers: 2, iterations: 10, spb: {rule: free, min_full: 1}}
  - {name: other, model: deep, workers: 1, iterations: 10, spb: {rule: free, min_full: 1}}
`)
	list := memorytime.New(in).Items
	require.True(t, list[0].Excludes(&list[1], 4))
	require.True(t, list[1].Excludes(&list[0], 4))
	require.True(t, list[2].Excludes(&list[0], 4), "its only worker is at full depth")
	require.False(t, list[1].Excludes(&list[2], 4), "they need not share a GPU")
	require.False(t, list[1].Excludes(&list[0], 5), "one shared GPU may have the shallow worker")
	require.Equal(t, []instance.JobID{0, 1}, horizon.Memory(in).Certificate.Share.Apart)
}

// TestNoRoomAlone: a job that fits nowhere by itself is reported with its own numbers.
func TestNoRoomAlone(t *testing.T) {
	in := compiled(t, `
version: 1
residence: run
cluster:
  gpu_types: [{name: v, memory: 16GiB}]
  racks: [{nodes: 2, gpus: 1, gpu: v, nic: 8Mbit/s, fabric: 8Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 20GiB, activations: 1MB}]}
jobs:
  - {name: a, model: m, workers: 1, iterations: 10}
`)
	require.Equal(t, []string{`job "a": a worker needs at least 60.00 GiB of memory, the GPUs it may use have 16.00 GiB`}, relax.Infeasible(in.Roomy()))
}
