package tree

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/solver"
)

// IntegralityTol is how far from an integer a relaxation's value counts as one.
const IntegralityTol = 1e-6

// Reliability branching (T. Achterberg, T. Koch and A. Martin, Branching rules
// revisited, Operations Research Letters 33, 2005).
const (
	// reliable is how often each direction of a column must have been observed
	// before its pseudo-costs are trusted.
	reliable = 4
	// lookahead is how many candidates in a row strong branching may try
	// without finding a better one.
	lookahead = 6
)

// PseudoCosts are the mean rises of a bound per unit that branching moves a
// column, down and up.
type PseudoCosts struct {
	sum, count [2][]float64 // by Col
	total      [2]float64   // over all columns
	number     [2]float64
}

// NewPseudoCosts returns pseudo-costs of the given number of columns, without
// observations.
func NewPseudoCosts(cols int) PseudoCosts {
	var c PseudoCosts
	for side := range 2 {
		c.sum[side], c.count[side] = make([]float64, cols), make([]float64, cols)
	}
	return c
}

func side(up bool) int {
	if up {
		return 1
	}
	return 0
}

// Add records by how much, per unit, a move of a column raised the bound.
func (c *PseudoCosts) Add(col solver.Col, up bool, perUnit float64) {
	s := side(up)
	c.sum[s][col] += perUnit
	c.count[s][col]++
	c.total[s] += perUnit
	c.number[s]++
}

// Choose returns the column to branch on among those that are fractional in a point,
// of which there is at least one: the best by its pseudo-costs or, if few moves of it
// are known, by the score that look returns, nil for none. If look returns done, that
// column is chosen at once; an error ends the choice.
func (c *PseudoCosts) Choose(x []float64, fractional []solver.Col, look func(solver.Col) (score float64, done bool, err error)) (solver.Col, error) {
	type candidate struct {
		col   solver.Col
		score float64
	}
	candidates := make([]candidate, len(fractional))
	for i, j := range fractional {
		above := x[j] - math.Floor(x[j])
		candidates[i] = candidate{j, Score(c.rise(j, false, above), c.rise(j, true, 1-above))}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })

	best, idle := candidate{candidates[0].col, -1}, 0
	for _, at := range candidates {
		known := min(c.count[0][at.col], c.count[1][at.col]) >= reliable
		if !known && look != nil && idle < lookahead {
			var done bool
			var err error
			if at.score, done, err = look(at.col); err != nil || done {
				return at.col, err
			}
		}
		if at.score > best.score {
			best, idle = at, 0
		} else {
			idle++
		}
	}
	return best.col, nil
}

func (c *PseudoCosts) mean(side int) float64 {
	if c.number[side] == 0 {
		return 1
	}
	return c.total[side] / c.number[side]
}

// rise estimates how much branching on a column raises the bound.
func (c *PseudoCosts) rise(col solver.Col, up bool, distance float64) float64 {
	s := side(up)
	if c.count[s][col] == 0 {
		return c.mean(s) * distance
	}
	return c.sum[s][col] / c.count[s][col] * distance
}

// Score prefers columns that raise the bounds of both sides.
func Score(down, up float64) float64 {
	const least = 1e-6
	return max(down, least) * max(up, least)
}
