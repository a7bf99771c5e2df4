package heuristics

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// flatProfile has two layers: forward 1 ms each, backward 2 ms each, so that
// depths 1 and 2 take 4 and 6 ticks.
func flatProfile(parameters instance.Bytes) *instance.Profile {
	layer := instance.Layer{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: parameters, Activations: 100}
	return &instance.Profile{Model: "flat", GPU: "a", Batch: 1, Layers: []instance.Layer{layer, layer}}
}

// periodicByHand compiles jobs on one node of GPUs whose fabric moves 1000 bytes a tick.
func periodicByHand(t testing.TB, objective instance.Objective, gpus int, parameters instance.Bytes, jobs ...instance.JobSpec) *instance.Instance {
	t.Helper()
	for i := range jobs {
		jobs[i].Name, jobs[i].Model = fmt.Sprintf("j%d", i), "flat"
		jobs[i].SPB.Cuts = 2
	}
	in, err := instance.Compile(&instance.Spec{
		Version: instance.Version, Objective: objective, Profiles: []*instance.Profile{flatProfile(parameters)},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: gpus, GPU: "a", NIC: 8e6, Fabric: 8e6}},
		},
		Jobs: jobs,
	}, nil)
	require.NoError(t, err)
	return in
}

type periodicPlanner func(context.Context, *instance.Instance, *rand.Rand, func(*instance.Schedule)) (*instance.Schedule, error)

func planPeriodic(t testing.TB, plan periodicPlanner, in *instance.Instance, seed uint64) *instance.Schedule {
	t.Helper()
	s, err := plan(context.Background(), in, rand.New(rand.NewPCG(seed, 1)), nil)
	require.NoError(t, err)
	require.Empty(t, instance.Check(in, s))
	return s
}

func TestPeriodicByHand(t *testing.T) {
	ladder := instance.JobSpec{Workers: 2}
	for _, c := range []struct {
		name       string
		objective  instance.Objective
		gpus       int
		parameters instance.Bytes // per layer
		jobs       []instance.JobSpec
		want       *big.Rat
	}{
		// Tasks of 6 and 4 ticks and no sync: the other job runs where a
		// GPU would wait for the deeper one, so no tick is idle in 10.
		{"two ladders interlock", instance.Throughput, 2, 0, []instance.JobSpec{ladder, ladder}, big.NewRat(2, 10)},
		{"two ladders interlock, fair", instance.MaxMinThroughput, 2, 0, []instance.JobSpec{ladder, ladder}, big.NewRat(6, 10)},
		// Alone a job waits for its deepest worker.
		{"a lone ladder", instance.Throughput, 2, 0, []instance.JobSpec{ladder}, big.NewRat(1, 6)},
		// 3000 bytes a layer: segment 0 has two contributors, 1500 + 1500,
		// segment 1 has one, 0 + 1500: 4.5, so 5 ticks. Two jobs of 6 + 5
		// ticks keep two GPUs busy for 20 of 20 ticks in turns of 10.
		// They cannot both: a chain of 11 needs 11 ticks a turn.
		{"syncs in the way", instance.Throughput, 2, 3000, []instance.JobSpec{ladder, ladder}, big.NewRat(2, 11)},
		// The heavy job on its own is worth 9/6; with the light one at 10
		// ticks a turn only 10/10.
		{"weight decides", instance.Throughput, 2, 0, []instance.JobSpec{{Workers: 2, Weight: 9}, ladder}, big.NewRat(9, 6)},
		// A lone worker keeps a GPU busy all the time.
		{"a GPU each", instance.Throughput, 2, 0, []instance.JobSpec{{Workers: 1}, {Workers: 1}}, big.NewRat(2, 6)},
		// Three jobs for two GPUs: 18 ticks of work.
		{"two GPUs for three", instance.MaxMinThroughput, 2, 0, []instance.JobSpec{{Workers: 1}, {Workers: 1}, {Workers: 1}}, big.NewRat(6, 12)},
		// Weights 2 and 1 on a GPU: two iterations for one, 18 ticks.
		{"twice the weight", instance.MaxMinThroughput, 1, 0, []instance.JobSpec{{Workers: 1, Weight: 2}, {Workers: 1}}, big.NewRat(6, 18)},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := periodicByHand(t, c.objective, c.gpus, c.parameters, c.jobs...)
			s := planPeriodic(t, periodicGreedy, in, 1)
			assert.Equal(t, c.want.RatString(), in.Value(s).RatString(), "period %d", s.Period)
		})
	}
}

func TestPeriodicExclusiveByHand(t *testing.T) {
	// Two jobs of 6 ticks an iteration and two GPUs each; the second finds
	// no GPUs left.
	two := []instance.JobSpec{{Workers: 2}, {Workers: 2}}
	in := periodicByHand(t, instance.Throughput, 3, 0, two...).FullDepth()
	s := planPeriodic(t, periodicExclusive, in, 1)
	assert.Equal(t, "1/6", in.Value(s).RatString())
	assert.Empty(t, s.Residency[1])

	in = periodicByHand(t, instance.MaxMinThroughput, 3, 0, two...).FullDepth()
	assert.Zero(t, in.Value(planPeriodic(t, periodicExclusive, in, 1)).Sign())

	in = periodicByHand(t, instance.MaxMinThroughput, 4, 0, two...).FullDepth()
	assert.Equal(t, "1", in.Value(planPeriodic(t, periodicExclusive, in, 1)).RatString())
}

// TestPeriodicOptimum compares with brute force on tiny instances.
func TestPeriodicOptimum(t *testing.T) {
	instances := 400
	if testing.Short() {
		instances = 25
	}
	for _, objective := range []instance.Objective{instance.Throughput, instance.MaxMinThroughput} {
		gaps, worst, solved, same := 0.0, 0.0, 0, 0
		for seed := range instances {
			in := instancetest.Random(rand.New(rand.NewPCG(uint64(seed), 7)), instancetest.Options{Objective: objective})
			optimum, _, status := instancetest.OptimumWithin(in, 300_000)
			s := planPeriodic(t, periodicGreedy, in, uint64(seed))
			full := in.FullDepth()
			planPeriodic(t, periodicExclusive, full, uint64(seed))
			if status != instancetest.Optimal {
				continue
			}
			solved++
			value := in.Value(s)
			require.LessOrEqual(t, value.Cmp(optimum), 0, "seed %d: %v is above the optimum %v", seed, value, optimum)
			if value.Cmp(optimum) == 0 {
				same++
				continue
			}
			gap, _ := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Quo(value, optimum)).Float64()
			t.Logf("seed %d: %v of %v", seed, value.RatString(), optimum.RatString())
			gaps += gap
			worst = max(worst, gap)
		}
		require.Positive(t, solved)
		t.Logf("%s: %d of %d solved, %d at the optimum, mean gap %.2f %%, greatest %.1f %%",
			objective, solved, instances, same, 100*gaps/float64(solved), 100*worst)
		assert.Less(t, gaps/float64(solved), 0.05, "mean gap to the optimum")
	}
}
