// Package state is what all searches for schedules share: how schedules are compared and
// laid out, when GPUs and links are busy, how much work there is to do, and the simple
// figures and orders of jobs. It decides nothing.
//
// Value orders schedules by missed deadlines, then by the objective in 128 bits. Layout
// numbers workers, tasks and synchronisations of all jobs, and Operations all that is placed
// in time, so that searches keep flat slices. A timeline holds
// the load of a link as a step function. Options are those of every heuristic; Allowance and Cooled are simulated annealing.
package state
