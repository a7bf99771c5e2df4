package formulation

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
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
func (f *fluid) bindings(s *solver.Solution, ranging *solver.Ranging) []Binding {
	objective := math.Abs(s.Objective)
	if objective == 0 {
		return nil
	}
	sign := 1.0 // programs are minimised
	if f.m.in.Objective.Periodic() {
		sign = -1
	}
	scale, _ := new(big.Float).SetInt(f.scale).Float64()
	loads := make([]float64, len(f.p.rows)) // by row, what is charged to the resource
	for j := range f.p.cols {
		for _, t := range f.p.cols[j].terms {
			if j != f.p.rows[t.row].about.capacity {
				loads[t.row] += math.Abs(float64(t.value)) * s.Primal[j]
			}
		}
	}
	type key struct{ resource, subject string }
	index := map[key]int{}
	var found []Binding
	largest := map[int]float64{} // by binding: the effect of the row it names
	for i := range f.p.rows {
		r := &f.p.rows[i]
		y := s.RowDual[i]
		if r.about.resource == "" || y == 0 {
			continue
		}
		effect := -math.Abs(y) * loads[i] / objective * sign
		if math.Abs(effect) < minEffect {
			continue
		}
		k := key{r.about.resource, r.about.subject}
		at, ok := index[k]
		if !ok {
			at = len(found)
			index[k] = at
			found = append(found, Binding{Resource: k.resource, Subject: k.subject})
		}
		b := &found[at]
		b.Effect += effect
		if math.Abs(effect) > largest[at] {
			largest[at] = math.Abs(effect)
			b.Row, b.Dual = r.name, sign*y/scale
			b.Ranged, b.Lower, b.Upper = false, 0, 0
			if ranging != nil && len(ranging.ActivityLower) == len(f.p.rows) && loads[i] > 0 {
				b.Lower, b.Upper = growth(r, loads[i], ranging.ActivityLower[i], ranging.ActivityUpper[i])
				b.Ranged = b.Lower < b.Upper
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Binding) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.Effect), math.Abs(b.Effect)), cmp.Compare(a.Row, b.Row))
	})
	for i := range found {
		// A range belongs to one row: it says nothing about a sum over rows.
		if b := &found[i]; largest[index[key{b.Resource, b.Subject}]] < 0.9*math.Abs(b.Effect) {
			b.Ranged, b.Lower, b.Upper = false, 0, 0
		}
		found[i].Text = sentence(&found[i], f.m.in.Objective)
	}
	return found
}

// growth turns the range of a row's constant into one of the resource's size,
// to first order in rows with time.
func growth(r *programRow, load, lower, upper float64) (float64, float64) {
	less, more := (lower-float64(r.rhs))/load, (upper-float64(r.rhs))/load
	if r.sense == atLeast { // a lower constant is a larger resource
		less, more = -more, -less
	}
	return max(-1, less), more
}

// sentence says what a binding means.
func sentence(b *Binding, objective instance.Objective) string {
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
		b.Subject, limits(b.Subject), 100*growthStep, way, most, 100*change, until)
}

// growthStep is the growth of a resource that sentences speak of.
const growthStep = 0.1

// reasons says which rows a proof of infeasibility rests on, the heaviest first.
func (f *fluid) reasons(prices []*big.Int) []string {
	type part struct {
		subject, resource string
		weight            *big.Rat
	}
	var parts []part
	index := map[string]int{}
	for i := range f.p.rows {
		r := &f.p.rows[i]
		if r.about.resource == "" || prices[i].Sign() == 0 {
			continue
		}
		weight := new(big.Rat).SetInt(new(big.Int).Abs(new(big.Int).Mul(prices[i], big.NewInt(max(1, abs(r.rhs))))))
		at, ok := index[r.about.subject]
		if !ok {
			at = len(parts)
			index[r.about.subject] = at
			parts = append(parts, part{r.about.subject, r.about.resource, new(big.Rat)})
		}
		parts[at].weight.Add(parts[at].weight, weight)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.weight.Cmp(a.weight) })
	var subjects []string
	for _, p := range parts {
		if len(subjects) < 3 {
			subjects = append(subjects, p.subject)
		}
	}
	if subjects == nil {
		return []string{"the jobs cannot all be placed, even when they are spread fractionally over the cluster"}
	}
	return []string{fmt.Sprintf("the jobs ask for more than there is, even when they are spread fractionally over the cluster: %s",
		strings.Join(subjects, "; "))}
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// limits is the verb in the number of its subject: "the GPU limits", "the 4 GPUs
// limit".
func limits(subject string) string {
	words := strings.Fields(subject)
	if len(words) > 1 && words[0] == "the" &&
		(words[1][0] >= '0' && words[1][0] <= '9' || slices.Contains([]string{"uplinks", "NICs", "fabrics"}, words[1])) {
		return "limit"
	}
	return "limits"
}
