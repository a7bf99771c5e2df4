// Package horizon plans hours and nights of jobs that share nodes: jobs that come, run for many thousands of iterations,
// and go. Its plans are [instance.BlockSchedule]s of patterns ([jigsaw/heuristics/pattern]); jobs that only queue are
// planned by [jigsaw/heuristics/queue], and plans under way are continued by [jigsaw/heuristics/resume].
//
// # Methods
//
// [Config.Cells] divides all jobs among groups of nodes, which is best if all jobs end together: jobs are dealt to
// cells by their work and memory (dealing.go) and exchanged between them according to their patterns (cells.go), and
// identical parts of a cluster are planned once (copies.go). [Config.Phases] then lets
// jobs that share nodes end one after the other if that makes none of them late (phases.go; groups.go finds such jobs).
// For the makespan of jobs that are released one after the other, or wait for memory, [Config.Arrivals] lists jobs on GPUs that they
// share, one event after the other (arrivals.go, sharing.go, room.go), and last searches for the patterns of the best plan (searching.go).
// From both plans, for such makespans, and alone for weighted completion, [Config.Scaled] searches for where jobs live and which goes first, on an instance with a fraction of the
// iterations of each, and simulations of all iterations follow what it finds (scaled.go, following.go).
package horizon
