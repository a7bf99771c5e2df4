//go:build cgo && !noclp && !js

package clp_test

import (
	"math"
	"math/rand/v2"

	"jigsaw/solver"
)

// coverColumns returns columns that each cover a number of rows, at a cost of
// about that number.
func coverColumns(rng *rand.Rand, count, rows, covers int) []solver.Column {
	cols := make([]solver.Column, count)
	for j := range cols {
		cols[j] = solver.Column{Cost: 1 + rng.Float64()*float64(covers), Upper: math.Inf(1)}
		for _, i := range rng.Perm(rows)[:covers] {
			cols[j].Entries = append(cols[j].Entries, solver.Entry{Row: solver.Row(i), Value: 1 + 3*rng.Float64()})
		}
	}
	return cols
}

// covering is a random covering program: min c'x, Ax >= b, x >= 0, all data
// positive.
func covering(rng *rand.Rand, rows, cols, covers int) *solver.Problem {
	p := &solver.Problem{Name: "covering"}
	for range rows {
		p.AddRow("", float64(1+rng.IntN(9)), math.Inf(1))
	}
	for _, c := range coverColumns(rng, cols, rows, covers) {
		p.AddCol(c.Name, c.Cost, c.Lower, c.Upper, c.Entries...)
	}
	return p
}
