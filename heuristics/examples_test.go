package heuristics

import (
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/method"
)

// variants runs a benchmark on each shipped example that is planned task by task, under each
// objective. A seed draws the jobs' iterations and weights within a fifth, for the seeds of one
// instance share its luck: what gains 2 % on one may be noise over ten that are much the same.
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

// BenchmarkExamples reports mean values, in seconds, of greedy and of the search after it.
func BenchmarkExamples(b *testing.B) {
	variants(b, []instance.Objective{instance.Makespan, instance.WeightedCompletion}, func(b *testing.B, variant func(uint64) *instance.Instance) {
		var greedy, searched, n float64
		for b.Loop() {
			for seed := range uint64(10) {
				in, rng := variant(seed), heuristicstest.Source(seed)
				s, err := Greedy(b.Context(), in, rng)
				if err != nil {
					b.Skip(err)
				}
				greedy += float(in.Value(s)) / 1e6 * float64(in.TickUS)
				s, err = Config{Rounds: 7}.Improve(b.Context(), in, rng, s)
				require.NoError(b, err)
				searched += float(in.Value(s)) / 1e6 * float64(in.TickUS)
				n++
			}
		}
		b.ReportMetric(greedy/n, "greedy")
		b.ReportMetric(searched/n, "searched")
	})
}

// BenchmarkRepetition reports the mean logarithm, times 100, by which the least rate gains from
// patterns of the finite search that repeat, and its standard error.
func BenchmarkRepetition(b *testing.B) {
	variants(b, []instance.Objective{instance.MaxMinThroughput}, func(b *testing.B, variant func(uint64) *instance.Instance) {
		const seeds = 5
		for b.Loop() {
			var sum, squares float64
			for seed := range uint64(seeds) {
				in := variant(seed)
				start, err := Greedy(b.Context(), in, heuristicstest.Source(seed))
				require.NoError(b, err)
				var value [2]float64
				for n, without := range []method.Set{nil, {method.Repetition: true}} {
					s, err := Config{Rounds: 7, Without: without}.Improve(b.Context(), in, heuristicstest.Source(seed), start)
					require.NoError(b, err)
					require.Empty(b, check.Schedule(in, s))
					value[n] = float(in.Value(s))
				}
				gain := 100 * math.Log(value[0]/value[1])
				sum, squares = sum+gain, squares+gain*gain
			}
			mean := sum / seeds
			b.ReportMetric(mean, "gain")
			b.ReportMetric(math.Sqrt(max(0, squares/seeds-mean*mean)/(seeds-1)), "error")
		}
	})
}

func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
