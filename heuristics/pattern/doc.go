// Package pattern makes what jobs that share nodes repeat for hours: a short schedule, made by the finite search, that is
// repeated until its jobs have done their iterations. All plans of hours consist of such patterns and of whole jobs.
//
// # Model
//
// A pattern of jobs j on some nodes has r_j iterations of each, a schedule of them and a period P: the repeat n runs from
// t + nP on. Rates r_j / P are chosen in proportion to what the jobs have left, or to what the caller wants. P is the least
// period that the orders of tasks and synchronisations permit ([jigsaw/heuristics/periodic.Repeated]).
//
// # Files
//
// pattern.go makes and searches patterns, blocks.go writes them as blocks, until all jobs or the first of them are done.
// occupants.go keeps account of jobs that come to some nodes and leave, between one pattern and the next.
package pattern
