package lptest

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// medium is a program that takes any simplex well over a hundred iterations.
func medium(seed uint64) planted {
	return plantOptimal(random(seed), shape{rows: 120, cols: 240, density: 0.2, degenerate: 0.3})
}

// testBasis reads bases and sets them again.
func testBasis(t *testing.T, engine solver.Solver) {
	for seed := range seeds(8) {
		want := medium(seed)
		m := load(t, engine, want.problem)
		first := solve(t, engine, m)
		other := load(t, engine, want.problem)

		// A basis larger than the program is rejected and changes nothing.
		tooLarge := &solver.Basis{Cols: make([]solver.VarStatus, want.problem.Cols()+1)}
		require.Error(t, other.SetBasis(tooLarge))
		if !engine.Caps().WarmStart {
			require.NoError(t, other.SetBasis(first.Basis))
			requireSame(t, first, solve(t, engine, other))
			continue
		}
		require.Equal(t, first.Basis, m.Basis())
		require.NoError(t, other.SetBasis(first.Basis))
		second := solve(t, engine, other)
		requireSame(t, first, second)
		require.LessOrEqual(t, second.Iterations, 2, "an optimal basis leaves nothing to do")

		// A basis from before a column was added still helps.
		require.NoError(t, m.AddCols(solver.Column{Cost: 1e6, Upper: 1, Entries: []solver.Entry{{Row: 0, Value: 1}}}))
		require.NoError(t, m.SetBasis(first.Basis))
		third := solve(t, engine, m)
		requireSame(t, first, third)
		require.LessOrEqual(t, third.Iterations, 5, "the column does not matter")

		// An invalid basis is repaired: everything basic, then nothing.
		for _, status := range []solver.VarStatus{solver.Basic, solver.AtUpper} {
			bad := other.Basis()
			for j := range bad.Cols {
				bad.Cols[j] = status
			}
			for i := range bad.Rows {
				bad.Rows[i] = status
			}
			require.NoError(t, other.SetBasis(bad))
			requireSame(t, first, solve(t, engine, other))
		}
	}
}

// testLimits stops solves and continues from there.
func testLimits(t *testing.T, engine solver.Solver) {
	t.Run("iterations", func(t *testing.T) {
		want := medium(1)
		m := load(t, engine, want.problem)
		s, err := m.Solve(t.Context(), solver.Limits{Iterations: 3})
		require.NoError(t, err)
		require.Equal(t, solver.IterationLimit, s.Status)
		require.LessOrEqual(t, s.Iterations, 3)
		s = solve(t, engine, m)
		requireObjective(t, want.objective, s.Objective)
		if !engine.Caps().WarmStart {
			return
		}
		// A live model also gets there in small steps.
		m = load(t, engine, want.problem)
		for helping := 0; ; helping++ {
			require.Less(t, helping, 200)
			s, err := m.Solve(t.Context(), solver.Limits{Iterations: 25})
			require.NoError(t, err)
			require.LessOrEqual(t, s.Iterations, 25)
			if s.Status == solver.Optimal {
				requireObjective(t, want.objective, s.Objective)
				break
			}
			require.Equal(t, solver.IterationLimit, s.Status)
			require.NotNil(t, s.Basis)
		}
	})
	t.Run("time", func(t *testing.T) {
		want := medium(2)
		m := load(t, engine, want.problem)
		s, err := m.Solve(t.Context(), solver.Limits{Time: time.Nanosecond})
		require.NoError(t, err)
		require.Equal(t, solver.TimeLimit, s.Status)
		s, err = m.Solve(t.Context(), solver.Limits{Time: time.Hour})
		require.NoError(t, err)
		require.Equal(t, solver.Optimal, s.Status)
		requireObjective(t, want.objective, s.Objective)
	})
	t.Run("cancelled before", func(t *testing.T) {
		want := medium(3)
		m := load(t, engine, want.problem)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s, err := m.Solve(ctx, solver.Limits{})
		require.ErrorIs(t, err, context.Canceled)
		require.Nil(t, s)
		requireObjective(t, want.objective, solve(t, engine, m).Objective)
	})
}

// testFaults passes malformed data: each is an error, and none changes the
// model.
func testFaults(t *testing.T, engine solver.Solver) {
	nan := math.NaN()
	crossedBounds := &solver.Problem{}
	crossedBounds.AddCol("x", 1, 2, 1)
	_, err := engine.Load(crossedBounds)
	require.ErrorContains(t, err, "lower bound 2 is above upper bound 1")

	want := medium(4)
	p := want.problem.Clone()
	m := load(t, engine, p)
	// The model is a copy: later changes to the problem do not affect it.
	for j := range p.Cost {
		p.Cost[j] = nan
	}
	for k := range p.Value {
		p.Value[k] = nan
	}
	rows, cols := want.problem.Rows(), want.problem.Cols()
	for name, call := range map[string]func() error{
		"column bounds":                        func() error { return m.SetColBounds(0, 2, 1) },
		"bounds of a column that is not there": func() error { return m.SetColBounds(solver.Col(cols), 0, 1) },
		"bounds of a column before the first": func() error {
			return m.SetColBounds(-1, 0, 1)
		},
		"column with a cost that is no number": func() error { return m.AddCols(solver.Column{Cost: nan}) },
		"second of two columns": func() error {
			return m.AddCols(solver.Column{Cost: -1e9, Upper: infinity},
				solver.Column{Entries: []solver.Entry{{Row: solver.Row(rows), Value: 1}}})
		},
		"column with two entries in one row": func() error {
			return m.AddCols(solver.Column{Entries: []solver.Entry{{Row: 1, Value: 1}, {Row: 1, Value: 2}}})
		},
		"column with an infinite coefficient": func() error {
			return m.AddCols(solver.Column{Entries: []solver.Entry{{Row: 0, Value: infinity}}})
		},
	} {
		require.Error(t, call(), name)
		require.Equal(t, want.problem, m.Problem(), name)
	}
	s := solve(t, engine, m)
	require.Equal(t, solver.Optimal, s.Status)
	requireObjective(t, want.objective, s.Objective)

	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "a second Close does nothing")
	_, err = m.Solve(t.Context(), solver.Limits{})
	require.Error(t, err, "a closed model does not solve")
	require.Error(t, m.AddCols(solver.Column{}))
	require.Error(t, m.SetColBounds(0, 0, 1))
	require.Error(t, m.SetBasis(&solver.Basis{}))
}
