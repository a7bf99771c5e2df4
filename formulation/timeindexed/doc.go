// Package timeindexed states the planning problem itself as an integer program over ticks, exact or
// coarser, for other solvers; its sets and rows are at [New].
package timeindexed
