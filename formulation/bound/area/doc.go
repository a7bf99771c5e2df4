// Package area finds the bounds of single jobs and of total work: the loads, heads, tails and
// multipliers of area certificates. It finds prices of GPU types, too: for what plans cost, and for moldable jobs.
package area
