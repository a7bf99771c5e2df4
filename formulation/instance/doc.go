// Package instance holds the planning problem of JigSaw: clusters, layer
// profiles, jobs and schedules. It knows no algorithm.
//
// # The problem
//
// Data-parallel training jobs share a GPU cluster. Job j has k workers and R
// iterations. In an iteration every worker runs a forward pass over all L
// layers and a backward pass over its last d layers (its depth; structured
// partial backpropagation, arXiv 2111.10672), then the workers synchronise
// gradients over the network. A plan chooses the k GPUs each job lives on, the
// depth and start of every worker's task in every iteration, and the start and
// rate of every synchronisation. The rules are this project's own model; their
// definition is docs/problem.md.
//
//	p(d)          ticks     ceil(all forward + last d backward)      Costs.Time
//	persistent    bytes     parameters, gradients, optimizer states  Costs.Persistent
//	ephemeral(d)  bytes     activations of the last d layers         Costs.Ephemeral
//	G_s           bytes     parameters of segment s                  Job.SegmentBytes
//	volume        bytes     sent and received by each party of a sync Job.Volume
//	rate          bit/s     a level 1/n of the slowest link's share  Span.Rate
//
// # Spec, Instance, Schedule
//
// A [Spec] is what a person writes: names, units, defaults. [Compile] turns
// it into an [Instance] of integers, rounding each duration up to whole ticks
// once. A [Schedule] refers to the instance by index. The package check
// tests the ten rules of a valid schedule, codec reads and writes the files.
package instance
