// Package periodic makes plans that repeat, for the objectives that are rates, by modulo
// scheduling (list.go) on cyclic timelines of GPUs and links (timeline.go).
//
// Whole jobs (whole.go) have GPUs of their own (residents.go) and periods that suit them (period.go).
//
// [Search] is ruin and recreate (ruin.go), for the sum of rates. With the period fixed
// that is the weight of whole iterations, and what lives on other GPUs does not matter
// to a job. A step (recreate.go) takes a few jobs out, of a node or two, of a
// GPU, or from anywhere, and puts them and some without iterations back in turn, where
// their chains get longest; or all that live there take turns, an iteration at a time.
// Only timelines of the GPUs and links concerned change. Work is shared out among periods
// (walk.go): each has a promise, what whole iterations in the GPU time there
// is are worth; the most promising have a short cycle of cooling, and those that
// turned out best get ever longer ones.
//
// A cyclic sequence (sequence.go) is the cyclic order in which all operations of a period start; its
// clock (clock.go) finds the least period that the order
// admits, a maximum cycle ratio, with capacity of links handed on from one
// synchronisation to the next. So plans get tighter at their seam, and schedules of a pattern
// become plans ([Repeated]), from which package heuristics makes those for the least rate.
package periodic
