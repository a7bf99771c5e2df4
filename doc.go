// Package jigsaw plans deep-learning jobs on a GPU cluster, iteration by
// iteration, with structured partial backpropagation (SPB, arXiv 2111.10672),
// and proves how far each plan can be from the best one.
//
// [Load] reads an instance file, [Plan] makes a schedule with its bounds and
// baselines, [Bound] makes the bounds alone, and [Result.Document] is the
// versioned form that the command line and the browser print. Every schedule
// that leaves this package has passed [check.Schedule]; every bound called
// certified was evaluated in exact arithmetic, and [Result.Proof] holds what
// [Certify] needs to do so again. [Export] states an instance as an integer
// program for other solvers, and [ImportSolution] takes their answer back.
// Package whatif compares plans of instances that differ.
package jigsaw
