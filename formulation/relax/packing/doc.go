// Package packing states the packing program: residencies on whole GPUs, without time. A worker
// lives on one GPU, with one task in each iteration of its job, so work cannot be spread evenly
// if few workers fit on a GPU. Let n be the possible contents of the GPUs of a pool (sets of
// workers with the depths of their tasks), and s the multisets of depths that a job's rule
// allows. With
//
//	gpus[n]    GPUs with content n
//	mix[c,s]   part of the iterations of class c that have the multiset s
//
// every schedule that ends by the due is a solution with sigma = 0 of
//
//	min sigma
//	(1) sum_n (workers of c in n) gpus[n] + jobs k sigma = jobs k
//	(2) sum_n (tasks of c at depth d or deeper in n) gpus[n] >= jobs R sum_s (d or deeper in s) mix[c,s]
//	(3) sum_s mix[c,s] + sigma = 1
//	(4) sum_n gpus[n] = GPUs of pool p, over contents there
//
// so there is no such schedule if sigma must be positive. A content has at most one worker of
// each job, its workers fit in memory, and its tasks take no longer than [Program.Limit]. This
// relaxation ignores when anything happens; the columns program keeps time and ignores where.
//
// At a node of a tree, contents include the workers of the jobs that were decided to live on
// those GPUs, and (1) is about the other jobs.
//
// Prices a of (1), of any sign, and b >= 0 of (2) prove that there is no such schedule if
//
//	sum_c jobs (k a_c + R min_s sum_d (d or deeper in s) b_cd) > sum_p GPUs (worth of the best content of p)
//
// Long times are counted in coarser units so that the program stays tractable; a content's room
// and a worker's tasks are both rounded down.
package packing
