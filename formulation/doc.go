// Package formulation holds the relaxations of the planning problem: what can be
// proven about every valid schedule of a compiled instance without finding one.
// Values bound the objective from below where it is minimised, from above where
// it is maximised.
//
//	chain    every job alone on the cluster               Chain
//	area     all work against what the GPUs or links do   Area
//	fluid    jobs spread fractionally over pools          Fluid
//	packing  contents of GPUs, whole workers, no time     Packing
//	columns  mixes of whole-job plans on pools            Columns
//	tree     the same in every case of a case distinction BranchAndPrice
//
// Chain and area need no engine and are exact rational arithmetic. The others
// solve linear programs and believe nothing but prices: those are rounded to
// integers and evaluated anew on integer data, by code of its own
// ([Certificate], [VerifyCertificate]). [Infeasible] collects cheap proofs that
// there is no schedule.
//
// [TimeIndexed] states the problem itself as an integer program, exact or
// coarser, for other solvers; its sets and rows are in its own comment.
//
// The sets, variables and rows that follow are those of the fluid program, then
// come the columns program and the tree. The packing program is in packing.go.
//
// # Sets
//
//	c in C   classes of identical jobs, with n_c jobs
//	s in S   shapes: classes that differ in iterations, weight or release only;
//	         each class is its own shape while there are few
//	P        pools of identical GPUs: nodes of one class (GPU type, GPUs, NIC,
//	         fabric) in racks of one class (same nodes, same uplink)
//	m in M_s modes of living: lone worker or one node, in pool P; several nodes of
//	         one rack; several racks. Left out are modes with failed links, without
//	         memory, outside the placement limits, or whose chain misses a deadline
//	d        allowed depths, L the full one
//
// # Parameters
//
//	k, R, w, r        workers, iterations, weight, release (ticks) of a job
//	p_P(d)            ticks of a task of depth d on the GPUs of pool P
//	sync_m            ticks of the shortest synchronisation in mode m: the volume of
//	                  the cheapest depths over the fewest parties, at the fastest
//	                  rate level of the fastest slowest link
//	l_m = p(L)+sync_m ticks of the shortest iteration in mode m: every iteration has
//	                  a worker at full depth, and a sync follows its task
//	W                 GPU ticks of the cheapest iteration by the SPB rule
//	q_m, rho_m        fewest nodes and racks that hold k workers in mode m
//	V_m               bytes that each of q_m nodes sends in an iteration, at the least
//	m_P, g_P          GPUs of a pool, and in each of its nodes
//
// # Variables of the fluid program, all >= 0 and with finite upper bounds but for T and C
//
//	live[s,m]         jobs that live in mode m
//	home[s,m,P]       resident workers, where the mode has several pools
//	does[s,m]         iterations done in mode m; per period for rates
//	busy[s,m,P]       tasks, where the mode has several pools
//	tasks[s,P,d]      tasks of depth d, likewise
//	nodes[s,m,P]      nodes that take part in synchronisations, times iterations
//	racks[s,k]        racks of rack class k that do, likewise
//	T                 makespan
//	C[c]              sum of the completion times of a class
//	work[c,t,e]       iterations' worth of work in interval t counted at its end e
//	rate[c], least    iterations per period of a class; smallest normalised rate
//
// # Objective
//
// Makespan: min T. Weighted completion: min sum w_c C_c. Throughput: max sum
// w_c rate_c. Max-min: max least. Programs are minimised; rates are negated.
//
// # Constraints, numbered as in the code
//
//	 (1) sum_m live = jobs                            (<= for rates)
//	 (2) sum_P home = k live
//	 (3) sum persistent x residents of P <= m_P x (memory - smallest ephemeral)
//	 (4) sum_m does = iterations; does = R live; busy = R home; sum_P busy = k does
//	 (5) sum_d tasks[P,d] = sum_m busy[m,P]
//	 (6) sum_P tasks[d] = fixed count x does; or, free rule: full and share
//	 (7) nodes[P] >= busy[P] / g_P, sum_P nodes >= q_m does; racks likewise
//	 (8) GPU time in pool P <= m_P (T - earliest release - shortest sync), for the
//	     shapes released after some tick and with syncs of some length; for rates,
//	     <= m_P period; for completion, <= m_P x length, per interval
//	 (9) fabrics, (10) NICs, (11) uplinks: time x iterations <= links (T - head),
//	     where the head is the earliest end of a first full-depth task; for
//	     completion (9) is the row of work counted at left ends instead
//	(12) T >= mean chain of a class, by mode; C[c] likewise; for rates,
//	     l_m does <= period x live
//	(13) GPU time before a deadline <= m_P x (deadline - sync - release)
//	(14) C[c] is after the mean time of its work; for rates, least is below each rate
//	(15) all work of a class is done; for rates, classes share the rates of a shape
//	(16) no more iterations have begun by the end of an interval than the chain allows
//	(17), (18) the work in a pool is that of the jobs and workers there
//	(21) to (28) for rates of few jobs: what those who share a GPU can do
//	     together; see fluid_sharing.go
//	(29), (30) for whole rates in a period: products; see periods_rates.go
//	(31) for the same: what a link carries; see periods_cuts.go
//	(32) to (36), a program of its own: what a GPU holds, in whole tasks that obey
//	     (26) of each job there; see periods_gpus.go and periods_gpus_gaps.go
//
// # Why it is a relaxation
//
// Take any valid schedule and let the variables be what it does: numbers of
// jobs, iterations, tasks, participating nodes, averaged over nothing, simply
// added up over the identical GPUs, nodes and racks of a pool. Each row is then a
// sum of conditions on single GPUs (one task at a time; memory), single links
// (rates within capacity: a synchronisation that moves V bytes takes at least 8V
// bits of every link on its ring, however slow it runs, and it runs for whole ticks at
// one of few rates), or single jobs (chain, SPB rule). Identical nodes lose nothing by being pooled: averaging a
// solution over their permutations keeps it feasible. What is lost is that GPUs,
// nodes and iterations are whole. Where the instance does not tell which trunks
// join racks (the full form of a network), their rows are left out; capacity and
// speed of trunks then do not bind.
//
// Coefficients are integers, demands rounded down and capacities up.
//
// # Whole periods
//
// Where the instance bounds the period of a plan, iterations, tasks and GPUs are
// counted in whole numbers in each period, and [Periods] searches the fluid
// program of rates for those, all periods in one tree. With x the iterations of a
// job, what it does in a company of GPUs is the product of x and their number
// (periods_rates.go). Rows for that product depend on the limits of x in a node,
// and splits on rates come first, so that the product is exact soon. What a link can
// carry in whole synchronisations (periods_cuts.go) is told by cuts, which are separated
// where a node is the most promising (periods_separate.go); and there the program of GPUs is
// solved beside the fluid one (periods_gpus.go), whose columns are what a GPU holds, in whole
// tasks.
//
// # The columns program
//
// Classes, pools and modes are those above.
//
//	q in Q_c  plans of one job of class c: a way to live, the end of every
//	          iteration, and for each its depths and where its tasks start
//	g in G    groups of alike rows: the GPUs of a pool; the fabrics, and the NICs,
//	          of its nodes; the uplinks of a class of racks. Links have rows only
//	          where all jobs together could overload them for some time
//	b in B    buckets of the calendar, h ticks each, up to the horizon
//
//	C_q       ticks, the end of plan q
//	u_q[g,b]  unit ticks that q takes of group g in bucket b; a GPU is one unit,
//	          a link linkUnit of them
//	K_g       units of the group
//	x[q]      how many jobs of the class follow q; not integer
//
//	weighted completion   min sum_c w_c sum_q C_q x[q]
//	makespan, due D       min theta, over plans that end by D
//
//	(19) sum_q u_q[g,b] x[q] <= K_g h     (theta K_g h where theta is minimised)
//	(20) sum_{q in Q_c} x[q] = n_c
//
// Theta says by what factor all capacities would have to grow: where it must be
// above 1 no schedule ends by D, and the bound is D + 1. [Columns] looks for the
// largest such due.
// What plans do after the horizon has no rows and is free.
//
// Columns are generated (package solver/colgen). The pricer (pricer_jobplan.go)
// finds the cheapest plan at given prices of (19) by dynamic programming over the
// ends of the synchronisations: f[i][m], the least price of i blocks of iterations
// when the last of them ends at point m. Between two ends every task takes its
// cheapest start on its own, then the cheapest multiset of depths is dealt.
// Prices are integers there, and the cheapest plan is exact. What the cheapest of
// the plans found before costs now limits the search: f[i][m] goes on only as far
// as lower bounds on the rest let a cheaper plan be (pricer_window.go has the prices
// between two ends). Time axes get finer, and each begins with the prices, and where
// every tick is a point with the plans, of the one before.
//
// # Why the columns program is a relaxation
//
// Write every job of a valid schedule down as a plan: then (19) adds up what the
// GPUs and links of a group do, and (20) counts jobs. What is rounded, and what a
// pool forgets, only makes plans cheaper:
//
//   - Time. Points are so spaced that a job that never waits goes from point to
//     point: at any grain, chains are rounded in their last block at most. An end
//     between two points counts as the earlier one for what follows, and as the
//     last tick before the later one for what must be done by then. Tasks keep
//     their lengths.
//   - Blocks. Where points are few, several iterations are priced as one block:
//     each anywhere in the window of the block, which costs no more than its own.
//   - Synchronisations go at one of few paces, a length and a rate, such that every
//     real one lasts at least as long at no lower a rate (master_sync.go).
//   - Residencies and memory of single GPUs are left out; in ways of several pools
//     a synchronisation pays where its nodes are cheapest.
//
// Certificate: for any u >= 0 the bound is Lagrange's, see [Certificate].
//
// # The tree
//
// [BranchAndPrice] solves the columns program, each job a class of its own and
// every tick a point, at the nodes of a search tree (package solver/tree) for
// schedules better than a target: plans end by what the target leaves to their
// job. Splits limit the plans of a job (branch_node.go, chosen in
// branch_choose.go): its home, one child for each orbit of sets of GPUs under the
// permutations that keep the decided homes; then the end of an iteration; then
// starts, depths and rate levels. Identical jobs are in order
// of their first ends. Where a job's home is decided, its plans are exact
// (pricer_home.go): each task on its GPU, each synchronisation on its links at a
// rate level, which count in the rows of their pools, too; and (19) has rows for these (branch_master.go), shared by the GPUs
// of a node on which the same decided jobs live, until a split asks for rows of
// their own. With everything decided a node is a schedule, so that the search is
// exact.
//
// A node is split as soon as the value of its program shows that it cannot be
// closed, first with prices that are constant in a few buckets, and once homes are
// decided with ever more, at last one for each tick (branch_prove.go, with what
// is tried beside). Where sum w C counts, a node with homes that cannot be closed
// lowers the target to what its program proves, once, if that is news. It is closed only when its
// prices, as integers, were proven to leave no schedule better than the target; these
// proofs, with the splits, are the certificate (certificate_tree.go). A closed tree
// proves the target, which goes up from the bound known to the value of the best
// schedule: then that is optimal.
//
// # Orders on GPUs
//
// The columns program mixes plans, so that two jobs may have half of a GPU each, and
// once homes are decided it says of makespan little more than how busy GPUs are.
// Sequencing (branch_sequence.go) is the opposite relaxation: it looks through the orders in
// which GPUs may run the tasks of jobs with homes. Links that these jobs could overload are
// divided into equal shares, 16 at the most (branch_sequence_link.go); synchronisations take
// shares, rounded down, at one of the rate levels, and are put in order like tasks. Jobs that
// share no GPU or such link, even by way of others, are sequenced apart; undecided ones
// never wait. States are what has been appended; one is dropped where another has done
// the same and is nowhere later, and where chains, or what a GPU, those of a home or all
// have to do by the latest end of some iteration, show that it ends too late. What
// comes out is a proof, or a schedule that is optimal but for what is forgotten of links: if
// these bear it, it is the new incumbent. The check does it again by code of its own
// (certificate_sequence.go).
//
// GPUs on which the same jobs live are looked at by ones first, then twos, and so on
// (branch_sequence_view.go), half as many of those with less to do. Tasks elsewhere start as
// soon as their job may; these may be taken for the deepest, for what a GPU that is looked at
// exchanges for a shallower one is over no later there. So few orders are left, and where
// waiting on one GPU, or for a link, is what costs, they prove as much as all.
//
// # References
//
// The rules of a valid schedule are in package instance, the relaxations are
// those of section 6 of the project's problem definition; mean busy times and
// preemptive WSPT after M. X. Goemans, M. Queyranne, A. S. Schulz, M. Skutella
// and Y. Wang, Single machine scheduling with release dates, SIAM J. Discrete
// Math. 15 (2002); columns after G. B. Dantzig and P. Wolfe, Decomposition
// principle for linear programs, Oper. Res. 8 (1960), and C. Barnhart et al.,
// Branch-and-price: column generation for solving huge integer programs, Oper.
// Res. 46 (1998); orders as sets of states that do not dominate each other after
// M. Held and R. M. Karp, A dynamic programming approach to sequencing problems,
// J. SIAM 10 (1962), and active schedules after B. Giffler and G. L. Thompson,
// Algorithms for solving production-scheduling problems, Oper. Res. 8 (1960); dues
// after R. Klein and A. Scholl, Computing lower bounds by destructive improvement,
// Eur. J. Oper. Res. 112 (1999).
package formulation
