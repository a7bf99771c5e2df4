package heuristics

import (
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/heuristics/heuristicstest"
)

// variants runs a benchmark on each shipped example that is planned task by task, under each
// objective. A seed draws the jobs' iterations and weights within a fifth, because the seeds of
// one instance share its chance effects: a gain of 2 % on one may be noise over ten similar
// ones.
func variants(b *testing.B, objectives []instance.Objective, run func(b *testing.B, variant func(seed uint64) *instance.Instance)) {
	files, err := filepath.Glob("../testdata/examples/*.yaml")
	require.NoError(b, err)
	library, err := profiles.Builtin()
	require.NoError(b, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(b, err)
		document, err := codec.Decode(data)
		require.NoError(b, err)
		if in, err := document.Compile(library); err != nil || in.Objective.Periodic() || in.Queues() || in.Long() {
			continue
		}
		jobs := slices.Clone(document.Spec.Jobs)
		for _, objective := range objectives {
			b.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+string(objective), func(b *testing.B) {
				run(b, func(seed uint64) *instance.Instance {
					rng := heuristicstest.Source(seed)
					document.Spec.Objective = objective
					for j := range jobs {
						document.Spec.Jobs[j].Iterations = max(1, int(float64(jobs[j].Iterations)*(0.8+0.4*rng.Float64())))
						document.Spec.Jobs[j].Weight = 80 + rng.Int64N(41)
					}
					in, err := document.Compile(library)
					require.NoError(b, err)
					return in
				})
			})
		}
	}
}

// BenchmarkExamples reports mean values, in seconds or as normalised rates, of greedy and of the
// search after it.
func BenchmarkExamples(b *testing.B) {
	variants(b, []instance.Objective{instance.Makespan, instance.WeightedCompletion, instance.MaxMinThroughput}, func(b *testing.B, variant func(uint64) *instance.Instance) {
		var greedy, searched, n float64
		for b.Loop() {
			for seed := range uint64(10) {
				in, rng := variant(seed), heuristicstest.Source(seed)
				unit := 1.0
				if !in.Objective.Periodic() {
					unit = float64(in.TickUS) / 1e6
				}
				s, err := Greedy(b.Context(), in, rng)
				if err != nil {
					b.Skip(err)
				}
				greedy += float(in.Value(s)) * unit
				s, err = Config{Rounds: 7}.Improve(b.Context(), in, rng, s)
				require.NoError(b, err)
				searched += float(in.Value(s)) * unit
				n++
			}
		}
		b.ReportMetric(greedy/n, "greedy")
		b.ReportMetric(searched/n, "searched")
	})
}

func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
