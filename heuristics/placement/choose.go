package placement

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Price sets the cost of every GPU for job j.
func (p *Placer) Price(j instance.JobID) {
	job := &p.in.Jobs[j]
	own := make([]int64, len(p.in.Types)) // load that the job adds
	for t := range own {
		if job.Runs(instance.TypeID(t)) {
			own[t] = p.iterations[j] * int64(p.work(j, instance.TypeID(t)))
		}
	}
	for g := range p.cost {
		t := p.in.GPUs[g].Type
		if !job.Runs(t) {
			continue
		}
		p.cost[g] = int64(p.Load[g]) + own[t]
		if p.how.Noise != nil {
			p.cost[g] += p.how.Noise.Int64N(2 + p.cost[g]/4)
		}
	}
}

// Collect collects, for every node, the GPUs that are fit for job j by
// ascending cost.
func (p *Placer) Collect(j instance.JobID, fit func(instance.GPUID) bool) {
	job := &p.in.Jobs[j]
	for n := range p.in.Nodes {
		node := &p.in.Nodes[n]
		list := p.fitting[n][:0]
		if job.Runs(node.Type) {
			for g := range node.All() {
				if p.in.MayLive(j, g) && fit(g) {
					list = append(list, g)
				}
			}
			if len(list) > 1 {
				p.sortByCost(list)
			}
		}
		p.fitting[n] = list
	}
}

func (p *Placer) sortByCost(list []instance.GPUID) {
	slices.SortFunc(list, func(a, b instance.GPUID) int {
		return cmp.Or(cmp.Compare(p.cost[a], p.cost[b]), cmp.Compare(a, b))
	})
}

// choose picks the best of a few candidates: the cheapest node, the cheapest
// rack, over all that can reach each other whole nodes and single GPUs, and whole nodes of racks with the fastest routes between them.
func (p *Placer) choose(j instance.JobID) (gpus []instance.GPUID, span instance.Span, ok bool) {
	job := &p.in.Jobs[j]
	p.Reach = p.reach.For(job)
	k := job.Workers
	best := choice{}
	consider := func(candidate []instance.GPUID) {
		if len(candidate) != k {
			return
		}
		slices.Sort(candidate)
		s, routed := p.in.SpanOf(job, candidate)
		if !routed {
			return
		}
		if score := p.score(j, candidate, s); best.gpus == nil || score < best.score {
			best = choice{candidate, s, score}
		}
	}

	node, nodeCost := -1, int64(0)
	for n := range p.in.Nodes {
		list := p.fitting[n]
		if len(list) < k || job.HasSync() && p.in.Links[p.in.Nodes[n].Fabric].Failed {
			continue
		}
		c := p.cost[list[k-1]]*int64(k) + p.cost[list[0]]
		if job.HasSync() {
			c += int64(p.Busy[p.in.Nodes[n].Fabric])
		}
		if node < 0 || c < nodeCost {
			node, nodeCost = n, c
		}
	}
	if node >= 0 {
		consider(slices.Clone(p.fitting[node][:k]))
	}
	if k == 1 || job.Within == instance.WithinNode {
		return best.gpus, best.span, best.gpus != nil
	}

	for n, list := range p.fitting {
		p.nodeCost[n] = 0
		for _, g := range list {
			p.nodeCost[n] += p.cost[g]
		}
		if len(list) > 0 {
			p.nodeCost[n] = max(p.nodeCost[n]/int64(len(list)), int64(p.Busy[p.in.Nodes[n].Up]))
		}
	}
	var rackBest []instance.GPUID
	rackCost := int64(0)
	for r := range p.in.Racks {
		if p.in.Racks[r].GPUs < k {
			continue
		}
		packed, c := p.packed(p.racks[r], k)
		if packed != nil && (rackBest == nil || c < rackCost) {
			rackBest, rackCost = packed, c
		}
	}
	if rackBest != nil {
		consider(rackBest)
	}
	for r := range p.in.Racks {
		// Least loaded single GPUs of the rack, if whole nodes leave none.
		if job.Within == instance.WithinRack && p.in.Racks[r].GPUs >= k {
			consider(p.spread(p.racks[r], k))
		}
	}
	if job.Within == instance.WithinRack {
		return best.gpus, best.span, best.gpus != nil
	}
	for _, nodes := range p.groups {
		packed, _ := p.packed(nodes, k)
		consider(packed)
		consider(p.spread(nodes, k))
	}
	for _, racks := range p.near {
		var nodes []instance.NodeID
		room := 0
		for _, r := range racks {
			nodes = append(nodes, p.racks[r]...)
			for _, n := range p.racks[r] {
				room += len(p.fitting[n])
			}
			if room >= k {
				break
			}
		}
		packed, _ := p.packed(nodes, k)
		consider(packed)
	}
	return best.gpus, best.span, best.gpus != nil
}

// packed takes k GPUs from the cheapest nodes, as many as possible of each. The
// cost is that of the most expensive GPU.
func (p *Placer) packed(nodes []instance.NodeID, k int) ([]instance.GPUID, int64) {
	order := make([]instance.NodeID, 0, len(nodes))
	total := 0
	for _, n := range nodes {
		if len(p.fitting[n]) > 0 {
			order = append(order, n)
			total += len(p.fitting[n])
		}
	}
	if total < k {
		return nil, 0
	}
	slices.SortFunc(order, func(a, b instance.NodeID) int {
		return cmp.Or(cmp.Compare(p.nodeCost[a], p.nodeCost[b]), cmp.Compare(a, b))
	})
	gpus := make([]instance.GPUID, 0, k)
	dearest := int64(0)
	for _, n := range order {
		list := p.fitting[n][:min(len(p.fitting[n]), k-len(gpus))]
		gpus = append(gpus, list...)
		dearest = max(dearest, p.cost[list[len(list)-1]])
		if len(gpus) == k {
			break
		}
	}
	return gpus, dearest
}

// spread takes the k cheapest GPUs anywhere.
func (p *Placer) spread(nodes []instance.NodeID, k int) []instance.GPUID {
	// A max-heap of the k cheapest so far.
	h := p.heap[:0]
	dearer := func(a, b instance.GPUID) bool {
		return p.cost[a] > p.cost[b] || p.cost[a] == p.cost[b] && a > b
	}
	for _, n := range nodes {
		for _, g := range p.fitting[n] {
			if len(h) == k {
				if !dearer(h[0], g) {
					break // the node's other GPUs cost more
				}
				h[0] = g
				state.SiftDown(h, 0, dearer)
				continue
			}
			state.Push(&h, g, dearer)
		}
	}
	p.heap = h
	if len(h) < k {
		return nil
	}
	return slices.Clone(h)
}

// score weighs the loads that job j would add to against its own chain, which
// is shorter if its GPUs are near each other. The weights are those that did
// best on random instances between the chain-bound and the area-bound.
func (p *Placer) score(j instance.JobID, gpus []instance.GPUID, span instance.Span) int64 {
	job := &p.in.Jobs[j]
	dearest, sum, longest := int64(0), int64(0), instance.Tick(0)
	for _, g := range gpus {
		dearest = max(dearest, p.cost[g])
		sum += p.cost[g]
		longest = max(longest, p.in.Jobs[j].On[p.in.GPUs[g].Type].Time[job.Full()])
	}
	sync := state.FullSync(p.in, job, p.how.Counts[j], &span)
	for _, u := range span.Uses {
		dearest = max(dearest, int64(p.Busy[u.Link])+p.iterations[j]*int64(share(p.in, sync, &span, u)))
	}
	chain := int64(job.Release) + p.iterations[j]*int64(longest+sync)
	if p.how.Scatter {
		return 4*dearest + sum/int64(len(gpus)) + chain
	}
	return 2*dearest + 2*sum/int64(len(gpus)) + 4*chain
}

// share returns the ticks for which a synchronisation of the given length would
// occupy the whole of a link.
func share(in *instance.Instance, sync instance.Tick, span *instance.Span, u instance.LinkUse) instance.Tick {
	rate := span.Rate(in.RateLevels[0])
	// Speeds are below 2^57; parts per 1024 keep the product in range.
	part := int64(rate) * int64(u.Times) / max(1, int64(in.Capacity(u.Link))/1024)
	return instance.Tick((int64(sync)*min(part, 1024) + 1023) / 1024)
}

// Take places job j on the best of the collected GPUs, with memory for every
// depth.
func (p *Placer) Take(j instance.JobID) bool {
	gpus, span, ok := p.choose(j)
	if ok {
		limit := make([]int, len(gpus))
		for n := range limit {
			limit[n] = p.in.Jobs[j].Full()
		}
		p.Settle(j, gpus, limit, span)
	}
	return ok
}
