package quality

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Model is a kind of net.
type Model string

// The models.
const (
	Perceptron    Model = "perceptron"
	Convolutional Model = "convolutional"
)

// layer is the unit of depth: weights, and the ops without weights that follow them.
type layer struct {
	*weights
	ops []op
	// work is the number of multiplications of its forward pass for one sample. The
	// gradient of its weights takes as many, and that of its input as many again.
	work int64
}

// net is a stack of layers, in order of the forward pass.
type net []layer

// newNet draws the first weights of a model.
func newNet(model Model, rng *rand.Rand) (net, error) {
	var n net
	full := func(inputs, outputs int, after ...op) {
		a := newAffine(inputs, outputs, rng)
		n = append(n, layer{a.weights, append([]op{a}, after...), int64(inputs * outputs)})
	}
	const channels = 6 // of the output of a convolution
	convolve := func(edge, inputs int, after ...op) {
		c := newConvolution(edge, inputs, channels, rng)
		n = append(n, layer{c.weights, append([]op{c}, after...), int64(edge * edge * window * inputs * channels)})
	}
	switch model {
	case Perceptron:
		const width = 32
		full(pixels, width, &rectifier{})
		for range 6 {
			full(width, width, &rectifier{})
		}
		full(width, classes)
	case Convolutional:
		const width = 32
		const corner = (side / 4) * (side / 4) // pixels after two poolings
		convolve(side, 1, &rectifier{}, &pooling{edge: side})
		convolve(side/2, channels, &rectifier{})
		convolve(side/2, channels, &rectifier{})
		convolve(side/2, channels, &rectifier{}, &pooling{edge: side / 2}, &flatten{pixels: corner})
		full(channels*corner, width, &rectifier{})
		full(width, classes)
	default:
		return nil, fmt.Errorf("quality: unknown model %q; choose %q or %q", model, Perceptron, Convolutional)
	}
	return n, nil
}

// forward returns the scores of the classes. Ops may overwrite x.
func (n net) forward(x *mat.Dense) *mat.Dense {
	for _, l := range n {
		for _, o := range l.ops {
			x = o.forward(x)
		}
	}
	return x
}

// backward sets the gradients of the last depth layers, from that of the scores.
func (n net) backward(dy *mat.Dense, depth int) {
	first := len(n) - depth
	for i := len(n) - 1; i >= first; i-- {
		for j := len(n[i].ops) - 1; j >= 0; j-- {
			dy = n[i].ops[j].backward(dy, i > first || j > 0)
		}
	}
}
