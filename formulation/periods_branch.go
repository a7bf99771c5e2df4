package formulation

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jigsaw/solver"
	"jigsaw/solver/tree"
)

// Reliability branching; see [tree.MIP].
const (
	reliable         = 4  // moves of a column in both directions before its pseudo-costs count
	lookahead        = 6  // candidates in a row that may be worse than the best
	strongIterations = 50 // of each linear program that looks ahead
)

// branch splits a node at the value of a column that counts and is no whole
// number in the solution, a rate if there is one, or else at a rate that its
// products do not fit. It leaves the node whole if there is none.
func (t *periodTree) branch(ctx context.Context, r *relaxation, n *periodNode, s *solver.Solution) error {
	type candidate struct {
		col   int
		score float64
	}
	costs := &t.open(n.period).costs
	var list []candidate
	rated := false
	for j, x := range s.Primal {
		above := x - math.Floor(x)
		if j == r.least || math.Min(above, 1-above) <= tree.IntegralityTol {
			continue
		}
		if rate := r.rates != nil && slices.Contains(r.rates.cols, j); rate != rated {
			if rated {
				continue
			}
			rated, list = true, nil
		}
		list = append(list, candidate{j, costs.Score(solver.Col(j), above)})
	}
	if !rated && r.rates != nil {
		if j := r.rates.torn(s.Primal, r.lower, r.upper); j >= 0 {
			n.divide(j, min(int64(math.Round(s.Primal[j])), r.upper[j]-1), r.upper[j])
			return nil
		}
	}
	if list == nil {
		return nil
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	best, idle := candidate{list[0].col, -1}, 0
	for _, c := range list {
		if costs.Seen(solver.Col(c.col)) < reliable && t.engine.Caps().WarmStart && idle < lookahead {
			var rise [2]float64
			for i, up := range []bool{false, true} {
				var err error
				if rise[i], err = t.try(ctx, r, s, costs, c.col, up); err != nil {
					return err
				}
			}
			c.score = tree.Score(rise[0], rise[1])
		}
		if idle++; c.score > best.score {
			best, idle = c, 0
		}
	}
	n.divide(best.col, int64(math.Floor(s.Primal[best.col])), r.upper[best.col])
	return nil
}

// divide splits a node: the column is at most at, or above. What proves the node
// proves its parts until there is more.
func (n *periodNode) divide(col int, at, upper int64) {
	n.split = &narrowing{n.narrow, col, 0, at}
	for _, part := range []*narrowing{n.split, {n.narrow, col, at + 1, upper}} {
		n.parts = append(n.parts, &periodNode{period: n.period, narrow: part, value: n.value, proof: n.proof, inherited: true, basis: n.basis})
	}
	n.proof, n.basis = nil, nil
}

// try returns by how much the bound rises, at least, when a column moves to a
// whole number.
func (t *periodTree) try(ctx context.Context, r *relaxation, s *solver.Solution, costs *tree.PseudoCosts, col int, up bool) (float64, error) {
	x, lower, upper := s.Primal[col], r.lower[col], r.upper[col]
	from, to, moved := lower, int64(math.Floor(x)), x-math.Floor(x)
	if up {
		from, to, moved = to+1, upper, 1-moved
	}
	if err := r.live.SetColBounds(solver.Col(col), float64(from), float64(to)); err != nil {
		return 0, nil
	}
	_ = r.live.SetBasis(s.Basis) // a hint
	then, err := r.live.Solve(ctx, solver.Limits{Iterations: strongIterations})
	if back := r.live.SetColBounds(solver.Col(col), float64(lower), float64(upper)); back != nil {
		return 0, back
	}
	if err != nil {
		return 0, ctx.Err()
	}
	t.iterations += then.Iterations
	rise := 0.0
	switch {
	case then.Status == solver.Infeasible:
		rise = math.Abs(s.Objective)
	case then.Status == solver.Optimal:
		rise = max(0, then.Objective-s.Objective)
		costs.Add(solver.Col(col), up, rise/moved)
	case then.Primal != nil:
		rise = max(0, then.Objective-s.Objective)
	}
	return rise, nil
}
