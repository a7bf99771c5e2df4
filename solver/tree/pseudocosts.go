package tree

import "jigsaw/solver"

// PseudoCosts are the mean rises of a bound per unit by which branching moves a
// column, down and up.
type PseudoCosts struct {
	sum, count [2][]float64 // by Col
	total      [2]float64   // over all columns
	number     [2]float64
}

// NewPseudoCosts returns those of so many columns, of which nothing is known.
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

// Add notes by how much, per unit, a move of a column raised the bound.
func (c *PseudoCosts) Add(col solver.Col, up bool, perUnit float64) {
	s := side(up)
	c.sum[s][col] += perUnit
	c.count[s][col]++
	c.total[s] += perUnit
	c.number[s]++
}

// Seen returns how many moves of a column were noted in each direction at least.
func (c *PseudoCosts) Seen(col solver.Col) int {
	return int(min(c.count[0][col], c.count[1][col]))
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

// Score estimates how good it is to branch on a column whose value lies so far
// above an integer.
func (c *PseudoCosts) Score(col solver.Col, above float64) float64 {
	return Score(c.rise(col, false, above), c.rise(col, true, 1-above))
}

// Score prefers columns that raise the bounds of both sides.
func Score(down, up float64) float64 {
	const least = 1e-6
	return max(down, least) * max(up, least)
}
