package profiles

import "slices"

// inferKinds tells inputs, views and in-place operations of a graph whose nodes have no
// descriptions by their figures; activations are still sizes of outputs. Inputs come
// before their readers in topo. The package comment has the rules.
func (g *graph) inferKinds(topo []int) {
	reads := make([]bool, len(g.nodes)) // some node reads its output
	for _, ps := range g.preds {
		for _, u := range ps {
			reads[u] = true
		}
	}
	for _, v := range topo {
		n, ps := &g.nodes[v], g.preds[v]
		l := &n.layer
		free := l.Forward|l.Backward == 0 && l.Parameters == 0
		switch {
		case len(ps) == 0:
			n.input = l.Backward == 0 && l.Parameters == 0
		case free && len(ps) == 1 && l.Activations > 0 && l.Activations <= numberBytes:
			n.number, n.input = true, true
		case free && len(ps) > 1 && g.onlyOne(ps):
			n.view = true
		case free && (!reads[v] || len(ps) == 1 && l.Activations <= g.nodes[ps[0]].layer.Activations):
			n.view = true
		case l.Parameters == 0:
			n.inPlace = g.overwrites(v)
		}
	}
}

// numberBytes are the most that a number takes, such as the size of a tensor.
const numberBytes = 8

// onlyOne reports whether all but one of these nodes are numbers.
func (g *graph) onlyOne(of []int) bool {
	numbers := 0
	for _, u := range of {
		if g.nodes[u].number {
			numbers++
		}
	}
	return numbers == len(of)-1
}

// overwrites reports whether a node without parameters looks like an activation function
// or a sum that takes the place of what it reads.
func (g *graph) overwrites(v int) bool {
	ps := g.preds[v]
	if slices.ContainsFunc(ps, func(u int) bool { return g.nodes[u].layer.Activations != g.nodes[v].layer.Activations }) {
		return false
	}
	return slices.ContainsFunc(ps, func(u int) bool {
		n := &g.nodes[u]
		if n.inPlace {
			// A sum may take the place of any; what follows an activation function is
			// something else, such as a dropout.
			return len(ps) > 1 || len(g.preds[u]) > 1
		}
		// A module with parts needs its output for its backward pass. It is known by that
		// nearly all of this pass is booked further up.
		return n.layer.Parameters > 0 && n.layer.Backward >= n.layer.Forward/32
	})
}
