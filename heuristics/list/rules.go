package list

import (
	"math/bits"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Rule is a priority rule of list scheduling.
type Rule int

// The rules.
const (
	LongestChain  Rule = iota // longest remaining chain first
	mostWork                  // most remaining GPU-ticks first
	SmithArea                 // least GPU-ticks per weight first (WSPT)
	SmithChain                // shortest chain per weight first (WSPT)
	SmithLeft                 // shortest remaining chain per weight first
	earliestDue               // earliest deadline first, then shortest chain per weight
	leastSlack                // least slack to the deadline first, then longest chain
	inOrder                   // earliest release first
	EvenProgress              // smallest finished fraction first
	CriticalRatio             // remaining chain and the load of its busiest GPU
)

// Measures are the quantities that the rules use, per job, given placement and
// multisets.
type Measures struct {
	chain []int64 // ticks of an iteration that never waits
	area  []int64 // GPU-ticks of an iteration
	load  []int64 // ticks of all tasks on the job's busiest GPU
	// network: a link synchronises for longer than any GPU is busy.
	network bool
}

// Measure computes the measures of all jobs.
func Measure(in *instance.Instance, where *placement.Placement, counts [][]int) *Measures {
	m := &Measures{chain: make([]int64, len(in.Jobs)), area: make([]int64, len(in.Jobs)), load: make([]int64, len(in.Jobs))}
	load, links := make([]int64, len(in.GPUs)), make([]int64, len(in.Links))
	gpu, link := int64(0), int64(0) // the busiest
	for j := range in.Jobs {
		job := &in.Jobs[j]
		longest := instance.Tick(0)
		for _, g := range where.GPUs[j] {
			t := in.GPUs[g].Type
			longest = max(longest, job.On[t].Time[job.Full()])
			mean := int64(state.MeanTime(job, t, counts[j]))
			m.area[j] += mean
			load[g] += mean * int64(job.Iterations)
			gpu = max(gpu, load[g])
		}
		sync := state.FullSync(in, job, counts[j], &where.Span[j])
		m.chain[j] = int64(longest + sync)
		for _, u := range where.Span[j].Uses {
			links[u.Link] += int64(job.Iterations) * int64(sync)
			link = max(link, links[u.Link])
		}
	}
	m.network = link > gpu
	for j := range in.Jobs {
		for _, g := range where.GPUs[j] {
			m.load[j] = max(m.load[j], load[g])
		}
	}
	return m
}

// Keys returns the priority keys of a rule; see [Decision].
func (m *Measures) Keys(in *instance.Instance, r Rule) (base, slope []int64) {
	n := len(in.Jobs)
	base, slope = make([]int64, n), make([]int64, n)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		total := int64(job.Iterations)
		switch r {
		case LongestChain:
			base[j], slope[j] = -total*m.chain[j], m.chain[j]
		case mostWork:
			base[j], slope[j] = -total*m.area[j], m.area[j]
		case CriticalRatio:
			// A job on a busy GPU has less room to wait.
			base[j], slope[j] = -total*m.chain[j]-m.load[j], m.chain[j]
		case leastSlack:
			base[j], slope[j] = noDeadline-total*m.chain[j], m.chain[j]
			if job.Deadline > 0 {
				base[j] = int64(job.Deadline) - total*m.chain[j]
			}
		case inOrder:
			base[j] = int64(job.Release)
		case EvenProgress:
			slope[j] = (1 << 40) / max(1, total) // 0: it only holds memory
		}
	}
	switch r {
	case SmithArea:
		state.RankByWeight(base, in, func(j int) int64 { return int64(in.Jobs[j].Iterations) * m.area[j] })
	case SmithChain:
		state.RankByWeight(base, in, func(j int) int64 { return int64(in.Jobs[j].Iterations) * m.chain[j] })
	case SmithLeft:
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
		state.RankByWeight(base, in, func(j int) int64 { return int64(in.Jobs[j].Iterations) * m.chain[j] })
		order := state.OrderBy(n, func(j instance.JobID) int64 {
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
