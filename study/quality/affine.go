package quality

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// affine is y = xW + b, on batches with a row for each sample.
type affine struct {
	*weights
	x           *mat.Dense // of the last forward
	output, din buffer
}

func newAffine(inputs, outputs int, rng *rand.Rand) *affine {
	return &affine{weights: newWeights(inputs, outputs, inputs, outputs, rng)}
}

func (a *affine) forward(x *mat.Dense) *mat.Dense {
	a.x = x
	rows, _ := x.Dims()
	y := a.output.dense(rows, len(a.b))
	y.Mul(x, a.w)
	for i := range rows {
		floats.Add(y.RawRowView(i), a.b)
	}
	return y
}

func (a *affine) backward(dy *mat.Dense, wanted bool) *mat.Dense {
	a.dw.Mul(a.x.T(), dy)
	rows, _ := dy.Dims()
	clear(a.db)
	for i := range rows {
		floats.Add(a.db, dy.RawRowView(i))
	}
	if !wanted {
		return nil
	}
	inputs, _ := a.w.Dims()
	dx := a.din.dense(rows, inputs)
	dx.Mul(dy, a.w.T())
	return dx
}
