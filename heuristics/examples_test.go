package heuristics

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/heuristics/heuristicstest"
)

// BenchmarkExamples reports the mean value of a few seeds on the shipped
// examples with finite objectives, against the chain and area bound.
func BenchmarkExamples(b *testing.B) {
	files, err := filepath.Glob("../testdata/examples/*.yaml")
	require.NoError(b, err)
	library, err := profiles.Builtin()
	require.NoError(b, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(b, err)
		document, err := instance.Decode(data)
		require.NoError(b, err)
		if document.Spec.Objective.Periodic() {
			continue
		}
		for _, document.Spec.Objective = range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
			in, err := document.Compile(library)
			if err != nil {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			b.Run(name+"/"+string(document.Spec.Objective), func(b *testing.B) {
				sum, n := 0.0, 0
				for b.Loop() {
					for seed := range uint64(4) {
						s, err := Greedy(b.Context(), in, heuristicstest.Source(seed))
						if err != nil {
							b.Skip(err)
						}
						v, _ := in.Value(s).Float64()
						sum += v
						n++
					}
				}
				b.ReportMetric(sum/float64(n)/1e6*float64(in.TickUS), "value")
			})
		}
	}
}
