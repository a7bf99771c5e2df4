// Package queue plans jobs that wait for GPUs of their own.
//
// # Model
//
// Sets: units u, each of one or several jobs; nodes and their GPUs. A unit takes GPUs when its first job is admitted and
// keeps them until its last job ends. A unit of one job runs it at the depths of its rule. A unit of several jobs takes whole
// nodes, on which it repeats a pattern until all its jobs are done (units.go). Every unit is one block, or a few one after the other.
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
// [FirstCome] is first come, first served, with EASY backfilling, so that there is a plan at any limit. [Search.Orders]
// searches among orders of units and among the units that jobs form, and for weighted completion which jobs wait for others
// that are released later (waiting.go).
package queue
