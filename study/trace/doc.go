// Package trace reads job traces of other projects, and gives their jobs costs.
//
// A reader turns a file into [Trace], whose times are seconds whatever the file
// counts in, and reports what is wrong with file, line and column ([Problems]).
// Files are read as streams: memory grows with the number of jobs, not of bytes.
//
//   - [Muri]: CSV with iterations, iteration times and stages; times in ms.
//   - [Gavel]: tab-separated, ten fields or the older seven; steps, and arrival in s.
//   - [Tiresias]: CSV with iterations and durations in s.
//   - [Philly]: CSV with dates and durations in s, no models.
//   - [Pollux]: CSV with applications and batch sizes, no durations.
//   - [Helios]: CSV with dates and durations in s, no models; one row per job.
//
// No format but Muri's says what an iteration costs. A [Table] says it, model by
// model, and for Muri what the layers are like; [Workload] joins the two. A job
// whose model the table does not have is an error, never a guess.
package trace
