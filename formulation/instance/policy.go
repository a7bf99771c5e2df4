package instance

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// policyRoutes holds, for every two racks, the route that obeys a policy.
type policyRoutes struct {
	racks int
	ways  [][]LinkID // by rack x racks + rack
	found []bool
	// cut says why there is no way between two racks, for the first such pair.
	cut string
}

// way is the route from rack a to rack b in order, or from a's switch back to it. It is empty
// where both nodes are under one switch and the switch alone obeys the policy.
func (p *policyRoutes) way(a, b int) ([]LinkID, bool) {
	at := a*p.racks + b
	return p.ways[at], p.found[at]
}

// part has the routes between some of the racks, with links numbered anew: none where one of
// its links is in other hands.
func (p *policyRoutes) part(racks []int, linkOf func(LinkID) LinkID) policyRoutes {
	q := policyRoutes{racks: len(racks), cut: p.cut}
	for _, a := range racks {
		for _, b := range racks {
			way, found := p.way(a, b)
			var renumbered []LinkID
			for _, l := range way {
				renumbered = append(renumbered, linkOf(l))
			}
			found = found && !slices.Contains(renumbered, noLink)
			if !found {
				renumbered = nil
			}
			q.ways, q.found = append(q.ways, renumbered), append(q.found, found)
		}
	}
	return q
}

// joined numbers the groups of racks with routes both ways, and -1 for a rack without a
// route to itself.
func (p *policyRoutes) joined() []int {
	groups := make([]int, p.racks)
	for a := range groups {
		groups[a] = -1
		if _, ok := p.way(a, a); !ok {
			continue
		}
		groups[a] = a
		for b := range a {
			_, there := p.way(a, b)
			if _, back := p.way(b, a); there && back && groups[b] >= 0 {
				groups[a] = groups[b]
				break
			}
		}
	}
	return groups
}

const (
	// maxPolicyLabels bounds the states of a policy's automaton, two for each label.
	maxPolicyLabels = 6
	// maxPolicyRacks bounds the routes, one for each two racks.
	maxPolicyRacks = 2000
)

// automaton reads the switches and links of a route, and remembers as bits which of the
// labels it must or should pass it has met: the first preference is the highest bit.
type automaton struct {
	must           int
	onSwitch, onBy []int  // bits of each switch and of each trunk
	shunSwitch     []bool // switches and trunks to avoid
	shunBy         []bool
}

// visit is a switch reached in a state of the automaton.
type visit struct {
	at, state int
	from      int // index of the visit before; -1: the first
	by        int // trunk; -1: the first
	links     int // of the route so far
}

// search goes breadth-first over the pairs of switch and state from a switch: each is
// reached by the fewest links, and of these ways by the first in order of declaration.
func (a *automaton) search(start int, out [][]int, trunks []trunk) []visit {
	if a.shunSwitch[start] {
		return nil
	}
	states := 1 + a.most()
	reached := make([]bool, len(out)*states)
	enter := func(s, state int) bool {
		if reached[s*states+state] {
			return false
		}
		reached[s*states+state] = true
		return true
	}
	enter(start, a.onSwitch[start])
	visits := []visit{{start, a.onSwitch[start], -1, -1, 0}}
	for n := 0; n < len(visits); n++ {
		v := visits[n]
		for _, t := range out[v.at] {
			to := trunks[t].to
			if a.shunBy[t] || a.shunSwitch[to] {
				continue
			}
			if state := v.state | a.onBy[t] | a.onSwitch[to]; enter(to, state) {
				visits = append(visits, visit{to, state, n, t, v.links + 1})
			}
		}
	}
	return visits
}

// most is the greatest state.
func (a *automaton) most() int {
	all := a.must
	for _, b := range append(slices.Clone(a.onSwitch), a.onBy...) {
		all |= b
	}
	return 1<<bits.Len(uint(all)) - 1
}

// policies compiles the policies over the links that work.
func (c *compiler) policies(switches int, trunks []trunk) {
	in := c.in
	spec := c.spec.Cluster.Policies
	if len(spec) == 0 {
		return
	}
	if len(in.Racks) > maxPolicyRacks {
		c.problems.Add("cluster.policies", "policies are for clusters of up to %d racks; this one has %d", maxPolicyRacks, len(in.Racks))
		return
	}
	names := c.labels(switches)
	out := make([][]int, switches)
	for i, t := range trunks {
		out[t.from] = append(out[t.from], i)
	}
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		if !printable(name) || strings.TrimSpace(name) == "" || len(name) > 200 {
			c.problems.Add("cluster.policies", "%q: a policy needs a printable name of 1 to 200 bytes", Clip(name))
			continue
		}
		p := spec[name]
		if len(p.MustPass)+len(p.Avoid)+len(p.Prefer) == 0 {
			c.problems.Add("cluster.policies", "policy %q says nothing; give must_pass, avoid or prefer", Clip(name))
			continue
		}
		if len(p.MustPass)+len(p.Prefer) > maxPolicyLabels {
			c.problems.Add("cluster.policies", "policy %q has more than %d labels to pass or prefer", Clip(name), maxPolicyLabels)
			continue
		}
		a, ok := c.automaton(name, p, names, switches, trunks)
		if !ok {
			continue
		}
		in.Policies = append(in.Policies, name)
		in.routes.obeying = append(in.routes.obeying, a.routes(in.routes.leaf, out, trunks, func(from, to int, visits []visit) string {
			return c.cut(p, names, a, from, to, visits, trunks)
		}))
	}
}

// labelled are the switches, and the links, that have each name or label.
type labelled struct {
	switches map[string][]int
	links    map[string][]LinkID
	name     []string // of each switch
}

// labels lists what the cluster's labels stand for.
func (c *compiler) labels(switches int) labelled {
	l := labelled{map[string][]int{}, map[string][]LinkID{}, c.in.switches[:switches]}
	name := func(s int, labels ...string) {
		for _, label := range labels {
			l.switches[label] = append(l.switches[label], s)
		}
	}
	link := func(id LinkID, labels ...string) {
		for _, label := range labels {
			l.links[label] = append(l.links[label], id)
		}
	}
	spec := &c.spec.Cluster
	for s, sw := range spec.Switches {
		name(s, sw.Labels...)
	}
	for s := range l.name {
		name(s, l.name[s])
	}
	pair := 0 // of the full form
	for i := range c.in.Links {
		id, of := LinkID(i), &c.in.Links[i]
		switch of.Kind {
		case RackUp, RackDown:
			link(id, of.Name)
		case Trunk:
			from := spec.Links[pair/2]
			link(id, append([]string{of.Name, from.label()}, from.Labels...)...)
			pair++
		}
	}
	return l
}

// automaton makes a policy's, and reports labels that nothing has.
func (c *compiler) automaton(name string, p PolicySpec, names labelled, switches int, trunks []trunk) (*automaton, bool) {
	a := &automaton{
		onSwitch: make([]int, switches), onBy: make([]int, len(trunks)),
		shunSwitch: make([]bool, switches), shunBy: make([]bool, len(trunks)),
	}
	ok := true
	mark := func(key, label string, onSwitch func(int), onTrunk func(int)) {
		if len(names.switches[label])+len(names.links[label]) == 0 {
			known := slices.Concat(slices.Collect(maps.Keys(names.switches)), slices.Collect(maps.Keys(names.links)))
			slices.Sort(known)
			c.problems.Add("cluster.policies", "policy %q, %s: no switch or link between switches is named or labelled %q%s", Clip(name), key, Clip(label),
				DidYouMean(label, known, ""))
			ok = false
		}
		for _, s := range names.switches[label] {
			onSwitch(s)
		}
		for t := range trunks {
			if slices.Contains(names.links[label], trunks[t].link) {
				onTrunk(t)
			}
		}
	}
	bit := func(key, label string, b int) {
		mark(key, label, func(s int) { a.onSwitch[s] |= b }, func(t int) { a.onBy[t] |= b })
	}
	n := len(p.MustPass) + len(p.Prefer)
	for i, label := range p.Prefer {
		bit("prefer", label, 1<<(n-1-i))
	}
	for i, label := range p.MustPass {
		a.must |= 1 << i
		bit("must_pass", label, 1<<i)
	}
	for _, label := range p.Avoid {
		mark("avoid", label, func(s int) { a.shunSwitch[s] = true }, func(t int) { a.shunBy[t] = true })
	}
	return a, ok
}

// routes searches from the switch of every rack. Of the ways that pass what they must, the
// one of fewest links is taken, of these the most preferred.
func (a *automaton) routes(leaf []int, out [][]int, trunks []trunk, cut func(from, to int, visits []visit) string) policyRoutes {
	racks := len(leaf)
	p := policyRoutes{racks: racks, ways: make([][]LinkID, racks*racks), found: make([]bool, racks*racks)}
	best := make([]int, len(out)) // by switch: the visit with which a route ends there
	for from := range leaf {
		visits := a.search(leaf[from], out, trunks)
		for s := range best {
			best[s] = -1
		}
		for n, v := range visits {
			if v.state&a.must != a.must {
				continue
			}
			if b := best[v.at]; b < 0 || visits[b].links == v.links && v.state > visits[b].state {
				best[v.at] = n
			}
		}
		for to := range leaf {
			n := best[leaf[to]]
			if n < 0 {
				if p.cut == "" {
					p.cut = cut(leaf[from], leaf[to], visits)
				}
				continue
			}
			at := from*racks + to
			p.found[at] = true
			for ; visits[n].by >= 0; n = visits[n].from {
				p.ways[at] = append(p.ways[at], trunks[visits[n].by].link)
			}
			slices.Reverse(p.ways[at])
		}
	}
	return p
}

// PolicyCut says why a policy, by its index from 1, leaves two racks without a route: what
// separates them. It is empty where it leaves none.
func (in *Instance) PolicyCut(policy int) string { return in.routes.obeying[policy-1].cut }

// cut describes what separates two switches under a policy, given the visits from the first.
func (c *compiler) cut(p PolicySpec, names labelled, a *automaton, from, to int, visits []visit, trunks []trunk) string {
	if a.shunSwitch[from] {
		return fmt.Sprintf("switch %s is to be avoided", names.name[from])
	}
	if a.shunSwitch[to] {
		return fmt.Sprintf("switch %s is to be avoided", names.name[to])
	}
	near := make([]bool, len(names.name))
	state := 0
	for _, v := range visits {
		near[v.at] = true
		state |= v.state
	}
	for i, label := range p.MustPass {
		if state&(1<<i) == 0 {
			return fmt.Sprintf("nothing labelled %q can be reached from %s%s", label, names.name[from], c.around(names, near, a, trunks))
		}
	}
	if near[to] {
		return fmt.Sprintf("no working route from %s to %s passes all of %s", names.name[from], names.name[to], strings.Join(p.MustPass, ", "))
	}
	return fmt.Sprintf("%s cannot be reached from %s%s", names.name[to], names.name[from], c.around(names, near, a, trunks))
}

// around lists what leads out of the switches near and may not be taken.
func (c *compiler) around(names labelled, near []bool, a *automaton, trunks []trunk) string {
	var shut []string
	for t, link := range trunks {
		if near[link.from] && !near[link.to] {
			text := c.in.Links[link.link].Name
			if !a.shunBy[t] {
				text += " to " + names.name[link.to]
			}
			shut = append(shut, text)
		}
	}
	if len(shut) == 0 {
		return ": no working link leads further"
	}
	const shown = 6
	more := ""
	if len(shut) > shown {
		shut, more = shut[:shown], fmt.Sprintf(" and %d more", len(shut)-shown)
	}
	return ": all links that lead further are to be avoided, " + strings.Join(shut, ", ") + more
}
