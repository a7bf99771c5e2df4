package quality

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	confidence = 0.95
	// margin is the loss of accuracy that still counts as none: one point.
	margin = 0.01
)

// Interval is a mean with its 95 % confidence interval, mean ± half.
type Interval struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half"`
}

// interval is Student's, for independent, approximately normally distributed
// values.
func interval(values []float64) Interval {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
	return Interval{mean, t * deviation / math.Sqrt(n)}
}

// Verdict on a way to train, from the interval of its difference in accuracy.
type Verdict string

// Verdicts. The interval is that of the difference to full backpropagation.
const (
	// Holds: the whole interval is above a loss of one point.
	Holds Verdict = "holds"
	// Loses: the whole interval is below zero, and not above a loss of one point.
	Loses Verdict = "loses"
	// Open: neither; more seeds would decide.
	Open Verdict = "open"
)

// Comparison with full backpropagation: means of differences, seed by seed.
type Comparison struct {
	Accuracy Interval `json:"accuracy"`
	// Early is the difference in accuracy after a quarter of the epochs.
	Early     Interval `json:"early_accuracy"`
	Loss      Interval `json:"loss"`
	TrainLoss Interval `json:"train_loss"`
	Verdict   Verdict  `json:"verdict"`
}

func verdict(accuracy Interval) Verdict {
	switch {
	case accuracy.Mean-accuracy.Half > -margin:
		return Holds
	case accuracy.Mean+accuracy.Half < 0:
		return Loses
	}
	return Open
}

// compare fills in the intervals of the cells.
func (r *Result) compare() {
	var full *Cell // of the same model, workers and shards; it comes before the others
	for _, c := range r.Cells {
		if c.full() {
			full = c
		}
		of := func(value func(Run) float64) (mean, difference Interval) {
			values, differences := make([]float64, len(c.Runs)), make([]float64, len(c.Runs))
			for i, run := range c.Runs {
				values[i] = value(run)
				differences[i] = value(run) - value(full.Runs[i])
			}
			return interval(values), interval(differences)
		}
		var d Comparison
		c.Accuracy, d.Accuracy = of(func(r Run) float64 { return r.Accuracy })
		c.Loss, d.Loss = of(func(r Run) float64 { return r.Loss })
		c.TrainLoss, d.TrainLoss = of(func(r Run) float64 { return r.TrainLoss })
		_, d.Early = of(func(r Run) float64 { return r.EarlyAccuracy })
		if c != full {
			d.Verdict = verdict(d.Accuracy)
			c.Comparison = &d
		}
	}
}
