// Package sweep runs studies: it plans the cells of a grid and keeps a row of
// results for each.
//
// A [Spec] is what a person writes. It holds sweeps; a sweep is the product of
// axes (clusters, links, memory, job mixes, load, workers, SPB rules,
// objectives, methods, seeds), or a seeded sample of it. [Spec.Cells] lists the
// cells. A [Cell] says all that its run depends on, so that a run needs nothing
// but its cell, and its key, a SHA-256 of cell, planner and engine, names the
// result wherever it was made.
//
// # Jobs
//
// A mix of the profile library is turned into jobs until the sum of their
// workers reaches load x GPUs. Model, workers, seconds and weight of each job are
// drawn from the mix; a job runs the iterations that fill its seconds at full
// depth, alone, without synchronisation:
//
//	R = max(1, round(seconds / (forward + backward)))
//
// The drawing depends on seed, mix, GPUs, load and workers only. So cells that
// differ in rule, links, memory, objective or method have the same jobs, and
// differences between them are of that axis alone.
//
// # Order
//
// [Run] plans the largest cells first, several at a time, and commits each row
// by itself. A plan depends on its cell alone, so the table does not depend on
// their number, on interruptions, or on how cells are dealt to shards.
package sweep
