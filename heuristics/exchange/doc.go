// Package exchange decides which jobs share a group of nodes in clusters of many nodes. Groups
// share no job: each is an instance of its own that the packages below schedule.
//
// Exchanges (exchange.go). With many nodes, which jobs share a node matters most. A division
// (division.go) deals the jobs to groups of nodes with the memory for them. It is annealed on an
// estimate (estimate.go) of each group's value: loads of GPUs and NICs, chains, and the waits for
// tasks much longer than the gaps they should fill; or, under weighted completion, which jobs are
// there at the same time, and how they share GPUs and NICs as a fluid (estimate_weighted.go).
// With many nodes the walk starts from the best schedule at hand, if that falls apart into almost
// as many groups as a division; greedy's schedule is then a division. In each step of the walk
// two groups exchange a few jobs. Of several exchanges it takes the one with the best estimate,
// and schedules both groups by a few tries that start from the residencies the jobs had. It
// accepts by simulated annealing on a steep sum of the groups' ends, or on their weighted
// completions. Under makespan the groups that end last are chosen first. With many groups, each
// gets few tries: estimates are corrected by the actual values of the two groups as they are, and
// exchanges with hopeless estimates are not scheduled. The groups that end last choose their
// partners, and prefer to give away jobs without which they would end earlier. Cycles of cooling
// double in length; a cycle without a gain lowers the share of the search's work that exchanges
// get.
//
// Bin completion (completion.go, completion_search.go, fillings.go). Under makespan, for a part of the exchanges' work,
// groups are filled one after the other with sets of jobs that leave hardly a GPU idle and end by a due.
// If jobs fit together almost without gaps, exchanges seldom find how.
//
// Large neighbourhoods (neighbourhoods.go). A schedule of many nodes usually falls apart into
// groups of nodes that share no job (groups.Group). A few groups at a time form an instance of their
// own, which lanes and residency searches improve like a whole instance; under makespan the groups
// that end last are among them. If a schedule does not fall apart, the search starts from the best
// of the exchanges. The more groups there are, the more of the work goes here, and the less often
// lanes and residency searches run on the whole.
package exchange
