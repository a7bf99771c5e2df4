// Package columns solves the columns program of package relax/columns by column generation, and
// so finds prices for columns certificates.
//
// Columns are generated (package solver/colgen), plans of single jobs by dynamic programming
// (pricer.go). Time axes get finer, and each begins with the prices, and where every tick is a
// point with the plans, of the one before.
//
// References: C. Barnhart et al., Branch-and-price: column generation for solving huge integer
// programs, Oper. Res. 46 (1998); dues after R. Klein and A. Scholl, Computing lower bounds by
// destructive improvement, Eur. J. Oper. Res. 112 (1999).
package columns
