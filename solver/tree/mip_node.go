package tree

import (
	"context"
	"errors"
	"math"

	"jigsaw/solver"
)

// errUnbounded ends a search whose relaxation has no optimum.
var errUnbounded = errors.New("the relaxation is unbounded: give its columns bounds")

// Evaluate solves the relaxation of a node and branches.
func (m *mip) Evaluate(ctx context.Context, n mipNode, cutoff float64) (Outcome[mipNode], error) {
	closed := Outcome[mipNode]{Bound: math.Inf(1), Closed: true}
	room, err := m.enter(n)
	if err != nil || !room {
		return closed, err
	}
	m.startFrom(n.basis)
	s, err := m.relax(ctx, m.limits(cutoff))
	if err != nil {
		return Outcome[mipNode]{}, err
	}
	m.evaluated++
	switch {
	case s == nil:
		return m.splitBlind(n), nil
	case s.Status == solver.Infeasible:
		m.failed(n)
		return closed, nil
	case s.Status == solver.Cutoff:
		m.failed(n)
		return Outcome[mipNode]{Bound: s.Objective, Closed: true}, nil
	case s.Status == solver.Unbounded:
		return Outcome[mipNode]{Bound: math.Inf(-1)}, errUnbounded
	}
	m.learn(n, s.Objective)
	before := m.value
	out, err := m.split(ctx, n, s)
	if m.value < before {
		v := m.value
		out.Incumbent = &v
	}
	return out, err
}

// split looks for feasible points near an optimum of the relaxation and
// splits the node between them.
func (m *mip) split(ctx context.Context, n mipNode, s *solver.Solution) (Outcome[mipNode], error) {
	out := Outcome[mipNode]{Bound: s.Objective}
	if n.changes == nil {
		m.rootBound, m.rootReduced = s.Objective, s.ReducedCost
		m.tighten()
	}
	if m.prunes(s.Objective) {
		out.Closed = true
		return out, nil
	}
	fractional := m.fractional(s.Primal)
	if len(fractional) == 0 {
		value, err := m.accept(ctx, s.Primal)
		if err != nil {
			return out, err
		}
		// Behind integers there may be no point, or only worse ones.
		out.Closed = value <= s.Objective+2*solver.GapTol*max(1, math.Abs(s.Objective)) || m.prunes(s.Objective)
		if !out.Closed {
			out.Children = m.splitIntegral(n, s)
		}
		return out, nil
	}
	if m.divesNow() {
		if err := m.dive(ctx, s); err != nil {
			return out, err
		}
		room, err := m.enter(n) // with what a new incumbent fixed
		if err != nil {
			return out, err
		}
		if !room || m.prunes(s.Objective) {
			out.Closed = true
			return out, nil
		}
	}
	var err error
	out.Children, out.Closed, err = m.branch(ctx, n, s, fractional)
	return out, err
}

// prunes reports whether a bound leaves nothing better than what is known.
func (m *mip) prunes(bound float64) bool { return m.round(bound) >= min(m.cutoff, m.value) }

// fractional lists the integer columns of highest priority whose value is no
// integer.
func (m *mip) fractional(x []float64) []solver.Col {
	var list []solver.Col
	for _, j := range m.integers {
		if math.Abs(x[j]-math.Round(x[j])) <= IntegralityTol {
			continue
		}
		if len(list) > 0 && m.options.Priority != nil {
			if a, b := m.options.Priority[j], m.options.Priority[list[0]]; a < b {
				continue
			} else if a > b {
				list = list[:0]
			}
		}
		list = append(list, j)
	}
	return list
}

// child is a node with one more change.
func (m *mip) child(n mipNode, s *solver.Solution, col solver.Col, lower, upper float64, up bool) mipNode {
	c := mipNode{changes: &change{n.changes, col, lower, upper, up}, basis: n.basis}
	if s != nil {
		c.basis, c.parent = s.Basis, s.Objective
		if up {
			c.moved = lower - s.Primal[col]
		} else {
			c.moved = s.Primal[col] - upper
		}
	}
	return c
}

// splitIntegral splits a node whose relaxation has integers but not a feasible
// point behind them, around those integers, until all columns are fixed.
func (m *mip) splitIntegral(n mipNode, s *solver.Solution) []mipNode {
	for _, j := range m.integers {
		lower, upper, v := m.p.ColLower[j], m.p.ColUpper[j], math.Round(s.Primal[j])
		if lower == upper || v < lower || v > upper {
			continue
		}
		children := []mipNode{m.child(n, nil, j, v, v, true)}
		if v < upper {
			children = append(children, m.child(n, nil, j, v+1, upper, true))
		}
		if v > lower {
			children = append(children, m.child(n, nil, j, lower, v-1, false))
		}
		return children
	}
	return nil
}

// splitBlind splits a node of which no relaxation is known: where a point's
// integers are all fixed, there is nothing more to do.
func (m *mip) splitBlind(n mipNode) Outcome[mipNode] {
	out := Outcome[mipNode]{Bound: math.Inf(-1)}
	best := solver.Col(-1)
	for _, j := range m.integers {
		if m.p.ColLower[j] == m.p.ColUpper[j] {
			continue
		}
		if best < 0 || m.options.Priority != nil && m.options.Priority[j] > m.options.Priority[best] {
			best = j
		}
	}
	if best < 0 {
		return out
	}
	lower, upper := m.p.ColLower[best], m.p.ColUpper[best]
	middle := math.Floor(lower/2 + upper/2)
	switch {
	case math.IsInf(lower, -1) && math.IsInf(upper, 1):
		middle = 0
	case math.IsInf(lower, -1):
		middle = upper - 1
	case math.IsInf(upper, 1):
		middle = lower
	}
	out.Children = []mipNode{m.child(n, nil, best, middle+1, upper, true), m.child(n, nil, best, lower, middle, false)}
	return out
}
