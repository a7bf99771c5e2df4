package state

import (
	"cmp"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
)

// CheapestMultisets returns the cheapest multiset of every job on the GPU type where
// it is fastest. Identical jobs share one.
func CheapestMultisets(in *instance.Instance) [][]int {
	counts := make([][]int, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		c := multiset.Cheapest(job, FastestType(in, job))
		for _, j := range class {
			counts[j] = c
		}
	}
	return counts
}

// FastestType returns the GPU type with the shortest full-depth task, among those
// that the cluster has GPUs of, or among all if it has none for the job.
func FastestType(in *instance.Instance, job *instance.Job) instance.TypeID {
	best := instance.TypeID(-1)
	for n := range in.Nodes {
		t := in.Nodes[n].Type
		if t != best && job.Runs(t) && (best < 0 || job.On[t].Time[job.Full()] < job.On[best].Time[job.Full()]) {
			best = t
		}
	}
	if best < 0 {
		best = instance.TypeID(slices.IndexFunc(job.On, func(c *instance.Costs) bool { return c != nil }))
	}
	return best
}

// LeastOverTypes returns the least of f over the GPU types the job runs on.
func LeastOverTypes(job *instance.Job, f func(instance.TypeID) int64) int64 {
	best, found := int64(0), false
	for t := range job.On {
		if job.Runs(instance.TypeID(t)) {
			if v := f(instance.TypeID(t)); !found || v < best {
				best, found = v, true
			}
		}
	}
	return best
}

// MayLackMemory reports whether all jobs together on one GPU would exceed the memory
// of some type.
func MayLackMemory(in *instance.Instance) bool {
	for t := range in.Types {
		held := instance.Memory{}
		for j := range in.Jobs {
			if c := in.Jobs[j].On[t]; c != nil {
				held = held.With(c.Memory(in.Jobs[j].Full()))
			}
		}
		if held.Sum() > in.Types[t].Memory {
			return true
		}
	}
	return false
}

// MeanTime returns the mean task time of a multiset on GPU type t, rounded up.
func MeanTime(job *instance.Job, t instance.TypeID, counts []int) instance.Tick {
	sum := instance.Tick(0)
	for d, n := range counts {
		sum += instance.Tick(n) * job.On[t].Time[d]
	}
	return (sum + instance.Tick(job.Workers) - 1) / instance.Tick(job.Workers)
}

// BySmith orders the jobs by ascending GPU-ticks per weight.
func BySmith(in *instance.Instance, counts [][]int) []instance.JobID {
	return byWeight(in, func(j int) int64 {
		job := &in.Jobs[j]
		return int64(job.Iterations) * int64(job.Workers) * int64(MeanTime(job, FastestType(in, job), counts[j]))
	})
}

// byWeight orders the jobs by ascending amount per weight.
func byWeight(in *instance.Instance, amount func(int) int64) []instance.JobID {
	order, amounts := in.AllJobs(), make([]int64, len(in.Jobs))
	for j := range amounts {
		amounts[j] = amount(j)
	}
	slices.SortFunc(order, func(a, b instance.JobID) int {
		// amount(a)/weight(a) against amount(b)/weight(b), without division.
		aHi, aLo := bits.Mul64(uint64(amounts[a]), uint64(in.Jobs[b].Weight))
		bHi, bLo := bits.Mul64(uint64(amounts[b]), uint64(in.Jobs[a].Weight))
		return cmp.Or(cmp.Compare(aHi, bHi), cmp.Compare(aLo, bLo), cmp.Compare(a, b))
	})
	return order
}

// RankByWeight fills base with the positions of the jobs by ascending amount per
// weight.
func RankByWeight(base []int64, in *instance.Instance, amount func(int) int64) {
	for at, j := range byWeight(in, amount) {
		base[j] = int64(at)
	}
}

// OrderBy returns the jobs by ascending key, ties by index.
func OrderBy[K cmp.Ordered](jobs int, key func(instance.JobID) K) []instance.JobID {
	order := instance.UpTo[instance.JobID](jobs)
	keys := make([]K, jobs)
	for j := range order {
		keys[j] = key(order[j])
	}
	slices.SortFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})
	return order
}

// Fits reports whether nodes, rack by rack, have the GPUs for a job within its limits, memory apart.
func Fits(in *instance.Instance, j instance.JobID, nodes []instance.NodeID) bool {
	job := &in.Jobs[j]
	within, all := 0, 0 // GPUs in the current place, and the most in any place
	for n, id := range nodes {
		node := &in.Nodes[id]
		if n > 0 && (job.Within == instance.WithinNode || job.Within == instance.WithinRack && node.Rack != in.Nodes[nodes[n-1]].Rack) {
			within = 0
		}
		if job.Runs(node.Type) {
			within += node.GPUs
		}
		all = max(all, within)
	}
	return all >= job.Workers
}

// Pick returns the elements of a list at some positions.
func Pick[T any, N ~int | ~int32](list []T, at []N) []T {
	some := make([]T, len(at))
	for n, i := range at {
		some[n] = list[i]
	}
	return some
}
