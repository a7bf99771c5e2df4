// Package baseline schedules whole jobs on GPUs of their own, at full depth: what plans
// that interleave iterations are compared with, and begin with.
//
// # Model
//
// Sets: jobs j, GPUs g in nodes. A job has a width k_j (workers), a release r_j, a weight
// w_j and perhaps a deadline. It takes k_j GPUs when it starts, at S_j >= r_j, and keeps
// them until it ends at C_j. Its length C_j - S_j depends on where it lives: R_j
// iterations of the slowest GPU's task and of a synchronisation over the links between
// its nodes, longer where others use these at the time. Minimise max C_j or sum w_j C_j.
//
//	(1) at any time a GPU belongs to at most one job
//	(2) C_j <= deadline of j
//	(3) on g: sum of persistent bytes of all jobs that ever live there + the largest
//	    ephemeral bytes of one <= memory
//	(4) rates of synchronisations on a link <= its capacity
//
// With one kind of GPU, and without (3) and (4), this is the problem of rigid parallel
// tasks, P|size_j, r_j|Cmax: strip packing whose rectangles may be cut into columns.
// Ticks are integers, and what comes out is exact, whatever decided on the order.
//
// # Methods
//
// [Queue] (queue.go) is a batch system: first come, first served, EASY backfilling.
//
// [Config.Exclusive] (search.go) begins with such queues in other orders (order.go): by
// deadline, area, width, length, Smith's ratio. Then lanes anneal orders (anneal.go),
// which a decoder makes schedules of as if synchronisations never waited:
//   - where GPUs are alike (decode.go), each job takes the earliest gap in the profile of
//     free GPUs, which GPUs is decided at the end: conservative backfilling;
//   - else (append.go) each job goes where it ends first after all that is there already,
//     on one node, on the fewest nodes of a rack or of the cluster, on one type of GPU or
//     on several, within memory.
//
// The walk goes by the work after a due, one tick less than the best makespan, since most
// changes leave the makespan itself as it is. Where GPUs are alike and nothing is released
// late, one lane gives its turns to depth-first search (fill.go), which fills the GPUs
// that fall free with jobs of just their number, and finds packings without waste.
//
// Each schedule better than all before it is run by a simulator (simulate.go), in which
// synchronisations share links, with the sites and turns that the decoder gave (follow.go);
// the best of these counts. [Shallow] runs such a schedule again at the depths that the
// rules of partial backpropagation ask for.
//
// [FewerWorkers] is the instance on which full depth saves the work that those rules save.
package baseline
