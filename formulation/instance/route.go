package instance

import "slices"

// routes holds, for every rack, a tree of fewest-hop paths over the switches.
// Links that failed are left out; among equally short paths the one whose
// links were declared first wins, so routes are deterministic.
type routes struct {
	leaf []int      // rack -> switch
	ends [][2]int   // link -> switches it joins; only trunk links are used
	tree [][]LinkID // rack -> switch -> last link of the path there, or noLink
	// By policy, for jobs that have one.
	obeying []policyRoutes
}

const noLink LinkID = -1

// trunk is a directed link between two switches.
type trunk struct {
	link     LinkID
	from, to int
}

// newRoutes searches breadth-first from the switch of every rack. trunks lists
// the links that work, in order of declaration.
func newRoutes(leaf []int, switches, links int, trunks []trunk) routes {
	r := routes{leaf: leaf, ends: make([][2]int, links), tree: make([][]LinkID, len(leaf))}
	out := make([][]trunk, switches)
	for _, t := range trunks {
		r.ends[t.link] = [2]int{t.from, t.to}
		out[t.from] = append(out[t.from], t)
	}
	for rack, root := range leaf {
		tree := make([]LinkID, switches)
		for s := range tree {
			tree[s] = noLink
		}
		queue := []int{root}
		for len(queue) > 0 {
			s := queue[0]
			queue = queue[1:]
			for _, t := range out[s] {
				if t.to != root && tree[t.to] == noLink {
					tree[t.to] = t.link
					queue = append(queue, t.to)
				}
			}
		}
		r.tree[rack] = tree
	}
	return r
}

// path appends the trunk links from rack a to rack b, last hop first.
func (r *routes) path(links []LinkID, a, b int) ([]LinkID, bool) {
	for s := r.leaf[b]; s != r.leaf[a]; {
		l := r.tree[a][s]
		if l == noLink {
			return links, false
		}
		links = append(links, l)
		s = r.ends[l][0]
	}
	return links, true
}

// ring returns the links of the closed ring through the nodes in the given
// order. Node numbers go rack by rack, so an ascending order enters and leaves
// each rack once.
func (r *routes) ring(in *Instance, policy int, nodes []NodeID) ([]LinkUse, bool) {
	links := make([]LinkID, 0, 2*len(nodes)+8)
	for i, a := range nodes {
		from, to := &in.Nodes[a], &in.Nodes[nodes[(i+1)%len(nodes)]]
		if in.Links[from.Up].Failed || in.Links[from.Down].Failed {
			return nil, false
		}
		links = append(links, from.Up, from.Down)
		switch {
		case policy > 0:
			way, ok := r.obeying[policy-1].way(from.Rack, to.Rack)
			if !ok {
				return nil, false
			}
			links = append(links, way...)
		case from.Rack != to.Rack:
			var ok bool
			if links, ok = r.path(links, from.Rack, to.Rack); !ok {
				return nil, false
			}
		}
	}
	slices.Sort(links)
	uses := make([]LinkUse, 0, len(links))
	for _, l := range links {
		if n := len(uses); n > 0 && uses[n-1].Link == l {
			uses[n-1].Times++
		} else {
			uses = append(uses, LinkUse{l, 1})
		}
	}
	return uses, true
}

// KeepsRoutes reports whether every route between racks is that of another instance of the same switches
// and links, of which fewer have failed: some may be lost, none is another.
func (in *Instance) KeepsRoutes(other *Instance) bool {
	for a := range in.Racks {
		for b := range in.Racks {
			now, ok := in.routes.path(nil, a, b)
			if before, _ := other.routes.path(nil, a, b); ok && !slices.Equal(now, before) {
				return false
			}
		}
	}
	for i := range in.routes.obeying {
		now, before := &in.routes.obeying[i], &other.routes.obeying[i]
		for at, ok := range now.found {
			if ok && (!before.found[at] || !slices.Equal(now.ways[at], before.ways[at])) {
				return false
			}
		}
	}
	return true
}

// JoinedFor is [Instance.Joined] for the routes of a job: with a policy, a rack is in no
// group, -1, where not even two nodes of the rack have a route that obeys it. Routes that
// obey a policy go on to one that obeys it, so that racks with routes both ways form groups.
func (in *Instance) JoinedFor(job *Job) []int {
	if job.Policy == 0 {
		return in.Joined()
	}
	return in.routes.obeying[job.Policy-1].joined()
}

// Joined numbers the groups of racks between which there are routes both ways, by rack.
// A ring through nodes of different racks has routes only within a group.
func (in *Instance) Joined() []int {
	joined := make([]int, len(in.Racks))
	for a := range joined {
		joined[a] = -1
	}
	reaches := func(a, b int) bool { return in.routes.tree[a][in.routes.leaf[b]] != noLink }
	for a := range joined {
		if joined[a] >= 0 {
			continue
		}
		joined[a] = a
		for b := a + 1; b < len(joined); b++ {
			if joined[b] < 0 && reaches(a, b) && reaches(b, a) {
				joined[b] = a
			}
		}
	}
	return joined
}

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
	policies := make([]bool, 1+len(in.Policies))
	policies[0] = true // a job whose policy leaves it no route is compared with one that has none
	for j := range in.Jobs {
		policies[in.Jobs[j].Policy] = true
	}
	var path []LinkID
	for policy, taken := range policies {
		for a := range in.Racks {
			for b := range in.Racks {
				if a == b || !taken {
					continue
				}
				if policy == 0 {
					path, _ = in.routes.path(path[:0], a, b)
					slices.Reverse(path)
				} else {
					path, _ = in.PolicyRoute(policy, a, b)
				}
				if len(path) > 0 {
					add(&out[a], path[0])
					add(&back[b], path[len(path)-1])
				}
			}
		}
	}
	return out, back
}

// Ends returns the switches that a link between switches leads from and to; ok is false for
// one that failed, and for links of nodes.
func (in *Instance) Ends(l LinkID) (from, to int, ok bool) {
	ends := in.routes.ends[l]
	return ends[0], ends[1], ends[0] != ends[1]
}

// LastHop returns the last link of the route from a rack's switch to another switch; ok is
// false where there is none. The hops before it lead to the switch that this link begins at.
func (in *Instance) LastHop(rack, to int) (l LinkID, ok bool) {
	l = in.routes.tree[rack][to]
	return l, l != noLink
}

// PolicyRoute returns the links of the route between two racks that obeys a policy, which
// counts from 1 as [Job.Policy] does; ok is false where there is none.
func (in *Instance) PolicyRoute(policy, from, to int) (links []LinkID, ok bool) {
	return in.routes.obeying[policy-1].way(from, to)
}

// Switch returns the switch of a rack.
func (in *Instance) Switch(rack int) int { return in.routes.leaf[rack] }

// SwitchName returns the name of a switch; the core of the short form is "core".
func (in *Instance) SwitchName(s int) string { return in.switches[s] }

// nodesOf returns the distinct nodes of the GPUs, ascending.
func (in *Instance) nodesOf(gpus []GPUID) []NodeID {
	nodes := make([]NodeID, len(gpus))
	for i, g := range gpus {
		nodes[i] = in.GPUs[g].Node
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
