// Package heuristics makes schedules fast and without proof: by greedy list
// scheduling, and by a search that improves any schedule. A schedule depends on nothing but the
// instance and the random source that it is made with. This package combines the packages in its
// folder, each of which describes its own model.
//
//	state      what all share: values, layouts, timelines, options, simple orders of jobs
//	placement  where jobs live: construction, annealing on an estimate
//	assign     where jobs live on unrelated machines
//	list       list scheduling: rules, decoders, a portfolio
//	sequence   orders of all operations, annealed in lanes, and the search for residencies
//	exchange   which jobs share a group of nodes: exchanges, bin completion, large neighbourhoods
//	periodic   plans that repeat
//	baseline   whole jobs on GPUs of their own
//	multiset   depth multisets
//
// An arrow is an import; none goes back (depguard in .golangci.yml):
//
//	state <- placement <- list <- sequence <- exchange <- heuristics
//	         placement <- periodic <--------------------- heuristics
//
// # Greedy
//
// For a finite objective [Config.Divided] is the better of list scheduling of all jobs on all nodes and of a division,
// which assigns jobs to groups of nodes, balances the groups by an estimate and schedules each by itself. A division takes a fifth of the
// time, and with many nodes it is the better of the two, so that it is then tried first and, if it succeeds, alone.
//
// # Improvement
//
// For a finite objective [Config.Improve] divides its work among three searches, which have
// random sources of their own and exchange results only between rounds. Work is counted in operations
// placed, so that the number of cores does not change the outcome.
//
// The exchange of jobs between groups of nodes gets the first part of a round, which
// shrinks with every cycle without a gain. Large neighbourhoods get a part of the
// rest, which grows with the number of groups that the schedule falls apart into; if it does not fall apart they
// begin with the best schedule of the exchange. Lanes and residency searches get what remains, and run less
// often the more groups there are.
//
// Plans for the least rate are repeating patterns found by this search (repeat.go). Plans for the sum
// of rates come from ruin and recreate in package periodic, and from such patterns as well (rates.go).
package heuristics
