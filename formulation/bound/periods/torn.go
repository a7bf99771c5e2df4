package periods

import "jigsaw/formulation/relax/fluid"

// torn returns the rate that is furthest from its products in a point; -1 where
// all are what they should be.
func torn(r *fluid.Rates, x []float64, lower, upper []int64) int {
	worst, at := 1e-6, -1
	for i, col := range r.Cols {
		if col < 0 || lower[col] == upper[col] {
			continue
		}
		for _, p := range r.Shares[i] {
			d := x[col] * x[p.GPUs]
			for _, y := range p.Does {
				d -= x[y]
			}
			if d = max(d, -d); d > worst {
				worst, at = d, col
			}
		}
	}
	return at
}
