// Package resume continues plans of hours after a change: jobs that were added, cancelled, are slower or done; nodes and
// links that failed. What runs stays where it is unless it must move.
//
// A plan falls apart into units, jobs that share GPUs (unit.go). [Resume] carries it on without a search: units whose jobs
// neither move nor change continue as planned, others get a new pattern on the GPUs they still have (renewal.go), jobs
// without GPUs join running units (resume.go) or wait, and all that waits starts as early as possible (place.go).
// [Resumption.Improve] searches from there for better patterns, other units to join, and orders of what waits (queue.go).
// [Resumption.Anew] has all that has not begun planned anew beside the jobs that stay (anew.go).
package resume
