// Package trace reads job traces of other projects, and assigns costs to their
// jobs.
//
// A reader turns a file into a [Trace], whose times are in seconds whatever the
// unit of the file, and reports errors with file, line and column ([Problems]).
// Files are read as streams: memory use grows with the number of jobs, not with
// the size of the file.
//
//   - [Muri]: CSV with iterations, iteration times and stages; times in ms.
//   - [Gavel]: tab-separated, ten fields or the older seven; steps, and arrival in s.
//   - [Tiresias]: CSV with iterations and durations in s.
//   - [Philly]: CSV with dates and durations in s, no models.
//   - [Pollux]: CSV with applications and batch sizes, no durations.
//   - [Helios]: CSV with dates and durations in s, no models; one row per job.
//
// Only Muri's format says what an iteration costs. A [Table] gives the costs of
// each model, and for Muri its layers; [Workload] joins the two. A job whose
// model is not in the table is an error, never a guess.
package trace
