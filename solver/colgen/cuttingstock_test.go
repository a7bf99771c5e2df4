package colgen_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/colgen"
)

// engine returns the engine of this build; without one the test is skipped.
func engine(t *testing.T) solver.Solver {
	t.Helper()
	e, err := backend.Default()
	if err != nil {
		t.Skip(err)
	}
	return e
}

// cuttingStock is the problem of the cheapest rolls from which to cut the
// demands. Rolls have several lengths, with one pricer each.
type cuttingStock struct {
	rolls, costs []int // by length of roll
	widths       []int
	demands      []int
}

// rows states the demands and, for each length of roll, that no more are cut
// than there are pieces, which is sufficient.
func (c *cuttingStock) rows() *solver.Problem {
	p := &solver.Problem{Name: "cutting stock"}
	for _, d := range c.demands {
		p.AddRow("", float64(d), math.Inf(1))
	}
	for range c.rolls {
		p.AddRow("", math.Inf(-1), c.most())
	}
	return p
}

func (c *cuttingStock) most() float64 {
	sum := 0
	for _, d := range c.demands {
		sum += d
	}
	return float64(sum)
}

// column is a pattern: how many pieces of each width are cut from a roll.
func (c *cuttingStock) column(roll int, pattern []int) colgen.Column[[]int] {
	column := colgen.Column[[]int]{Cost: float64(c.costs[roll]), Key: fmt.Sprint(roll, pattern), Data: pattern}
	for i, n := range pattern {
		if n > 0 {
			column.Entries = append(column.Entries, solver.Entry{Row: solver.Row(i), Value: float64(n)})
		}
	}
	column.Entries = append(column.Entries, solver.Entry{Row: solver.Row(len(c.widths) + roll), Value: 1})
	return column
}

// knapsack is the pricer of Gilmore and Gomory for one length of roll.
type knapsack struct {
	*cuttingStock
	roll int
}

func (k knapsack) Multiplicity() (least, most float64) { return 0, k.most() }

// Price fills the roll with the most valuable pieces by dynamic programming.
func (k knapsack) Price(prices []float64, _ bool) colgen.Priced[[]int] {
	value := make([]float64, k.rolls[k.roll]+1) // by length used
	last := make([]int, len(value))
	for length := 1; length < len(value); length++ {
		last[length] = -1
		value[length] = value[length-1]
		for i, w := range k.widths {
			if w <= length && value[length-w]+prices[i] > value[length] {
				value[length], last[length] = value[length-w]+prices[i], i
			}
		}
	}
	pattern := make([]int, len(k.widths))
	for length := len(value) - 1; length > 0; {
		if i := last[length]; i >= 0 {
			pattern[i]++
			length -= k.widths[i]
		} else {
			length--
		}
	}
	bound := float64(k.costs[k.roll]) - value[len(value)-1] - prices[len(k.widths)+k.roll]
	return colgen.Priced[[]int]{Columns: []colgen.Column[[]int]{k.column(k.roll, pattern)}, Bound: bound}
}

// TestCuttingStock solves the two textbook examples to their linear optima.
func TestCuttingStock(t *testing.T) {
	for name, c := range map[string]struct {
		cuttingStock
		want float64
	}{
		// V. Chvátal, Linear Programming (1983), chapter 13: 97 finals of 45
		// inches, 610 of 36, 395 of 31 and 211 of 14 from raws of 100.
		"Chvátal": {cuttingStock{[]int{100}, []int{1}, []int{45, 36, 31, 14}, []int{97, 610, 395, 211}}, 452.25},
		// P. C. Gilmore, R. E. Gomory, A linear programming approach to the
		// cutting-stock problem, Oper. Res. 9 (1961): stock of lengths 5, 6, 9 at
		// costs 6, 7, 10; demands of 20, 10, 20 for lengths 2, 3, 4.
		"Gilmore and Gomory": {cuttingStock{[]int{5, 6, 9}, []int{6, 7, 10}, []int{2, 3, 4}, []int{20, 10, 20}}, 170},
	} {
		for _, smoothing := range []float64{0, 0.5, 0.8} {
			t.Run(fmt.Sprint(name, " ", smoothing), func(t *testing.T) {
				m, err := colgen.NewMaster[[]int](engine(t), c.rows())
				require.NoError(t, err)
				defer m.Close()
				for i := range c.widths { // one piece per roll, of the longest
					pattern := make([]int, len(c.widths))
					pattern[i] = 1
					_, err := m.Add(c.column(len(c.rolls)-1, pattern))
					require.NoError(t, err)
				}
				var pricers []colgen.Pricer[[]int]
				for roll := range c.rolls {
					pricers = append(pricers, knapsack{&c.cuttingStock, roll})
				}
				best := math.Inf(-1)
				r, err := m.Run(context.Background(), pricers, colgen.Options{Smoothing: smoothing, Event: func(e colgen.Event) {
					assert.LessOrEqual(t, e.Bound, c.want+1e-6, "round %d", e.Round)
					assert.GreaterOrEqual(t, e.Value, c.want-1e-6, "round %d", e.Round)
					assert.GreaterOrEqual(t, e.Bound, best)
					best = e.Bound
				}})
				require.NoError(t, err)
				assert.Equal(t, colgen.Optimal, r.Status)
				assert.InDelta(t, c.want, r.Value, 1e-6)
				assert.InDelta(t, c.want, r.Bound, 1e-3)
			})
		}
	}
}
