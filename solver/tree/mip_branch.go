package tree

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jigsaw/solver"
)

// Reliability branching (T. Achterberg, T. Koch and A. Martin, Branching rules
// revisited, Operations Research Letters 33, 2005).
const (
	// reliable is how often each direction of a column has to be seen before
	// its pseudo-costs are trusted.
	reliable = 4
	// lookahead is how many candidates in a row strong branching may try
	// without finding a better one.
	lookahead = 6
	// strongIterations limits a linear program of strong branching.
	strongIterations = 100
)

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
	type candidate struct {
		col   solver.Col
		score float64
	}
	candidates := make([]candidate, len(fractional))
	for i, j := range fractional {
		f := s.Primal[j] - math.Floor(s.Primal[j])
		candidates[i] = candidate{j, m.costs.Score(j, f)}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return -cmp.Compare(a.score, b.score) })

	best, idle := candidate{candidates[0].col, -1}, 0
	for _, c := range candidates {
		known := m.costs.Seen(c.col) >= reliable
		if !known && m.engine.Caps().WarmStart && idle < lookahead {
			var open [2]bool
			var rise [2]float64
			for _, up := range [2]bool{false, true} {
				k := side(up)
				if rise[k], open[k], err = m.try(ctx, s, c.col, up); err != nil {
					return nil, false, err
				}
			}
			lower, upper, v := m.p.ColLower[c.col], m.p.ColUpper[c.col], math.Floor(s.Primal[c.col])
			switch {
			case !open[0] && !open[1]:
				return nil, true, nil
			case !open[0]:
				return []mipNode{m.child(n, s, c.col, v+1, upper, true)}, false, nil
			case !open[1]:
				return []mipNode{m.child(n, s, c.col, lower, v, false)}, false, nil
			}
			c.score = Score(rise[0], rise[1])
		}
		if c.score > best.score {
			best, idle = c, 0
		} else {
			idle++
		}
	}
	lower, upper, v := m.p.ColLower[best.col], m.p.ColUpper[best.col], math.Floor(s.Primal[best.col])
	return []mipNode{
		m.child(n, s, best.col, v+1, upper, true),
		m.child(n, s, best.col, lower, v, false),
	}, false, nil
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
