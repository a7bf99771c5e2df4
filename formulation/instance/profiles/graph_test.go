package profiles

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance"
)

// net makes a graph of nodes 0..n-1 with edges given as pairs.
func net(n int, edges ...[2]int) *graph {
	g := newGraph(nil)
	for i := range n {
		g.nodes = append(g.nodes, node{id: int64(i), where: fmt.Sprintf("line %d", i+1), layer: instance.Layer{Name: fmt.Sprint(i), Backward: 1}})
	}
	g.preds = make([][]int, n)
	for _, e := range edges {
		g.preds[e[1]] = append(g.preds[e[1]], e[0])
	}
	return g
}

// blocks writes layer names, with a bar at each legal cut.
func blocks(t require.TestingT, g *graph) string {
	layers, err := g.layers()
	require.NoError(t, err)
	s := ""
	for i, l := range layers {
		switch {
		case i == 0:
		case l.Joined:
			s += " "
		default:
			s += "|"
		}
		s += l.Name
	}
	return s
}

func TestBlocks(t *testing.T) {
	chain := func(n int) (edges [][2]int) {
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int{i - 1, i})
		}
		return edges
	}
	for _, tt := range []struct {
		name string
		g    *graph
		edit func(*graph)
		want string
	}{
		{"one", net(1), nil, "0"},
		{"chain", net(4, chain(4)...), nil, "0|1|2|3"},
		{"skip", net(5, append(chain(5), [2]int{1, 3})...), nil, "0|1|2 3|4"},
		{"skip to the next block", net(5, append(chain(5), [2]int{1, 3}, [2]int{3, 4})...), nil, "0|1|2 3|4"},
		{"projection follows the long branch", net(5, [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 3}, [2]int{2, 4}, [2]int{3, 4}), nil, "0|1 2 3 4"},
		{"ids do not matter for branches", net(5, [2]int{4, 3}, [2]int{3, 2}, [2]int{4, 1}, [2]int{2, 0}, [2]int{1, 0}), nil, "4|3 2 1 0"},
		{"second source comes late", net(5, [2]int{1, 2}, [2]int{2, 3}, [2]int{0, 4}, [2]int{3, 4}), nil, "1|2|3|0 4"},
		{"second end follows what it hangs on", net(6, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{1, 4}, [2]int{4, 5}), nil, "0|1|4 5|2|3"},
		{"two parts", net(3, [2]int{0, 1}), nil, "2|0|1"},
		{"in place", net(3, chain(3)...), func(g *graph) { g.nodes[1].inPlace = true }, "0 1|2"},
		{"input", net(3, [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2}), func(g *graph) { g.nodes[0].input = true }, "1|2"},
		{"view", net(4, chain(4)...), func(g *graph) { g.nodes[1].view = true }, "0|2|3"},
		{"views of views", net(5, append(chain(5), [2]int{1, 3})...), func(g *graph) {
			g.nodes[1].view, g.nodes[2].view, g.nodes[3].view = true, true, true
		}, "0|4"},
		{"view of an input", net(3, chain(3)...), func(g *graph) { g.nodes[0].input, g.nodes[1].view = true, true }, "2"},
		{"view of two", net(3, [2]int{0, 2}, [2]int{1, 2}), func(g *graph) { g.nodes[2].view = true }, "0|1 2"},
		{"booked above, over layers without backward", net(5, chain(5)...), func(g *graph) {
			g.nodes[3].bookedAbove = true
			g.nodes[2].layer.Backward = 0
		}, "0|1 2 3|4"},
		{"booked above, nothing above", net(2, chain(2)...), func(g *graph) { g.nodes[0].bookedAbove = true }, "0|1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.edit != nil {
				tt.edit(tt.g)
			}
			assert.Equal(t, tt.want, blocks(t, tt.g))
		})
	}
}

func TestCycle(t *testing.T) {
	g := net(6, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 2}, [2]int{3, 4}, [2]int{4, 5})
	_, err := g.layers()
	require.Error(t, err)
	// Not node 4 or 5, which only wait for the cycle.
	assert.Regexp(t, `line [34]: node [23] is on a cycle`, err.Error())
	inputs := net(1)
	inputs.nodes[0].input = true
	_, err = inputs.layers()
	assert.ErrorContains(t, err, "no nodes besides inputs")
}

// TestLayersOfRandomGraphs checks the order and Joined against the definition.
func TestLayersOfRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		var edges [][2]int
		for v := 1; v < n; v++ {
			for u := range v {
				if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
					edges = append(edges, [2]int{u, v})
				}
			}
		}
		g := net(n, edges...)
		layers, err := g.layers()
		if err != nil {
			t.Fatal(err)
		}
		if len(layers) != n {
			t.Fatalf("%d layers of %d nodes", len(layers), n)
		}
		at := make([]int, n)
		for i, l := range layers {
			var v int
			fmt.Sscan(l.Name, &v)
			at[v] = i
		}
		for _, e := range edges {
			if at[e[0]] >= at[e[1]] {
				t.Fatalf("%v is against the order", e)
			}
		}
		for cut := 1; cut < n; cut++ {
			from := make(map[int]bool)
			for _, e := range edges {
				if at[e[0]] < cut && at[e[1]] >= cut {
					from[e[0]] = true
				}
			}
			if want := len(from) > 1; layers[cut].Joined != want {
				t.Fatalf("cut %d is crossed from %v, joined %v", cut, from, layers[cut].Joined)
			}
		}

		// The order of nodes and edges in a file does not matter.
		perm := rapid.Permutation(seq(n)).Draw(t, "perm")
		shuffled := newGraph(make([]node, n))
		for v, k := range perm {
			shuffled.nodes[k] = g.nodes[v]
		}
		for _, e := range rapid.Permutation(edges).Draw(t, "edges") {
			shuffled.preds[perm[e[1]]] = append(shuffled.preds[perm[e[1]]], perm[e[0]])
		}
		if a, b := blocks(t, net(n, edges...)), blocks(t, shuffled); a != b {
			t.Fatalf("%s in one order, %s in another", a, b)
		}
	})
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return slices.Clip(s)
}
