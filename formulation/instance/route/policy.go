package route

import (
	"math/bits"
	"slices"
)

// Policy is an automaton that reads the switches and trunks of a route, and remembers as bits of its state which of the labels it
// must or should pass it has met: the first preference is the highest bit.
type Policy struct {
	// Must are the bits of the labels that a route has to pass.
	Must int
	// OnSwitch and OnTrunk are the bits of each switch and trunk.
	OnSwitch, OnTrunk []int
	// AvoidSwitch and AvoidTrunk are switches and trunks that no route has.
	AvoidSwitch, AvoidTrunk []bool
}

// Visit is a switch reached in a state.
type Visit struct {
	Switch, State int
	from          int // index of the visit before; -1: the first
	by            int // trunk; -1: the first
	links         int // of the route so far
}

// obeying holds, for every two racks, the route that obeys a policy.
type obeying struct {
	racks int
	links [][]Link // by rack x racks + rack
	found []bool
	cut   string // for the first two racks without a route
}

// Add searches the routes of a policy, from the switch of every rack: trunks are those of [New]. Of the routes that pass what they must,
// the one of fewest links is taken, of these the most preferred. cut is asked once why there is no route between two switches, given
// the visits from the first.
func (t *Table) Add(p *Policy, trunks []Trunk, cut func(from, to int, visits []Visit) string) {
	racks, out := len(t.leaf), make([][]int, len(p.OnSwitch))
	for i, l := range trunks {
		out[l.From] = append(out[l.From], i)
	}
	o := obeying{racks: racks, links: make([][]Link, racks*racks), found: make([]bool, racks*racks)}
	best := make([]int, len(out)) // by switch: the visit with which a route ends there
	for from := range t.leaf {
		visits := p.search(t.leaf[from], out, trunks)
		for s := range best {
			best[s] = -1
		}
		for n, v := range visits {
			if v.State&p.Must != p.Must {
				continue
			}
			if b := best[v.Switch]; b < 0 || visits[b].links == v.links && v.State > visits[b].State {
				best[v.Switch] = n
			}
		}
		for to := range t.leaf {
			n := best[t.leaf[to]]
			if n < 0 {
				if o.cut == "" {
					o.cut = cut(t.leaf[from], t.leaf[to], visits)
				}
				continue
			}
			at := from*racks + to
			o.found[at] = true
			for ; visits[n].by >= 0; n = visits[n].from {
				o.links[at] = append(o.links[at], trunks[visits[n].by].Link)
			}
			slices.Reverse(o.links[at])
		}
	}
	t.policies = append(t.policies, o)
}

// search goes breadth-first over the pairs of switch and state from a switch: each is
// reached by the fewest links, and of these ways by the first in order of declaration.
func (p *Policy) search(start int, out [][]int, trunks []Trunk) []Visit {
	if p.AvoidSwitch[start] {
		return nil
	}
	states := 1 + p.most()
	reached := make([]bool, len(out)*states)
	enter := func(s, state int) bool {
		if reached[s*states+state] {
			return false
		}
		reached[s*states+state] = true
		return true
	}
	enter(start, p.OnSwitch[start])
	visits := []Visit{{start, p.OnSwitch[start], -1, -1, 0}}
	for n := 0; n < len(visits); n++ {
		v := visits[n]
		for _, l := range out[v.Switch] {
			to := trunks[l].To
			if p.AvoidTrunk[l] || p.AvoidSwitch[to] {
				continue
			}
			if state := v.State | p.OnTrunk[l] | p.OnSwitch[to]; enter(to, state) {
				visits = append(visits, Visit{to, state, n, l, v.links + 1})
			}
		}
	}
	return visits
}

// most is the greatest state.
func (p *Policy) most() int {
	all := p.Must
	for _, b := range slices.Concat(p.OnSwitch, p.OnTrunk) {
		all |= b
	}
	return 1<<bits.Len(uint(all)) - 1
}

// route is that from rack a to rack b.
func (o *obeying) route(a, b int) ([]Link, bool) {
	at := a*o.racks + b
	return o.links[at], o.found[at]
}

// part has the routes between some of the racks, with links numbered anew: none where one of
// its links is in other hands.
func (o *obeying) part(racks []int, anew func(Link) Link) obeying {
	part := obeying{racks: len(racks), cut: o.cut}
	for _, a := range racks {
		for _, b := range racks {
			links, found := o.route(a, b)
			var renumbered []Link
			for _, l := range links {
				renumbered = append(renumbered, anew(l))
			}
			found = found && !slices.Contains(renumbered, None)
			if !found {
				renumbered = nil
			}
			part.links, part.found = append(part.links, renumbered), append(part.found, found)
		}
	}
	return part
}

// joined is [Table.Joined]: routes that obey a policy go on to one that obeys it, so that racks with routes both ways form groups.
func (o *obeying) joined() []int {
	groups := make([]int, o.racks)
	for a := range groups {
		groups[a] = -1
		if _, ok := o.route(a, a); !ok {
			continue
		}
		groups[a] = a
		for b := range a {
			_, there := o.route(a, b)
			if _, back := o.route(b, a); there && back && groups[b] >= 0 {
				groups[a] = groups[b]
				break
			}
		}
	}
	return groups
}
