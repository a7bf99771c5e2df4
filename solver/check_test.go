package solver_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// wyndorOptimum is the optimum of wyndor, from Hillier and Lieberman: shadow
// prices 0, 3/2, 1 of the maximisation, so negative here.
func wyndorOptimum() *solver.Solution {
	return &solver.Solution{
		Status:      solver.Optimal,
		Objective:   -36,
		Primal:      []float64{2, 6},
		RowActivity: []float64{2, 12, 18},
		RowDual:     []float64{0, -1.5, -1},
		ReducedCost: []float64{0, 0},
	}
}

func TestCheckOfAnOptimum(t *testing.T) {
	t.Parallel()
	r, err := solver.Check(wyndor(), wyndorOptimum())
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.InDelta(t, -36, r.PrimalObjective, 1e-12)
	require.InDelta(t, -36, r.DualObjective, 1e-12)
	require.Zero(t, r.Primal.Value)
	require.Zero(t, r.Dual.Value)
	require.Zero(t, r.Gap.Value)
}

// Every kind of error is detected, and named with its place.
func TestCheckCatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(s *solver.Solution)
		want  string
	}{
		"a corrupted dual": {
			func(s *solver.Solution) { s.RowDual[1] = -1.4999 },
			"primal = dual objective violated",
		},
		"duals of the opposite sign": {
			func(s *solver.Solution) {
				for i := range s.RowDual {
					s.RowDual[i] = -s.RowDual[i]
				}
			},
			`dual feasibility violated by 2 at column 0 "doors"`,
		},
		"a row dual of a sign that asks for no bound": {
			func(s *solver.Solution) { s.RowDual[0] = 0.5 },
			`dual feasibility violated by 0.5 at row 0 "plant 1"`,
		},
		"reduced costs of the opposite sign": {
			func(s *solver.Solution) {
				s.RowDual = []float64{0, 0, 0}
				s.ReducedCost = []float64{3, 5}
			},
			`reported values violated by 2 at column 0 "doors"`,
		},
		"an objective of the opposite sign": {
			func(s *solver.Solution) { s.Objective = 36 },
			"reported values violated",
		},
		"a point that is not optimal": {
			func(s *solver.Solution) {
				s.Primal, s.RowActivity, s.Objective = []float64{4, 3}, []float64{4, 6, 18}, -27
			},
			`complementarity violated by 0.333 at row 1 "plant 2"`,
		},
		"a row violated": {
			func(s *solver.Solution) {
				s.Primal, s.RowActivity, s.Objective = []float64{2, 6.1}, []float64{2, 12.2, 18.2}, -36.5
			},
			`primal feasibility violated by 0.0164 at row 1 "plant 2"`,
		},
		"a column bound violated": {
			func(s *solver.Solution) {
				s.Primal, s.RowActivity, s.Objective = []float64{-1, 6}, []float64{-1, 12, 9}, -27
			},
			`primal feasibility violated by 1 at column 0 "doors"`,
		},
		"an activity that is not Ax": {
			func(s *solver.Solution) { s.RowActivity[0] = 3 },
			`reported values violated by 0.5 at row 0 "plant 1"`,
		},
		"an activity that is not a number": {
			func(s *solver.Solution) { s.RowActivity[0] = math.NaN() },
			`reported values violated by +Inf at row 0 "plant 1"`,
		},
		"an objective that is not a number": {
			func(s *solver.Solution) { s.Objective = math.NaN() },
			"reported values violated by +Inf",
		},
		"not a number in the primal": {
			func(s *solver.Solution) { s.Primal[0] = math.NaN() },
			`primal feasibility violated by +Inf at column 0 "doors"`,
		},
		"not a number in the duals": {
			func(s *solver.Solution) { s.RowDual[2] = math.NaN() },
			"dual feasibility violated by +Inf",
		},
		"an infinite primal": {
			func(s *solver.Solution) { s.Primal[0] = inf },
			"primal feasibility violated by +Inf",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wyndorOptimum()
			c.spoil(s)
			r, err := solver.Check(wyndor(), s)
			require.NoError(t, err)
			require.ErrorContains(t, r.Err(), c.want)
			require.Error(t, solver.Verify(wyndor(), s))
		})
	}
}

// The tolerance is relative to the objective: what is an error at 36 is rounding
// at 36 million.
func TestCheckIsRelative(t *testing.T) {
	t.Parallel()
	p, s := wyndor(), wyndorOptimum()
	s.RowDual[1] += 1e-5
	r, err := solver.Check(p, s)
	require.NoError(t, err)
	require.Error(t, r.Err())
	for j := range p.Cost {
		p.Cost[j] *= 1e6
	}
	s = wyndorOptimum()
	s.Objective *= 1e6
	for i := range s.RowDual {
		s.RowDual[i] *= 1e6
	}
	s.RowDual[1] += 1e-5
	r, err = solver.Check(p, s)
	require.NoError(t, err)
	require.NoError(t, r.Err())
}

func TestCheckRefusesWhatItCannotCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		solution *solver.Solution
		want     string
	}{
		"nothing":        {nil, "unsolved, not optimal"},
		"not optimal":    {&solver.Solution{Status: solver.TimeLimit}, "time limit, not optimal"},
		"without duals":  {&solver.Solution{Status: solver.Optimal, Primal: make([]float64, 2)}, "RowDual has length 0, want 3"},
		"of other sizes": {&solver.Solution{Status: solver.Optimal, Primal: make([]float64, 3)}, "Primal has length 3, want 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := solver.Check(wyndor(), c.solution)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestStatusInWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "optimal", solver.Optimal.String())
	require.Equal(t, "unsolved", solver.Status(0).String(), "the zero value claims nothing")
	require.Equal(t, "status 99", solver.Status(99).String())
	require.Equal(t, "status -1", solver.Status(-1).String())
	seen := map[string]bool{}
	for s := solver.Unsolved; s <= solver.Numerical; s++ {
		require.NotEmpty(t, s.String())
		require.False(t, seen[s.String()])
		seen[s.String()] = true
	}
}
