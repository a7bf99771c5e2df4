package lptest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"jigsaw/solver"
)

// testOracle compares status and optimum of tiny programs with gonum's simplex.
// Their data are random and not planted: all statuses occur, and none is known
// in advance.
func testOracle(t *testing.T, engine solver.Solver) {
	met := map[solver.Status]int{}
	for seed := range seeds(400) {
		rng := random(seed)
		p := &solver.Problem{Name: "tiny"}
		rows, cols := 1+rng.IntN(4), 1+rng.IntN(5)
		for range rows {
			at := within(rng, -4, 8)
			switch rng.IntN(4) {
			case 0:
				p.AddRow("", at, infinity)
			case 1:
				p.AddRow("", -infinity, at)
			case 2:
				p.AddRow("", at, at)
			default:
				p.AddRow("", at, at+within(rng, 1, 5))
			}
		}
		for range cols {
			var entries []solver.Entry
			for i := range rows {
				if v := within(rng, -3, 4); v != 0 {
					entries = append(entries, solver.Entry{Row: solver.Row(i), Value: v})
				}
			}
			lower, upper := 0.0, infinity
			switch rng.IntN(4) {
			case 0:
				lower = -infinity
			case 1:
				upper = within(rng, 1, 6)
			}
			p.AddCol("", within(rng, -2, 6), lower, upper, entries...)
		}
		want, objective, err := reference(p)
		if err != nil {
			continue // gonum refuses some shapes; how many is bounded below
		}
		met[want]++
		got := solve(t, engine, load(t, engine, p))
		require.Equal(t, want, got.Status, "seed %d: gonum and the engine differ", seed)
		if want == solver.Optimal {
			require.InDelta(t, objective, got.Objective, objectiveTol*max(1, math.Abs(objective)), "seed %d", seed)
		}
	}
	for _, status := range []solver.Status{solver.Optimal, solver.Infeasible, solver.Unbounded} {
		require.Greater(t, met[status], int(seeds(400))/20, "too few programs that are %v for a comparison", status)
	}
}

// reference solves a program with gonum. For a program that has no feasible
// point but an unbounded direction gonum may say unbounded, so that is only
// trusted for a program that it finds feasible without the costs.
func reference(p *solver.Problem) (status solver.Status, objective float64, err error) {
	status, objective, err = simplex(p)
	if err == nil && status == solver.Unbounded {
		q := p.Clone()
		clear(q.Cost)
		if point, _, err := simplex(q); err != nil || point == solver.Infeasible {
			return point, 0, err
		}
	}
	return status, objective, err
}

// simplex calls gonum with min c'x, Gx <= h, Ax = b, x free, which gonum itself
// turns into its standard form.
func simplex(p *solver.Problem) (status solver.Status, objective float64, err error) {
	defer func() {
		if r := recover(); r != nil { // gonum panics on shapes it does not take
			err = fmt.Errorf("gonum: %v", r)
		}
	}()
	n := p.Cols()
	var g, a []float64
	var h, b []float64
	limit := func(coeffs []float64, lower, upper float64) {
		if lower == upper {
			a, b = append(a, coeffs...), append(b, lower)
			return
		}
		if !math.IsInf(upper, 1) {
			g, h = append(g, coeffs...), append(h, upper)
		}
		if !math.IsInf(lower, -1) {
			for _, v := range coeffs {
				g = append(g, -v)
			}
			h = append(h, -lower)
		}
	}
	for i := range p.Rows() {
		coeffs := make([]float64, n)
		for j := range n {
			rows, values := p.Column(solver.Col(j))
			for k, r := range rows {
				if int(r) == i {
					coeffs[j] = values[k]
				}
			}
		}
		limit(coeffs, p.RowLower[i], p.RowUpper[i])
	}
	for j := range n {
		unit := make([]float64, n)
		unit[j] = 1
		limit(unit, p.ColLower[j], p.ColUpper[j])
	}
	var gm, am mat.Matrix
	if len(h) > 0 {
		gm = mat.NewDense(len(h), n, g)
	}
	if len(b) > 0 {
		am = mat.NewDense(len(b), n, a)
	}
	c, standard, right := lp.Convert(p.Cost, gm, h, am, b)
	objective, _, err = lp.Simplex(c, standard, right, 1e-9, nil)
	switch {
	case errors.Is(err, lp.ErrInfeasible):
		return solver.Infeasible, 0, nil
	case errors.Is(err, lp.ErrUnbounded):
		return solver.Unbounded, 0, nil
	}
	return solver.Optimal, objective, err
}
