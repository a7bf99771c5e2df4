package replay

import (
	"math"
	"slices"
)

// Bound is what no policy can beat, in seconds.
type Bound struct {
	// Mean completion time, from arrival to end, and makespan.
	Mean, Makespan float64
}

// Bounds returns what no schedule of the workload can beat in the model of this
// package: exclusive for policies that give every job GPUs of its own, sharing for
// all policies. They ignore rounds, restarts and the location of GPUs.
//
// Both relax the cluster of G GPUs to one fast machine. An iteration of job i takes
// at least T_i, and w_i GPU-seconds of the machine's G per second: n_i T_i if it
// holds its GPUs alone, and if it may share them the minimum of that and of n_i
// times the least GPU time per worker (with partial backpropagation) times the
// least [Workload.Slowdown] of sharing jobs. So job i has the chain c_i = R_i T_i
// and the work W_i = R_i w_i.
//
// Makespan >= max over i of a_i + c_i, and >= max over t of t + (work that
// arrives at t or later) / G.
//
// Sum of completions, three bounds, of which the largest counts:
//
//	sum of a_i + c_i;
//	the sum of completions of shortest remaining processing time on the fast
//	machine, which is optimal there;
//	the sum of mean busy times, plus half the chains. The mean busy time M_i is the
//	mean moment at which i's work is done. Job i does at most 1/c_i of its work per
//	second, so C_i >= M_i + c_i/2; and over all schedules of the fast machine the
//	sum of M_i is least if the job of the least W_i among those there goes first
//	(M. X. Goemans, Improved approximation algorithms for scheduling with release
//	dates, SODA 1997).
func Bounds(w *Workload, c *Cluster, work func(*Class) float64) (exclusive, sharing Bound) {
	g := float64(c.Total())
	slowdown := math.Inf(1)
	for jobs := 2; jobs <= max(2, len(w.Interference)); jobs++ {
		slowdown = min(slowdown, w.Slowdown(jobs))
	}
	return bound(w, g, func(k *Class) float64 { return k.Fastest() * float64(k.GPUs) }),
		bound(w, g, func(k *Class) float64 { return k.Fastest() * float64(k.GPUs) * min(1, work(k)*slowdown) })
}

// load is a job on the fast machine, in seconds.
type load struct{ arrival, chain, size, left float64 }

func bound(w *Workload, gpus float64, work func(*Class) float64) Bound {
	if len(w.Jobs) == 0 {
		return Bound{}
	}
	perClass := make([]float64, len(w.Classes))
	for k := range w.Classes {
		perClass[k] = work(&w.Classes[k]) / gpus
	}
	loads := make([]load, len(w.Jobs))
	chains, arrivals := 0.0, 0.0
	var b Bound
	for i := range w.Jobs {
		j := &w.Jobs[i]
		size := float64(j.Iterations) * perClass[j.Class]
		loads[i] = load{j.Arrival, w.Alone(i), size, size}
		chains += loads[i].chain
		arrivals += j.Arrival
		b.Makespan = max(b.Makespan, j.Arrival+loads[i].chain)
	}
	after := 0.0
	for _, l := range slices.Backward(loads) {
		after += l.size
		b.Makespan = max(b.Makespan, l.arrival+after)
	}
	completions, _ := fastMachine(loads, func(a, b *load) bool { return a.left < b.left })
	_, busy := fastMachine(loads, func(a, b *load) bool { return a.size < b.size })
	best := max(chains, completions-arrivals, busy-arrivals+chains/2)
	b.Mean = best / float64(len(loads))
	return b
}

// fastMachine runs the loads, sorted by arrival, on one machine of speed 1 that
// always runs the load that comes first, and returns the sum of their completions
// and of their mean busy times.
func fastMachine(loads []load, first func(a, b *load) bool) (completions, busy float64) {
	loads = slices.Clone(loads)
	queue := heap[*load]{before: first}
	now := 0.0
	for next := 0; next < len(loads) || len(queue.items) > 0; {
		if len(queue.items) == 0 {
			now = max(now, loads[next].arrival)
		}
		for ; next < len(loads) && loads[next].arrival <= now; next++ {
			queue.push(&loads[next])
		}
		// The first in the queue shrinks in place, and stays first until another arrives.
		l := queue.items[0]
		end, done := now+l.left, true
		if next < len(loads) && loads[next].arrival < end {
			end, done = loads[next].arrival, false
		}
		part := 1.0 // remaining fraction of the load's work
		if l.size > 0 {
			part = (end - now) / l.size
		}
		busy += part * (now + end) / 2
		l.left -= end - now
		if done {
			queue.pop()
			completions += end
		}
		now = end
	}
	return completions, busy
}
