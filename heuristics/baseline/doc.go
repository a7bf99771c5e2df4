// Package baseline schedules whole jobs on GPUs of their own, at full depth. Plans that
// interleave iterations are compared with these schedules, and start from them.
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
// Ticks are integers, and the resulting schedule is exact, however the order was chosen.
//
// # Methods
//
// [Queue] (queue.go) is a batch system: first come, first served, EASY backfilling.
//
// [Config.Exclusive] (search.go) begins with such queues in other orders (order.go): by
// deadline, area, width, length, Smith's ratio. Then lanes anneal orders (anneal.go). A
// decoder turns them into schedules as if synchronisations never waited:
//   - if GPUs are alike (decode.go), each job takes the earliest gap in the profile of
//     free GPUs, and the GPUs themselves are chosen at the end: conservative backfilling;
//   - otherwise (append.go) each job goes where it ends first after everything already
//     there, on one node, on the fewest nodes of a rack or of the cluster, on one type of
//     GPU or on several, within memory.
//
// The walk minimises the work after a due, one tick less than the best makespan, since
// most changes leave the makespan itself unchanged. If GPUs are alike and nothing is
// released late, one lane runs depth-first search instead (fill.go), which fills the GPUs
// that become free with jobs of exactly that many GPUs, and finds packings without waste.
//
// Each schedule better than all before it is run by a simulator (simulate.go), in which
// synchronisations share links, with the sites and order that the decoder chose
// (follow.go). The best simulated schedule is the result. [Shallow] runs such a schedule
// again at the depths that the rules of partial backpropagation ask for.
//
// [FewerWorkers] is the instance on which full depth saves the work that those rules save.
package baseline
