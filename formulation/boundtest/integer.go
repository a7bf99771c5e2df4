package boundtest

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/tree"
)

// integral is the largest distance from an integer at which a value counts as one.
const integral = 1e-6

// box is the bounds of all columns.
type box struct{ lower, upper []float64 }

// integers is plain branch-and-bound: it splits the fractional column of the highest priority, among
// several the one nearest to a half. Every claim of the engine is verified.
type integers struct {
	t        *testing.T
	p        *solver.Problem
	model    solver.Model
	priority []int
	best     []float64
	value    float64
}

// Integer returns the optimum of a program of integer columns whose objective takes whole values, and
// an optimal point, rounded; nil and +Inf if the program is infeasible. Priorities, by Col, may be nil.
func Integer(t *testing.T, engine solver.Solver, p *solver.Problem, priority []int) ([]float64, float64) {
	t.Helper()
	model, err := engine.Load(p)
	require.NoError(t, err)
	defer model.Close()
	s := &integers{t: t, p: p.Clone(), model: model, priority: priority, value: math.Inf(1)}
	r, err := tree.Search(t.Context(), s, box{slices.Clone(p.ColLower), slices.Clone(p.ColUpper)}, tree.Options[box]{
		Round: func(b float64) float64 { return math.Ceil(b - integral) },
	})
	require.NoError(t, err)
	require.Equal(t, tree.Closed, r.Status)
	return s.best, s.value
}

func (s *integers) Evaluate(ctx context.Context, n box, _ float64) (tree.Outcome[box], error) {
	for j := range n.lower {
		if n.lower[j] != s.p.ColLower[j] || n.upper[j] != s.p.ColUpper[j] {
			s.p.ColLower[j], s.p.ColUpper[j] = n.lower[j], n.upper[j]
			require.NoError(s.t, s.model.SetColBounds(solver.Col(j), n.lower[j], n.upper[j]))
		}
	}
	found, err := s.model.Solve(ctx, solver.Limits{})
	require.NoError(s.t, err)
	require.NoError(s.t, solver.Verify(s.p, found))
	if found.Status == solver.Infeasible {
		return tree.Outcome[box]{Bound: math.Inf(1), Closed: true}, nil
	}
	require.Equal(s.t, solver.Optimal, found.Status)
	out := tree.Outcome[box]{Bound: found.Objective}
	col, rank, off := -1, 0, 0.0
	for j, x := range found.Primal {
		require.True(s.t, s.p.Integer[j])
		d := math.Abs(x - math.Round(x))
		if r := s.rank(j); d > integral && (col < 0 || r > rank || r == rank && d > off) {
			col, rank, off = j, r, d
		}
	}
	if col < 0 {
		out.Closed = true
		if found.Objective >= s.value-integral {
			return out, nil
		}
		s.best, s.value = slices.Clone(found.Primal), math.Round(found.Objective)
		for j, x := range s.best {
			s.best[j] = math.Round(x)
		}
		out.Incumbent = &s.value
		return out, nil
	}
	down, up := box{n.lower, slices.Clone(n.upper)}, box{slices.Clone(n.lower), n.upper}
	down.upper[col], up.lower[col] = math.Floor(found.Primal[col]), math.Ceil(found.Primal[col])
	if found.Primal[col]-down.upper[col] > 0.5 {
		out.Children = []box{up, down}
	} else {
		out.Children = []box{down, up}
	}
	return out, nil
}

func (s *integers) rank(j int) int {
	if s.priority == nil {
		return 0
	}
	return s.priority[j]
}
