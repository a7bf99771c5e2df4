// Package periodic makes plans that repeat, for the objectives that are rates. Plans are
// built by modulo list scheduling (periodic.go, list.go) on cyclic timelines of GPUs and
// links (timeline.go), with residencies of package placement (residents.go), and made tighter at
// their seam (compact.go, by the clock of lanes). [Improve] (search.go) goes on in three ways side by side.
//
// Ruin and recreate (ruin.go), for the sum of rates. With the period fixed
// that is the weight of whole iterations, and what lives on other GPUs does not matter
// to a job. A step (recreate.go) takes a few jobs out, of a node or two, of a
// GPU, or from anywhere, and puts them and some without iterations back in turn, where
// their chains get longest; or all that live there take turns, an iteration at a time.
// Only timelines of the GPUs and links concerned change. Work is shared out among periods
// (walk.go): each has a promise, what whole iterations in the GPU time there
// is are worth; the most promising have a short cycle of cooling, and those that
// turned out best get ever longer ones.
//
// Lanes. A cyclic sequence (cyclic.go) is the
// cyclic order in which all operations of a period start, with residencies, depths and
// rate levels; its clock (cyclic_clock.go) finds the least period that the order
// admits, a maximum cycle ratio, with capacity of links handed on from one
// synchronisation to the next (cyclic_links.go). Changes (cyclic_moves.go) come
// often from the operations that hold the period up: they overtake;
// iterations are added, dropped or exchanged between jobs; jobs change GPUs. What a change may cost is a limit on the
// period, so that most are refused after a few sweeps over the constraints.
//
// Restarts make further greedy plans. Lanes begin again from theirs, and from where ruin
// and recreate is.
package periodic
