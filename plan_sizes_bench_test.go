package jigsaw_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/method"
)

// mixedSizes draws an instance of six jobs, whose workers have 1, 2 or 4 GPUs of a node of 4 or 8.
func mixedSizes(tb testing.TB, seed uint64) *instance.Instance {
	rng := rand.New(rand.NewPCG(seed, 7))
	gpus := 4 << rng.IntN(2)
	text := fmt.Sprintf(`
version: 1
objective: makespan
cluster:
  gpu_types: [{name: a, memory: 64GiB}]
  racks: [{nodes: 1, gpus: %d, gpu: a, nic: 50Gbit/s, fabric: 50Gbit/s}]
profiles:
`, gpus)
	jobs := "jobs:\n"
	for j := range 6 {
		size, layers := 1<<rng.IntN(3), ""
		for n := range 4 {
			forward := 5 + rng.IntN(20)
			layers += fmt.Sprintf("    - {name: l%d, forward: %dms, backward: %dms, parameters: %dMB, activations: 20MB}\n", n, forward, 2*forward, 5+rng.IntN(40))
		}
		text += fmt.Sprintf("  - model: m%d\n    gpu: a\n    batch: 1\n    gpus: %d\n    layers:\n%s", j, size, layers)
		jobs += fmt.Sprintf("  - {name: j%d, model: m%d, workers: %d, gpus_per_worker: %d, iterations: %d}\n", j, j, 1+rng.IntN(gpus/size), size, 4+rng.IntN(12))
	}
	return compiled(tb, text+jobs)
}

// BenchmarkSizes reports the median gap of such plans in percent, and by how much values are worse without the plans of one size after
// the other, in percent of the logarithm, and in how many of twenty.
func BenchmarkSizes(b *testing.B) {
	var all []float64
	for _, without := range []method.Name{"", method.Sizes} {
		b.Run(string(without), func(b *testing.B) {
			worse, rows, gaps := 0.0, 0.0, []float64{}
			for b.Loop() {
				for seed := range uint64(20) {
					r, err := jigsaw.Plan(context.Background(), mixedSizes(b, seed), jigsaw.Options{Without: method.Set{without: without != ""}})
					require.NoError(b, err)
					value, _ := r.Primal.Float64()
					gaps = append(gaps, 100*r.Gap())
					if without == "" {
						all = append(all, value)
						continue
					}
					if more := 100 * math.Log(value/all[seed]); more > 1e-6 {
						worse, rows = worse+more/20, rows+1
					}
				}
			}
			slices.Sort(gaps)
			b.ReportMetric(gaps[len(gaps)/2], "gap_%")
			b.ReportMetric(worse, "worse_%")
			b.ReportMetric(rows, "rows")
		})
	}
}
