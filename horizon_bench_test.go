package jigsaw_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/method"
)

// smallNights are kinds of instances of two nodes and a few jobs of hours: jobs that are released one after the other, jobs of which
// memory holds some at once (Adam has its bytes), and both.
var smallNights = []struct {
	name       string
	gpus, jobs int
	adam, late bool
}{{"released", 4, 5, false, true}, {"memory", 8, 8, true, false}, {"both", 8, 8, true, true}}

// smallNight draws an instance of a kind.
func smallNight(tb testing.TB, kind int, seed uint64) *instance.Instance {
	k, rng := &smallNights[kind], rand.New(rand.NewPCG(seed, uint64(kind)))
	spec := fmt.Sprintf(`
version: 1
objective: makespan
residence: run
cluster:
  gpu_types: [{name: v100, memory: 16GiB}]
  racks: [{nodes: 2, gpus: %d, gpu: v100, nic: 50Gbit/s, fabric: 300Gbit/s}]
  load_rate: 1GB/s
jobs:
`, k.gpus)
	seconds := map[string]float64{"vgg16": 0.85, "resnet50": 0.48, "bert24": 0.69, "gnmt": 0.2} // an iteration, about
	for j := range k.jobs {
		model := []string{"vgg16", "resnet50", "bert24", "gnmt"}[rng.IntN(4)]
		iterations, workers, more := 1000*(1+rng.IntN(30)), 1<<rng.IntN(4), ""
		if k.adam {
			iterations, workers, more = int(3600*(1+4*rng.Float64())/seconds[model]), 4<<rng.IntN(3), ", optimizer: adam"
		}
		if k.late {
			more += fmt.Sprintf(", release: %dm", rng.IntN(2)*10*rng.IntN(20))
		}
		spec += fmt.Sprintf("  - {name: j%d, model: %s, workers: %d, iterations: %d%s}\n", j, model, workers, iterations, more)
	}
	return compiled(tb, spec)
}

// BenchmarkSmallNights reports mean gaps of small plans of hours in percent, and by how much values are worse without a method, in
// percent of the logarithm, and in how many of twenty.
func BenchmarkSmallNights(b *testing.B) {
	for kind := range smallNights {
		var all []float64
		for _, without := range []method.Name{"", method.Arrivals, method.Phases, method.Packing} {
			b.Run(smallNights[kind].name+"/"+string(without), func(b *testing.B) {
				gap, worse, rows := 0.0, 0.0, 0.0
				for b.Loop() {
					for seed := range uint64(20) {
						r, err := jigsaw.Plan(context.Background(), smallNight(b, kind, seed), jigsaw.Options{Without: method.Set{without: without != ""}})
						require.NoError(b, err)
						value, _ := r.Primal.Float64()
						if without == "" {
							all = append(all, value)
						}
						gap += 100 * r.Gap() / 20
						if len(all) == 0 {
							continue // all methods were not asked for
						}
						more := 100 * math.Log(value/all[seed])
						worse += more / 20
						if more > 1e-6 {
							rows++
						}
					}
				}
				b.ReportMetric(gap, "gap_%")
				b.ReportMetric(worse, "worse_%")
				b.ReportMetric(rows, "rows")
			})
		}
	}
}
