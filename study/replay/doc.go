// Package replay runs a trace of training jobs on a cluster under a scheduling
// policy, and measures what the policy is worth.
//
// # Model
//
// A [Workload] has jobs i = 1..n. Job i arrives at time a_i, asks for n_i GPUs of
// one type, and is done after R_i iterations. Its class tells what an iteration
// costs: T, the seconds it takes on GPUs of its own, and within it the seconds of
// loading, of GPU time and of network time.
//
// A [Decider] says which groups of jobs run. (A [Planner] says all by itself, when and where every job runs, and only
// its results are measured here.) The jobs of a group live on the same
// GPUs, and each of them does an iteration every so many seconds, its period, for
// as long as the group stays as it is. A group of one has period T; what larger
// groups have is the policy's own model, see package policy.
//
// Time is continuous and nothing happens between events: an arrival, the last
// iteration of a job, a decision. So a stretch in which nothing changes costs
// nothing, however many iterations it has. Decisions are taken at the ends of
// rounds in which a job came or went, or at those moments themselves where the
// round is 0; a policy may also ask to be asked again.
//
//   - A job that stops ends with its last whole iteration: what it had done of
//     the next one is lost.
//   - A job that starts again, or moves to other GPUs, holds its GPUs for the
//     restart time of its model before it goes on. Partners that come and go
//     change its pace at once, and cost nothing.
//   - At most GPUs(node) of each node are held. Up to the size of a node a group
//     lives on one node; a larger one takes whole nodes, and one part of a node
//     for the rest.
//
// Not modelled: GPU memory, the distance between the nodes of a group (the trace's
// iteration time stands for any), failures, and input/output shared by the cluster.
//
// [Bounds] gives what no policy of this model can beat.
package replay
