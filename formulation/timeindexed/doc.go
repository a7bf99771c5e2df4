// Package timeindexed states the planning problem as a time-indexed integer
// program, exact or coarser, for other solvers.
//
// # Sets and parameters
//
//	j in J          jobs; k workers, R iterations, r release, w weight
//	i               iterations: 1..R; per period, as many as could fit
//	g in S          sites: GPUs, nodes or pools; room c_g: 1, its GPUs
//	d               allowed depths; p_jg(d) ticks of a task
//	h in H_j        homes of a job with several workers: sets of nodes that its
//	                limits and working links admit; for pools, ways of living
//	M in M_j        multisets of depths that the job's rule allows, in classes
//	                whose synchronisations last the same in all homes
//	tau_h(c, n)     ticks of a synchronisation of class c at rate level n; of
//	                levels that last the same only the slowest is kept
//	T               ticks 0..horizon-1, or 0..P-1: then times count modulo P
//
// # Variables, all integer
//
//	live[j,g]       workers of j on g, at most min(k, c_g)
//	home[j,h]       1 if j lives in h
//	does[j,i]       1 if j does iteration i in each period; a prefix
//	x[j,i,g,d,s]    tasks of depth d that start on g at s
//	z[j,i,h,c,n,s]  1 if the synchronisation starts at s
//	depths[j,i,M]   1 if the iteration has these depths; where classes differ
//	gang[j,i,s]     1 if all tasks start at s; of gang jobs
//	late[t]         1 if the schedule ends after t; of the makespan
//	least           the smallest normalised rate, scaled to integers
//
// # Objective
//
// Makespan: min B + sum late[t] over the ticks t from the chain and area bound
// B on. Weighted completion: min sum of w_j times the end of the last
// synchronisation (or, of a lone worker, task). Throughput: max sum w_j does.
// Max-min: max least. Rates are negated.
//
// # Constraints, numbered as in the code
//
//	 (1) sum_g live = k                       periodic: = k does[1]
//	 (2) sum_h home = 1                       periodic: = does[1]
//	 (3) live[g] <= sum over h with g of home x the most workers there,
//	     and at least one worker on each node of the home
//	 (4) sum_{d,s} x[i,g] = live[g]           periodic, i > 1: <=, and
//	     sum_{g,d,s} x[i] = k does[i]
//	 (5) numbers of tasks by depth: those of the rule, or of depths[M]
//	 (6) sum z[i,h] = home[h]                 periodic, i > 1: <=, and
//	     sum z[i] = does[i]; sum of z in a class = sum of its depths[M]
//	 (7) x[i,g] in progress or to come after t, and z[i] begun by t, exclude
//	     one another: c sum z + sum x <= c with c = min(k, c_g)
//	 (8) z[i] not ended by t, and x[i+1,g] begun by t, likewise; lone workers:
//	     tasks of i and i+1
//	 (9) tasks in progress on g at t <= c_g (late[t] c_g from B on)
//	(10) bit/s on a link at t <= capacity
//	(11) persistent bytes of the residents + ephemeral bytes of iteration i of
//	     j <= memory, on a GPU or summed over the site
//	(12) tasks that start at s = k gang[s]
//	(13) late[t] >= last synchronisations not ended by t; late falls with t
//	(14) does falls with i; iteration 1 begun by t and a synchronisation not
//	     ended by t + P exclude one another
//	(15) least <= scaled rate of each job
//	(16) GPUs of a node are alike: job 0 fills them in order
//	(17) identical jobs are in order of their ends, or of their iterations
//
// Starts are limited by releases, deadlines, the horizon, a known value and the
// shortest iterations before and after. In a periodic plan a job begins within
// the first period, and the first job, by rotation, ends within it.
//
// Rows (7), (8) and (14) sum over starts. Additional columns that count what
// has begun and ended by each tick would give far fewer coefficients, but an
// engine then takes several times as long.
//
// Reference: J. P. Sousa and L. A. Wolsey, A time indexed formulation of
// non-preemptive single machine scheduling problems, Mathematical Programming
// 54 (1992).
package timeindexed
