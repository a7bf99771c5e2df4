package bench

import (
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
)

// TestOptima compares plans and bounds with optima proven before: testdata/optima.tsv lists
// rows, their optima and who proved them, JigSaw by a certified bound, CP-SAT by a search.
func TestOptima(t *testing.T) {
	text, err := os.ReadFile("testdata/optima.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Greater(t, len(lines), 50)
	proven := 0
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		require.Len(t, cells, 3, line)
		row, err := ParseRow(cells[0])
		require.NoError(t, err)
		optimum, ok := new(big.Rat).SetString(cells[1])
		require.True(t, ok, line)
		if testing.Short() && i%6 > 0 {
			continue
		}
		c, err := Generate(row)
		require.NoError(t, err)
		r, err := jigsaw.Plan(t.Context(), c.Instance, jigsaw.Options{Seed: c.Seed, Quick: true})
		require.NoError(t, err)
		require.GreaterOrEqual(t, r.Primal.Cmp(optimum), 0, "%s: plan of %s", line, r.Primal.RatString())
		require.LessOrEqual(t, r.Dual.Cmp(optimum), 0, "%s: bound of %s", line, r.Dual.RatString())
		if r.Dual.Cmp(optimum) == 0 {
			proven++
		}
	}
	require.Positive(t, proven)
}
