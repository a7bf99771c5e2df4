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

// common is what both cross.
func (c crossings) common(o crossings) (both crossings) {
	for _, u := range c {
		if u.Times = min(u.Times, o.of(u.Link)); u.Times > 0 {
			both = append(both, u)
		}
	}
	return both
}

// plus is c and a number of times o.
func (c crossings) plus(o crossings, times int) crossings {
	sum := slices.Clone(c)
	for _, u := range o {
		if i := slices.IndexFunc(sum, func(s instance.LinkUse) bool { return s.Link == u.Link }); i >= 0 {
			sum[i].Times += times * u.Times
		} else {
			sum = append(sum, instance.LinkUse{Link: u.Link, Times: times * u.Times})
		}
	}
	return sum
}

// passWaypoints finds what all routes of a policy have in common, for every policy of a job, as a firewall's link: a
// ring through q nodes crosses it at least q times. It also lists the links between switches that rings cross.
func (n *Network) passWaypoints(in *instance.Instance) {
	n.passed = make([]crossings, 1+len(in.Policies))
	known := make([]bool, len(n.passed))
	for j := range in.Jobs {
		if policy := in.Jobs[j].Policy; policy > 0 && !known[policy] {
			n.passed[policy], known[policy] = common(in, policy), true
		}
	}
	crossed := make([]bool, len(in.Links))
	mark := func(c crossings) {
		for _, u := range c {
			crossed[u.Link] = true
		}
	}
	for _, passed := range n.passed {
		mark(passed)
	}
	for _, rings := range n.rings {
		for _, r := range rings {
			mark(r.passed)
		}
	}
	for l, some := range crossed {
		if link := &in.Links[l]; some {
			n.waypoints = append(n.waypoints, LinkClass{"waypoint", l, 1, in.Rate(link.Capacity), fmt.Sprintf("l%d", l), "the link " + link.Name})
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
			if all = all.common(hop); len(all) == 0 {
				return nil
			}
		}
	}
	return all
}
