package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// large returns a cluster of 1,280 nodes of 8 GPUs in 40 racks, with 3,000 jobs
// of 8 workers on two nodes each, and a schedule of about a million tasks: the
// jobs of a pair of nodes take turns.
func large(tb testing.TB, iterations int) (*instance.Instance, *instance.Schedule) {
	layer := instance.Layer{Forward: 1e6, Backward: 2e6, Parameters: 1e6, Activations: 1000}
	const jobs = 3000
	in, err := instance.Compile(&instance.Spec{
		Version:  1,
		Profiles: []*instance.Profile{{Model: "m", GPU: "v", Batch: 1, Layers: []instance.Layer{layer, layer, layer, layer}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 32 << 30}},
			Racks:    []instance.RackSpec{{Count: 40, Nodes: 32, GPUs: 8, GPU: "v", NIC: 100e9, Fabric: 1e12, Oversubscription: 2e6}},
		},
		Jobs: []instance.JobSpec{{Name: "j", Model: "m", Count: jobs, Workers: 8, Iterations: iterations}},
	}, nil)
	require.NoError(tb, err)
	s := &instance.Schedule{}
	now := make([]instance.Tick, len(in.Nodes))
	for j := range in.Jobs {
		job := &in.Jobs[j]
		first := 37 * j % (len(in.Nodes) - 1)
		var gpus []instance.GPUID
		for w := range 8 {
			gpus = append(gpus, in.Nodes[first+w/4].FirstGPU+instance.GPUID(w%4+4*(j%2)))
		}
		s.Residency = append(s.Residency, gpus)
		span, _ := in.Span(gpus)
		at := max(now[first], now[first+1])
		for i := 1; i <= iterations; i++ {
			end := at
			for w, g := range gpus {
				depth := w / 2
				length := job.On[0].Time[depth]
				s.Tasks = append(s.Tasks, instance.Task{Job: instance.JobID(j), Iteration: i, GPU: g, Depth: depth, Start: at, End: at + length})
				end = max(end, at+length)
			}
			length := in.SyncTicks(job.Volume([]int{2, 2, 2, 2}, span.Parties), span.Rate(1))
			s.Syncs = append(s.Syncs, instance.Sync{Job: instance.JobID(j), Iteration: i, Start: end, End: end + length, Rate: 1})
			at = end + length
		}
		now[first], now[first+1] = at, at
	}
	return in, s
}

func TestCheckLarge(t *testing.T) {
	in, s := large(t, 2)
	require.Empty(t, check.Schedule(in, s))
}

func BenchmarkCheck(b *testing.B) {
	in, s := large(b, 42)
	for b.Loop() {
		if len(check.Schedule(in, s)) > 0 {
			b.Fatal("not valid")
		}
	}
	b.ReportMetric(float64(len(s.Tasks)), "tasks")
}
