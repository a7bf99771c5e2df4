package quality

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// kernel is the edge of a convolution's window, in pixels.
	kernel = 3
	window = kernel * kernel
)

// convolution is a 3 x 3 convolution of edge x edge images, with zeros around them, on
// batches with a row for each channel: the images' pixels, one image after the
// other. The windows of all pixels become the columns of a matrix (im2col), which
// the weights multiply.
type convolution struct {
	*weights
	edge, channels       int // of the input; the output has the same edge
	columns              *mat.Dense
	windows, output, din buffer
}

func newConvolution(edge, channels, outputs int, rng *rand.Rand) *convolution {
	inputs := window * channels
	return &convolution{weights: newWeights(outputs, inputs, inputs, outputs, rng), edge: edge, channels: channels}
}

func (c *convolution) forward(x *mat.Dense) *mat.Dense {
	images := x.RawMatrix().Data // of one channel: also for batches with a row for each
	n := len(images) / c.channels
	c.columns = c.windows.dense(window*c.channels, n)
	m := c.columns.RawMatrix().Data
	clear(m)
	c.eachRun(n, func(at, from, length int) { copy(m[at:at+length], images[from:from+length]) })
	y := c.output.dense(len(c.b), n)
	y.Mul(c.w, c.columns)
	for i, b := range c.b {
		floats.AddConst(b, y.RawRowView(i))
	}
	return y
}

func (c *convolution) backward(dy *mat.Dense, wanted bool) *mat.Dense {
	c.dw.Mul(dy, c.columns.T())
	for i := range c.db {
		c.db[i] = floats.Sum(dy.RawRowView(i))
	}
	if !wanted {
		return nil
	}
	c.columns.Mul(c.w.T(), dy) // the windows are no longer needed
	_, n := dy.Dims()
	dx := c.din.dense(c.channels, n)
	images, m := dx.RawMatrix().Data, c.columns.RawMatrix().Data
	clear(images)
	c.eachRun(n, func(at, from, length int) { floats.Add(images[from:from+length], m[at:at+length]) })
	return dx
}

// eachRun visits the parts of the images in the windows, with n pixels per channel, one
// line of an image at a time: length values that begin at one place in the matrix of
// windows and at another in the images.
func (c *convolution) eachRun(n int, visit func(at, from, length int)) {
	for row := range window * c.channels {
		down, right := row%window/kernel-kernel/2, row%window%kernel-kernel/2
		skip := max(0, -right) // pixels whose window extends over the left edge
		length := c.edge - max(right, -right)
		for line := range n / c.edge {
			if y := line%c.edge + down; y >= 0 && y < c.edge {
				at := line*c.edge + skip
				visit(row*n+at, row/window*n+at+down*c.edge+right, length)
			}
		}
	}
}
