package tree

import (
	"context"
	"math"

	"jigsaw/solver"
)

// strongIterations limits a linear program of strong branching.
const strongIterations = 100

// learn notes what the last change of a node did to its bound.
func (m *mip) learn(n mipNode, bound float64) {
	if n.changes != nil && n.moved > IntegralityTol {
		m.costs.Add(n.changes.col, n.changes.up, max(0, bound-n.parent)/n.moved)
	}
}

// failed notes a node that turned out empty: as bad as twice the mean.
func (m *mip) failed(n mipNode) {
	if n.changes != nil && n.moved > IntegralityTol {
		m.costs.Add(n.changes.col, n.changes.up, 2*m.costs.mean(side(n.changes.up)))
	}
}

// branch chooses a fractional column and splits the node on it. Where strong
// branching closes one side the other is the only child; closed says that it
// closed both.
func (m *mip) branch(ctx context.Context, n mipNode, s *solver.Solution, fractional []solver.Col) (children []mipNode, closed bool, err error) {
	open := [2]bool{true, true}
	var look func(solver.Col) (float64, bool, error)
	if m.engine.Caps().WarmStart {
		look = func(col solver.Col) (float64, bool, error) {
			var rise [2]float64
			for k, up := range [2]bool{false, true} {
				var err error
				if rise[k], open[k], err = m.try(ctx, s, col, up); err != nil {
					return 0, false, err
				}
			}
			return Score(rise[0], rise[1]), !open[0] || !open[1], nil
		}
	}
	col, err := m.costs.Choose(s.Primal, fractional, look)
	if err != nil {
		return nil, false, err
	}
	lower, upper, v := m.p.ColLower[col], m.p.ColUpper[col], math.Floor(s.Primal[col])
	if open[1] {
		children = append(children, m.child(n, s, col, v+1, upper, true))
	}
	if open[0] {
		children = append(children, m.child(n, s, col, lower, v, false))
	}
	return children, children == nil, nil
}

// try solves one side of a branching for some iterations and undoes it. open
// is false where the side is proven to hold nothing better than what is known.
func (m *mip) try(ctx context.Context, s *solver.Solution, col solver.Col, up bool) (rise float64, open bool, err error) {
	lower, upper, v := m.p.ColLower[col], m.p.ColUpper[col], s.Primal[col]
	from, to, moved := lower, math.Floor(v), v-math.Floor(v)
	if up {
		from, to, moved = math.Ceil(v), upper, math.Ceil(v)-v
	}
	if from > to { // a new incumbent fixed the column
		return 0, false, nil
	}
	if err := m.setBounds(col, from, to); err != nil {
		return 0, true, err
	}
	m.startFrom(s.Basis)
	limits := m.limits(min(m.cutoff, m.value))
	limits.Iterations = strongIterations
	r, err := m.relax(ctx, limits)
	open = true
	if r != nil {
		switch r.Status {
		case solver.Optimal:
			open = !m.prunes(r.Objective)
			rise = max(0, r.Objective-s.Objective)
			m.costs.Add(col, up, rise/moved)
		case solver.Infeasible, solver.Cutoff:
			open = false
		case solver.IterationLimit:
			if len(r.Primal) > 0 {
				rise = max(0, r.Objective-s.Objective) // of a dual iterate, if it is one
			}
		}
	}
	return rise, open, notNil(err, m.setBounds(col, lower, upper))
}

func notNil(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
