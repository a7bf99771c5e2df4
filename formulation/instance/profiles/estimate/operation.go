package estimate

// kind of an operation: what decides how much of the peak it reaches.
type kind int

const (
	movement    kind = iota // bounded by memory alone
	product                 // of matrices
	convolution             // which libraries work out in several ways
	batchNorm               // bounded by memory, too, but by strides through it
)

// operation is one of a layer's, or several alike: floating-point operations and bytes
// moved, forward and backward.
type operation struct {
	kind             kind
	flops, backFlops float64
	bytes, backBytes float64
}

// layer is a step of a model that a profile has as one.
type layer struct {
	name       string
	operations []operation
	parameters int64 // numbers, not bytes
	idle       int64 // of these, what a token does not meet: experts it is not sent to
	input      int64 // bytes that come in
	kept       int64 // bytes kept for the backward pass; the input where it is needed
	// Bytes of which a group of GPUs that share the layer add up their parts (all-reduce), forward and backward.
	reduced, backReduced int64
}

// network is a model at a batch size and precision.
type network struct {
	layers []layer
	// workspace in bytes beside what layers keep.
	workspace int64
	// samples of the batch, and tokens or, for other nets, samples too.
	samples, tokens int64
	// attention is 12 x layers x heads x head size x sequence, the term of MFU for the scores
	// of a token (Chowdhery et al., arXiv 2204.02311, appendix B).
	attention float64
	// useful floating-point operations of an iteration, where they do not follow from the
	// parameters (convolutional nets).
	useful float64
}

// parameters counts all numbers.
func (n *network) parameters() (total int64) {
	for i := range n.layers {
		total += n.layers[i].parameters
	}
	return total
}

// active counts the parameters that a token meets.
func (n *network) active() int64 {
	total := n.parameters()
	for i := range n.layers {
		total -= n.layers[i].idle
	}
	return total
}

// modelFLOPs are those of an iteration that MFU counts: 6 for each active parameter and token, and
// attention; nothing for what is worked out twice.
func (n *network) modelFLOPs() float64 {
	if n.useful > 0 {
		return n.useful
	}
	return float64(n.tokens) * (6*float64(n.active()) + n.attention)
}

// numbers makes operations on numbers of one width.
type numbers struct{ width float64 }

// multiply is a product of m x k by k x n.
func (w numbers) multiply(m, k, n float64) operation {
	bytes := w.width * (m*k + k*n + m*n)
	return operation{product, 2 * m * k * n, 4 * m * k * n, bytes, 2 * bytes}
}

// move reads and writes so many numbers, forward and backward.
func (w numbers) move(forward, backward float64) operation {
	return operation{kind: movement, bytes: w.width * forward, backBytes: w.width * backward}
}

// norm normalises so many numbers by row.
func (w numbers) norm(n float64) operation { return w.move(2*n, 3*n) }
