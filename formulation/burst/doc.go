// Package burst plans jobs that are *burst parallel* (S. J. Park et al., Efficient Strong
// Scaling Through Burst Parallel Training, 2022, arXiv 2112.10065): a job keeps its global
// batch, and every layer uses as many GPUs as are worth their cost. Layers that scale badly
// use few, and the GPUs that idle meanwhile are left to other jobs: [Chain.Fill] makes a
// timetable of one period with background jobs in the idle windows, and [Chain.Check] checks
// it. Section 9 of docs/problem.md is the definition.
//
// # Model
//
// Layers l = 1..L form a chain; a layer on g GPUs has a batch of B/g samples on each. g is a
// power of two that divides the global batch B. A layer's GPUs are the first g of the job's,
// so that the sets are nested. Times are nanoseconds, rounded up:
//
//	forward(l, g), backward(l, g)   measured at batch B/g
//	sync(l, g) = 2(g-1)/g x parameters(l) / rate + latency     ring all-reduce; 0 on one GPU
//	move(l, f, g) = moved / rate + latency                     one way; 0 if f = g
//
// where moved, in bytes, is the most that a GPU sends or receives when the output of layer
// l-1 goes from f GPUs to g: with n = max(f, g) and k = min(f, g), max(B/k - B/n, B/n)
// samples. The gradient moves the same way back. Layer l, entered from f GPUs, lasts
//
//	t(l, f, g) = 2 move(l, f, g) + forward(l, g) + backward(l, g) + sync(l, g)          (1)
//
// A layer inside a block (joined) has the GPUs of the layer before it, since more than one
// tensor would move. The *amplification* of a layer is g t(l, f, g) / t(l, 1, 1), its
// GPU-time divided by its time on a single GPU. A limit A forbids the transitions above it:
//
//	g t(l, f, g) <= A t(l, 1, 1)                                                        (2)
//
// The time of a plan is the sum of t, its GPU-time the sum of g t. By the principle of
// optimality
//
//	T(l, g) = min over f that (2) permits of T(l-1, f) + t(l, f, g)                     (3)
//
// is the least time, at O(L C^2) for C numbers of GPUs. Since (2) restricts transitions and
// not layers, the limit is exact. With pairs (time, GPU-time) and dominance instead of the
// minimum, (3) gives the Pareto front.
//
// Steps run in sequence, as in the published planner: no sync overlaps the next layer's
// backward pass.
package burst
