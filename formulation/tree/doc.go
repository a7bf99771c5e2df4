// Package tree searches trees of cases, whose leaves prove a bound for all schedules.
//
// # The tree
//
// [BranchAndPrice] looks for schedules better than a target. At the nodes of a search
// tree (package solver/tree) it solves the columns program, in which each job is a
// class of its own and every tick a point; the target limits when the plans of each
// job must end. Splits restrict the plans of a job (relax/cases/node.go, chosen in
// choose.go): first its home, with one child for each orbit of sets of GPUs under the
// permutations that keep the decided homes; then the end of an iteration; then
// starts. Identical jobs are ordered by their first ends. Once a job's home is
// decided, its plans are exact (pricer.go): each task is on its GPU, and each
// synchronisation on its links at a rate level; both also count in the rows of their
// pools. Then (19) has rows for these GPUs and links (relax/cases/program.go); the
// GPUs of a node on which the same decided jobs live share a row until a split asks
// for rows of their own. A node whose plans differ only in depths or rate levels is
// not split, and stays open.
//
// A node is split as soon as the value of its program shows that it cannot be closed.
// Prices are first constant in a few buckets and, once homes are decided, in more and
// more, finally one for each tick (prove.go, with what else is tried). For sum w C, a
// node with decided homes that cannot be closed lowers the target, once, to what its
// program proves, if that is above what is proven for all nodes. A node is closed
// only when its prices, as integers, were proven to leave no schedule better than the
// target; these proofs, with the splits, are the certificate (relax/trees/check.go).
// A closed tree proves the target. The target rises from the known bound to the value
// of the best schedule, which then is optimal.
//
// # Orders on GPUs
//
// The columns program mixes plans, so that two jobs may have half of a GPU each. Once
// homes are decided, it says little more about the makespan than how busy GPUs are.
// Sequencing (relax/orders) is the opposite relaxation: it enumerates the orders in
// which GPUs may run the tasks of jobs with homes, and ignores links. Jobs that share
// no GPU, directly or through other jobs, are sequenced separately; undecided ones
// never wait. The result is a proof, or a schedule that is optimal when links are
// ignored; if the links have the capacity for it, it is the new incumbent. The search
// is that of the kernel. To find schedules it first keeps only a few promising states
// for each number of tasks. To prove that there is none it searches all states, as
// the check of the certificate does again.
//
// References: C. Barnhart et al., Branch-and-price: column generation for solving huge integer
// programs, Oper. Res. 46 (1998); orders as sets of states that do not dominate each other after
// M. Held and R. M. Karp, A dynamic programming approach to sequencing problems, J. SIAM 10 (1962),
// and active schedules after B. Giffler and G. L. Thompson, Algorithms for solving
// production-scheduling problems, Oper. Res. 8 (1960).
package tree
