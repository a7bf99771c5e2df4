package lptest

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// objectiveTol is how far two engines may differ on an optimum, relative to
// max(1, |optimum|). It is looser than the residuals of each, since these add
// up.
const objectiveTol = 1e-5

// Run runs the suite. The function returns a fresh engine; it is called from
// several goroutines. With -short there are fewer seeds.
func Run(t *testing.T, open func() solver.Solver) {
	t.Helper()
	t.Run("textbook", func(t *testing.T) { t.Parallel(); testTextbook(t, open()) })
	t.Run("random", func(t *testing.T) { t.Parallel(); testFamilies(t, open()) })
	t.Run("oracle", func(t *testing.T) { t.Parallel(); testOracle(t, open()) })
	t.Run("edits", func(t *testing.T) { t.Parallel(); testEdits(t, open()) })
	t.Run("basis", func(t *testing.T) { t.Parallel(); testBasis(t, open()) })
	t.Run("limits", func(t *testing.T) { t.Parallel(); testLimits(t, open()) })
	t.Run("faults", func(t *testing.T) { t.Parallel(); testFaults(t, open()) })
	t.Run("determinism", func(t *testing.T) { t.Parallel(); testDeterminism(t, open()) })
	t.Run("goroutines", func(t *testing.T) { t.Parallel(); testGoroutines(t, open()) })
	if open().Caps().Ranging {
		t.Run("ranging", func(t *testing.T) { t.Parallel(); testRanging(t, open()) })
	}
}

// seeds returns how many seeds to run.
func seeds(long int) uint64 {
	if testing.Short() {
		return uint64(long+3) / 4
	}
	return uint64(long)
}

// load loads a program into an engine, and closes the model with the test.
func load(t *testing.T, engine solver.Solver, p *solver.Problem) solver.Model {
	t.Helper()
	m, err := engine.Load(p)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// solve solves a model and checks every claim of the answer.
func solve(t *testing.T, engine solver.Solver, m solver.Model) *solver.Solution {
	t.Helper()
	s, err := m.Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	requireProven(t, engine, m.Problem(), s)
	return s
}

// requireProven checks the claims of an answer against the data, and that the
// parts the contract promises are there.
func requireProven(t *testing.T, engine solver.Solver, p *solver.Problem, s *solver.Solution) {
	t.Helper()
	require.NoError(t, solver.Verify(p, s), "%v, objective %g", s.Status, s.Objective)
	switch s.Status {
	case solver.Optimal:
		if engine.Caps().WarmStart {
			require.NotNil(t, s.Basis, "an engine with warm starts gives its basis")
			requireBasis(t, p, s)
		}
	case solver.Infeasible, solver.Unbounded:
		if engine.Caps().Farkas {
			require.NotNil(t, s.Ray, "an engine with rays proves that a program is %v", s.Status)
		} else {
			require.Nil(t, s.Ray)
		}
		require.Nil(t, s.RowDual)
	default:
		require.Failf(t, "solve stopped without a limit", "status %v", s.Status)
	}
}

// requireBasis checks that a basis has the right size, and that whatever is
// nonbasic rests where the basis says.
func requireBasis(t *testing.T, p *solver.Problem, s *solver.Solution) {
	t.Helper()
	require.Len(t, s.Basis.Cols, p.Cols())
	require.Len(t, s.Basis.Rows, p.Rows())
	basic := 0
	check := func(kind string, k int, status solver.VarStatus, v, lower, upper float64) {
		at := lower
		switch status {
		case solver.Basic:
			basic++
			return
		case solver.Superbasic:
			return
		case solver.AtUpper:
			at = upper
		case solver.AtZero:
			at = 0
		}
		require.InDelta(t, at, v, 1e-6*max(1, math.Abs(at)), "%s %d rests elsewhere than its basis status says", kind, k)
	}
	for j, status := range s.Basis.Cols {
		check("column", j, status, s.Primal[j], p.ColLower[j], p.ColUpper[j])
	}
	for i, status := range s.Basis.Rows {
		check("row", i, status, s.RowActivity[i], p.RowLower[i], p.RowUpper[i])
	}
	require.Equal(t, p.Rows(), basic, "as many basic columns and rows as there are rows")
}

// requireSame checks that two answers to one program agree.
func requireSame(t *testing.T, want, got *solver.Solution) {
	t.Helper()
	require.Equal(t, want.Status, got.Status)
	if want.Status == solver.Optimal {
		requireObjective(t, want.Objective, got.Objective)
	}
}

func requireObjective(t *testing.T, want, got float64) {
	t.Helper()
	require.InDelta(t, want, got, objectiveTol*max(1, math.Abs(want)))
}

// testFamilies solves every family for many seeds, and checks status and optimum
// against what was planted.
func testFamilies(t *testing.T, engine solver.Solver) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds(120) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					want := f.build(random(seed))
					require.NoError(t, want.problem.Validate())
					got := solve(t, engine, load(t, engine, want.problem))
					require.Equal(t, want.status, got.Status)
					if want.status == solver.Optimal {
						requireObjective(t, want.objective, got.Objective)
					}
				})
			}
		})
	}
}

// testDeterminism checks that the same calls give the same bits, with and
// without a context that can end.
func testDeterminism(t *testing.T, engine solver.Solver) {
	for seed := range seeds(12) {
		want := plantOptimal(random(seed), shape{rows: 60, cols: 120, density: 0.2, degenerate: 0.4}).problem
		cancellable, cancel := context.WithCancel(t.Context())
		var first *solver.Solution
		for k, ctx := range []context.Context{context.Background(), context.Background(), cancellable} {
			s, err := load(t, engine, want).Solve(ctx, solver.Limits{})
			require.NoError(t, err)
			if k == 0 {
				first = s
			}
			require.Equal(t, first, s, "seed %d", seed)
		}
		cancel()
	}
}

// testGoroutines solves separate models concurrently, each in its own
// goroutine, and compares with solving one after the other.
func testGoroutines(t *testing.T, engine solver.Solver) {
	const workers = 8
	type answer struct {
		objective float64
		err       error
	}
	answers := make(chan answer, workers)
	want := plantOptimal(random(7), shape{rows: 40, cols: 80, density: 0.3, degenerate: 0.3})
	for range workers {
		go func() {
			objective, err := func() (float64, error) {
				m, err := engine.Load(want.problem)
				if err != nil {
					return 0, err
				}
				defer m.Close()
				s := &solver.Solution{}
				for range 5 {
					if err := m.SetColBounds(0, want.problem.ColLower[0], want.problem.ColUpper[0]); err != nil {
						return 0, err
					}
					if s, err = m.Solve(context.Background(), solver.Limits{}); err != nil {
						return 0, err
					}
				}
				return s.Objective, nil
			}()
			answers <- answer{objective, err}
		}()
	}
	for range workers {
		got := <-answers
		require.NoError(t, got.err)
		requireObjective(t, want.objective, got.objective)
	}
}
