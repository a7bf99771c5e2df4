package replay

import "slices"

// slot is a part of a group's GPUs: a number of them on one node.
type slot struct{ node, gpus int }

// placer tracks which GPUs of the cluster are free.
type placer struct {
	cluster *Cluster
	free    []int // by node
	total   []int // free GPUs by type
	largest []int // GPUs of the largest node by type
	// claim counts, by node, the GPUs of groups that are still to be placed and
	// would stay where they are: others avoid them.
	claim []int
}

func newPlacer(c *Cluster) *placer {
	p := &placer{cluster: c, free: make([]int, len(c.Nodes)), claim: make([]int, len(c.Nodes)), largest: make([]int, len(c.Types))}
	for _, node := range c.Nodes {
		p.largest[node.Type] = max(p.largest[node.Type], node.GPUs)
	}
	p.clear()
	return p
}

// clear frees all GPUs.
func (p *placer) clear() {
	p.total = p.cluster.GPUs()
	for i, node := range p.cluster.Nodes {
		p.free[i] = node.GPUs
	}
}

func (p *placer) take(place []slot) {
	for _, s := range place {
		p.free[s.node] -= s.gpus
		p.total[p.cluster.Nodes[s.node].Type] -= s.gpus
	}
}

func (p *placer) release(place []slot) {
	for _, s := range place {
		p.free[s.node] += s.gpus
		p.total[p.cluster.Nodes[s.node].Type] += s.gpus
	}
}

// claims adds sign x the GPUs of a place to the claims.
func (p *placer) claims(place []slot, sign int) {
	for _, s := range place {
		p.claim[s.node] += sign * s.gpus
	}
}

// fits reports whether the whole place is free.
func (p *placer) fits(place []slot) bool {
	return !slices.ContainsFunc(place, func(s slot) bool { return p.free[s.node] < s.gpus })
}

// find returns where a group of this number of GPUs of a type may live now, or
// nil.
func (p *placer) find(gpus, kind int) []slot {
	if gpus > p.total[kind] {
		return nil
	}
	if gpus <= p.largest[kind] {
		if n := p.node(gpus, kind, nil); n >= 0 {
			return []slot{{n, gpus}}
		}
		return nil
	}
	// Whole nodes, unclaimed ones first, and one part of a node.
	var place []slot
	for _, claimed := range []bool{false, true} {
		for n, node := range p.cluster.Nodes {
			if node.Type == kind && node.GPUs == p.largest[kind] && p.free[n] == node.GPUs && (p.claim[n] > 0) == claimed && gpus >= node.GPUs {
				place = append(place, slot{n, node.GPUs})
				gpus -= node.GPUs
			}
		}
	}
	if gpus == 0 {
		return place
	}
	if gpus < p.largest[kind] {
		if n := p.node(gpus, kind, place); n >= 0 {
			return append(place, slot{n, gpus})
		}
	}
	return nil
}

// node returns the node with room for this number of GPUs where they disturb
// least: fewest claimed GPUs, then fewest left free. -1: none.
func (p *placer) node(gpus, kind int, without []slot) int {
	best, bestClaimed, bestFree := -1, 0, 0
	for n, free := range p.free {
		if free < gpus || p.cluster.Nodes[n].Type != kind {
			continue
		}
		claimed := max(0, gpus-(free-p.claim[n]))
		if best >= 0 && (claimed > bestClaimed || claimed == bestClaimed && free >= bestFree) {
			continue
		}
		if slices.ContainsFunc(without, func(s slot) bool { return s.node == n }) {
			continue
		}
		best, bestClaimed, bestFree = n, claimed, free
	}
	return best
}
