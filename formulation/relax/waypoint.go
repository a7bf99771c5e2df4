package relax

import (
	"fmt"
	"maps"
	"slices"

	"jigsaw/formulation/instance"
)

// crossings are links, and how often a hop of a ring crosses each: what is between two racks, or nodes of one.
type crossings map[instance.LinkID]int

// hopOf are the crossings of the route between two racks that a policy permits; 0: none. ok is false if there is none.
func hopOf(in *instance.Instance, policy, from, to int) (hop crossings, ok bool) {
	if policy == 0 {
		return nil, true
	}
	links, ok := in.PolicyRoute(policy, from, to)
	hop = crossings{}
	for _, l := range links {
		hop[l]++
	}
	return hop, ok
}

// slowest is the fastest that a ring with that many hops, each with at least these crossings, can be: a ring that
// crosses a link m times has an m-th of its speed.
func (c crossings) slowest(in *instance.Instance, hops int) instance.Rate {
	slowest := Unlimited
	for l, times := range c {
		slowest = min(slowest, in.Rate(in.Links[l].Capacity/instance.BitRate(hops*times)))
	}
	return slowest
}

// passWaypoints finds what all routes of a policy have in common, for every policy of a job, as a firewall's link: a
// ring through q nodes crosses it at least q times.
func (n *Network) passWaypoints(in *instance.Instance) {
	n.passed = map[int]crossings{}
	links := map[instance.LinkID]bool{}
	for j := range in.Jobs {
		policy := in.Jobs[j].Policy
		if _, known := n.passed[policy]; known || policy == 0 {
			continue
		}
		n.passed[policy] = common(in, policy)
		for l := range n.passed[policy] {
			links[l] = true
		}
	}
	for _, l := range slices.Sorted(maps.Keys(links)) {
		n.waypoints = append(n.waypoints, LinkClass{"waypoint", int(l), 1, in.Capacity(l), fmt.Sprintf("l%d", l), "the link " + in.Links[l].Name})
	}
}

// common is what all routes that obey a policy cross.
func common(in *instance.Instance, policy int) (all crossings) {
	for a := range in.Racks {
		for b := range in.Racks {
			hop, ok := hopOf(in, policy, a, b)
			switch {
			case !ok, a == b && len(in.Racks[a].Nodes) < 2:
			case all == nil:
				all = hop
			default:
				maps.DeleteFunc(all, func(l instance.LinkID, _ int) bool { return hop[l] == 0 })
				for l := range all {
					all[l] = min(all[l], hop[l])
				}
			}
			if all != nil && len(all) == 0 {
				return nil
			}
		}
	}
	return all
}
