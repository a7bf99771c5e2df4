// Package exchange decides which jobs share a group of nodes, where nodes are many. Groups
// share no job: each is an instance of its own that the rooms below schedule.
//
// Exchanges (exchange.go). Which jobs share a node decides most where nodes are many. A
// division (division.go) deals the jobs out to groups of nodes with the memory for them, and is annealed on an
// estimate (estimate.go) of what each group comes to: loads of GPUs and NICs, chains, and the waits for
// tasks much longer than the gaps they should fill; or, under weighted completion, which
// jobs are there at the same time, how they flow on shared GPUs and NICs
// (estimate_weighted.go). With many nodes the walk begins with the best schedule at hand, if that is
// as divided: greedy's is a division then. The walk lets two groups at a time exchange a few jobs, of
// several exchanges that which the estimate likes best, and schedules both by a few tries that
// go on from the residencies the jobs had; it accepts by simulated annealing on a steep sum of
// the groups' ends, or on their weighted completions. Under makespan the groups that end last
// lead. Where groups are many, each has few tries: estimates are corrected by what they make of
// the two groups as they are, and exchanges that they see no hope for are not scheduled; the groups
// that end last choose their partners, and give away above all what they would end earlier without.
// Cycles of cooling double in length; those that bring nothing make exchanges worth less of
// the search's work.
//
// Large neighbourhoods (neighbourhoods.go). A schedule of many nodes mostly falls apart into groups of
// them that share no job (groups.go). A few groups at a time are an instance of
// their own, which lanes and residency searches improve as if it were all; under makespan those
// that end last are among them. Where a schedule hangs together the search
// begins with the best of the exchanges. The more groups there are, the more of
// the work goes here, and the less often lanes and residency searches walk.
package exchange
