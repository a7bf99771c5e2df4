package trees

import (
	"context"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/orders"
	"slices"
)

// ProveOrders checks that the sequencings named by a leaf prove that its node holds
// no schedule better than the target, and returns the remaining steps.
func ProveOrders(ctx context.Context, m *relax.Model, n *cases.Node, modes [][]relax.ModeOptions, l *Leaf, steps int) (left int, ok bool) {
	s, some := cases.NewProgram(m, n, modes, l.Target, 1)
	if !some {
		return steps, true
	}
	list := orders.Problems(s, n, l.Target)
	sum := orders.Chains(s, list)
	for i, first := range l.Sets {
		at := slices.IndexFunc(list, func(q *orders.Problem) bool { return q.First() == first })
		if at < 0 || i > 0 && first <= l.Sets[i-1] {
			return steps, false
		}
		q := list[at]
		e := orders.Examiner{Ctx: ctx, Problem: q, Most: l.Target - 1 - (sum - list[at].Chains), Steps: steps}
		least, done := e.Examine()
		steps = e.Steps
		switch {
		case !done:
			return steps, false
		case least == exact.NoPrice: // the sum, too, is the target or more
			return steps, true
		case !s.Theta:
			sum += max(0, least-list[at].Chains)
		}
	}
	return steps, false
}

// ProofSteps limits the steps of the orders of all leaves of a certificate.
const ProofSteps = 1 << 30 // of all leaves of a certificate together
