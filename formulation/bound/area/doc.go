// Package area finds the bounds of single jobs and of total work: the loads, heads, tails and
// multipliers of area certificates. By the same work it bounds what plans cost, without a certificate.
package area
