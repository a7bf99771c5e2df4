package solver

import (
	"errors"
	"fmt"
	"math"
)

// Residual is the worst violation of one optimality condition.
type Residual struct {
	Value float64 // relative where the field says so; +Inf if there is a NaN
	at    int     // column at, or row at-n; -1 for the program as a whole
}

// Residuals says how far a solution is from the Karush-Kuhn-Tucker conditions of
// its program. All are computed from the data, Primal and RowDual; values that
// the engine derived from them are not trusted.
type Residuals struct {
	// Primal is the violation of (1) and (2), relative to max(1, |bound|), for rows
	// relative to max(1, |bound|, sum of the magnitudes of their terms).
	Primal Residual
	// Dual is the size of a row dual or of a recomputed reduced cost whose sign
	// requires a bound that does not exist, relative to max(1, |cost|).
	Dual Residual
	// Complementarity is |dual x distance to the bound its sign requires|, relative
	// to max(1, |objective|).
	Complementarity Residual
	// Gap is |primal - dual objective| relative to max(1, |primal objective|).
	Gap Residual
	// Reported is the difference of the reported Objective, RowActivity and
	// ReducedCost from the recomputed ones, relative to max(1, sum of the
	// magnitudes of their terms).
	Reported Residual

	// PrimalObjective is c'x and DualObjective is (3) of the package comment,
	// without the terms that Dual reports.
	PrimalObjective, DualObjective float64

	problem *Problem
}

// Check computes the residuals of an optimal solution. The error is for a
// solution that cannot be checked: not Optimal, or with vectors of a wrong
// length. [Residuals.Err] decides whether the residuals are small enough.
func Check(p *Problem, s *Solution) (Residuals, error) {
	if s == nil || s.Status != Optimal {
		status := Unsolved
		if s != nil {
			status = s.Status
		}
		return Residuals{}, fmt.Errorf("solver: check of a solution that is %v, not optimal", status)
	}
	m, n := p.Rows(), p.Cols()
	var faults []error
	for _, v := range []struct {
		name      string
		got, want int
	}{
		{"Primal", len(s.Primal), n},
		{"RowActivity", len(s.RowActivity), m},
		{"RowDual", len(s.RowDual), m},
		{"ReducedCost", len(s.ReducedCost), n},
	} {
		if v.got != v.want {
			faults = append(faults, fmt.Errorf("solver: check: %s has length %d, want %d", v.name, v.got, v.want))
		}
	}
	if faults != nil {
		return Residuals{}, errors.Join(faults...)
	}

	r := Residuals{problem: p}
	for _, each := range []*Residual{&r.Primal, &r.Dual, &r.Complementarity, &r.Gap, &r.Reported} {
		each.at = -1
	}
	activity, activitySize := multiply(p, s.Primal)
	reduced, reducedSize := reducedCosts(p, s.RowDual)

	// The objective first: others are relative to it.
	objectiveSize := 0.0
	for j, c := range p.Cost {
		r.PrimalObjective += c * s.Primal[j]
		objectiveSize += math.Abs(c * s.Primal[j])
	}
	scale := max(1, math.Abs(r.PrimalObjective))

	for j := range n {
		r.bounds(j, s.Primal[j], p.ColLower[j], p.ColUpper[j], 1)
		r.multiplier(j, reduced[j], s.Primal[j], p.ColLower[j], p.ColUpper[j], max(1, math.Abs(p.Cost[j])), scale)
		r.Reported.meet(math.Abs(reduced[j]-s.ReducedCost[j])/max(1, reducedSize[j]), j)
	}
	for i := range m {
		r.bounds(n+i, activity[i], p.RowLower[i], p.RowUpper[i], max(1, activitySize[i]))
		r.multiplier(n+i, s.RowDual[i], activity[i], p.RowLower[i], p.RowUpper[i], 1, scale)
		r.Reported.meet(math.Abs(activity[i]-s.RowActivity[i])/max(1, activitySize[i]), n+i)
	}
	r.Reported.meet(math.Abs(s.Objective-r.PrimalObjective)/max(1, objectiveSize), -1)
	r.Gap.meet(math.Abs(r.PrimalObjective-r.DualObjective)/scale, -1)
	return r, nil
}

// bounds measures one value against its bounds, relative to the scale or to the bound
// if that is larger.
func (r *Residuals) bounds(at int, v, lower, upper, scale float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.Primal.meet(math.Inf(1), at)
		return
	}
	if !math.IsInf(lower, -1) {
		r.Primal.meet((lower-v)/max(scale, math.Abs(lower)), at)
	}
	if !math.IsInf(upper, 1) {
		r.Primal.meet((v-upper)/max(scale, math.Abs(upper)), at)
	}
}

// multiplier measures the sign and the complementarity of one dual, and adds its
// term of the dual objective.
func (r *Residuals) multiplier(at int, dual, v, lower, upper, dualScale, objectiveScale float64) {
	bound := lower
	if dual < 0 {
		bound = upper
	}
	switch {
	case math.IsNaN(dual):
		r.Dual.meet(math.Inf(1), at)
	case dual == 0:
	case math.IsInf(bound, 0):
		r.Dual.meet(math.Abs(dual)/dualScale, at)
	default:
		r.DualObjective += dual * bound
		r.Complementarity.meet(math.Abs(dual*(v-bound))/objectiveScale, at)
	}
}

// meet keeps the worst of two violations; a NaN is worse than any.
func (r *Residual) meet(violation float64, at int) {
	if math.IsNaN(violation) {
		violation = math.Inf(1)
	}
	if violation > r.Value {
		r.Value, r.at = violation, at
	}
}

// Err returns nil when every residual is within the tolerances of this package,
// and otherwise an error that names each one that is not, with its place.
func (r Residuals) Err() error {
	var faults []error
	for _, c := range []struct {
		what      string
		residual  Residual
		tolerance float64
	}{
		{"primal feasibility", r.Primal, FeasibilityTol},
		{"dual feasibility", r.Dual, DualTol},
		{"complementarity", r.Complementarity, GapTol},
		{"primal = dual objective", r.Gap, GapTol},
		{"reported values", r.Reported, FeasibilityTol},
	} {
		if c.residual.Value <= c.tolerance {
			continue
		}
		faults = append(faults, fmt.Errorf("solver: optimality check: %s violated by %.3g%s, tolerance %g",
			c.what, c.residual.Value, r.place(c.residual), c.tolerance))
	}
	return errors.Join(faults...)
}

func (r Residuals) place(of Residual) string {
	switch n := r.problem.Cols(); {
	case of.at < 0:
		return ""
	case of.at < n:
		return " at " + r.problem.colLabel(Col(of.at))
	default:
		return " at " + r.problem.rowLabel(Row(of.at-n))
	}
}

// Verify checks what a solution claims against the data of its program: the
// residuals of an Optimal one, the ray, if there is one, of an Infeasible or
// Unbounded one. Other statuses claim nothing that this can check.
func Verify(p *Problem, s *Solution) error {
	switch s.Status {
	case Optimal:
		r, err := Check(p, s)
		if err != nil {
			return err
		}
		return r.Err()
	case Infeasible:
		if s.Ray != nil {
			return CheckFarkas(p, s.Ray)
		}
	case Unbounded:
		if s.Ray != nil {
			return CheckRay(p, s.Ray)
		}
	}
	return nil
}

// multiply returns Ax by Row, and the sums of the magnitudes of its terms.
func multiply(p *Problem, x []float64) (product, size []float64) {
	product = make([]float64, p.Rows())
	size = make([]float64, p.Rows())
	for j := range p.Cols() {
		if x[j] == 0 {
			continue
		}
		rows, values := p.Column(Col(j))
		for k, i := range rows {
			term := values[k] * x[j]
			product[i] += term
			size[i] += math.Abs(term)
		}
	}
	return product, size
}

// reducedCosts returns c - A'y by Col, and the sums of the magnitudes of its
// terms.
func reducedCosts(p *Problem, y []float64) (reduced, size []float64) {
	reduced = make([]float64, p.Cols())
	size = make([]float64, p.Cols())
	for j := range p.Cols() {
		d, s := p.Cost[j], math.Abs(p.Cost[j])
		rows, values := p.Column(Col(j))
		for k, i := range rows {
			term := values[k] * y[i]
			d -= term
			s += math.Abs(term)
		}
		reduced[j], size[j] = d, s
	}
	return reduced, size
}
