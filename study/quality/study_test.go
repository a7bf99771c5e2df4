package quality

import (
	"bytes"
	"context"
	"flag"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestInterval: the mean of 1..5 is 3, the deviation sqrt 2.5, and the 97.5 % quantile of
// Student's distribution with 4 degrees of freedom 2.776 (any table of it).
func TestInterval(t *testing.T) {
	v := interval([]float64{1, 2, 3, 4, 5})
	assert.InDelta(t, 3, v.Mean, 1e-15)
	assert.InDelta(t, 2.776*0.70711, v.Half, 1e-3)
}

func TestVerdict(t *testing.T) {
	tests := []struct {
		mean, half float64
		want       Verdict
	}{
		{0, 0.009, Holds},
		{0, 0.011, Open},
		{0.02, 0.029, Holds},
		{-0.005, 0.004, Holds}, // a loss, but of less than a point
		{-0.02, 0.015, Loses},
		{-0.02, 0.021, Open},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, verdict(Interval{test.mean, test.half}), "%v", test)
	}
}

// TestSameOnAnyCores trains with one core and with several.
func TestSameOnAnyCores(t *testing.T) {
	o := Options{Models: []Model{Perceptron}, Workers: []int{4}, Seeds: 2, Epochs: 4}
	data, err := digits()
	require.NoError(t, err)
	var results []*Result
	var runs []Run // of the model whose matrices are large enough to use goroutines
	for _, cores := range []int{1, 3} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			calls := 0
			o.Progress = func(done, of int) {
				calls++
				assert.Equal(t, calls, done)
				assert.LessOrEqual(t, done, of)
			}
			r, err := Study(context.Background(), o)
			require.NoError(t, err)
			results = append(results, r)
			run, err := (&job{model: Convolutional, depths: []int{2, 6}, shards: ByClass, rate: 0.04, seed: 1, epochs: 4}).train(context.Background(), data)
			require.NoError(t, err)
			runs = append(runs, run)
		}()
	}
	assert.Equal(t, results[0], results[1])
	assert.Equal(t, runs[0], runs[1])
}

func TestMarkdown(t *testing.T) {
	full := &Cell{Model: Perceptron, Workers: 2, Rules: []string{"full"}, Depths: []int{8, 8}, MeanDepth: 1, Shards: Mixed,
		Runs: []Run{{Seed: 1, Accuracy: 0.96, Loss: 0.15, TrainLoss: 0.01, EarlyAccuracy: 0.8}, {Seed: 2, Accuracy: 0.97, Loss: 0.14, TrainLoss: 0.02, EarlyAccuracy: 0.9}}}
	r := &Result{Samples: 1797, Seeds: 2, Epochs: 20, Rates: []Rate{{Perceptron, 0.02, []float64{0.3, 0.2, 0.25, 0.4, 2.3}}}, Cells: []*Cell{full}}
	for i, w := range ways() {
		if i == 2 {
			f := *full
			f.Shards = ByClass
			r.Cells = append(r.Cells, &f)
		}
		c := &Cell{Model: Perceptron, Workers: 2, Rules: []string{"ladder", "free"}, Depths: []int{5, 8}, MeanDepth: 0.81, WorkSaved: 0.15, TrafficSaved: 0.21, Shards: w.shards, Roles: w.roles}
		for j, run := range full.Runs {
			loss := float64(i) / 100
			run.Accuracy -= loss + float64(j)/1000
			run.Loss += loss
			run.EarlyAccuracy -= 2 * loss
			if i == 3 && j == 1 {
				run.TrainLoss = 2.3
			}
			c.Runs = append(c.Runs, run)
		}
		r.Cells = append(r.Cells, c)
	}
	r.compare()
	var b bytes.Buffer
	require.NoError(t, r.Markdown(&b))
	const golden = "testdata/table.md"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}

func TestRunLengths(t *testing.T) {
	assert.Equal(t, "3×3 2×5 8", runLengths([]int{3, 3, 3, 5, 5, 8}))
	assert.Equal(t, "8", runLengths([]int{8}))
}

func TestSigned(t *testing.T) {
	assert.Equal(t, "−1.25 ± 0.50", Interval{-0.0125, 0.005}.signed(100, 2))
	assert.Equal(t, "+0.00 ± 0.50", Interval{-0.00001, 0.005}.signed(100, 2))
}

func TestOptions(t *testing.T) {
	tests := map[string]Options{
		`quality: 3 workers; choose a divisor of 64 from 2 on`:                                        {Workers: []int{3}},
		`quality: seeds: 1; choose at least 2, because intervals need several`:                        {Seeds: 1},
		`quality: epochs: 3; choose at least 4, because accuracy is measured after a quarter of them`: {Epochs: 3},
		`quality: a rate of -1; choose a positive one, or none to have it searched for`:               {Rate: -1},
		`quality: unknown model "x"; choose "perceptron" or "convolutional"`:                          {Models: []Model{"x"}},
	}
	for want, o := range tests {
		_, err := Study(context.Background(), o)
		assert.EqualError(t, err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Study(ctx, Options{})
	assert.ErrorIs(t, err, context.Canceled)
}
