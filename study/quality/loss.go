package quality

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// crossEntropy returns the sum over samples of -ln(the probability that softmax
// gives the right class), and the number of samples whose right class has the
// highest score. It turns the scores, a row for each sample, into the gradient
// of the mean.
func crossEntropy(scores *mat.Dense, labels []int) (sum float64, correct int) {
	for i, label := range labels {
		row := scores.RawRowView(i)
		if floats.MaxIdx(row) == label {
			correct++
		}
		total := floats.LogSumExp(row)
		sum += total - row[label]
		for j, v := range row {
			row[j] = math.Exp(v-total) / float64(len(labels))
		}
		row[label] -= 1 / float64(len(labels))
	}
	return sum, correct
}
