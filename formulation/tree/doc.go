// Package tree searches trees of cases, whose leaves prove a bound for all schedules.
//
// # The tree
//
// [BranchAndPrice] solves the columns program, each job a class of its own and
// every tick a point, at the nodes of a search tree (package solver/tree) for
// schedules better than a target: plans end by what the target leaves to their
// job. Splits limit the plans of a job (relax/cases/node.go, chosen in
// choose.go): its home, one child for each orbit of sets of GPUs under the
// permutations that keep the decided homes; then the end of an iteration; then
// starts. Identical jobs are in order
// of their first ends. Where a job's home is decided, its plans are exact
// (pricer.go): each task on its GPU, each synchronisation on its links at a
// rate level, which count in the rows of their pools, too; and (19) has rows for these (relax/cases/program.go), shared by the GPUs
// of a node on which the same decided jobs live, until a split asks for rows of
// their own. A node whose plans differ in depths or rate levels alone is not split, and stays open.
//
// A node is split as soon as the value of its program shows that it cannot be
// closed, first with prices that are constant in a few buckets, and once homes are
// decided with ever more, at last one for each tick (prove.go, with what
// is tried beside). Where sum w C counts, a node with homes that cannot be closed
// lowers the target to what its program proves, once, if that is news. It is closed only when its
// prices, as integers, were proven to leave no schedule better than the target; these
// proofs, with the splits, are the certificate (relax/trees/check.go). A closed tree
// proves the target, which goes up from the bound known to the value of the best
// schedule: then that is optimal.
//
// # Orders on GPUs
//
// The columns program mixes plans, so that two jobs may have half of a GPU each, and
// once homes are decided it says of makespan little more than how busy GPUs are.
// Sequencing (relax/orders) is the opposite relaxation: it looks through the orders in
// which GPUs may run the tasks of jobs with homes, and forgets links. Jobs that
// share no GPU, even by way of others, are sequenced apart; undecided ones
// never wait. What comes out is a proof, or a schedule that is optimal but for links: if
// these bear it, it is the new incumbent. The search is that of the kernel,
// first among few promising states of as many tasks, which is how schedules are found; that there is
// none it proves among all, as the check of the certificate does again.
//
// References: C. Barnhart et al., Branch-and-price: column generation for solving huge integer
// programs, Oper. Res. 46 (1998); orders as sets of states that do not dominate each other after
// M. Held and R. M. Karp, A dynamic programming approach to sequencing problems, J. SIAM 10 (1962),
// and active schedules after B. Giffler and G. L. Thompson, Algorithms for solving
// production-scheduling problems, Oper. Res. 8 (1960).
package tree
