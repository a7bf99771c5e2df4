package placement

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// PutPinned places job j with one depth per GPU for good, deepest first, in
// the smallest domain that has the memory.
func (p *Placer) PutPinned(j instance.JobID) bool {
	job := &p.in.Jobs[j]
	p.Reach = p.reach.For(job)
	var depths []int // deepest first
	for d := job.Full(); d >= 0; d-- {
		for range p.how.Counts[j][d] {
			depths = append(depths, d)
		}
	}
	try := func(nodes []instance.NodeID, component int) bool {
		var pool []instance.GPUID
		for _, n := range nodes {
			if c := p.component[n]; component == anyNode || c >= 0 && (component < 0 || c == component) {
				pool = append(pool, p.fitting[n]...)
			}
		}
		if len(pool) < len(depths) {
			return false
		}
		p.sortByCost(pool)
		// What is room for a depth is room for every shallower one, so taking
		// any GPU for the deepest depth first loses nothing.
		type pinned struct {
			g instance.GPUID
			d int
		}
		var chosen []pinned
		taken := make([]bool, len(pool))
		for _, d := range depths {
			found := false
			for i, g := range pool {
				if !taken[i] && p.Room(j, g, d) >= 0 {
					taken[i], found = true, true
					chosen = append(chosen, pinned{g, d})
					break
				}
			}
			if !found {
				return false
			}
		}
		slices.SortFunc(chosen, func(a, b pinned) int { return cmp.Compare(a.g, b.g) })
		gpus, limit := make([]instance.GPUID, len(chosen)), make([]int, len(chosen))
		for n, c := range chosen {
			gpus[n], limit[n] = c.g, c.d
		}
		span, ok := p.in.SpanOf(&p.in.Jobs[j], gpus)
		if ok {
			p.Settle(j, gpus, limit, span)
		}
		return ok
	}
	p.Collect(j, func(g instance.GPUID) bool { return p.Room(j, g, 0) >= 0 })
	for n := range p.in.Nodes {
		if len(p.fitting[n]) >= len(depths) && try([]instance.NodeID{instance.NodeID(n)}, anyNode) {
			return true
		}
	}
	if job.Within == instance.WithinNode || job.Workers == 1 {
		return false
	}
	for r := range p.in.Racks {
		if p.in.Racks[r].GPUs >= len(depths) && try(p.in.Racks[r].Nodes, -1) {
			return true
		}
	}
	if job.Within == instance.WithinRack {
		return false
	}
	all := make([]instance.NodeID, len(p.in.Nodes))
	for n := range all {
		all[n] = instance.NodeID(n)
	}
	for c := range p.components {
		if try(all, c) {
			return true
		}
	}
	return false
}
