package profiles

import (
	"cmp"
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// node is a node of a source's graph of the forward pass.
type node struct {
	id   int64 // the source's number, for ties and messages
	name string
	// where says where the node stands in the file, for messages.
	where string
	layer instance.Layer

	// input: no gradient flows from it, and it is not a step of the computation.
	input bool
	// number: not a tensor, but the size of one.
	number bool
	// view: another name for the output of the node it reads.
	view bool
	// inPlace: overwrites the output of the node it reads.
	inPlace bool
	// bookedAbove: part of its backward time stands on a node above.
	bookedAbove bool
}

// graph holds the nodes and, for each, the indices of those whose output it
// reads. No edge is given twice.
type graph struct {
	nodes []node
	preds [][]int
}

func newGraph(nodes []node) *graph {
	return &graph{nodes: nodes, preds: make([][]int, len(nodes))}
}

// layers orders the nodes into layers and marks where they may not be cut; see
// the package comment for the rules.
func (g *graph) layers() ([]instance.Layer, error) {
	topo, err := g.topological()
	if err != nil {
		return nil, err
	}
	preds, kept := g.contract(topo)
	order := g.order(topo, preds, kept)
	if len(order) == 0 {
		return nil, fmt.Errorf("profiles: the graph has no nodes besides inputs")
	}
	out := make([]instance.Layer, len(order))
	for i, v := range order {
		out[i] = g.nodes[v].layer
	}
	g.join(out, order, preds)
	return out, nil
}

// topological returns the node indices so that inputs come first, or an error
// that names a node on a cycle.
func (g *graph) topological() ([]int, error) {
	n := len(g.nodes)
	succs := make([][]int, n)
	missing := make([]int, n) // inputs not listed yet
	for v, ps := range g.preds {
		missing[v] = len(ps)
		for _, u := range ps {
			succs[u] = append(succs[u], v)
		}
	}
	topo := make([]int, 0, n)
	for v := range n {
		if missing[v] == 0 {
			topo = append(topo, v)
		}
	}
	for i := 0; i < len(topo); i++ {
		for _, v := range succs[topo[i]] {
			if missing[v]--; missing[v] == 0 {
				topo = append(topo, v)
			}
		}
	}
	if len(topo) == n {
		return topo, nil
	}
	// Walking from a node that waits to an input it waits for ends on a cycle.
	v := slices.IndexFunc(missing, func(m int) bool { return m > 0 })
	for seen := make([]bool, n); !seen[v]; {
		seen[v] = true
		i := slices.IndexFunc(g.preds[v], func(u int) bool { return missing[u] > 0 })
		v = g.preds[v][i]
	}
	return nil, fmt.Errorf("profiles: %s: node %d is on a cycle; a forward pass has none, remove one of its edges", g.nodes[v].where, g.nodes[v].id)
}

// unconnected returns a node besides inputs that no edges, in whichever direction, connect with the first of them; -1: there
// is none.
func (g *graph) unconnected() int {
	sets := instance.UpTo[int](len(g.nodes)) // disjoint sets, each node naming one on the way to its set's root
	root := func(v int) int {
		for sets[v] != v {
			sets[v] = sets[sets[v]]
			v = sets[v]
		}
		return v
	}
	for v, ps := range g.preds {
		for _, u := range ps {
			sets[root(u)] = root(v)
		}
	}
	first := slices.IndexFunc(g.nodes, func(n node) bool { return !n.input })
	for v := max(first, 0); v < len(g.nodes); v++ {
		if !g.nodes[v].input && root(v) != root(first) {
			return v
		}
	}
	return -1
}

// contract drops inputs and makes views one with what they look at. It returns
// the remaining inputs of each node, and which nodes remain.
func (g *graph) contract(topo []int) (preds [][]int, kept []bool) {
	const none = -1
	stands := make([]int, len(g.nodes)) // the node that stands for v, or none
	preds = make([][]int, len(g.nodes))
	kept = make([]bool, len(g.nodes))
	for _, v := range topo {
		var ps []int
		for _, u := range g.preds[v] {
			if stands[u] != none {
				ps = append(ps, stands[u])
			}
		}
		slices.Sort(ps)
		ps = slices.Compact(ps)
		switch n := &g.nodes[v]; {
		case n.input, n.view && len(ps) == 0:
			stands[v] = none
		case n.view && len(ps) == 1:
			stands[v] = ps[0]
		default: // a view of two tensors is a step of its own
			stands[v], preds[v], kept[v] = v, ps, true
		}
	}
	return preds, kept
}

// order lists the kept nodes, each after its inputs, chains and blocks together.
func (g *graph) order(topo []int, preds [][]int, kept []bool) []int {
	depth := make([]int, len(g.nodes)) // nodes on the longest path that ends here
	end := slices.Clone(kept)
	deeper := func(a, b int) int {
		return cmp.Or(cmp.Compare(depth[b], depth[a]), cmp.Compare(g.nodes[a].id, g.nodes[b].id))
	}
	for _, v := range topo {
		if !kept[v] {
			continue
		}
		for _, u := range preds[v] {
			depth[v] = max(depth[v], depth[u])
			end[u] = false
		}
		depth[v]++
		slices.SortFunc(preds[v], deeper)
	}
	var ends []int
	for v, e := range end {
		if e {
			ends = append(ends, v)
		}
	}
	slices.SortFunc(ends, deeper)

	// A linked list, because further ends are put in the middle.
	const none = -1
	first, next := none, make([]int, len(g.nodes))
	listed := make([]bool, len(g.nodes))
	group := make([]int, len(g.nodes)) // which end listed the node, from 1
	asked := make([]int, len(g.nodes)) // the last group that reads the node
	count := 0
	for k, e := range ends {
		k++
		more := above(e, preds, listed)
		count += len(more)
		for _, v := range more {
			group[v] = k
		}
		// What the group reads is listed already, and nothing listed reads the
		// group; so it goes after the latest node that it reads.
		after, reads := none, 0
		for _, v := range more {
			for _, u := range preds[v] {
				if group[u] != k && asked[u] != k {
					asked[u] = k
					after = u
					reads++
				}
			}
		}
		if reads > 1 {
			for v := first; v != none; v = next[v] {
				if asked[v] == k {
					after = v
				}
			}
		}
		link := &first
		if after != none {
			link = &next[after]
		}
		rest := *link
		for _, v := range more {
			*link = v
			link = &next[v]
		}
		*link = rest
	}
	order := make([]int, 0, count)
	for v := first; v != none; v = next[v] {
		order = append(order, v)
	}
	return order
}

// above lists end and the nodes it depends on that are not listed yet, each
// after its inputs, the first input with all it needs first.
func above(end int, preds [][]int, listed []bool) []int {
	type frame struct{ node, next int }
	var out []int
	stack := []frame{{node: end}}
	listed[end] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(preds[top.node]) {
			out = append(out, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		u := preds[top.node][top.next]
		top.next++
		if !listed[u] {
			listed[u] = true
			stack = append(stack, frame{node: u})
		}
	}
	return out
}

// join marks the layers that the order may not be cut before.
func (g *graph) join(out []instance.Layer, order []int, preds [][]int) {
	pos := make([]int, len(g.nodes))
	for i, v := range order {
		pos[v] = i
	}
	last := make([]int, len(order)) // position of the last reader
	for i, v := range order {
		for _, u := range preds[v] {
			last[pos[u]] = i
		}
	}
	// Node i crosses the cuts before i+1..last[i].
	change := make([]int, len(order)+1)
	for i, l := range last {
		if l > i {
			change[i+1]++
			change[l+1]--
		}
	}
	crossing := 0
	for i := range out {
		crossing += change[i]
		out[i].Joined = i > 0 && crossing > 1
	}
	for i, v := range order {
		n := &g.nodes[v]
		from := i // positions from+1..i become one block
		if n.inPlace && len(preds[v]) > 0 {
			from = 0
			for _, u := range preds[v] {
				from = max(from, pos[u])
			}
		}
		if n.bookedAbove {
			above := i - 1
			for above >= 0 && out[above].Backward == 0 {
				above--
			}
			if above >= 0 {
				from = min(from, above)
			}
		}
		for k := from + 1; k <= i; k++ {
			out[k].Joined = true
		}
	}
}
