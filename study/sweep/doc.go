// Package sweep runs studies: it plans the cells of a grid and keeps a row of
// results for each.
//
// A [Spec] is what the user writes. It holds sweeps; a sweep is the product of
// axes (clusters, links, memory, job mixes, load, workers, SPB rules,
// objectives, methods, seeds), or a seeded sample of it. [Spec.Cells] lists the
// cells. A [Cell] contains everything that its run depends on. Its key, a
// SHA-256 of cell, planner and engine, identifies the result wherever it was
// computed.
//
// # Jobs
//
// Jobs are drawn from a mix of the profile library until the sum of their
// workers reaches load x GPUs. Model, workers, seconds and weight of each job
// are drawn from the mix; a job runs the iterations that fill its seconds at
// full depth, alone, without synchronisation:
//
//	R = max(1, round(seconds / (forward + backward)))
//
// The draw depends on seed, mix, GPUs, load and workers only. So cells that
// differ in rule, links, memory, objective or method have the same jobs, and
// differences in their results come from that axis alone.
//
// # Order
//
// [Run] plans the largest cells first, several at a time, and commits each row
// separately. A plan depends on its cell alone, so the table does not depend on
// how many run at a time, on interruptions, or on how cells are distributed
// over shards.
package sweep
