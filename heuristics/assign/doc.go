// Package assign searches for residencies: which GPUs every job lives on, so that the
// makespan is short. It knows no start times, only what residencies imply for them.
//
// # Model
//
// Sets: jobs j with k_j workers and R_j iterations, GPUs g of type t(g), links l.
//
//	w_jt   ticks of all tasks of a worker of j on a GPU of type t: R_j times the mean of its
//	       depth multiset, rounded up
//	H_j    residency of j: k_j distinct GPUs, under rules 1 and 7 of the problem
//	load_g sum of w_jt(g) over the workers that live on g
//	chain_j r_j + R_j x (its longest task on its GPUs' types + its synchronisation in H_j)
//	busy_l ticks for which the synchronisations of all jobs fill link l
//
// The estimate of residencies is the largest load, chain and busy time. Where every job is one
// worker without release and deadline ([Exact]), any order of the jobs on their GPUs
// attains it: the problem then is R||Cmax, makespan on unrelated machines (J. K. Lenstra,
// D. B. Shmoys, E. Tardos, Approximation algorithms for scheduling unrelated parallel
// machines, Mathematical Programming 46, 1990).
//
// # Method
//
// Prices (price.go). The relaxation that splits jobs freely, min T with every load <= T, has
// prices on the GPUs; they are found by multiplicative updates and give a bound by
// Lagrangian duality, and for every job an order of the types, the cheapest first. Good residencies are
// among the first few.
//
// Annealing (assign.go). A cycle has a target T, at or above that bound, and minimises
//
//	sum_g (price_g load_g / 2T + 10 max(0, load_g/T - 1)) and the same of chains and links, at price 1
//
// by simulated annealing: what passes the target is to vanish, and the priced work, which is small,
// leads there across plateaus. The target of a cycle is the bound, one tick below the
// best estimate so far, or halfway.
//
// Neighbourhood (moves.go). A worker moves to a GPU of a good type, and may eject one there,
// who takes its place or moves on to a GPU of a good type of its own; a job of several
// workers moves as a whole, or exchanges residencies with another. Workers of loaded GPUs are drawn more often. A change
// costs as much as the few loads, chains and links that it touches.
package assign
