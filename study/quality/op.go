package quality

import "gonum.org/v1/gonum/mat"

// op is a step of the forward pass, on batches. It owns the matrices it returns,
// which are valid until its next call; it may overwrite those it is given.
type op interface {
	// forward computes the output for inputs x.
	forward(x *mat.Dense) *mat.Dense
	// backward takes the gradient of the loss by the output of the last forward. It
	// sets the gradient by the op's own weights, and returns that by its input if
	// wanted, otherwise nil.
	backward(dy *mat.Dense, wanted bool) *mat.Dense
}

// buffer is memory for matrices of varying numbers of rows.
type buffer []float64

// dense returns a matrix in the buffer, its contents undefined.
func (b *buffer) dense(rows, columns int) *mat.Dense {
	if n := rows * columns; cap(*b) < n {
		*b = make(buffer, n)
	}
	return mat.NewDense(rows, columns, (*b)[:rows*columns])
}
