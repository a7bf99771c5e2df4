package relax

import (
	"fmt"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

const (
	// mostRingRacks is the largest number of racks whose sets are all looked at.
	mostRingRacks = 10
	// mostSpreads is the largest number of modes of one class that differ in their racks.
	mostSpreads = 12
)

// ring is what rings through several racks have in common. A ring enters and leaves each of its racks once, in ascending order,
// whichever nodes it visits there, so that its racks determine what it crosses between switches.
type ring struct {
	racks  uint          // all that it may pass, as bits
	least  int           // number of racks that it passes
	nodes  int           // and of nodes
	passed crossings     // links between switches that it crosses
	speed  instance.Rate // the fastest that it can be
	exact  bool          // and, where network cards are as fast, is
}

// ringsOf returns, by policy of a job, the ring through each set of racks that have routes; nil where rings cross only uplinks,
// or if there are too many racks.
func ringsOf(in *instance.Instance) (rings [][]ring) {
	racks := len(in.Racks)
	if racks > mostRingRacks || !in.Switched() {
		return nil
	}
	hops := make([][][]instance.LinkID, 1+len(in.Policies)) // by policy, and by racks from and to
	in.Routes(func(policy, from, to int, links []instance.LinkID) {
		if hops[policy] == nil {
			hops[policy] = make([][]instance.LinkID, racks*racks)
		}
		hops[policy][from*racks+to] = slices.Clone(links)
	})
	rings = make([][]ring, len(hops))
	for policy, hop := range hops {
		for set := uint(0); hop != nil && set < 1<<racks; set++ {
			if links, ok := ringThrough(set, racks, hop); ok {
				passed := crossings(instance.CountLinks(links))
				rings[policy] = append(rings[policy], ring{set, bits.OnesCount(set), bits.OnesCount(set), passed, passed.slowest(in, 1), policy == 0})
			}
		}
	}
	return rings
}

// ringThrough returns the links of the hops between the racks of a set; ok is false for less than two racks, and if there is no route.
func ringThrough(set uint, racks int, hops [][]instance.LinkID) (links []instance.LinkID, ok bool) {
	if bits.OnesCount(set) < 2 {
		return nil, false
	}
	first := bits.TrailingZeros(set)
	for from := first; ; {
		to := first
		if later := set >> (from + 1); later != 0 {
			to = from + 1 + bits.TrailingZeros(later)
		}
		route := hops[from*racks+to]
		if route == nil {
			return nil, false
		}
		links = append(links, route...)
		if from = to; to == first {
			return links, true
		}
	}
}

// with is what both rings have in common.
func (r ring) with(o ring) ring {
	return ring{r.racks | o.racks, min(r.least, o.least), min(r.nodes, o.nodes), r.passed.common(o.passed), max(r.speed, o.speed), r.exact && o.exact && r.speed == o.speed}
}

// rings lists the rings through several racks that a class may have, given the GPUs that it may use in each rack: one for each set of
// classes of racks or, if these are too many, one for all; nil if they are not known.
func (l *modeList) rings(gpus []int) (list []ring) {
	n := l.m.Network
	if n.rings == nil {
		return nil
	}
	list = []ring{}
	at := map[uint]int{} // in the list, by classes of racks
	for _, r := range n.rings[l.d.Job.Policy] {
		room, classes := 0, uint(0)
		for left := r.racks; left != 0; left &= left - 1 {
			rack := bits.TrailingZeros(left)
			if classes |= 1 << n.rackClass(rack); gpus[rack] == 0 {
				room = 0 // it has no node there
				break
			}
			room += gpus[rack]
		}
		if room < l.d.Job.Workers || r.least > l.d.Job.Workers {
			continue
		}
		if r = l.within(r, gpus, room); r.speed == 0 {
			continue
		}
		if i, known := at[classes]; known {
			list[i] = list[i].with(r)
		} else {
			at[classes] = len(list)
			list = append(list, r)
		}
	}
	if len(list) > mostSpreads {
		for _, r := range list[1:] {
			list[0] = list[0].with(r)
		}
		list = list[:1]
	}
	return list
}

// within adds the hops between nodes of one rack, which routes of a policy leave: as many as the workers need that the other
// racks have no room for. In all racks of the ring there is room for so many GPUs.
func (l *modeList) within(r ring, gpus []int, room int) ring {
	j, in := l.d.Job, l.m.Instance
	if j.Policy == 0 {
		return r
	}
	for left := r.racks; left != 0; left &= left - 1 {
		rack := bits.TrailingZeros(left)
		var nodes []group
		for _, p := range l.wired(l.m.Network.rackClass(rack)) {
			nodes = append(nodes, group{l.m.Network.Pools[p].GPUs, l.m.Network.Pools[p].PerRack})
		}
		need := j.Workers - (room - gpus[rack])
		if q, _ := fewest(need, nodes); need > 0 && !slices.ContainsFunc(nodes, func(g group) bool { return g.size >= need }) {
			hop, ok := hopOf(in, j.Policy, rack, rack)
			if !ok {
				return ring{}
			}
			r.passed = r.passed.plus(hop, q-1)
			r.speed = r.passed.slowest(in, 1)
			r.nodes += q - 1
		}
	}
	return r
}

// rackClass is the class of a rack.
func (n *Network) rackClass(rack int) int {
	return slices.IndexFunc(n.Racks, func(c RackClass) bool { return slices.Contains(c.Racks, rack) })
}

// in reports whether the ring may pass a rack of a class.
func (r ring) in(c *RackClass) bool {
	return slices.ContainsFunc(c.Racks, func(rack int) bool { return r.racks>>rack&1 == 1 })
}

// name of the mode of a ring, one of several.
func (r ring) name(n *Network) (name string) {
	for c := range n.Racks {
		if r.in(&n.Racks[c]) {
			name += fmt.Sprintf(".k%d", c)
		}
	}
	return name
}
