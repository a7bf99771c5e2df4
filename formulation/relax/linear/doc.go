// Package linear states linear programs in integers and evaluates prices of their rows by weak
// duality, in integers: for prices y of min c'x, Ax >= b, 0 <= x <= u the bound is
//
//	y'b + sum_j u_j min(0, c_j - A_j'y).
package linear
