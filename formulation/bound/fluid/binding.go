package fluid

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/linear"
	"jigsaw/solver"
)

// minEffect is the relative effect below which a row is not worth a sentence.
const minEffect = 1e-6

// bindings reads from an optimal solution what limits the plan: rows with a
// price, those of one resource taken together, by falling effect.
//
// A row of a resource reads capacity x time - load >= 0 for the makespan, and
// load <= capacity otherwise. Growing the resource by a factor 1 + e does to the
// optimum what lowering the load by the same factor does: the derivative is the
// price times the load.
func bindings(f *fluid.Program, s *solver.Solution, ranging *solver.Ranging) []bound.Binding {
	objective := math.Abs(s.Objective)
	if objective == 0 {
		return nil
	}
	sign := 1.0 // programs are minimised
	if f.Model.Instance.Objective.Periodic() {
		sign = -1
	}
	scale, _ := new(big.Float).SetInt(f.Scale).Float64()
	loads := make([]float64, len(f.Linear.Rows)) // by row, what is charged to the resource
	for j := range f.Linear.Cols {
		for _, t := range f.Linear.Cols[j].Terms {
			if j != f.Linear.Rows[t.Row].About.Capacity {
				loads[t.Row] += math.Abs(float64(t.Value)) * s.Primal[j]
			}
		}
	}
	type key struct{ resource, subject string }
	index := map[key]int{}
	var found []bound.Binding
	largest := map[int]float64{} // by binding: the effect of the row it names
	for i := range f.Linear.Rows {
		r := &f.Linear.Rows[i]
		y := s.RowDual[i]
		if r.About.Resource == "" || y == 0 {
			continue
		}
		effect := -math.Abs(y) * loads[i] / objective * sign
		if math.Abs(effect) < minEffect {
			continue
		}
		k := key{r.About.Resource, r.About.Subject}
		at, ok := index[k]
		if !ok {
			at = len(found)
			index[k] = at
			found = append(found, bound.Binding{Resource: k.resource, Subject: k.subject})
		}
		b := &found[at]
		b.Effect += effect
		if math.Abs(effect) > largest[at] {
			largest[at] = math.Abs(effect)
			b.Row, b.Dual = r.Name, sign*y/scale
			b.Ranged, b.Lower, b.Upper = false, 0, 0
			if ranging != nil && len(ranging.ActivityLower) == len(f.Linear.Rows) && loads[i] > 0 {
				b.Lower, b.Upper = growth(r, loads[i], ranging.ActivityLower[i], ranging.ActivityUpper[i])
				b.Ranged = b.Lower < b.Upper
			}
		}
	}
	slices.SortStableFunc(found, func(a, b bound.Binding) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.Effect), math.Abs(b.Effect)), cmp.Compare(a.Row, b.Row))
	})
	for i := range found {
		// A range belongs to one row: it says nothing about a sum over rows.
		if b := &found[i]; largest[index[key{b.Resource, b.Subject}]] < 0.9*math.Abs(b.Effect) {
			b.Ranged, b.Lower, b.Upper = false, 0, 0
		}
		found[i].Text = sentence(&found[i], f.Model.Instance.Objective)
	}
	return found
}

// growth turns the range of a row's constant into one of the resource's size,
// to first order in rows with time.
func growth(r *linear.Row, load, lower, upper float64) (float64, float64) {
	less, more := (lower-float64(r.Rhs))/load, (upper-float64(r.Rhs))/load
	if r.Sense == linear.AtLeast { // a lower constant is a larger resource
		less, more = -more, -less
	}
	return max(-1, less), more
}

// sentence says what a binding means.
func sentence(b *bound.Binding, objective instance.Objective) string {
	switch {
	case b.Resource == "job" && objective == instance.WeightedCompletion:
		return fmt.Sprintf("the iterations of %s limit when it is done: more GPUs will not help it", b.Subject)
	case b.Resource == "job" && objective.Periodic():
		return fmt.Sprintf("the iterations of %s limit how often it iterates: more GPUs will not help it", b.Subject)
	case b.Resource == "job":
		return fmt.Sprintf("the iterations of %s limit the plan: more GPUs will not help", b.Subject)
	}
	way := "lower"
	if b.Effect > 0 {
		way = "raise"
	}
	// The optimum is convex in the size of a resource when it is minimised and
	// concave when it is maximised, so beyond the range the effect only weakens.
	most, until := "", ""
	if b.Ranged && b.Upper < growthStep {
		most = "at most "
		if b.Upper >= 0.001 {
			until = fmt.Sprintf(" (at this rate up to +%.2g %%)", 100*b.Upper)
		}
	}
	change := growthStep * math.Abs(b.Effect)
	if objective == instance.Makespan && b.Resource != "memory" {
		// Capacity stands before T: with prices y the new T is T/(1 + e y), e the growth.
		change /= 1 + change
	}
	return fmt.Sprintf("%s %s the plan; %.3g %% more would %s the bound by %s%.2g %%%s",
		b.Subject, bound.Verb(b.Subject), 100*growthStep, way, most, 100*change, until)
}

// growthStep is the growth of a resource that sentences speak of.
const growthStep = 0.1
