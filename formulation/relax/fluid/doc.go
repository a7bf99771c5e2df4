// Package fluid states the fluid program: jobs spread fractionally over pools of identical GPUs.
// Sets and parameters are those of package relax.
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
//	 (4) sum_m does = iterations; does = R live; busy = R home; sum_P busy = k does; busy[P] <= does
//	     times the GPUs of P that one job can use in the mode, where these are fewer than k
//	 (5) sum_d tasks[P,d] = sum_m busy[m,P]
//	 (6) sum_P tasks[d] = fixed count x does; or, free rule: full and share
//	 (7) nodes[P] >= busy[P] / g_P, sum_P nodes >= q_m does; racks likewise
//	 (8) GPU time in pool P <= m_P (T - earliest release - shortest sync), for the
//	     shapes released after some tick and with syncs of some length; for rates,
//	     <= m_P period; for completion, <= m_P x length, per interval
//	 (9) fabrics, (10) NICs, (11) uplinks and waypoints: time x iterations <= links (T - head),
//	     where the head is the earliest end of a first full-depth task; for
//	     completion (9) is the row of work counted at left ends instead
//	(12) T >= mean chain of a class, by mode; C[c] likewise; for rates,
//	     l_m does <= period x live
//	(13) GPU time before a deadline <= m_P x (deadline - sync - release)
//	(14) C[c] is after the mean time of its work; for rates, least is below each rate
//	(15) all work of a class is done; for rates, classes share the rates of a shape
//	(16) no more iterations have begun by the end of an interval than the chain allows
//	(17), (18) the work in a pool is that of the jobs and workers there
//	(27), (28) what jobs on every GPU lose to longer tasks of others; see wide.go
//	(21) to (26) for rates of few jobs: what those who share a GPU can do
//	     together; see sharing.go
//	(29), (30) for programs with limits on rates: products; see limits.go
//	(31) for whole rates in a period: what a link carries; see relax/periods/cuts.go
//	(32) to (36), a program of its own: what a GPU holds, in whole tasks that obey
//	     (26) of each job there; see relax/periods/gpus.go and relax/periods/gaps.go
//
// # Why it is a relaxation
//
// Take any valid schedule and set the variables to what it does: its numbers of
// jobs, iterations, tasks and participating nodes, summed over the identical
// GPUs, nodes and racks of a pool. Each row is then a sum of conditions on single
// GPUs (one task at a time; memory), single links (rates within capacity: a
// synchronisation that moves V bytes takes at least 8V bits of every link on its
// ring, however slow it runs, and it runs for whole ticks at one of few rates),
// or single jobs (chain, SPB rule). Pooling identical nodes loses nothing:
// averaging a solution over their permutations keeps it feasible. What is lost is
// the integrality of GPUs, nodes and iterations. If the instance does not say
// which trunks join racks (the full form of a network), their rows are left out,
// so the capacity and speed of trunks do not bind.
//
// Coefficients are integers; demands are rounded down and capacities up.
package fluid
