package bound

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// Binding is one limit of a relaxation that its bound depends on.
type Binding struct {
	// Resource is "gpu", "nic", "uplink", "fabric", "waypoint", "memory", "job" or "time".
	Resource string
	// Row is the name of the row of the linear program that has the greatest part of Effect;
	// empty for bounds without one.
	Row string
	// Subject is the resource in words: "the 64 GPUs of type v100".
	Subject string
	// Text is a sentence about the limit.
	Text string
	// Effect is the relative change of the bound per relative growth of the
	// resource: -0.3 says that 10 % more of it would lower the bound by 3 %.
	Effect float64
	// Lower and Upper limit the relative growth of the resource for which
	// Effect holds, where Ranged is set: -0.1 and 0.06 say from -10 % to +6 %.
	Lower, Upper float64
	Ranged       bool
}

// minEffect is the relative effect below which a resource is not worth a sentence.
const minEffect = 1e-6

// Bindings sorts the limits of a plan by falling effect, drops those with hardly any, and writes
// the sentences.
func Bindings(objective instance.Objective, found []Binding) []Binding {
	found = slices.DeleteFunc(found, func(b Binding) bool { return math.Abs(b.Effect) < minEffect })
	slices.SortStableFunc(found, func(a, b Binding) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.Effect), math.Abs(b.Effect)), cmp.Compare(a.Row, b.Row))
	})
	for i := range found {
		found[i].Text = found[i].sentence(objective)
	}
	return found
}

// sentence says what a binding means.
func (b *Binding) sentence(objective instance.Objective) string {
	if b.Resource == "job" {
		return fmt.Sprintf("the iterations of %s limit the plan: more GPUs will not make them faster", b.Subject)
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
	if objective == instance.Makespan {
		// Capacity multiplies the makespan T: at these prices T becomes T/(1 + e y), with e the
		// growth.
		change /= 1 + change
	}
	return fmt.Sprintf("%s %s the plan; %.3g %% more would %s the bound by %s%.2g %%%s",
		b.Subject, Verb(b.Subject), 100*growthStep, way, most, 100*change, until)
}

// growthStep is the growth of a resource that sentences speak of.
const growthStep = 0.1
