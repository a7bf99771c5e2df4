// Package state holds what all searches for schedules share: how schedules are compared and
// laid out, when GPUs and links are busy, how much work there is, and simple figures and
// orders of jobs. It decides nothing.
//
// Value orders schedules by missed deadlines, then by the objective in 128 bits. Layout
// numbers workers, tasks and synchronisations of all jobs, and Operations everything placed
// in time, so that searches can use flat slices. A timeline holds the load of a link as a
// step function. Options apply to every heuristic; Allowance and Cooled implement simulated
// annealing.
package state
