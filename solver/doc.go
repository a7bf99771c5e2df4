// Package solver is the contract between the code that states a linear program
// and the engine that solves it. It holds plain data, the interfaces of an
// engine, and the checks of an answer, but no algorithm.
//
// # The program
//
// With rows i = 0..m-1 and columns j = 0..n-1 a [Problem] is
//
//	minimise    sum_j c[j] x[j]
//	subject to  rowLower[i] <= sum_j a[i,j] x[j] <= rowUpper[i]   (1)
//	            colLower[j] <= x[j] <= colUpper[j]                (2)
//
// A missing bound is an infinity of [math.Inf]; an equality has two equal
// bounds; a row with two infinite bounds is free. All numbers are dimensionless
// here; units are up to the caller. There is only minimisation: to maximise,
// negate the costs and read the signs below accordingly. Integer marks are kept
// for writers and tree searches; every engine solves the relaxation.
//
// # Signs
//
// RowDual[i] is the derivative of the optimal objective with respect to the
// bound at which row i is active: y >= 0 at a lower bound, y <= 0 at an upper
// bound, 0 at neither. ReducedCost is d = c - A'y: d >= 0 for a column at its
// lower bound, d <= 0 at its upper bound, 0 in between. The dual objective is
//
//	sum_i y[i] (y[i] > 0 ? rowLower[i] : rowUpper[i])
//	+ sum_j d[j] (d[j] > 0 ? colLower[j] : colUpper[j])           (3)
//
// and equals the primal objective at an optimum. For every y, (3) with d = c -
// A'y is a lower bound on the optimum.
//
// A Farkas ray of an infeasible program is a y with the sign rule of a row dual
// for which (3) with zero costs is positive: adding multiples of it to a dual
// point raises (3) without limit. A ray of an unbounded program is a direction
// r with c'r < 0 along which no finite bound is ever met.
//
// # Why it stopped
//
// Limits, infeasibility and unboundedness are a [Status], never an error. An
// error is malformed data, a cancelled context, or an engine that failed or
// answered wrongly. Parts that a solution lacks are nil slices.
//
// Reference: D. Bertsimas and J. N. Tsitsiklis, Introduction to Linear
// Optimization (1997), chapters 3 to 5.
package solver
