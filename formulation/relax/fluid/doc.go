// Package fluid states the fluid program of plans that repeat: jobs spread fractionally over pools
// of identical GPUs. Sets and parameters are those of package relax.
//
// # Variables, all >= 0 and with finite upper bounds
//
//	live[s,m]         jobs that live in mode m
//	home[s,m,P]       resident workers, where the mode has several pools
//	does[s,m]         iterations done in mode m per period
//	busy[s,m,P]       tasks, where the mode has several pools
//	tasks[s,P,d]      tasks of depth d, likewise
//	nodes[s,m,P]      nodes that take part in synchronisations, times iterations
//	racks[s,k]        racks of rack class k that do, likewise
//	rate[c], least    iterations per period of a class; smallest normalised rate
//
// # Objective
//
// Throughput: max sum w_c rate_c. Max-min: max least. Programs are minimised; rates are negated.
//
// # Constraints, numbered as in the code
//
//	 (1) sum_m live <= jobs
//	 (2) sum_P home = k live
//	 (3) sum persistent x residents of P <= m_P x (memory - smallest ephemeral)
//	 (5) sum_P busy = k does; sum_d tasks[P,d] = sum_m busy[m,P]
//	 (6) sum_P tasks[d] = fixed count x does; or, free rule: full and share
//	 (7) nodes[P] >= busy[P] / g_P, sum_P nodes >= q_m does; racks likewise
//	 (8) GPU time in pool P <= m_P period
//	 (9) fabrics, (10) NICs, (11) uplinks: time x iterations <= links x period
//	(12) l_m does <= period x live
//	(14) least is below each normalised rate
//	(15) classes share the rates of a shape
//	(21) to (28) of few jobs: what those who share a GPU can do together; see sharing.go
//	(29), (30) for whole rates in a period: products; see whole.go
//	(31) for the same: what a link carries; see relax/periods/cuts.go
//	(32) to (36), a program of its own: what a GPU holds, in whole tasks that obey
//	     (26) of each job there; see relax/periods/gpus.go and relax/periods/gaps.go
//
// # Why it is a relaxation
//
// Take any valid plan and let the variables be what it does: numbers of
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
package fluid
