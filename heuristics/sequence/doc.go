// Package sequence improves schedules of finite objectives: lanes anneal orders of all
// operations, and searches for residencies feed them.
//
// Residency searches (residency.go) look for where jobs live, for this decides most. What
// package placement anneals on an estimate is decoded by events, a few ways, and the search
// goes on from there or, where that leads nowhere, from other residencies under other weights.
//
// Lanes (search.go) anneal whole schedules. A sequence (sequence.go) is an
// order of all tasks and synchronisations, with residencies and depths; its decoder
// (decode.go) appends them one by one, starts at the latest checkpoint
// before a change, and gives up when the chains, loads or weights still to come
// exceed what would be accepted. Any order on a GPU can be had, with GPUs that
// wait on purpose. Changes (moves.go) come from the critical path:
// blocked tasks overtake or move up, workers exchange depths in one or many
// iterations, an iteration gets another multiset, workers move, whole stretches of a job
// hurry or stand back. A lane cools for a number of rounds, then begins again from what a
// residency search found, from the best schedule, or from where it is.
package sequence
