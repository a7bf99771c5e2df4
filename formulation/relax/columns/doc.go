// Package columns states the columns program: mixes of whole-job plans on pools of
// identical GPUs, a Dantzig-Wolfe reformulation. To check certificates, it finds
// the cheapest plan of a class at given prices by range minima, window by window,
// in overflow-checked integers.
//
// # The columns program
//
// Classes, pools and modes are those of package relax.
//
//	q in Q_c  plans of one job of class c: a mode, the end of every
//	          iteration, and for each its depths and where its tasks start
//	g in G    groups of alike rows: the GPUs of a pool; the fabrics, and the NICs,
//	          of its nodes; the uplinks of a class of racks. Links have rows only
//	          where all jobs together could overload them for some time
//	b in B    buckets of the calendar, h ticks each, up to the horizon
//
//	C_q       ticks, the end of plan q
//	u_q[g,b]  unit ticks that q takes of group g in bucket b; a GPU is one unit,
//	          a link relax.LinkUnit of them
//	K_g       units of the group
//	x[q]      how many jobs of the class follow q; not integer
//
//	weighted completion   min sum_c w_c sum_q C_q x[q]
//	makespan, due D       min theta, over plans that end by D
//
//	(19) sum_q u_q[g,b] x[q] <= K_g h     (theta K_g h where theta is minimised)
//	(20) sum_{q in Q_c} x[q] = n_c
//
// Theta is the factor by which all capacities would have to grow: if it must be
// above 1, no schedule ends by D, and the bound is D + 1. Package bound/columns
// looks for the largest such due. What plans do after the horizon is in no row and
// is free.
//
// # Why the columns program is a relaxation
//
// Write every job of a valid schedule as a plan: then (19) sums what the GPUs and
// links of a group do, and (20) counts jobs. Rounding and pooling only make plans
// cheaper:
//
//   - Time. Points are spaced so that a job that never waits goes from point to
//     point: at any granularity, a chain is rounded in its last block at most. An
//     end between two points counts as the earlier one for what follows, and as the
//     last tick before the later one for what must be done by then. Tasks keep
//     their lengths.
//   - Blocks. With few points, several iterations are priced as one block: each may
//     be anywhere in the window of the block, which costs no more than in its own
//     window.
//   - Synchronisations go at one of few paces, a length and a rate, such that every
//     real one lasts at least as long at a rate at least as high (sync.go).
//   - Gaps. A job has the same links in each iteration. If no two synchronisations fit on one of them
//     at a time, the shortest of all leaves no room for any in a shorter gap between two of a
//     job. So the job is charged for its links in such gaps, as far as points between them can
//     tell; no tick of a link is in gaps of two jobs. Modes without charges for these links do not matter.
//   - Residencies and memory of single GPUs are left out. In modes of several pools as many nodes of
//     each as must take part pay there, the others where they are cheapest; so do tasks, but a job wider than some
//     of its pools is divided among them in all ways, if these are few.
//
// Certificate: for any prices u >= 0 of (19) Lagrangian duality gives the bound
//
//	sum_c n_c x (price of the cheapest plan) - sum_{g,b} K_g h u.
//
// With a due, plans have no cost except for the capacity they use, and a positive
// value proves that no schedule ends by then.
//
// Reference: G. B. Dantzig and P. Wolfe, Decomposition principle for linear programs, Oper. Res. 8
// (1960).
package columns
