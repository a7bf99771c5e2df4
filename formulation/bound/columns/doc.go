// Package columns solves the columns program of package relax/columns by column generation, and
// so finds prices for columns certificates.
//
// Columns are generated (package solver/colgen). The pricer (pricer.go)
// finds the cheapest plan at given prices of (19) by dynamic programming over the
// ends of the synchronisations: f[i][m], the least price of i blocks of iterations
// when the last of them ends at point m. Between two ends every task takes its
// cheapest start on its own, then the cheapest multiset of depths is dealt.
// Prices are integers there, and the cheapest plan is exact. What the cheapest of
// the plans found before costs now limits the search: f[i][m] goes on only as far
// as lower bounds on the rest let a cheaper plan be (window.go has the prices
// between two ends). Time axes get finer, and each begins with the prices, and where
// every tick is a point with the plans, of the one before.
//
// References: C. Barnhart et al., Branch-and-price: column generation for solving huge integer
// programs, Oper. Res. 46 (1998); dues after R. Klein and A. Scholl, Computing lower bounds by
// destructive improvement, Eur. J. Oper. Res. 112 (1999).
package columns
