package solver

import (
	"errors"
	"fmt"
	"math"
)

// CheckFarkas returns nil when the ray, by Row, proves from the data alone that
// the program has no feasible point: with the sign rule of row duals, the least
// value of y'(activity) over the row bounds exceeds the largest value of (y'A)x
// over the column bounds. The scale of the ray does not matter. Rows are scaled
// to a largest coefficient of 1 and the ray to a largest component of 1;
// components below [RayTol] on that scale that require an infinite bound are
// dropped.
func CheckFarkas(p *Problem, ray []float64) error {
	if len(ray) != p.Rows() {
		return fmt.Errorf("solver: Farkas ray has length %d, want %d rows", len(ray), p.Rows())
	}
	norm := rowNorms(p)
	y := make([]float64, len(ray)) // for the scaled rows
	for i, v := range ray {
		y[i] = v * norm[i]
	}
	size, err := largest(y)
	if err != nil {
		return fmt.Errorf("solver: Farkas ray: %w", err)
	}
	proof, terms := 0.0, 0.0
	for i := range y {
		y[i] /= size
		bound := p.RowLower[i]
		if y[i] < 0 {
			bound = p.RowUpper[i]
		}
		switch {
		case y[i] == 0:
			continue
		case math.IsInf(bound, 0) && math.Abs(y[i]) <= RayTol:
			y[i] = 0
			continue
		case math.IsInf(bound, 0):
			return fmt.Errorf("solver: Farkas ray: %s has %.3g and no bound on that side", p.rowLabel(Row(i)), y[i])
		}
		term := y[i] * (bound / norm[i])
		proof += term
		terms += math.Abs(term)
	}
	for j := range p.Cols() {
		rows, values := p.Column(Col(j))
		d, scale := 0.0, 0.0
		for k, i := range rows {
			a := values[k] / norm[i]
			d -= a * y[i]
			scale = max(scale, math.Abs(a))
		}
		bound := p.ColLower[j]
		if d < 0 {
			bound = p.ColUpper[j]
		}
		switch {
		case d == 0:
			continue
		case math.IsInf(bound, 0) && math.Abs(d) <= RayTol*scale:
			continue
		case math.IsInf(bound, 0):
			return fmt.Errorf("solver: Farkas ray: %s is unlimited in the direction of %.3g", p.colLabel(Col(j)), d)
		}
		proof += d * bound
		terms += math.Abs(d * bound)
	}
	if !(proof > RayTol*terms) {
		return fmt.Errorf("solver: Farkas ray proves nothing: %.3g of terms of %.3g", proof, terms)
	}
	return nil
}

// CheckRay returns nil when the ray, by Col, improves the objective without
// limit from any feasible point: it meets no finite bound, and c'r < 0. The
// scale of the ray does not matter. That a feasible point exists is not checked
// here.
func CheckRay(p *Problem, ray []float64) error {
	if len(ray) != p.Cols() {
		return fmt.Errorf("solver: unbounded ray has length %d, want %d columns", len(ray), p.Cols())
	}
	size, err := largest(ray)
	if err != nil {
		return fmt.Errorf("solver: unbounded ray: %w", err)
	}
	r := make([]float64, len(ray))
	cost, terms := 0.0, 0.0
	for j, v := range ray {
		r[j] = v / size
		if blocked(r[j], p.ColLower[j], p.ColUpper[j], RayTol) {
			return fmt.Errorf("solver: unbounded ray: %s moves by %.3g against a bound", p.colLabel(Col(j)), r[j])
		}
		cost += p.Cost[j] * r[j]
		terms += math.Abs(p.Cost[j] * r[j])
	}
	norm := rowNorms(p)
	product, _ := multiply(p, r)
	for i, v := range product {
		if blocked(v, p.RowLower[i], p.RowUpper[i], RayTol*norm[i]) {
			return fmt.Errorf("solver: unbounded ray: %s moves by %.3g against a bound", p.rowLabel(Row(i)), v)
		}
	}
	if !(cost < -RayTol*terms) {
		return fmt.Errorf("solver: unbounded ray improves nothing: %.3g of terms of %.3g", cost, terms)
	}
	return nil
}

// blocked reports whether a step eventually hits a finite bound.
func blocked(step, lower, upper, tol float64) bool {
	return step > tol && !math.IsInf(upper, 1) || step < -tol && !math.IsInf(lower, -1)
}

// largest returns the largest magnitude of a vector that is finite and not zero.
func largest(v []float64) (float64, error) {
	size := 0.0
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, errors.New("not finite")
		}
		size = max(size, math.Abs(x))
	}
	if size == 0 {
		return 0, errors.New("all zero")
	}
	return size, nil
}

// rowNorms returns the largest magnitude of a coefficient, by Row; 1 for a row
// without one.
func rowNorms(p *Problem) []float64 {
	norm := make([]float64, p.Rows())
	for k, i := range p.Index {
		norm[i] = max(norm[i], math.Abs(p.Value[k]))
	}
	for i, v := range norm {
		if v == 0 {
			norm[i] = 1
		}
	}
	return norm
}
