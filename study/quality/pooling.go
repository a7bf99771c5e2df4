package quality

import "gonum.org/v1/gonum/mat"

// pooling takes the largest of each 2 x 2 pixels, on batches as in a convolution.
type pooling struct {
	edge        int   // of the input images; the output's is half
	from        []int // for each output of the batch, the input it came from
	output, din buffer
}

func (p *pooling) forward(x *mat.Dense) *mat.Dense {
	channels, n := x.Dims()
	y := p.output.dense(channels, n/4)
	in, out := x.RawMatrix().Data, y.RawMatrix().Data
	p.from = p.from[:0]
	half := p.edge / 2
	for i := range out {
		// A line of the output covers two lines of the input.
		best := i/half*2*p.edge + i%half*2
		for _, other := range [3]int{best + 1, best + p.edge, best + p.edge + 1} {
			if in[other] > in[best] {
				best = other
			}
		}
		out[i] = in[best]
		p.from = append(p.from, best)
	}
	return y
}

func (p *pooling) backward(dy *mat.Dense, _ bool) *mat.Dense {
	channels, n := dy.Dims()
	dx := p.din.dense(channels, 4*n)
	data := dx.RawMatrix().Data
	clear(data)
	for i, v := range dy.RawMatrix().Data {
		data[p.from[i]] = v
	}
	return dx
}
