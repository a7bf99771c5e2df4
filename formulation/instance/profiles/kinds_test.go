package profiles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKindsByFigures: in the graphs of PipeDream, whose nodes have descriptions, figures
// alone tell data loading and in-place operations, and whose nodes are another's output.
func TestKindsByFigures(t *testing.T) {
	for _, s := range sources {
		if s.format != PipeDream {
			continue
		}
		want, err := readPipeDream(s.read(t))
		require.NoError(t, err)
		output := map[int64]node{} // as the file has them
		for line := range strings.Lines(string(s.read(t))) {
			if n, err := parsePipeDreamNode(strings.TrimSpace(line)); err == nil {
				output[n.id] = n
			}
		}
		got := newGraph(nil)
		got.preds = want.preds
		for _, n := range want.nodes {
			l := output[n.id].layer
			got.nodes = append(got.nodes, node{id: n.id, layer: l})
		}
		topo, err := got.topological()
		require.NoError(t, err)
		got.inferKinds(topo)
		for v, n := range want.nodes {
			g := got.nodes[v]
			require.Equal(t, n.input, g.input, "%s: %s is an input", s.into, n.layer.Name)
			require.Equal(t, n.inPlace, g.inPlace, "%s: %s is in place", s.into, n.layer.Name)
			// A dropout that takes no time does nothing.
			require.Equal(t, n.view || n.name == "Dropout" && n.layer.Forward == 0, g.view, "%s: %s is a view", s.into, n.layer.Name)
		}
	}
}
