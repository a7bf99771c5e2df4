package quality

import "gonum.org/v1/gonum/mat"

// rectifier is y = max(x, 0), in place.
type rectifier struct{ y *mat.Dense }

func (r *rectifier) forward(x *mat.Dense) *mat.Dense {
	data := x.RawMatrix().Data
	for i, v := range data {
		data[i] = max(v, 0)
	}
	r.y = x
	return x
}

func (r *rectifier) backward(dy *mat.Dense, _ bool) *mat.Dense {
	data := dy.RawMatrix().Data
	for i, v := range r.y.RawMatrix().Data {
		if v == 0 {
			data[i] = 0
		}
	}
	return dy
}
