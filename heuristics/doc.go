// Package heuristics makes schedules fast and without proof: greedy list
// scheduling for JigSaw plans, and a search that goes on from any schedule. Schedules are
// integers, and depend on nothing but the instance and the random source that they are
// made with. This package calls its rooms; each carries its model.
//
//	state      what all share: values, layouts, timelines, options, simple orders of jobs
//	placement  where jobs live: construction, annealing on an estimate
//	assign     where jobs live on unrelated machines
//	list       list scheduling: rules, decoders, a portfolio
//	sequence   orders of all operations, annealed in lanes, and the search for residencies
//	exchange   which jobs share a group of nodes: exchanges, large neighbourhoods
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
// [Config.Divided] of a finite objective is the better of list scheduling of all jobs on all nodes and of a division,
// which deals jobs out to groups of nodes, levels the groups on an estimate and schedules each for itself: it takes a fifth of the
// time, and of many nodes it is the better one, so that there it is tried first, and nothing else if it succeeds.
//
// # Improvement
//
// [Config.Improve] of a finite objective shares its work out among three walks, which draw
// from sources of their own and meet only between rounds. Work is counted in operations
// placed: the number of cores changes nothing.
//
// The exchange of jobs between groups of nodes has the first part of a round, which gets
// smaller with every cycle that brings nothing. Large neighbourhoods have a part of what is
// left: the more groups a schedule falls apart into, the more; where it hangs together they
// begin with the best of the exchange. Lanes and residency searches have the rest, the less
// often the more groups there are.
//
// Plans for the least rate are patterns of this search that repeat (repeat.go). Those for the sum
// of rates come from ruin and recreate of package periodic, and from such patterns, too (rates.go).
package heuristics
