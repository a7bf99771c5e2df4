// Package columns solves the columns program of package relax/columns by column generation.
// This yields the prices of columns certificates.
//
// Columns are plans of single jobs, generated (package solver/colgen) by dynamic programming
// (pricer.go). The time axis is refined step by step. Each step starts from the prices of the
// one before, and also from its plans where every tick is a point.
//
// References: C. Barnhart et al., Branch-and-price: column generation for solving huge integer
// programs, Oper. Res. 46 (1998); dues after R. Klein and A. Scholl, Computing lower bounds by
// destructive improvement, Eur. J. Oper. Res. 112 (1999).
package columns
