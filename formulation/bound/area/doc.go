// Package area finds the bounds of single jobs and of total work: the loads, heads, tails and
// multipliers of area certificates.
package area
