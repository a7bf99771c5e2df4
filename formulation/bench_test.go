package formulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/solver/backend"
)

// synthetic draws a large instance: racks of 16 nodes of 8 GPUs, jobs of four
// models with 1 to 64 workers, all different in weight, iterations and release,
// so that no two make one class.
func synthetic(t testing.TB, racks, jobs int, objective instance.Objective) *instance.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(racks), uint64(jobs)))
	spec := &instance.Spec{
		Version: instance.Version, Objective: objective,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{
				{Name: "a", Memory: 80 << 30},
				{Name: "b", Memory: 40 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: 600_000}}},
			},
			Racks: []instance.RackSpec{
				{Count: (racks + 1) / 2, Nodes: 16, GPUs: 8, GPU: "a", NIC: 100e9, Fabric: 2400e9, Oversubscription: 2 * instance.One},
				{Count: max(1, racks/2), Nodes: 16, GPUs: 8, GPU: "b", NIC: 50e9, Fabric: 1200e9, Oversubscription: 4 * instance.One},
			},
		},
	}
	for m := range 4 {
		p := &instance.Profile{Model: fmt.Sprint("m", m), GPU: "a", Batch: 32, Workspace: 1 << 28}
		for l := range 24 {
			p.Layers = append(p.Layers, instance.Layer{
				Name: fmt.Sprint(l), Forward: instance.Duration(1e6 + m*1e6), Backward: instance.Duration(2e6 + m*2e6),
				Parameters: instance.Bytes(1+m*m) << 21, Activations: 1 << 26,
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		job := instance.JobSpec{
			Name: fmt.Sprint("j", j), Model: fmt.Sprint("m", rng.IntN(4)), Workers: 1 << rng.IntN(7),
			Iterations: 5 + rng.IntN(40), Weight: int64(1 + rng.IntN(1000)),
		}
		if !objective.Periodic() && rng.IntN(4) == 0 {
			job.Release = instance.Duration(rng.IntN(2000)) * 1e6
		}
		if rng.IntN(3) == 0 {
			job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 500_000}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

func BenchmarkBounds(b *testing.B) {
	for _, size := range []struct{ racks, jobs int }{{8, 1000}, {80, 3000}} {
		for _, objective := range instance.Objectives() {
			in := synthetic(b, size.racks, size.jobs, objective)
			name := fmt.Sprintf("gpus=%d/jobs=%d/%s", len(in.GPUs), len(in.Jobs), objective)
			report := func(b *testing.B, bound Bound) {
				v, _ := bound.Value.Float64()
				b.ReportMetric(v, "bound")
			}
			b.Run(name+"/chain", func(b *testing.B) {
				for b.Loop() {
					report(b, Chain(in))
				}
			})
			b.Run(name+"/area", func(b *testing.B) {
				for b.Loop() {
					report(b, Area(in))
				}
			})
			b.Run(name+"/fluid", func(b *testing.B) {
				s, err := backend.Default()
				if err != nil {
					b.Skip(err)
				}
				for b.Loop() {
					bound, err := Fluid(context.Background(), in, s, Limits{})
					require.NoError(b, err)
					require.NotNil(b, bound.Value)
					report(b, bound)
					b.ReportMetric(float64(bound.LP.Rows), "rows")
					b.ReportMetric(float64(bound.LP.Cols), "cols")
					b.ReportMetric(float64(bound.LP.Entries), "entries")
				}
			})
		}
	}
}
