// Package horizon plans hours and nights: jobs that come, run for many thousands of iterations,
// and go. Its plans are [instance.BlockSchedule]s.
//
// # Model
//
// Sets: units u, each of one or several jobs; nodes and their GPUs. A unit takes GPUs of its
// own when its first job is admitted and keeps them until its last job ends. A unit of one job runs
// it at the depths of its rule (queue.go). A unit of several jobs is a pattern, made by
// the finite search on some whole nodes, that repeats until all jobs have done their iterations
// (miniature.go), or for weighted completion a chain of patterns, each of which repeats until one more job ends
// (chain.go). Every unit is one block, or a few blocks one after the other.
//
//	(1) at any time a GPU belongs to at most one unit
//	(2) on a link the peaks of the units at work add up to no more than its capacity
//	(3) persistent and largest ephemeral bytes of the jobs of a unit fit its GPUs; where jobs
//	    are in memory for the whole plan, those of all units that ever live there together
//
// Given units and their order, this is the problem of rigid parallel tasks on a machine with
// a topology. Makespan or weighted completion is minimised.
//
// # Methods
//
// [Queue] is first come, first served, with EASY backfilling, so that there is a plan at any limit.
// [Config.Orders] searches among orders of units and among the units that jobs form (units.go).
// [Config.Cells] divides all jobs among groups of nodes, which is best if all jobs end together: jobs are
// exchanged between cells according to their patterns (cells.go), and identical parts of a cluster are planned
// once (copies.go). If memory does not hold the jobs of a cell all at once, or they are
// released one after the other, or some are due before all of them end, they are admitted one by one, those
// due first at the pace that they need (admission.go). [Config.Phases] then lets
// jobs that share nodes end one after the other if that makes none of them late (phases.go).
// For weighted completion, [Config.Scaled] plans a fraction of the iterations of all jobs by the finite search, and
// scales its phases up (upscale.go).
package horizon
