package instance

import (
	"slices"

	"jigsaw/formulation/instance/route"
)

// ring returns the links of the closed ring through the nodes in the given
// order. Node numbers go rack by rack, so an ascending order enters and leaves
// each rack once.
func (in *Instance) ring(policy int, nodes []NodeID) ([]LinkUse, bool) {
	links := make([]LinkID, 0, 2*len(nodes)+8)
	for i, a := range nodes {
		from, to := &in.Nodes[a], &in.Nodes[nodes[(i+1)%len(nodes)]]
		if in.Links[from.Up].Failed || in.Links[from.Down].Failed {
			return nil, false
		}
		links = append(links, from.Up, from.Down)
		switch {
		case policy > 0:
			obeying, ok := in.routes.Obeying(policy, from.Rack, to.Rack)
			if !ok {
				return nil, false
			}
			links = append(links, obeying...)
		case from.Rack != to.Rack:
			var ok bool
			if links, ok = in.routes.Append(links, from.Rack, to.Rack); !ok {
				return nil, false
			}
		}
	}
	return CountLinks(links), true
}

// CountLinks sorts links, and returns how often it has each.
func CountLinks(links []LinkID) []LinkUse {
	slices.Sort(links)
	uses := make([]LinkUse, 0, len(links))
	for _, l := range links {
		if n := len(uses); n > 0 && uses[n-1].Link == l {
			uses[n-1].Times++
		} else {
			uses = append(uses, LinkUse{l, 1})
		}
	}
	return uses
}

// KeepsRoutes reports whether every route between racks is that of another instance of the same switches
// and links, of which fewer have failed: some may be lost, none is another.
func (in *Instance) KeepsRoutes(other *Instance) bool { return in.routes.Keeps(&other.routes) }

// JoinedFor is [Instance.Joined] for the routes of a job: with a policy, a rack is in no
// group, -1, where not even two nodes of the rack have a route that obeys it.
func (in *Instance) JoinedFor(job *Job) []int { return in.routes.Joined(job.Policy) }

// Joined numbers the groups of racks between which there are routes both ways, by rack.
// A ring through nodes of different racks has routes only within a group.
func (in *Instance) Joined() []int { return in.routes.Joined(0) }

// Scopes are where a job can be on several nodes: the nodes of each rack whose network cards work, none where
// not even these have a route that the job may take, and those of each group of racks with routes between them.
func (in *Instance) Scopes(job *Job) (racks, groups [][]NodeID) {
	joined := in.JoinedFor(job)
	racks, groups = make([][]NodeID, len(in.Racks)), make([][]NodeID, len(in.Racks))
	for r, group := range joined {
		if group < 0 {
			continue
		}
		for _, n := range in.Racks[r].Nodes {
			if node := &in.Nodes[n]; !in.Links[node.Up].Failed && !in.Links[node.Down].Failed {
				racks[r] = append(racks[r], n)
			}
		}
		groups[group] = append(groups[group], racks[r]...)
	}
	return racks, slices.DeleteFunc(groups, func(g []NodeID) bool { return g == nil })
}

// Exits lists, by rack, the links on which routes that a job may take leave its switch for other racks, and those on
// which routes from other racks reach it. A ring through several racks takes one of each at every rack.
func (in *Instance) Exits() (out, back [][]LinkID) {
	out, back = make([][]LinkID, len(in.Racks)), make([][]LinkID, len(in.Racks))
	add := func(links *[]LinkID, l LinkID) {
		if !slices.Contains(*links, l) {
			*links = append(*links, l)
		}
	}
	in.Routes(func(_, a, b int, links []LinkID) {
		add(&out[a], links[0])
		add(&back[b], links[len(links)-1])
	})
	return out, back
}

// Switched reports whether racks are joined by links between switches, not only by uplinks to one core.
func (in *Instance) Switched() bool {
	return slices.ContainsFunc(in.Links, func(l Link) bool { return l.Kind == Trunk })
}

// Routes calls f with the links of every route between two racks that a job may take, in order, for its policy; 0: none.
func (in *Instance) Routes(f func(policy, from, to int, links []LinkID)) {
	policies := make([]bool, 1+len(in.Policies))
	policies[0] = true // a job whose policy leaves it no route is compared with one that has none
	for j := range in.Jobs {
		policies[in.Jobs[j].Policy] = true
	}
	var links []LinkID
	var ok bool
	for policy, taken := range policies {
		for a := range in.Racks {
			for b := range in.Racks {
				if a == b || !taken {
					continue
				}
				if policy == 0 {
					links, ok = in.routes.Append(links[:0], a, b)
					slices.Reverse(links)
				} else {
					links, ok = in.PolicyRoute(policy, a, b)
				}
				if ok {
					f(policy, a, b, links)
				}
			}
		}
	}
}

// Ends returns the switches that a link between switches leads from and to; ok is false for
// one that failed, and for links of nodes.
func (in *Instance) Ends(l LinkID) (from, to int, ok bool) { return in.routes.Ends(l) }

// LastHop returns the last link of the route from a rack's switch to another switch; ok is
// false where there is none. The hops before it lead to the switch that this link begins at.
func (in *Instance) LastHop(rack, to int) (l LinkID, ok bool) {
	l = in.routes.Last(rack, to)
	return l, l != route.None
}

// PolicyRoute returns the links of the route between two racks that obeys a policy, which
// counts from 1 as [Job.Policy] does; ok is false where there is none.
func (in *Instance) PolicyRoute(policy, from, to int) (links []LinkID, ok bool) {
	return in.routes.Obeying(policy, from, to)
}

// Switch returns the switch of a rack.
func (in *Instance) Switch(rack int) int { return in.routes.Leaf(rack) }

// SwitchName returns the name of a switch; the core of the short form is "core".
func (in *Instance) SwitchName(s int) string { return in.switches[s] }

// GPUsOn returns the GPUs of nodes, node by node.
func (in *Instance) GPUsOn(nodes []NodeID) (gpus []GPUID) {
	for _, n := range nodes {
		gpus = slices.AppendSeq(gpus, in.Nodes[n].All())
	}
	return gpus
}

// NodesOf returns the distinct nodes of the GPUs, ascending.
func (in *Instance) NodesOf(gpus []GPUID) []NodeID {
	nodes := make([]NodeID, len(gpus))
	for i, g := range gpus {
		nodes[i] = in.GPUs[g].Node
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
