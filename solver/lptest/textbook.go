package lptest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// row is a row of a textbook program, written densely.
type row struct {
	lower  float64
	coeffs []float64
	upper  float64
}

// textbook is a program with a published or obvious answer.
type textbook struct {
	name         string
	cost         []float64
	lower, upper []float64 // nil: from 0, without a limit
	rows         []row

	want      solver.Status
	objective float64
	primal    []float64 // nil if the optimum is not unique
	dual      []float64 // nil if the dual optimum is not unique
}

func (b textbook) problem() *solver.Problem {
	p := &solver.Problem{Name: b.name}
	for _, r := range b.rows {
		p.AddRow("", r.lower, r.upper)
	}
	for j, c := range b.cost {
		lower, upper := 0.0, infinity
		if b.lower != nil {
			lower = b.lower[j]
		}
		if b.upper != nil {
			upper = b.upper[j]
		}
		var entries []solver.Entry
		for i, r := range b.rows {
			if r.coeffs[j] != 0 {
				entries = append(entries, solver.Entry{Row: solver.Row(i), Value: r.coeffs[j]})
			}
		}
		p.AddCol("", c, lower, upper, entries...)
	}
	return p
}

var textbooks = []textbook{
	{
		// Hillier and Lieberman, Introduction to Operations Research, the Wyndor
		// Glass example: max 3x + 5y, optimum 36 at (2, 6), shadow prices 0, 3/2, 1.
		name: "Wyndor", cost: []float64{-3, -5},
		rows: []row{
			{-infinity, []float64{1, 0}, 4},
			{-infinity, []float64{0, 2}, 12},
			{-infinity, []float64{3, 2}, 18},
		},
		want: solver.Optimal, objective: -36, primal: []float64{2, 6}, dual: []float64{0, -1.5, -1},
	},
	{
		// E. M. L. Beale, Cycling in the dual simplex algorithm (1955): Dantzig's
		// rule cycles; optimum -1/20 at (1/25, 0, 1, 0).
		name: "Beale cycling", cost: []float64{-0.75, 150, -0.02, 6},
		rows: []row{
			{-infinity, []float64{0.25, -60, -0.04, 9}, 0},
			{-infinity, []float64{0.5, -90, -0.02, 3}, 0},
			{-infinity, []float64{0, 0, 1, 0}, 1},
		},
		want: solver.Optimal, objective: -0.05, primal: []float64{0.04, 0, 1, 0},
	},
	{
		// V. Klee and G. J. Minty, How good is the simplex algorithm (1972), in
		// three dimensions: max 100x + 10y + z, optimum 10000 at (0, 0, 10000).
		name: "Klee-Minty", cost: []float64{-100, -10, -1},
		rows: []row{
			{-infinity, []float64{1, 0, 0}, 1},
			{-infinity, []float64{20, 1, 0}, 100},
			{-infinity, []float64{200, 20, 1}, 10000},
		},
		want: solver.Optimal, objective: -10000, primal: []float64{0, 0, 10000},
	},
	{
		name: "a dual at a lower bound is positive", cost: []float64{2},
		rows: []row{{3, []float64{1}, infinity}},
		want: solver.Optimal, objective: 6, primal: []float64{3}, dual: []float64{2},
	},
	{
		name: "a dual at an upper bound is negative", cost: []float64{-2},
		rows: []row{{-infinity, []float64{1}, 3}},
		want: solver.Optimal, objective: -6, primal: []float64{3}, dual: []float64{-2},
	},
	{
		name: "ranged row, lower end", cost: []float64{1, 1},
		rows: []row{{2, []float64{1, 2}, 8}},
		want: solver.Optimal, objective: 1, primal: []float64{0, 1}, dual: []float64{0.5},
	},
	{
		name: "ranged row, upper end", cost: []float64{-1, -1},
		rows: []row{{2, []float64{1, 2}, 8}},
		want: solver.Optimal, objective: -8, primal: []float64{8, 0}, dual: []float64{-1},
	},
	{
		name: "free variables", cost: []float64{1, 2}, lower: []float64{-infinity, -infinity}, upper: []float64{infinity, infinity},
		rows: []row{{5, []float64{1, 1}, infinity}, {-4, []float64{1, -1}, infinity}, {-infinity, []float64{1, -1}, 4}},
		want: solver.Optimal, objective: 5.5, primal: []float64{4.5, 0.5},
	},
	{
		name: "fixed variable", cost: []float64{7, 1}, lower: []float64{2, 0}, upper: []float64{2, infinity},
		rows: []row{{5, []float64{1, 1}, 5}},
		want: solver.Optimal, objective: 17, primal: []float64{2, 3}, dual: []float64{1},
	},
	{
		name: "negative upper bound", cost: []float64{-1}, lower: []float64{-infinity}, upper: []float64{-3},
		rows: []row{{-9, []float64{1}, infinity}},
		want: solver.Optimal, objective: 3, primal: []float64{-3}, dual: []float64{0},
	},
	{
		name: "free row", cost: []float64{1},
		rows: []row{{-infinity, []float64{1}, infinity}, {2, []float64{1}, infinity}},
		want: solver.Optimal, objective: 2, primal: []float64{2}, dual: []float64{0, 1},
	},
	{
		name: "empty row that holds", cost: []float64{1},
		rows: []row{{-1, []float64{0}, 1}, {2, []float64{1}, infinity}},
		want: solver.Optimal, objective: 2, primal: []float64{2}, dual: []float64{0, 1},
	},
	{
		name: "empty row that does not hold", cost: []float64{1},
		rows: []row{{1, []float64{0}, 2}, {2, []float64{1}, infinity}},
		want: solver.Infeasible,
	},
	{
		name: "empty column at its upper bound", cost: []float64{-1, 1}, upper: []float64{4, infinity},
		rows: []row{{2, []float64{0, 1}, infinity}},
		want: solver.Optimal, objective: -2, primal: []float64{4, 2},
	},
	{
		name: "empty column without an end", cost: []float64{-1, 1},
		rows: []row{{2, []float64{0, 1}, infinity}},
		want: solver.Unbounded,
	},
	{
		name: "two rows that contradict each other", cost: []float64{1, 1},
		rows: []row{{-infinity, []float64{1, 1}, 1}, {2, []float64{1, 1}, infinity}},
		want: solver.Infeasible,
	},
	{
		name: "a row against the column bounds", cost: []float64{0, 0}, upper: []float64{1, 1},
		rows: []row{{3, []float64{1, 1}, infinity}},
		want: solver.Infeasible,
	},
	{
		name: "infeasible equalities", cost: []float64{0, 0}, lower: []float64{-infinity, -infinity}, upper: []float64{infinity, infinity},
		rows: []row{{1, []float64{1, 2}, 1}, {3, []float64{2, 4}, 3}},
		want: solver.Infeasible,
	},
	{
		// Both the program and its dual are infeasible: dual infeasible does not mean
		// unbounded.
		name: "infeasible, and so is the dual", cost: []float64{-1, -1},
		rows: []row{{1, []float64{1, -1}, 1}, {2, []float64{1, -1}, 2}},
		want: solver.Infeasible,
	},
	{
		name: "unbounded along an edge", cost: []float64{-1, 0},
		rows: []row{{-infinity, []float64{1, -1}, 1}},
		want: solver.Unbounded,
	},
	{
		name: "unbounded downwards", cost: []float64{1, 1}, lower: []float64{-infinity, -infinity}, upper: []float64{infinity, infinity},
		rows: []row{{-infinity, []float64{1, 1}, 5}},
		want: solver.Unbounded,
	},
	{
		name: "unbounded set, bounded optimum", cost: []float64{1, -1},
		rows: []row{{0, []float64{1, -1}, infinity}},
		want: solver.Optimal, objective: 0,
	},
	{
		name: "no rows, no columns",
		want: solver.Optimal, primal: []float64{}, dual: []float64{},
	},
	{
		name: "no rows", cost: []float64{1, -1, 0}, lower: []float64{-2, 0, 1}, upper: []float64{infinity, 3, 5},
		want: solver.Optimal, objective: -5, dual: []float64{},
	},
	{
		name: "no rows, without an end", cost: []float64{1, -1}, lower: []float64{-2, 0},
		want: solver.Unbounded,
	},
	{
		name: "no columns", rows: []row{{-1, nil, 0}, {0, nil, 1}},
		want: solver.Optimal, primal: []float64{}, dual: []float64{0, 0},
	},
	{
		name: "no columns, and a row that does not hold", rows: []row{{-1, nil, 0}, {-2, nil, -1}},
		want: solver.Infeasible,
	},
	{
		name: "no coefficients", cost: []float64{1, -1}, lower: []float64{-2, 0}, upper: []float64{1, 7},
		rows: []row{{-1, []float64{0, 0}, 0}},
		want: solver.Optimal, objective: -9, primal: []float64{-2, 7}, dual: []float64{0},
	},
}

// testTextbook solves programs whose answers are published or obvious.
func testTextbook(t *testing.T, engine solver.Solver) {
	for _, b := range textbooks {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			got := solve(t, engine, load(t, engine, b.problem()))
			require.Equal(t, b.want, got.Status)
			if b.want != solver.Optimal {
				return
			}
			requireObjective(t, b.objective, got.Objective)
			if b.primal != nil {
				require.InDeltaSlice(t, b.primal, got.Primal, 1e-6)
			}
			if b.dual != nil {
				require.InDeltaSlice(t, b.dual, got.RowDual, 1e-6)
			}
		})
	}
}
