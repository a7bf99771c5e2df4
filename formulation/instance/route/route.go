// Package route finds routes between racks over a graph of switches: for any two racks the one of
// fewest links, and the one of fewest links that obeys a [Policy]. Links that failed are left out. Of routes of equally few links the
// first in order of declaration is taken, so that routes do not depend on anything else.
package route

import "slices"

// Link numbers the links of a cluster, those of nodes among them.
type Link int

// None stands in place of a link where there is none.
const None Link = -1

// Trunk is a directed link between two switches.
type Trunk struct {
	Link     Link
	From, To int
}

// Table holds the routes between racks. The zero Table is that of no rack.
type Table struct {
	leaf []int    // rack -> switch
	ends [][2]int // link -> switches it joins; only trunks are used
	tree [][]Link // rack -> switch -> last link of the path there, or None
	// By policy, from the first.
	policies []obeying
}

// New searches breadth-first from the switch of every rack: leaf[r] is that of rack r. There are so many switches and
// links; trunks lists those that work, in order of declaration.
func New(leaf []int, switches, links int, trunks []Trunk) Table {
	t := Table{leaf: leaf, ends: make([][2]int, links), tree: make([][]Link, len(leaf))}
	out := make([][]Trunk, switches)
	for _, l := range trunks {
		t.ends[l.Link] = [2]int{l.From, l.To}
		out[l.From] = append(out[l.From], l)
	}
	for rack, root := range leaf {
		tree := slices.Repeat([]Link{None}, switches)
		queue := []int{root}
		for len(queue) > 0 {
			s := queue[0]
			queue = queue[1:]
			for _, l := range out[s] {
				if l.To != root && tree[l.To] == None {
					tree[l.To] = l.Link
					queue = append(queue, l.To)
				}
			}
		}
		t.tree[rack] = tree
	}
	return t
}

// Append appends the links of the route from rack a to rack b, the last one first; ok is false where there is none.
func (t *Table) Append(links []Link, a, b int) (_ []Link, ok bool) {
	for s := t.leaf[b]; s != t.leaf[a]; {
		l := t.tree[a][s]
		if l == None {
			return links, false
		}
		links = append(links, l)
		s = t.ends[l][0]
	}
	return links, true
}

// Obeying returns the links of the route from rack a to rack b that obeys a policy, which counts from 1, in order; ok is
// false where there is none. From a rack to itself the route leads from its switch back to it, and is empty where that switch alone
// obeys the policy.
func (t *Table) Obeying(policy, a, b int) (links []Link, ok bool) {
	return t.policies[policy-1].route(a, b)
}

// Policies is how many policies there are.
func (t *Table) Policies() int { return len(t.policies) }

// Cut says why a policy, which counts from 1, leaves two racks without a route, as [Table.Add] was told; it is empty where it
// leaves none.
func (t *Table) Cut(policy int) string { return t.policies[policy-1].cut }

// Joined numbers the groups of racks between which there are routes both ways, by rack; -1 stands for a rack where not even two
// of its nodes have a route. policy counts from 1, and 0 is none.
func (t *Table) Joined(policy int) []int {
	if policy > 0 {
		return t.policies[policy-1].joined()
	}
	joined := slices.Repeat([]int{-1}, len(t.leaf))
	reaches := func(a, b int) bool { return t.tree[a][t.leaf[b]] != None }
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

// Keeps reports whether every route is that of another table of the same switches and links, of which fewer have
// failed: some may be lost, none is another.
func (t *Table) Keeps(other *Table) bool {
	for a := range t.leaf {
		for b := range t.leaf {
			now, ok := t.Append(nil, a, b)
			if before, _ := other.Append(nil, a, b); ok && !slices.Equal(now, before) {
				return false
			}
			for p := range t.policies {
				now, ok := t.Obeying(p+1, a, b)
				if before, found := other.Obeying(p+1, a, b); ok && (!found || !slices.Equal(now, before)) {
					return false
				}
			}
		}
	}
	return true
}

// Part has the routes between some of the racks, ascending, with the given links, ascending, which are numbered anew: none where one
// of its links is not among them.
func (t *Table) Part(racks []int, links []Link) Table {
	anew := func(l Link) Link {
		at, ok := slices.BinarySearch(links, l)
		if !ok {
			return None
		}
		return Link(at)
	}
	p := Table{ends: make([][2]int, len(links))}
	for at, l := range links {
		p.ends[at] = t.ends[l]
	}
	for _, r := range racks {
		p.leaf = append(p.leaf, t.leaf[r])
		tree := make([]Link, len(t.tree[r]))
		for s, l := range t.tree[r] {
			tree[s] = anew(l)
		}
		p.tree = append(p.tree, tree)
	}
	for i := range t.policies {
		p.policies = append(p.policies, t.policies[i].part(racks, anew))
	}
	return p
}

// Ends returns the switches that a trunk leads from and to; ok is false for
// one that failed, and for links of nodes.
func (t *Table) Ends(l Link) (from, to int, ok bool) {
	ends := t.ends[l]
	return ends[0], ends[1], ends[0] != ends[1]
}

// Last returns the last link of the route from a rack to a switch; None where there is none.
func (t *Table) Last(rack, to int) Link { return t.tree[rack][to] }

// Leaf returns the switch of a rack.
func (t *Table) Leaf(rack int) int { return t.leaf[rack] }

// Values are all numbers of the table, for fingerprints.
func (t *Table) Values() []any {
	values := []any{t.leaf, t.ends, t.tree}
	for _, p := range t.policies {
		values = append(values, p.links, p.found)
	}
	return values
}
