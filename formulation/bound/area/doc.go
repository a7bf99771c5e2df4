// Package area computes the bounds of single jobs (chain) and of total work (area): the loads, heads, tails and
// multipliers of area certificates. It also finds prices of GPU types, for the cost of plans and for moldable
// jobs.
package area
