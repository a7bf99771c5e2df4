// Package heuristics makes schedules fast and without proof: greedy list
// scheduling for JigSaw plans, a search that goes on from any schedule, and the
// baselines they are compared with. Schedules are integers, and depend on nothing
// but the instance and the random source that they are made with.
//
// # Finite objectives
//
// A schedule is found in two steps. A decision says which depth multiset each
// job uses, which GPUs it lives on, and how jobs are prioritised; a decoder
// turns it into start times. Searches change decisions only, so that every
// candidate is a valid schedule up to its deadlines.
//
// Multisets (multiset.go). A job keeps one multiset of depths: the only one of
// a fixed rule, the one of least total time of a free rule. Lanes may give each
// iteration another in which no worker can be shallower.
//
// Placement (placement.go). Jobs are placed one by one, long chains first, or
// by weight where weights count. For each, candidates are the cheapest node,
// the cheapest rack, whole nodes and single GPUs of the cluster, where a GPU
// costs the ticks of tasks placed on it; the best by
//
//	2 x dearest GPU or link + 2 x mean GPU + 4 x own chain   (ticks)
//
// is taken. Memory (rule 7) is reserved for the deepest depth a worker may
// take on a GPU. That is full depth, so that roles can rotate, unless memory
// is short: then workers are pinned to one depth each, other orders are
// tried, and at last a bounded backtracking (placement_search.go).
//
// Balance (placement_balance.go). Some placements are improved by local search
// on an estimate before they are decoded: a smooth maximum of loads and chains,
// or the weighted completions that loads imply. It knows that a job can give
// its shallow tasks to its busy GPUs. Being cheap, it tries ten thousands of
// moves and swaps of workers and jobs in the time of a few schedules.
//
// Decoding (dispatch.go). Events are simulated in order of time. An idle GPU
// starts the waiting task with the best priority key, no matter what the other
// workers of its iteration do; this fills the ragged edges that shallow
// workers leave. Depths are dealt out as tasks start: the first worker of an
// iteration to start takes the deepest left, the last one the shallowest, so
// that an iteration started raggedly ends evenly and roles rotate by
// themselves. Or they are dealt evenly: the deepest to the GPU with the least
// work left, so that busy GPUs catch up. With patience a GPU stays idle, or takes a shorter task, when a
// job of better key is due back within part of the task's length. A gang waits
// until all its GPUs are idle; they meanwhile run only tasks that end before
// it is expected to start. A synchronisation takes the highest rate level that its
// links have room for, or waits for full speed where that ends it sooner;
// waiting ones claim their links against those of worse keys.
//
// A second decoder (insertion.go) takes iterations in order of their keys and
// puts each into the earliest gaps of GPUs and links. It wins now and then
// with gangs and thin networks.
//
// Greedy (greedy.go) decodes a portfolio of placements, rules (rules.go) and
// patiences and keeps the best. Then (improve.go) it changes the best decision
// at random, one job's priority, home or multiset at a time; it also follows
// decisions that are a little worse, and when it stalls it goes on from a
// decision whose jobs, or those of one GPU, have been placed anew. Work is budgeted
// in tasks decoded, never in seconds, and candidates are compared in batches
// of fixed size: one seed gives one schedule on any number of cores.
//
// # Improvement
//
// [Config.Improve] goes on from any schedule, in several ways side by side.
//
// Scouts (scout.go) look for residencies, for these decide most. Homes
// (homes.go) are annealed on an estimate: a steep sum of the loads of GPUs and
// links and of the chains, or the weighted completions that loads imply; and a
// price on every pair of jobs that share GPUs, since jobs wait less for each
// other where they keep the same company. Each worker has a quota, how often it
// takes which depth, so that a job moves load among its GPUs; memory binds only
// by the depths that are used. What comes out is decoded by events, a few ways.
//
// Lanes (search.go) anneal whole schedules. A sequence (sequence.go) is an
// order of all tasks and synchronisations, with homes and depths; its decoder
// (sequence_decode.go) appends them one by one, starts at the latest checkpoint
// before a change, and gives up when the chains, loads or weights still to come
// exceed what would be accepted. Any order on a GPU can be had, with GPUs that
// wait on purpose. Changes (sequence_moves.go) come from the critical path:
// blocked tasks overtake or move up, workers exchange depths in one or many
// iterations, an iteration gets another multiset, workers move, whole stretches of a job hurry or stand back. A lane
// cools for a number of rounds, then begins again from what a scout found, from
// the best schedule, or from where it is.
//
// Trades (trades.go). Which jobs share a node decides most where nodes are many. A
// division (division.go) deals the jobs out to groups of nodes, and is annealed on an
// estimate (estimate.go) of what each group comes to: loads, chains, and the waits for
// tasks much longer than the gaps they should fill; or, under weighted completion, which
// jobs are there at the same time, how they flow on shared GPUs and NICs
// (estimate_weighted.go). The walk then lets two groups at a time exchange a few jobs, of several exchanges that which the estimate likes best,
// and schedules both by a few tries that go on from the homes the jobs had; it accepts
// by simulated annealing on a steep sum of the groups' ends, or on their weighted
// completions. Under makespan the groups that end last lead. Cycles of cooling double
// in length; those that bring nothing make trades worth less of the search's work.
//
// Covers (covers.go). Under makespan, sets of jobs that ended on a group of nodes before
// the best schedule does are remembered, from whatever walk, and all jobs are dealt out
// anew to such sets: an exact cover, found by depth-first search. Sets that lack for a
// cover are scheduled, the ones the estimate likes best first. For there to be sets of
// many kinds, a side walk of trades (covers_trades.go) begins with a division of its own
// after each cycle that brought nothing.
//
// Completions (completion.go). Under makespan, too, all jobs are dealt out to groups anew, one
// group after the other: the largest job that is left goes with jobs that leave little of the
// group idle, for as long as their schedules end by a due. Where a plan may idle for next to
// nothing this finds how; where there is room trades find more.
//
// Pieces (pieces.go). A schedule of many nodes mostly falls apart into groups of
// them that share no job (groups.go). A few groups at a time are an instance of
// their own, which scouts and lanes search as if it were all; under makespan those
// that end last are among them. Where a schedule hangs together the search of
// pieces begins with the best of the trades. The more groups there are, the more of
// the work goes to pieces, and the less often lanes and scouts walk.
//
// The walks draw from sources of their own and meet only between rounds, whose
// work is counted in operations placed: the number of cores changes nothing.
//
// [Config.Guided] lists iterations after the targets of another plan.
//
// Baselines. [Config.Exclusive] is a batch queue: first come, first served, with EASY
// backfilling, full depth, whole jobs on GPUs of their own, the better of taking what is
// free and waiting for what is near. [Config.InterleavedFull] is [Greedy] at full depth.
//
// # Periodic objectives
//
// Greedy plans are built by modulo list scheduling, see periodic.go.
// [Config.Improve] (periodic_search.go) goes on in three ways side by side.
//
// Ruin and recreate (periodic_ruin.go), for the sum of rates. With the period fixed
// that is the weight of whole iterations, and what lives on other GPUs does not matter
// to a job. A step (periodic_recreate.go) takes a few jobs out, of a node or two, of a
// GPU, or from anywhere, and puts them and some without iterations back in turn, where
// their chains get longest; or all that live there take turns, an iteration at a time.
// Only wheels of the GPUs and links concerned change. Work is shared out among periods
// (periodic_walk.go): each has a promise, what whole iterations in the GPU time there
// is are worth; the most promising have a short cycle of cooling, and those that
// turned out best get ever longer ones.
//
// Lanes. A rota (rota.go) is the
// cyclic order in which all operations of a period start, with homes, depths and
// rate levels; its clock (rota_clock.go) finds the least period that the order
// admits, a maximum cycle ratio, with capacity of links handed on from one
// synchronisation to the next (rota_links.go). Changes (rota_moves.go) come
// often from the operations that hold the period up: they overtake, or move with
// their iteration or job; iterations are added, dropped or traded between jobs;
// depths, rate levels and GPUs change. What a change may cost is a limit on the
// period, so that most are refused after a few sweeps over the constraints.
//
// Scouts go on with greedy plans. Lanes begin again from theirs, and from where ruin
// and recreate is.
package heuristics
