package heuristics

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// placeSearchBudget bounds the backtracking of placeSearch, in single workers
// put somewhere.
const placeSearchBudget = 100_000

// placeSearch looks for any residency that meets rules 1 and 7 by
// backtracking over workers, hardest job first, each pinned to one depth. It
// ignores load. nil means it found none within its budget.
func placeSearch(in *instance.Instance, how placing) *placement {
	s := placeSearcher{placer: newPlacer(in, how), budget: placeSearchBudget}
	total := 0
	for j := range in.Jobs {
		total += in.Jobs[j].Workers
	}
	if total > placeSearchBudget/10 {
		return nil // a hopeless depth of recursion
	}
	s.order = s.byMemory()
	for j := range in.Jobs {
		var depths []int
		for d := in.Jobs[j].Full(); d >= 0; d-- {
			for range how.counts[j][d] {
				depths = append(depths, d)
			}
		}
		s.depths = append(s.depths, depths)
	}
	s.taken = make([][]instance.GPUID, len(in.Jobs))
	if !s.walk(0, 0) {
		return nil
	}
	for _, j := range s.order {
		gpus, limit := s.taken[j], s.depths[j]
		index := make([]int, len(gpus))
		for n := range index {
			index[n] = n
		}
		slices.SortFunc(index, func(a, b int) int { return cmp.Compare(gpus[a], gpus[b]) })
		for _, n := range index {
			s.out.gpus[j] = append(s.out.gpus[j], gpus[n])
			s.out.limit[j] = append(s.out.limit[j], limit[n])
		}
		s.out.span[j], _ = in.Span(s.out.gpus[j])
	}
	return s.out
}

type placeSearcher struct {
	*placer
	order  []instance.JobID
	depths [][]int            // per job, deepest first
	taken  [][]instance.GPUID // per job, parallel to depths
	budget int
}

// walk places worker n of the i-th job in order, and all after it.
func (s *placeSearcher) walk(i, n int) bool {
	if i == len(s.order) {
		return true
	}
	j := s.order[i]
	if n == len(s.depths[j]) {
		if len(s.taken[j]) > 1 {
			gpus := slices.Clone(s.taken[j])
			slices.Sort(gpus)
			if _, ok := s.in.Span(gpus); !ok {
				return false
			}
		}
		return s.walk(i+1, 0)
	}
	job, d := &s.in.Jobs[j], s.depths[j][n]
	from := instance.GPUID(0)
	if n > 0 && s.depths[j][n-1] == d {
		from = s.taken[j][n-1] + 1 // equal workers in ascending order
	}
	type state struct {
		node                  instance.NodeID
		persistent, ephemeral instance.Bytes
	}
	var tried []state
	for g := from; int(g) < len(s.in.GPUs); g++ {
		node := s.in.GPUs[g].Node
		t := s.in.GPUs[g].Type
		if !job.Runs(t) || s.room(j, g, d) < 0 || !s.within(j, node) || slices.Contains(s.taken[j], g) {
			continue
		}
		// GPUs of one node in the same state are interchangeable.
		now := state{node, s.persistent[g], s.ephemeral[g]}
		if slices.Contains(tried, now) {
			continue
		}
		tried = append(tried, now)
		if s.budget--; s.budget < 0 {
			return false
		}
		s.persistent[g] += job.On[t].Persistent
		s.ephemeral[g] = max(s.ephemeral[g], job.On[t].Ephemeral[d])
		s.taken[j] = append(s.taken[j], g)
		if s.walk(i, n+1) {
			return true
		}
		s.taken[j] = s.taken[j][:n]
		s.persistent[g], s.ephemeral[g] = now.persistent, now.ephemeral
	}
	return false
}

// within reports whether a further worker of job j may live on the node.
func (s *placeSearcher) within(j instance.JobID, node instance.NodeID) bool {
	if len(s.taken[j]) == 0 {
		return true
	}
	first := s.in.GPUs[s.taken[j][0]].Node
	switch s.in.Jobs[j].Within {
	case instance.WithinNode:
		return node == first
	case instance.WithinRack:
		return s.in.Nodes[node].Rack == s.in.Nodes[first].Rack
	}
	return true
}
