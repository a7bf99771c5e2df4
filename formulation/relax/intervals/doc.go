// Package intervals states the intervals program: jobs of many iterations whose work is spread over few intervals of
// time. It bounds the weighted completion.
//
// # The intervals program
//
// Classes, modes and options are those of package relax; groups of GPUs and links, and what an iteration takes of
// them, those of package columns.
//
//	t in T      intervals, from the start to the horizon; the last goes on for ever and has no rows
//	h_t         ticks of an interval
//	q in Q_c    plans of one job of class c: a mode, and how long the job is at work in each interval
//
//	l_m         ticks of the shortest iteration in mode m
//	y_q[t]      ticks at work in interval t, at most those from the release to the deadline; R l_m in all
//	C_q         begin of the last interval with y > 0, or the release if that is later, + y there
//	a[g,t]      unit ticks that an iteration takes of group g, by the multiset and the places chosen for interval t
//	K_g         units of the group
//	x[q]        how many jobs of the class follow q; not integer
//
//	min sum_c w_c sum_q C_q x[q]
//	(37) sum_q (y_q[t] / l_m) a[g,t] x[q] <= K_g h_t
//	(38) sum_{q in Q_c} x[q] = n_c
//
// # Why it is a relaxation
//
// Take any job of a valid schedule. Its iterations do not overlap, and each lasts at least l ticks. Let each
// count for l of the ticks that it lasts; y sums these by interval. What the job then is at work in its
// last interval lies before its end, so C_q is no later.
//
// Let c_t be the price of an iteration in interval t, the least over options, multisets and places: l ticks of work
// there are charged c_t. An iteration within one interval pays no less. One that meets several pays at least the price
// of an iteration at the least price of each group in these, while it is charged a mean of their c_t. The
// difference is at most
//
//	sum of d_t over the bounds between them, d_t = sum_g (most that an iteration takes of g) |u[g,t+1] - u[g,t]|,
//
// and at most one iteration of a job is under way at each bound. So what a job pays is at least
//
//	w C_q + sum_t y_q[t] c_t / l - sum of d_t over the bounds from its release to its end.
//
// The correction is that of about one iteration, so the program is for jobs that have many.
//
// Certificate: for any prices u >= 0 of (37) Lagrangian duality gives the bound
//
//	sum_c n_c x (least that a job pays) - sum_{g,t} K_g h_t u[g,t],
//
// where the least is found for each last interval by taking the cheapest ticks first.
//
// References: interval-indexed programs after L. Hall, A. Schulz, D. Shmoys, J. Wein, Scheduling to minimize average
// completion time, Math. Oper. Res. 22 (1997).
package intervals
