// Package exchange decides which jobs share a group of nodes, where nodes are many. Groups
// share no job: each is an instance of its own that the rooms below schedule.
//
// Exchanges (exchange.go). Which jobs share a node decides most where nodes are many. A
// division (division.go) deals the jobs out to groups of nodes, and is annealed on an
// estimate (estimate.go) of what each group comes to: loads, chains, and the waits for
// tasks much longer than the gaps they should fill; or, under weighted completion, which
// jobs are there at the same time, how they flow on shared GPUs and NICs
// (estimate_weighted.go). The walk then lets two groups at a time exchange a few jobs, of several exchanges that which the estimate likes best,
// and schedules both by a few tries that go on from the residencies the jobs had; it accepts
// by simulated annealing on a steep sum of the groups' ends, or on their weighted
// completions. Under makespan the groups that end last lead. Cycles of cooling double
// in length; those that bring nothing make exchanges worth less of the search's work.
//
// Set partitions (partitions.go). Under makespan, sets of jobs that ended on a group of nodes before
// the best schedule does are remembered, from whatever walk, and all jobs are dealt out
// anew to such sets: an exact cover, found by depth-first search. Sets that lack for a
// cover are scheduled, the ones the estimate likes best first. For there to be sets of
// many kinds, a side walk of exchanges (exchange_partitions.go) begins with a division of its own
// after each cycle that brought nothing.
//
// Bin completion (completion.go). Under makespan, too, all jobs are dealt out to groups anew, one
// group after the other: the largest job that is left goes with jobs that leave little of the
// group idle, for as long as their schedules end by a due. Where a plan may idle for next to
// nothing this finds how; where there is room exchanges find more.
//
// Large neighbourhoods (neighbourhoods.go). A schedule of many nodes mostly falls apart into groups of
// them that share no job (groups.go). A few groups at a time are an instance of
// their own, which lanes and residency searches improve as if it were all; under makespan those
// that end last are among them. Where a schedule hangs together the search
// begins with the best of the exchanges. The more groups there are, the more of
// the work goes here, and the less often lanes and residency searches walk.
package exchange
