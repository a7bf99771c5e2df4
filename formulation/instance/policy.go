package instance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"jigsaw/formulation/instance/route"
)

const (
	// maxPolicyLabels bounds the states of a policy's automaton, two for each label.
	maxPolicyLabels = 6
	// maxPolicyRacks bounds the routes, one for each two racks.
	maxPolicyRacks = 2000
)

// policies compiles the policies over the links that work.
func (c *compiler) policies(switches int, trunks []route.Trunk) {
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
		in.routes.Add(a, trunks, func(from, to int, visits []route.Visit) string {
			return c.cut(p, names, a, from, to, visits, trunks)
		})
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

// automaton makes that of a policy, and reports labels that nothing has.
func (c *compiler) automaton(name string, p PolicySpec, names labelled, switches int, trunks []route.Trunk) (*route.Policy, bool) {
	a := &route.Policy{
		OnSwitch: make([]int, switches), OnTrunk: make([]int, len(trunks)),
		AvoidSwitch: make([]bool, switches), AvoidTrunk: make([]bool, len(trunks)),
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
			if slices.Contains(names.links[label], trunks[t].Link) {
				onTrunk(t)
			}
		}
	}
	bit := func(key, label string, b int) {
		mark(key, label, func(s int) { a.OnSwitch[s] |= b }, func(t int) { a.OnTrunk[t] |= b })
	}
	n := len(p.MustPass) + len(p.Prefer)
	for i, label := range p.Prefer {
		bit("prefer", label, 1<<(n-1-i))
	}
	for i, label := range p.MustPass {
		a.Must |= 1 << i
		bit("must_pass", label, 1<<i)
	}
	for _, label := range p.Avoid {
		mark("avoid", label, func(s int) { a.AvoidSwitch[s] = true }, func(t int) { a.AvoidTrunk[t] = true })
	}
	return a, ok
}

// PolicyCut says why a policy, by its index from 1, leaves two racks without a route: what
// separates them. It is empty where it leaves none.
func (in *Instance) PolicyCut(policy int) string { return in.routes.Cut(policy) }

// cut describes what separates two switches under a policy, given the visits from the first.
func (c *compiler) cut(p PolicySpec, names labelled, a *route.Policy, from, to int, visits []route.Visit, trunks []route.Trunk) string {
	if a.AvoidSwitch[from] {
		return fmt.Sprintf("switch %s is to be avoided", names.name[from])
	}
	if a.AvoidSwitch[to] {
		return fmt.Sprintf("switch %s is to be avoided", names.name[to])
	}
	near := make([]bool, len(names.name))
	state := 0
	for _, v := range visits {
		near[v.Switch] = true
		state |= v.State
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
func (c *compiler) around(names labelled, near []bool, a *route.Policy, trunks []route.Trunk) string {
	var shut []string
	for t, link := range trunks {
		if near[link.From] && !near[link.To] {
			text := c.in.Links[link.Link].Name
			if !a.AvoidTrunk[t] {
				text += " to " + names.name[link.To]
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
