// Package formulation holds the relaxations of the planning problem: what can be
// proven about every valid schedule of a compiled instance without finding one.
// Values bound the objective from below where it is minimised, from above where
// it is maximised.
//
//	chain  every job alone on the cluster               Chain
//	area   all work against what the GPUs or links do   Area
//	fluid  jobs spread fractionally over pools          Fluid, FluidProgram
//
// Chain and area need no engine and are exact rational arithmetic. The fluid
// bound is the value of a linear program; its prices are rounded to integers
// and evaluated anew on integer data, so that no floating point is trusted
// ([Certificate]). [Infeasible] collects cheap proofs that there is no schedule.
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
//
// # Why it is a relaxation
//
// Take any valid schedule and let the variables be what it does: numbers of
// jobs, iterations, tasks, participating nodes, averaged over nothing, simply
// added up over the identical GPUs, nodes and racks of a pool. Each row is then a
// sum of conditions on single GPUs (one task at a time; memory), single links
// (rates within capacity: a synchronisation that moves V bytes takes at least 8V
// bits of every link on its ring, however slow it runs), or single jobs (chain,
// SPB rule). Identical nodes lose nothing by being pooled: averaging a
// solution over their permutations keeps it feasible. What is lost is that GPUs,
// nodes and iterations are whole. Where the instance does not tell which trunks
// join racks (the full form of a network), their rows are left out; capacity and
// speed of trunks then do not bind.
//
// Coefficients are integers, demands rounded down and capacities up.
//
// # Reference
//
// The rules of a valid schedule are in package instance, the relaxations are
// those of section 6 of the project's problem definition; mean busy times and
// preemptive WSPT after M. X. Goemans, M. Queyranne, A. S. Schulz, M. Skutella
// and Y. Wang, Single machine scheduling with release dates, SIAM J. Discrete
// Math. 15 (2002).
package formulation
