// Package placement decides where jobs live: the residencies that a decoder of package list
// turns into a schedule.
//
// # Model
//
// Job j lives on k_j distinct GPUs for all its iterations (rule 1). On a GPU the persistent
// bytes of all residents and the largest ephemeral bytes of one fit the memory (rule 7).
// Memory is reserved for the deepest depth a worker may take there: full depth, so that
// roles can rotate, unless memory is short.
//
// # Construction (placement.go, choose.go)
//
// Jobs are placed one by one, long chains first, or by weight where weights count. The
// candidates for each are the cheapest node, the cheapest rack, whole nodes and single GPUs
// of the cluster, where a GPU costs the ticks of tasks placed on it; the best by
//
//	2 x dearest GPU or link + 2 x mean GPU + 4 x own chain   (ticks)
//
// is taken. If memory is short the largest jobs go first; as a last resort package memory
// searches for a placement within limits.
//
// # Annealing (anneal.go and its parts)
//
// Residencies are annealed on a steep sum of the loads of GPUs and links and of the chains,
// or on the weighted completions that the loads imply. A price on every pair of jobs that
// share GPUs is added, since jobs wait less for each other if they share all their GPUs
// with the same jobs. Each worker has a quota, how often it takes each depth, so that a job
// can shift load among its GPUs; memory limits only the depths that are used. Since the
// estimate is cheap, tens of thousands of moves and swaps of workers and jobs are tried in
// the time of a few schedules.
package placement
