package fluid

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/solver/backend"
)

func BenchmarkBounds(b *testing.B) {
	for _, size := range []struct{ racks, jobs int }{{8, 1000}, {80, 3000}} {
		for _, objective := range instance.Objectives() {
			in := boundtest.Synthetic(b, size.racks, size.jobs, objective)
			name := fmt.Sprintf("gpus=%d/jobs=%d/%s", len(in.GPUs), len(in.Jobs), objective)
			report := func(b *testing.B, bound bound.Bound) {
				v, _ := bound.Value.Float64()
				b.ReportMetric(v, "bound")
			}
			b.Run(name+"/chain", func(b *testing.B) {
				for b.Loop() {
					report(b, area.Chain(in))
				}
			})
			b.Run(name+"/area", func(b *testing.B) {
				for b.Loop() {
					report(b, area.Bound(in))
				}
			})
			b.Run(name+"/fluid", func(b *testing.B) {
				s, err := backend.Default()
				if err != nil {
					b.Skip(err)
				}
				for b.Loop() {
					bound, err := Bound(context.Background(), in, s, Limits{})
					require.NoError(b, err)
					require.NotNil(b, bound.Value)
					report(b, bound)
					b.ReportMetric(float64(bound.LP.Cols), "cols")
				}
			})
		}
	}
}
