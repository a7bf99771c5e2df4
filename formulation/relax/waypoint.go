package relax

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// crossings are links, and how often a hop of a ring crosses each: what is between two racks, or nodes of one.
type crossings []instance.LinkUse

// of is how often a hop crosses a link.
func (c crossings) of(l instance.LinkID) int {
	for _, u := range c {
		if u.Link == l {
			return u.Times
		}
	}
	return 0
}

// hopOf are the crossings of the route between two racks that a policy permits; 0: none. ok is false if there is none.
func hopOf(in *instance.Instance, policy, from, to int) (hop crossings, ok bool) {
	if policy == 0 {
		return nil, true
	}
	links, ok := in.PolicyRoute(policy, from, to)
	return instance.CountLinks(slices.Clone(links)), ok
}

// slowest is the fastest that a ring with that many hops, each with at least these crossings, can be: a ring that
// crosses a link m times has an m-th of its speed.
func (c crossings) slowest(in *instance.Instance, hops int) instance.Rate {
	slowest := Unlimited
	for _, u := range c {
		slowest = min(slowest, in.Rate(in.Links[u.Link].Capacity/instance.BitRate(hops*u.Times)))
	}
	return slowest
}

// passWaypoints finds what all routes of a policy have in common, for every policy of a job, as a firewall's link: a
// ring through q nodes crosses it at least q times.
func (n *Network) passWaypoints(in *instance.Instance) {
	n.passed = make([]crossings, 1+len(in.Policies))
	known := make([]bool, len(n.passed))
	for j := range in.Jobs {
		if policy := in.Jobs[j].Policy; policy > 0 && !known[policy] {
			n.passed[policy], known[policy] = common(in, policy), true
		}
	}
	for l := range in.Links {
		for _, passed := range n.passed {
			if link := &in.Links[l]; passed.of(instance.LinkID(l)) > 0 {
				n.waypoints = append(n.waypoints, LinkClass{"waypoint", l, 1, in.Rate(link.Capacity), fmt.Sprintf("l%d", l), "the link " + link.Name})
				break
			}
		}
	}
}

// common is what all routes that obey a policy cross.
func common(in *instance.Instance, policy int) (all crossings) {
	first := true
	for a := range in.Racks {
		for b := range in.Racks {
			hop, ok := hopOf(in, policy, a, b)
			if !ok || a == b && len(in.Racks[a].Nodes) < 2 {
				continue
			}
			if first {
				all, first = hop, false
			}
			kept := all[:0]
			for _, u := range all {
				if u.Times = min(u.Times, hop.of(u.Link)); u.Times > 0 {
					kept = append(kept, u)
				}
			}
			if all = kept; len(all) == 0 {
				return nil
			}
		}
	}
	return all
}
