package heuristicstest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
)

// Compiled returns the instance of a cluster of GPU type v and jobs of model m, which has two layers.
func Compiled(t *testing.T, clusterAndJobs string) *instance.Instance {
	t.Helper()
	d, err := codec.Decode([]byte(`
version: 1
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 2kB, activations: 1MB}, {name: b, forward: 2ms, backward: 2ms, parameters: 3kB, activations: 1MB}]}` + clusterAndJobs))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	return in
}

// Queueing returns a tiny instance whose jobs queue: memory holds each of them by itself.
func Queueing(rng *rand.Rand, objective instance.Objective) *instance.Instance {
	in := *instancetest.Random(rng, instancetest.Options{Objective: objective})
	in.Residence = instance.WhileRunning
	in.Jobs, in.Types = slices.Clone(in.Jobs), slices.Clone(in.Types)
	for _, alike := range in.Classes() { // jobs that were alike stay so
		load := instance.Tick(rng.IntN(3))
		for _, j := range alike {
			in.Jobs[j].Deadline, in.Jobs[j].Load = 0, load
		}
	}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for t, costs := range job.On {
			if costs != nil {
				in.Types[t].Memory = max(in.Types[t].Memory, costs.Persistent+costs.Ephemeral[job.Full()])
			}
		}
	}
	return &in
}

// Night is a cluster of nodes of 8 GPUs and the given number of jobs with at most the given number of iterations.
func Night(tb testing.TB, nodes, jobs, iterations int, objective instance.Objective) *instance.Instance {
	tb.Helper()
	in, err := instance.Compile(NightSpec(nodes, jobs, iterations, objective), nil)
	require.NoError(tb, err)
	return in
}

// NightSpec is [Night] before it is compiled.
func NightSpec(nodes, jobs, iterations int, objective instance.Objective) *instance.Spec {
	rng := rand.New(rand.NewPCG(19, 6))
	spec := &instance.Spec{
		Version: 1, Objective: objective, Residence: instance.WhileRunning,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 32 << 30}}, LoadRate: 16e9, Latency: 1e5,
			Racks: []instance.RackSpec{{Nodes: nodes, GPUs: 8, GPU: "v", NIC: 100e9, Fabric: 1200e9}},
		},
	}
	for m := range 6 {
		p := &instance.Profile{Model: fmt.Sprintf("m%d", m), GPU: "v", Batch: 1}
		for range 4 {
			p.Layers = append(p.Layers, instance.Layer{
				Forward: instance.Duration(5+rng.IntN(20)) * 1e6, Backward: instance.Duration(10+rng.IntN(40)) * 1e6,
				Parameters: instance.Bytes(10+rng.IntN(200)) << 20, Activations: instance.Bytes(100+rng.IntN(1000)) << 20,
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{
			Name: fmt.Sprintf("j%d", j), Model: fmt.Sprintf("m%d", rng.IntN(6)), Workers: 1 << rng.IntN(5), Optimizer: "adam",
			Iterations: iterations/3 + rng.IntN(iterations*2/3), Weight: int64(1 + rng.IntN(9)),
		})
	}
	return spec
}

// TwoSpeeds has the given number of jobs of two workers, and a node of two GPUs of each of the two given types.
func TwoSpeeds(t *testing.T, jobs int, types ...instance.GPUTypeSpec) *instance.Instance {
	t.Helper()
	in, err := instance.Compile(&instance.Spec{
		Version:  1,
		Profiles: []*instance.Profile{{Model: "any", GPU: "a", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 4e6}}}},
		Jobs:     []instance.JobSpec{{Name: "one", Count: jobs, Model: "any", Workers: 2, Iterations: 10}},
		Cluster: instance.ClusterSpec{GPUTypes: types, Racks: []instance.RackSpec{
			{Nodes: 1, GPUs: 2, GPU: "fast", NIC: 1e9, Fabric: 1e9}, {Nodes: 1, GPUs: 2, GPU: "slow", NIC: 1e9, Fabric: 1e9},
		}},
	}, nil)
	require.NoError(t, err)
	return in
}

// TypeOf is a type of GPU with a speed.
func TypeOf(name string, speed instance.Ratio) instance.GPUTypeSpec {
	return instance.GPUTypeSpec{Name: name, Memory: 1 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: speed}}}
}
