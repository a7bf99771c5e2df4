package solver

import "math"

// DualBound returns the lower bound on the optimum that the row duals y, by Row,
// prove by weak duality: (3) of the package comment with d = c - A'y. It is -Inf
// where a dual or a reduced cost asks for a bound that does not exist. Such
// numbers are taken as zero while they are at most tol * max(1, |cost|); with
// tol = 0 the bound holds but for the rounding of this one pass.
func DualBound(p *Problem, y []float64, tol float64) float64 {
	reduced, _ := reducedCosts(p, y)
	bound := 0.0
	for i, v := range y {
		bound += boundTerm(v, p.RowLower[i], p.RowUpper[i], tol)
	}
	for j, d := range reduced {
		bound += boundTerm(d, p.ColLower[j], p.ColUpper[j], tol*max(1, math.Abs(p.Cost[j])))
	}
	if math.IsNaN(bound) {
		return math.Inf(-1)
	}
	return bound
}

// boundTerm is the least value of dual * v over lower <= v <= upper.
func boundTerm(dual, lower, upper, tol float64) float64 {
	bound := lower
	if dual < 0 {
		bound = upper
	}
	switch {
	case dual == 0:
		return 0
	case math.IsInf(bound, 0) && math.Abs(dual) <= tol:
		return 0
	case math.IsInf(bound, 0):
		return math.Inf(-1)
	}
	return dual * bound
}
