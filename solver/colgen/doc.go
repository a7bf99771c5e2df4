// Package colgen solves linear programs with more columns than anyone can
// write down, by column generation. It knows no domain: columns come from
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
// columns of pricer p: the Lagrangian bound. It holds at every round, so that an
// early stop still proves something.
//
// # What is guaranteed
//
// Result.Bound is a lower bound on the optimum, but for rounding errors, at
// every round and whatever the status, as long as the pricers' own bounds are:
// it takes nothing from the engine but prices, and all prices prove something.
// A pricer that proves nothing (-Inf, or no number) costs the bound of that
// round only. The engine is believed about Result.Value, which is an upper bound
// on the optimum as far as its answer is feasible; answers of the wrong shape
// or without numbers are errors. Columns that do not price out at the master's
// prices, or that are there already, are left out. Optimal is said only when no
// pricer claims a column that is missing; a pricer that claims one and does not
// give it ends the run as Stalled.
//
// Masters, bounds and statuses are the same for the same pricers and engine,
// whatever the number of cores: pricers run side by side, and what they find is
// taken in their order.
//
// # Stabilisation
//
// The prices that are handed to the pricers lie between those of the master
// and those of the best bound so far (Wentges smoothing). When nothing prices
// out at the smoothed prices although it might at the master's (a mis-price),
// the master's are used next.
//
// # References
//
// M. E. Lübbecke, J. Desrosiers, Selected topics in column generation, Oper.
// Res. 53 (2005); P. Wentges, Weighted Dantzig-Wolfe decomposition for linear
// mixed-integer programming, Int. Trans. Oper. Res. 4 (1997); A. Pessoa, R.
// Sadykov, E. Uchoa, F. Vanderbeck, Automation and combination of linear-programming
// based stabilization techniques in column generation, INFORMS J. Comput. 30 (2018).
package colgen
