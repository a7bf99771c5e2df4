package quality

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// weights of an op: a matrix and a bias for each output.
type weights struct {
	// values are the matrix, row by row, and then the biases; gradients are those of the loss
	// by them.
	values, gradients []float64
	w, dw             *mat.Dense
	b, db             []float64 // outputs
}

// newWeights draws a rows x columns matrix from the normal distribution with
// variance 2/inputs, with inputs those of one output, which keeps the variance of
// activations through rectifiers (He et al., arXiv 1502.01852). Biases are 0.
func newWeights(rows, columns, inputs, outputs int, rng *rand.Rand) *weights {
	n := rows * columns
	w := &weights{values: make([]float64, n+outputs), gradients: make([]float64, n+outputs)}
	w.w, w.b = mat.NewDense(rows, columns, w.values[:n]), w.values[n:]
	w.dw, w.db = mat.NewDense(rows, columns, w.gradients[:n]), w.gradients[n:]
	for i := range n {
		w.values[i] = rng.NormFloat64() * math.Sqrt(2/float64(inputs))
	}
	return w
}
