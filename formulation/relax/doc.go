// Package relax and the packages below it are the kernel. They state, once, what can be
// proven about every valid schedule of a compiled instance without finding one, and they
// check such proofs. Everything that a "certified" rests on is here, and nothing else: the
// kernel imports package instance, its list of depth multisets and the standard library. It
// knows no linear programming engine, no bound and no search; those import the kernel, to
// find prices for what it states.
//
//	relax           classes of jobs, pools of GPUs, placement modes, depth multisets; [Certificate]
//	                and what it proves ([Proven]); the chain and the area bound, proofs that there
//	                is no schedule
//	relax/exact     numbers
//	relax/linear    linear programs in integers, and what prices of their rows prove
//	relax/fluid     jobs spread fractionally over pools
//	relax/periods   the same in whole numbers, for plans that repeat
//	relax/packing   workers on whole GPUs, without time
//	relax/columns   mixes of whole-job plans on pools
//	relax/cases     the nodes of a case distinction, and plans of jobs whose GPUs are decided
//	relax/orders    orders of tasks on GPUs
//	relax/memory    states of GPU memory, for a proof that it cannot hold all jobs
//	relax/trees     trees of cases and their leaves
//	relax/verify    the check of a certificate of any kind
//
// Values are lower bounds on a minimised objective and upper bounds on a maximised one.
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
//	full_m            ticks that the longest task of an iteration takes in mode m, at the least: for every
//	                  depth, the workers at it or a deeper one need as many GPUs with tasks no longer
//	l_m = full_m+sync_m ticks of the shortest iteration in mode m: a sync follows all tasks
//	W                 GPU ticks of the cheapest iteration by the SPB rule
//	q_m, rho_m        fewest nodes and racks that hold k workers in mode m
//	V_m               bytes that each of q_m nodes sends in an iteration, at the least
//	m_P, g_P          GPUs of a pool, and in each of its nodes
//
// Coefficients are integers; demands are rounded down and capacities up.
package relax
