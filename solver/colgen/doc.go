// Package colgen solves linear programs with too many columns to list, by
// column generation. It knows nothing of the application: columns come from
// pricers.
//
// # The program
//
//	min  c'x   over rows i:      L_i <= sum_j a_ij x_j <= U_i
//	           and columns j:    0 <= x_j <= u_j
//
// Explicit columns are given at the start. The others belong to pricers p in
// P; of each pricer's columns at least n_p and at most N_p (with multiplicity)
// are in any solution, which the rows must imply (a convexity row does).
//
// # Bounds
//
// For any prices y of the rows, with d_j = c_j - y'a_j the reduced cost,
//
//	sum_i (y_i L_i where y_i > 0, y_i U_i where y_i < 0)
//	+ sum_explicit u_j min(0, d_j) + sum_p (N_p v_p where v_p < 0, n_p v_p where v_p > 0)
//
// bounds the optimum from below, where v_p is a lower bound on d_j over all
// columns of pricer p: the Lagrangian bound. It holds at every round, so an
// early stop still proves a bound.
//
// # What is guaranteed
//
// Result.Bound is a lower bound on the optimum, up to rounding errors, at every
// round and for every status, provided that the pricers' own bounds are valid:
// it uses only prices from the engine, and any prices give a valid bound. A
// pricer that proves nothing (-Inf, or NaN) costs only the bound of that round.
// The engine is trusted about Result.Value, which is an upper bound on the
// optimum if its answer is feasible; answers of the wrong shape or without
// numbers are errors. Columns that do not price out at the master's prices, or
// that are already present, are dropped. The status is Optimal only when no
// pricer claims a missing column; a pricer that claims one and does not return
// it ends the run as Stalled.
//
// Masters, bounds and statuses are the same for the same pricers and engine on
// any number of cores: pricers run in parallel, and their results are used in
// the order of the pricers.
//
// # Stabilisation
//
// The prices given to the pricers lie between those of the master and those of
// the best bound so far (Wentges smoothing). When nothing prices out at the
// smoothed prices although it might at the master's (a mis-price), the master's
// are used next.
//
// # References
//
// M. E. Lübbecke, J. Desrosiers, Selected topics in column generation, Oper.
// Res. 53 (2005); P. Wentges, Weighted Dantzig-Wolfe decomposition for linear
// mixed-integer programming, Int. Trans. Oper. Res. 4 (1997); A. Pessoa, R.
// Sadykov, E. Uchoa, F. Vanderbeck, Automation and combination of linear-programming
// based stabilization techniques in column generation, INFORMS J. Comput. 30 (2018).
package colgen
