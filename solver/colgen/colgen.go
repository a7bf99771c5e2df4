package colgen

import (
	"jigsaw/solver"
)

// Column is a column offered by a pricer. Its lower bound is 0 and it has no
// upper bound of its own.
type Column[T any] struct {
	Cost    float64
	Entries []solver.Entry
	// Key identifies the column: two columns with the same key are the same column.
	Key string
	// Data is the meaning of the column; it is passed through unchanged.
	Data T
}

// Priced is the result of a pricer.
type Priced[T any] struct {
	// Columns of negative reduced cost, the best first. There may be none.
	Columns []Column[T]
	// Bound is a proven lower bound on the reduced cost of every column of the
	// pricer, whether known to the master or not; -Inf if nothing is proven.
	Bound float64
}

// Pricer finds columns. Price is called from one goroutine at a time, but
// different pricers are called in parallel.
type Pricer[T any] interface {
	// Price looks for columns at the given prices by row. exact requests a bound;
	// otherwise the pricer may be quick and prove nothing.
	Price(prices []float64, exact bool) Priced[T]
	// Multiplicity returns n_p and N_p of the package comment.
	Multiplicity() (least, most float64)
}

// reducedCost returns c - y'a.
func reducedCost(cost float64, entries []solver.Entry, prices []float64) float64 {
	for _, e := range entries {
		cost -= prices[e.Row] * e.Value
	}
	return cost
}
