// Package periodic makes plans that repeat, for the rate objectives, by modulo scheduling
// (list.go) on cyclic timelines of GPUs and links (timeline.go).
//
// Whole jobs (whole.go) have GPUs of their own (residents.go) and periods chosen for them
// (period.go).
//
// [Search] is ruin and recreate (ruin.go), for the sum of rates. With the period fixed
// that is the weight of whole iterations, and jobs on different GPUs do not affect each
// other. A step (recreate.go) removes a few jobs, from a node or two, from a GPU, or from
// anywhere. It reinserts them and some jobs without iterations one after the other, where
// their chains get longest; or all jobs that live there take turns, one iteration at a
// time. Only timelines of the GPUs and links concerned change. Work is divided among
// periods (walk.go): each period has a promise, the estimated value of the whole
// iterations that fit in its GPU time. The most promising periods get a short cycle of
// cooling, and those with the best results get longer and longer ones. Periods that a bound
// rules out get none.
//
// A cyclic sequence (sequence.go) is the cyclic order in which all operations of a period
// start; its clock (clock.go) finds the least period that the order admits, a maximum
// cycle ratio; capacity of links passes from one synchronisation to the next. This
// tightens plans where one period meets the next, and turns schedules of a pattern into
// plans ([Repeated]), from which package heuristics makes the plans for the least rate.
package periodic
