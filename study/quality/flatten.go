package quality

import "gonum.org/v1/gonum/mat"

// flatten turns a batch with a row for each channel into one with a row for each sample.
type flatten struct {
	pixels      int // of an image
	output, din buffer
}

func (f *flatten) forward(x *mat.Dense) *mat.Dense {
	channels, n := x.Dims()
	y := f.output.dense(n/f.pixels, channels*f.pixels)
	for sample := range n / f.pixels {
		for c := range channels {
			copy(f.image(y, sample, c), f.plane(x, sample, c))
		}
	}
	return y
}

func (f *flatten) backward(dy *mat.Dense, _ bool) *mat.Dense {
	samples, features := dy.Dims()
	dx := f.din.dense(features/f.pixels, samples*f.pixels)
	for sample := range samples {
		for c := range features / f.pixels {
			copy(f.plane(dx, sample, c), f.image(dy, sample, c))
		}
	}
	return dx
}

// plane is a channel of a sample in a row of its channel, image in a row of its sample.
func (f *flatten) plane(m *mat.Dense, sample, channel int) []float64 {
	return m.RawRowView(channel)[sample*f.pixels : (sample+1)*f.pixels]
}

func (f *flatten) image(m *mat.Dense, sample, channel int) []float64 {
	return m.RawRowView(sample)[channel*f.pixels : (channel+1)*f.pixels]
}
