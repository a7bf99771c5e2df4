package policy

import (
	"fmt"
	"math"
)

// Newton's method of finish-time fairness.
const (
	ratioTolerance = 1e-10
	mostTangents   = 200 // steps
)

// finishTime finds the least ratio rho with E_i / R_i tau_i >= f_i(rho) for all jobs, f_i
// = 1 / (rho - theta_i). With its tangent at any ratio in place of each f_i, a linear
// program gives a ratio that is not above the least; at the least ratio it gives that
// ratio, since if all jobs could get more the ratio would decrease. So the program is
// solved with the tangents at the last ratio, from the last basis, until the ratio no
// longer changes: coefficients change from step to step, but the allocation hardly does.
func (a *allocator) finishTime() (*Allocation, error) {
	theta := make([]float64, len(a.jobs))
	expected := make([]float64, len(a.jobs))
	least := 0.0 // rho is above every theta; the column is the excess
	for i := range a.jobs {
		expected[i] = a.jobs[i].Isolated + a.jobs[i].Remaining/a.isolated(i)
		theta[i] = a.jobs[i].Since / expected[i]
		least = max(least, theta[i])
	}
	// An equal share of the cluster for each job gives a feasible ratio.
	high := 0.0
	for i := range a.jobs {
		high = max(high, theta[i]-least+(a.jobs[i].Remaining/a.isolated(i))/expected[i])
	}
	at, before := high, math.Inf(-1)
	if a.warm != nil && a.warm.ratio > least {
		at = min(high, a.warm.ratio-least)
	}
	for range mostTangents {
		// Over f_i, with f_i' = -f_i^2, the row is
		// E_i / R_i / f_i tau_i + f_i rho >= 1 + f_i at.
		f := func(i int) float64 { return 1 / (at - (theta[i] - least)) }
		a.build(1, func(i int) float64 { return 1 + f(i)*at },
			func(i int) float64 { return expected[i] / a.jobs[i].Remaining / f(i) }, f)
		r, err := a.solve()
		if err != nil {
			return nil, err
		}
		// From the first one on, ratios increase until one is the least. A ratio at or below
		// all thetas, even twice, only means that the tangents are still loose.
		if r.Value > 0 && r.Value <= before*(1+ratioTolerance) {
			r.Value += least
			a.warm.keep(a, r.Value)
			return r, nil
		}
		before = r.Value
		// The next tangents touch at the new ratio, which is a lower bound, or, if it is no
		// valid ratio, between the two.
		if at = r.Value; at <= 0 {
			high /= 2
			at = high
		}
	}
	return nil, fmt.Errorf("policy: finish-time fairness did not converge in %d steps", mostTangents)
}
