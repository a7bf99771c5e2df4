// Package placement decides where jobs live: the residencies that a decoder of package list
// makes a schedule of.
//
// # Model
//
// Job j lives on k_j distinct GPUs for all its iterations (rule 1). On a GPU the persistent
// bytes of all residents and the largest ephemeral bytes of one fit the memory (rule 7),
// which is reserved for the deepest depth a worker may take there: full depth, so that
// roles can rotate, unless memory is short.
//
// # Construction (placement.go, choose.go)
//
// Jobs are placed one by one, long chains first, or by weight where weights count. For each,
// candidates are the cheapest node, the cheapest rack, whole nodes and single GPUs of the
// cluster, where a GPU costs the ticks of tasks placed on it; the best by
//
//	2 x dearest GPU or link + 2 x mean GPU + 4 x own chain   (ticks)
//
// is taken. Where memory is short the largest jobs go first, and at last a search finds a
// placement if it has the time (package memory).
//
// # Annealing (anneal.go and its parts)
//
// Residencies are annealed on a steep sum of the loads of GPUs and links and of the chains,
// or on the weighted completions that loads imply; and on a price of every pair of jobs that
// share GPUs, since jobs wait less for each other where they share them with the same
// others. Each worker has a quota, how often it takes which depth, so that a job moves load
// among its GPUs; memory binds only by the depths that are used. Being cheap, it tries ten
// thousands of moves and swaps of workers and jobs in the time of a few schedules.
package placement
