package lptest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// testEdits changes live models step by step. After every step the answer must
// be that of a fresh model of the same data.
func testEdits(t *testing.T, engine solver.Solver) {
	for seed := range seeds(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := random(seed)
			kinds := steady()
			start := kinds[rng.IntN(len(kinds))].build(rng).problem
			model := load(t, engine, start)
			twin := start.Clone() // the same changes, on plain data
			for step := range 12 {
				what := edit(t, rng, model, twin)
				require.Equal(t, twin.Cost, model.Problem().Cost, "step %d, %s", step, what)
				require.NoError(t, twin.Validate())
				warm := solve(t, engine, model)
				requireProven(t, engine, twin, warm)
				cold := solve(t, engine, load(t, engine, twin))
				requireSame(t, cold, warm)
			}
		})
	}
	t.Run("column by column", func(t *testing.T) { t.Parallel(); testColumns(t, engine) })
	t.Run("row by row", func(t *testing.T) { t.Parallel(); testRows(t, engine) })
	t.Run("from nothing", func(t *testing.T) { t.Parallel(); testFromNothing(t, engine) })
}

// edit makes one random change, or a few of a kind, to a model and to its twin.
func edit(t *testing.T, rng *rand.Rand, m solver.Model, twin *solver.Problem) string {
	t.Helper()
	switch kind := rng.IntN(5); {
	case kind == 0:
		cols := make([]solver.Column, 1+rng.IntN(4))
		for k := range cols {
			c := solver.Column{Name: "joined", Cost: within(rng, -3, 9), Upper: infinity}
			if rng.IntN(3) == 0 {
				c.Upper = within(rng, 0, 6)
			}
			if rng.IntN(5) == 0 {
				c.Lower = -infinity
			}
			for i := range twin.Rows() {
				if v := within(rng, -8, 6); v > 0 {
					c.Entries = append(c.Entries, solver.Entry{Row: solver.Row(i), Value: v})
				}
			}
			cols[k] = c
			twin.AddCol(c.Name, c.Cost, c.Lower, c.Upper, c.Entries...)
		}
		require.NoError(t, m.AddCols(cols...))
		return "columns"
	case kind == 1:
		rows := make([]solver.Constraint, 1+rng.IntN(3))
		for k := range rows {
			r := solver.Constraint{Name: "joined", Lower: -within(rng, 0, 20), Upper: infinity}
			if rng.IntN(2) == 0 {
				r.Lower, r.Upper = -infinity, within(rng, 0, 20)
			}
			for j := range twin.Cols() {
				if v := within(rng, -8, 6); v > 0 {
					r.Terms = append(r.Terms, solver.Term{Col: solver.Col(j), Value: v})
				}
			}
			rows[k] = r
		}
		twin.AddConstraints(rows...)
		require.NoError(t, m.AddRows(rows...))
		return "rows"
	case kind == 2 && twin.Cols() > 0:
		for range 1 + rng.IntN(4) {
			j := rng.IntN(twin.Cols())
			lower, upper := someBounds(rng)
			twin.ColLower[j], twin.ColUpper[j] = lower, upper
			require.NoError(t, m.SetColBounds(solver.Col(j), lower, upper))
		}
		return "column bounds"
	case kind == 3 && twin.Rows() > 0:
		for range 1 + rng.IntN(4) {
			i := rng.IntN(twin.Rows())
			lower, upper := someBounds(rng)
			twin.RowLower[i], twin.RowUpper[i] = lower, upper
			require.NoError(t, m.SetRowBounds(solver.Row(i), lower, upper))
		}
		return "row bounds"
	case twin.Cols() > 0:
		for range 1 + rng.IntN(4) {
			j := rng.IntN(twin.Cols())
			twin.Cost[j] = within(rng, -6, 9)
			require.NoError(t, m.SetCost(solver.Col(j), twin.Cost[j]))
		}
		return "costs"
	}
	return "nothing"
}

// someBounds returns any pair of bounds that are in order.
func someBounds(rng *rand.Rand) (lower, upper float64) {
	lower, upper = within(rng, -9, 5), within(rng, 5, 15)
	switch rng.IntN(6) {
	case 0:
		return lower, infinity
	case 1:
		return -infinity, upper
	case 2:
		return lower, lower
	case 3:
		return -infinity, infinity
	}
	return lower, upper
}

// testColumns grows a covering program column by column, as column generation
// does, from columns that are dear.
func testColumns(t *testing.T, engine solver.Solver) {
	rng := random(1)
	p := &solver.Problem{Name: "covering"}
	const rows = 30
	for range rows {
		p.AddRow("", within(rng, 1, 9), infinity)
	}
	for i := range rows {
		p.AddCol("", 1000, 0, infinity, solver.Entry{Row: solver.Row(i), Value: 1})
	}
	m := load(t, engine, p)
	last := solve(t, engine, m).Objective
	var warm, cold int
	for range 25 {
		cols := make([]solver.Column, 5)
		for k := range cols {
			cols[k] = solver.Column{Cost: within(rng, 1, 40), Upper: infinity}
			for _, i := range rng.Perm(rows)[:2+rng.IntN(6)] {
				cols[k].Entries = append(cols[k].Entries, solver.Entry{Row: solver.Row(i), Value: within(rng, 1, 3)})
			}
		}
		require.NoError(t, m.AddCols(cols...))
		s := solve(t, engine, m)
		fresh := solve(t, engine, load(t, engine, m.Problem()))
		requireSame(t, fresh, s)
		require.LessOrEqual(t, s.Objective, last+1e-6*last, "a column more never hurts")
		last = s.Objective
		warm += s.Iterations
		cold += fresh.Iterations
	}
	if engine.Caps().WarmStart {
		require.Less(t, warm, cold/2, "warm starts save most of the iterations")
	}
}

// testRows cuts a box down row by row: every row more can only raise the optimum.
func testRows(t *testing.T, engine solver.Solver) {
	rng := random(2)
	p := &solver.Problem{Name: "cuts"}
	const cols = 30
	for range cols {
		p.AddCol("", -within(rng, 1, 9), 0, 10)
	}
	m := load(t, engine, p)
	last := solve(t, engine, m).Objective
	for range 25 {
		rows := make([]solver.Constraint, 2)
		for k := range rows {
			rows[k] = solver.Constraint{Lower: -infinity, Upper: within(rng, 10, 60)}
			for _, j := range rng.Perm(cols)[:2+rng.IntN(6)] {
				rows[k].Terms = append(rows[k].Terms, solver.Term{Col: solver.Col(j), Value: within(rng, 1, 3)})
			}
		}
		require.NoError(t, m.AddRows(rows...))
		s := solve(t, engine, m)
		requireSame(t, solve(t, engine, load(t, engine, m.Problem())), s)
		require.GreaterOrEqual(t, s.Objective, last-1e-6)
		last = s.Objective
	}
}

// testFromNothing builds a program inside an empty model, columns before rows and
// rows before columns.
func testFromNothing(t *testing.T, engine solver.Solver) {
	for name, build := range map[string]func(m solver.Model) []error{
		"columns first": func(m solver.Model) []error {
			return []error{
				m.AddCols(solver.Column{Cost: -3, Upper: infinity}, solver.Column{Cost: -5, Upper: infinity}),
				m.AddRows(
					solver.Constraint{Lower: -infinity, Upper: 4, Terms: []solver.Term{{Col: 0, Value: 1}}},
					solver.Constraint{Lower: -infinity, Upper: 12, Terms: []solver.Term{{Col: 1, Value: 2}}},
					solver.Constraint{Lower: -infinity, Upper: 18, Terms: []solver.Term{{Col: 0, Value: 3}, {Col: 1, Value: 2}}}),
			}
		},
		"rows first": func(m solver.Model) []error {
			return []error{
				m.AddRows(solver.Constraint{Lower: -infinity, Upper: 4}, solver.Constraint{Lower: -infinity, Upper: 12},
					solver.Constraint{Lower: -infinity, Upper: 18}),
				m.AddCols(
					solver.Column{Cost: -3, Upper: infinity, Entries: []solver.Entry{{Row: 0, Value: 1}, {Row: 2, Value: 3}}},
					solver.Column{Cost: -5, Upper: infinity, Entries: []solver.Entry{{Row: 1, Value: 2}, {Row: 2, Value: 2}}}),
			}
		},
	} {
		for _, solveBetween := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, solved before: %v", name, solveBetween), func(t *testing.T) {
				m := load(t, engine, &solver.Problem{})
				if solveBetween {
					require.Equal(t, solver.Optimal, solve(t, engine, m).Status)
				}
				for _, err := range build(m) {
					require.NoError(t, err)
				}
				s := solve(t, engine, m)
				require.Equal(t, solver.Optimal, s.Status)
				requireObjective(t, -36, s.Objective) // Wyndor, see textbook.go
			})
		}
	}
}
