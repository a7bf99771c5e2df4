// Package assign searches for the GPU of every job in instances where this assignment decides
// the makespan: unrelated machines.
//
// # Model
//
// Sets: jobs j of one worker and R_j iterations, without release and deadline ([Exact]); GPUs g
// of type t(g).
//
//	w_jt   ticks of all tasks of j on a GPU of type t
//	load_g sum of w_jt(g) over the jobs that live on g, under rule 7 of the problem
//
// Any order of the jobs on their GPUs ends at the largest load, so the problem is R||Cmax (J.
// K. Lenstra, D. B. Shmoys, E. Tardos, Approximation algorithms for scheduling unrelated
// parallel machines, Mathematical Programming 46, 1990).
//
// # Method
//
// Prices (price.go). The relaxation that splits jobs freely, min T with every load <= T, has
// prices on the GPUs. They are found by multiplicative updates, and give a bound by Lagrangian
// duality and, for every job, an order of the types, cheapest first. Good assignments use the
// first few types.
//
// Annealing (assign.go). A cycle has a target T, at or above that bound, and minimises
//
//	sum_g (price_g load_g / 2T + 10 max(0, load_g/T - 1))
//
// by simulated annealing: load above the target is penalised heavily; the small term of priced
// work guides the search across plateaus. The target of a cycle is the bound, one tick below
// the best makespan so far, or halfway.
//
// Neighbourhood (moves.go). A job moves to a GPU of a good type, and may eject one there, which
// takes its place or moves on to a GPU of a good type of its own. Jobs of loaded GPUs are drawn
// more often. The time of a change depends only on the few loads that it touches.
package assign
