package periods

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/periods"
	"jigsaw/solver"
	"jigsaw/solver/tree"
)

// strongIterations limits each look-ahead solve of a linear program.
const strongIterations = 50

// branch splits a node at an integer column whose value in the solution is
// fractional: a rate if there is one, otherwise at a rate that disagrees with
// its products. It leaves the node whole if there is none.
func (t *search) branch(ctx context.Context, r *relaxation, n *periodNode, s *solver.Solution) error {
	if !r.Whole() {
		t.branchAnyPeriod(r, n, s.Primal)
		return nil
	}
	var list []solver.Col
	rated := false
	for j, x := range s.Primal {
		above := x - math.Floor(x)
		if j == r.Least || math.Min(above, 1-above) <= tree.IntegralityTol {
			continue
		}
		if rate := r.Rates != nil && slices.Contains(r.Rates.Cols, j); rate != rated {
			if rated {
				continue
			}
			rated, list = true, nil
		}
		list = append(list, solver.Col(j))
	}
	if !rated && r.Rates != nil {
		if j := disagreeing(r.Rates, s.Primal, r.lower, r.upper); j >= 0 {
			n.divide(r, j, min(int64(math.Round(s.Primal[j])), r.upper[j]-1))
			return nil
		}
		j, err := t.crowded(ctx, r, s.Primal)
		if err != nil {
			return err
		}
		if j >= 0 {
			n.divide(r, j, max(int64(math.Round(s.Primal[j]))-1, r.lower[j]))
			return nil
		}
	}
	if list == nil {
		return nil
	}
	costs := &t.open(n.period).costs
	var look func(solver.Col) (float64, bool, error)
	if t.engine.Caps().WarmStart {
		look = func(col solver.Col) (float64, bool, error) {
			var rise [2]float64
			for i, up := range [2]bool{false, true} {
				var err error
				if rise[i], err = t.try(ctx, r, s, costs, col, up); err != nil {
					return 0, false, err
				}
			}
			return tree.Score(rise[0], rise[1]), false, nil
		}
	}
	col, err := costs.Choose(s.Primal, list, look)
	if err != nil {
		return err
	}
	n.divide(r, int(col), int64(math.Floor(s.Primal[col])))
	return nil
}

// branchAnyPeriod splits a node of plans of any period at the rate whose products are off by the most value or, where
// they hardly are, at the number of GPUs that is farthest from a whole one. Where a job does much more than that
// outside of its main mode, the node is split at that mode.
func (t *search) branchAnyPeriod(r *relaxation, n *periodNode, x []float64) {
	rate, most, total := -1, 0.0, 0.0
	gpus, apart := -1, tree.IntegralityTol
	home, spread := -1, 0.0 // the main mode of the job that is worth most elsewhere
	for i, col := range r.Rates.Cols {
		if col < 0 {
			continue
		}
		job := r.Shapes[i].Class.Job
		weight := float64(job.Weight)
		if t.Model.Instance.Objective == instance.MaxMinThroughput {
			weight = 1 / float64(r.upper[col]+1)
		}
		total += weight * x[col]
		if does := r.Shapes[i].Does(); len(does) > 1 {
			main := slices.MaxFunc(does, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
			if rest := weight * (x[col] - x[main]); rest > spread {
				home, spread = main, rest
			}
		}
		sum := 0.0
		for _, p := range r.Rates.Shares[i] {
			sum += off(x, col, p.GPUs, p.Does)
			if part := x[p.GPUs] - math.Floor(x[p.GPUs]); min(part, 1-part) > apart {
				gpus, apart = p.GPUs, min(part, 1-part)
			}
		}
		if sum *= weight / float64(job.Workers); sum > most && r.upper[col]-r.lower[col] > 1 {
			rate, most = col, sum
		}
	}
	switch {
	case spread > max(much*most, leastOff*total):
		n.divide(r, home, 0)
	case gpus >= 0 && most < leastOff*total:
		n.divide(r, gpus, int64(math.Floor(x[gpus])))
	case rate >= 0 && most > tree.IntegralityTol*total:
		lower, upper := float64(r.lower[rate]), float64(r.upper[rate])
		near := edge * (upper - lower)
		n.divide(r, rate, int64(math.Round(max(lower+near, min(upper-near, x[rate])))))
	}
}

// leastOff is the share of the value up to which products may be off while numbers of GPUs are made whole; much is how
// many times as much a job must do outside of its main mode; edge is how far, of the range of a rate, splits stay away
// from its ends.
const (
	leastOff = 0.002
	much     = 4
	edge     = 0.1
)

// divide splits a node: the column is at most at, or above. The proof of the
// node also holds for its parts until there is a better one.
func (n *periodNode) divide(r *relaxation, col int, at int64) {
	parts, ok := r.Split(n.narrow, col, at, r.lower[col], r.upper[col])
	if !ok {
		return
	}
	n.split = parts[0]
	for _, part := range parts {
		n.parts = append(n.parts, n.part(part))
	}
	n.proof, n.basis = nil, nil
}

// part returns a part of the node, without further information.
func (n *periodNode) part(narrow *periods.Narrowing) *periodNode {
	return &periodNode{period: n.period, narrow: narrow, value: n.value, proof: n.proof, inherited: true, gpus: n.gpus, basis: n.basis}
}

// try returns a lower bound on the rise of the bound when a column moves to a
// whole number.
func (t *search) try(ctx context.Context, r *relaxation, s *solver.Solution, costs *tree.PseudoCosts, col solver.Col, up bool) (float64, error) {
	x, lower, upper := s.Primal[col], r.lower[col], r.upper[col]
	from, to, moved := lower, int64(math.Floor(x)), x-math.Floor(x)
	if up {
		from, to, moved = to+1, upper, 1-moved
	}
	if err := r.live.SetColBounds(col, float64(from), float64(to)); err != nil {
		return 0, nil
	}
	_ = r.live.SetBasis(s.Basis) // a hint
	then, err := r.live.Solve(ctx, solver.Limits{Iterations: strongIterations})
	if back := r.live.SetColBounds(col, float64(lower), float64(upper)); back != nil {
		return 0, back
	}
	if err != nil {
		return 0, ctx.Err()
	}
	rise := 0.0
	switch {
	case then.Status == solver.Infeasible:
		rise = math.Abs(s.Objective)
	case then.Status == solver.Optimal:
		rise = max(0, then.Objective-s.Objective)
		costs.Add(col, up, rise/moved)
	case then.Primal != nil:
		rise = max(0, then.Objective-s.Objective)
	}
	return rise, nil
}

// disagreeing returns the rate that differs most from its products in a point; -1 if
// all agree.
func disagreeing(r *fluid.Rates, x []float64, lower, upper []int64) int {
	worst, at := 1e-6, -1
	for i, col := range r.Cols {
		if col < 0 || lower[col] == upper[col] {
			continue
		}
		for _, p := range r.Shares[i] {
			if d := off(x, col, p.GPUs, p.Does); d > worst {
				worst, at = d, col
			}
		}
	}
	return at
}

// off is by how much what a job does on some of its GPUs differs from its rate times their number.
func off(x []float64, rate, gpus int, does []int) float64 {
	d := x[rate] * x[gpus]
	for _, y := range does {
		d -= x[y]
	}
	return math.Abs(d)
}
