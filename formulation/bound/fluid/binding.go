package fluid

import (
	"math"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/linear"
	"jigsaw/solver"
)

// bindings reads from an optimal solution what limits the plan: rows with a
// price, with those of one resource combined.
//
// A row of a resource reads capacity x time - load >= 0 for the makespan, and
// load <= capacity otherwise. Growing the resource by a factor 1 + e changes
// the optimum as lowering the load by the same factor does: the derivative is
// the price times the load.
func bindings(f *fluid.Program, s *solver.Solution, ranging *solver.Ranging) []bound.Binding {
	objective := math.Abs(s.Objective)
	if objective == 0 {
		return nil
	}
	sign := -1.0 // programs are minimised: more of a resource lowers the bound
	if f.Model.Instance.Objective.Periodic() {
		sign = 1
	}
	loads := make([]float64, len(f.Linear.Rows)) // by row, what is charged to the resource
	for j := range f.Linear.Cols {
		for _, t := range f.Linear.Cols[j].Terms {
			if j != f.Linear.Rows[t.Row].About.Capacity {
				loads[t.Row] += math.Abs(float64(t.Value)) * s.Primal[j]
			}
		}
	}
	index := map[linear.About]int{}
	var found []bound.Binding
	largest := map[int]float64{} // by binding: the effect of the row it names
	for i := range f.Linear.Rows {
		r := &f.Linear.Rows[i]
		effect := sign * math.Abs(s.RowDual[i]) * loads[i] / objective
		if r.About.Resource == "" || effect == 0 {
			continue
		}
		at, ok := index[r.About]
		if !ok {
			at = len(found)
			index[r.About] = at
			found = append(found, bound.Binding{Resource: r.About.Resource, Subject: r.About.Subject})
		}
		b := &found[at]
		b.Effect += effect
		if math.Abs(effect) > largest[at] {
			largest[at] = math.Abs(effect)
			b.Row = r.Name
			b.Ranged, b.Lower, b.Upper = false, 0, 0
			if ranging != nil && len(ranging.ActivityLower) == len(f.Linear.Rows) && loads[i] > 0 {
				b.Lower, b.Upper = growth(r, loads[i], ranging.ActivityLower[i], ranging.ActivityUpper[i])
				b.Ranged = b.Lower < b.Upper
			}
		}
	}
	for at := range found {
		// A range belongs to one row and does not hold for a sum over rows.
		if b := &found[at]; largest[at] < 0.9*math.Abs(b.Effect) {
			b.Ranged, b.Lower, b.Upper = false, 0, 0
		}
	}
	return bound.Bindings(f.Model.Instance.Objective, found)
}

// growth turns the range of a row's constant into one of the resource's size,
// to first order in rows with time.
func growth(r *linear.Row, load, lower, upper float64) (float64, float64) {
	less, more := (lower-float64(r.Rhs))/load, (upper-float64(r.Rhs))/load
	if r.Sense == linear.AtLeast { // a lower constant means a larger resource
		less, more = -more, -less
	}
	return max(-1, less), more
}
