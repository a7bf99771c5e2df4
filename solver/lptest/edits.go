package lptest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// testEdits changes live models step by step. After every step the answer must
// equal that of a fresh model of the same data.
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
}

// edit makes one random change, or a few of a kind, to a model and to its twin.
func edit(t *testing.T, rng *rand.Rand, m solver.Model, twin *solver.Problem) string {
	t.Helper()
	if twin.Cols() == 0 || rng.IntN(2) == 0 {
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
	}
	for range 1 + rng.IntN(4) {
		j := rng.IntN(twin.Cols())
		lower, upper := someBounds(rng)
		twin.ColLower[j], twin.ColUpper[j] = lower, upper
		require.NoError(t, m.SetColBounds(solver.Col(j), lower, upper))
	}
	return "bounds"
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
// does, starting from expensive columns.
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
