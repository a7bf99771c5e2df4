package heuristics

import (
	"cmp"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// rule is a priority rule of list scheduling.
type rule int

const (
	longestChain  rule = iota // longest remaining chain first
	mostWork                  // most remaining GPU-ticks first
	smithArea                 // least GPU-ticks per weight first (WSPT)
	smithChain                // shortest chain per weight first (WSPT)
	smithLeft                 // shortest remaining chain per weight first
	earliestDue               // earliest deadline first, then shortest chain per weight
	leastSlack                // least slack to the deadline first, then longest chain
	inOrder                   // earliest release first
	evenProgress              // least finished part first
	criticalRatio             // remaining chain and the load of its busiest GPU
)

// measures are what the rules look at, per job, given placement and multisets.
type measures struct {
	chain []int64 // ticks of an iteration that waits for nothing
	area  []int64 // GPU-ticks of an iteration
	load  []int64 // ticks of all tasks on the job's busiest GPU
}

func measure(in *instance.Instance, where *placement, counts [][]int) *measures {
	m := &measures{make([]int64, len(in.Jobs)), make([]int64, len(in.Jobs)), make([]int64, len(in.Jobs))}
	load := make([]int64, len(in.GPUs))
	for j := range in.Jobs {
		job := &in.Jobs[j]
		longest := instance.Tick(0)
		for _, g := range where.gpus[j] {
			t := in.GPUs[g].Type
			longest = max(longest, job.On[t].Time[job.Full()])
			mean := int64(meanTime(job, t, counts[j]))
			m.area[j] += mean
			load[g] += mean * int64(job.Iterations)
		}
		m.chain[j] = int64(longest)
		if job.HasSync() {
			span := where.span[j]
			m.chain[j] += int64(in.SyncTicks(job.Volume(counts[j], span.Parties), span.Rate(in.RateLevels[0])))
		}
	}
	for j := range in.Jobs {
		for _, g := range where.gpus[j] {
			m.load[j] = max(m.load[j], load[g])
		}
	}
	return m
}

// keys returns the priority keys of a rule; see decision.
func (m *measures) keys(in *instance.Instance, r rule) (base, slope []int64) {
	n := len(in.Jobs)
	base, slope = make([]int64, n), make([]int64, n)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		total := int64(job.Iterations)
		switch r {
		case longestChain:
			base[j], slope[j] = -total*m.chain[j], m.chain[j]
		case mostWork:
			base[j], slope[j] = -total*m.area[j], m.area[j]
		case criticalRatio:
			// A job on a busy GPU has less room to wait.
			base[j], slope[j] = -total*m.chain[j]-m.load[j], m.chain[j]
		case leastSlack:
			base[j], slope[j] = noDeadline-total*m.chain[j], m.chain[j]
			if job.Deadline > 0 {
				base[j] = int64(job.Deadline) - total*m.chain[j]
			}
		case inOrder:
			base[j] = int64(job.Release)
		case evenProgress:
			slope[j] = (1 << 40) / total
		}
	}
	switch r {
	case smithArea:
		rank(base, in, func(j int) int64 { return int64(in.Jobs[j].Iterations) * m.area[j] })
	case smithChain:
		rank(base, in, func(j int) int64 { return int64(in.Jobs[j].Iterations) * m.chain[j] })
	case smithLeft:
		// chain/weight in fixed point with as many bits as fit.
		most := int64(1)
		for j := range in.Jobs {
			most = max(most, int64(in.Jobs[j].Iterations)*m.chain[j])
		}
		shift := max(0, 61-bits.Len64(uint64(most)))
		for j := range in.Jobs {
			unit := (m.chain[j] << shift) / in.Jobs[j].Weight
			base[j], slope[j] = int64(in.Jobs[j].Iterations)*unit, -unit
		}
	case earliestDue:
		rank(base, in, func(j int) int64 { return int64(in.Jobs[j].Iterations) * m.chain[j] })
		order := orderBy(n, func(j instance.JobID) int64 {
			if d := in.Jobs[j].Deadline; d > 0 {
				return int64(d)
			}
			return noDeadline
		})
		place := make([]int64, n)
		for at, j := range order {
			place[j] = int64(at)
			if in.Jobs[j].Deadline == 0 {
				place[j] = int64(n)
			}
		}
		for j := range base {
			base[j] += place[j] * int64(n)
		}
	}
	return base, slope
}

// noDeadline sorts after all deadlines, which are below 2^40.
const noDeadline = int64(1) << 61

// rank fills base with the places of the jobs by ascending amount per weight.
func rank(base []int64, in *instance.Instance, amount func(int) int64) {
	order := make([]int, len(base))
	amounts := make([]int64, len(base))
	for j := range order {
		order[j], amounts[j] = j, amount(j)
	}
	slices.SortFunc(order, func(a, b int) int {
		// amount(a)/weight(a) against amount(b)/weight(b), without division.
		aHi, aLo := bits.Mul64(uint64(amounts[a]), uint64(in.Jobs[b].Weight))
		bHi, bLo := bits.Mul64(uint64(amounts[b]), uint64(in.Jobs[a].Weight))
		return cmp.Or(cmp.Compare(aHi, bHi), cmp.Compare(aLo, bLo), cmp.Compare(a, b))
	})
	for at, j := range order {
		base[j] = int64(at)
	}
}
