// Package sequence improves schedules of finite objectives. Lanes anneal orders of all
// operations; searches for residencies give them starting points.
//
// Residency searches (residency.go) look for where jobs live, since this matters most.
// Residencies that package placement annealed on an estimate are decoded by events in a
// few ways. The search continues from there or, if that leads nowhere, from other
// residencies under other weights.
//
// Lanes (search.go) anneal whole schedules. A sequence (sequence.go) is an order of all
// tasks and synchronisations, with residencies and depths; its decoder (decode.go)
// appends them one by one. It starts at the latest checkpoint before a change, and gives
// up when the chains, loads or weights still to come exceed what would be accepted.
// Every order on a GPU is reachable, with GPUs that wait on purpose. Changes (moves.go)
// come from the critical path: blocked tasks overtake or move up, workers exchange
// depths in one or many iterations, an iteration gets another multiset, workers move,
// whole stretches of a job move earlier or later. A lane cools for a number of rounds,
// then restarts from what a residency search found, from the best schedule, or from
// where it is.
package sequence
