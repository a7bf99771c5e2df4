// Package replay runs a trace of training jobs on a cluster under a scheduling
// policy, and measures how well the policy does.
//
// # Model
//
// A [Workload] has jobs i = 1..n. Job i arrives at time a_i, asks for n_i GPUs of
// one type, and is done after R_i iterations. Its class gives the cost of an
// iteration: T, the seconds it takes on GPUs of its own, and within it the
// seconds of loading, of GPU time and of network time.
//
// A [Decider] says which groups of jobs run. (A [Planner] decides itself when and
// where every job runs; only its results are measured here.) The jobs of a group
// live on the same GPUs, and each does one iteration per period (in seconds) for
// as long as the group does not change. A group of one has period T; the periods
// of larger groups are the policy's own model, see package policy.
//
// Time is continuous and nothing happens between events: an arrival, the last
// iteration of a job, a decision. So simulating a stretch without changes costs
// nothing, however many iterations it has. Decisions are taken at the ends of
// rounds in which a job came or went, or at those moments themselves where the
// round is 0; a policy may also request another decision.
//
//   - A job that stops keeps its whole iterations; progress on the next one is
//     lost.
//   - A job that starts again, or moves to other GPUs, holds its GPUs for the
//     restart time of its model before it goes on. Jobs that join or leave its
//     group change its pace at once, at no cost.
//   - At most GPUs(node) GPUs of each node are held. A group that fits in a node
//     lives on one node; a larger one takes whole nodes, and part of one node for
//     the rest.
//
// Not modelled: GPU memory, the distance between the nodes of a group (the trace's
// iteration time stands for any), failures, and input/output shared by the cluster.
//
// [Bounds] computes what no policy of this model can beat.
package replay
