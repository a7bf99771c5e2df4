// Package policy holds the schedulers that a replay compares, on the model of package
// replay.
//
// Exclusive policies give every job GPUs of its own, so that its iterations have the length
// they have alone:
//
//   - fifo: gangs in order of arrival; the first that does not fit holds up the rest.
//   - srtf: shortest remaining time first; srsf: least remaining time x GPUs first.
//   - las: two-dimensional least attained service of Tiresias: queues by GPU-seconds held;
//     in each queue, running jobs come before waiting ones.
//   - gavel-max-min, gavel-ftf, gavel-makespan: Gavel's policies, by linear programs;
//     see [Allocate].
//
// Sharing policies put up to [Options].Share jobs of equal numbers of GPUs on the
// same GPUs:
//
//   - muri-s, muri-l: Muri's interleaving of stages; by remaining service, and by attained; see muri.go.
//
// They see three resources of a group's GPUs: loading (two jobs at a time: storage and CPU), GPU (one), network (one).
// Beyond that jobs on the same GPUs slow each other down by [replay.Workload.Interference].
//
// JigSaw plans, with that interference as slack:
//
//   - jigsaw, jigsaw-planned: one plan, carried on by jigsaw.Replan; see jigsaw.go, and statement.go for what it knows of
//     a workload.
package policy
