package profiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/instance"
)

func TestImportPipeDream(t *testing.T) {
	p := importOne(t, "small_graph.txt")
	assert.Equal(t, []instance.Layer{
		{Name: "node2 LSTM", Forward: 1_001_000, Backward: 2_002_000, Parameters: 640, Activations: 48},
		{Name: "node5 ReLU", Forward: 10_000, Backward: 20_000, Joined: true},
		{Name: "node6 Dropout", Activations: 32},
		{Name: "node7 Linear", Forward: 400_000, Backward: 800_000, Parameters: 40, Activations: 16},
		{Name: "node8 Head", Forward: 500_000, Backward: 1_000, Parameters: 24, Activations: 16, Joined: true},
	}, p.Layers)
	assert.Equal(t, "m", p.Model)
	assert.Equal(t, "g", p.GPU)
	assert.Equal(t, 2, p.Batch)
}

func TestImportPipeDreamWindowsLineEnds(t *testing.T) {
	in := readTestdata(t, "small_graph.txt")
	got, err := Import(PipeDream, strings.NewReader(strings.ReplaceAll(in, "\n", "\r\n")), someOptions)
	assert.NoError(t, err)
	assert.Equal(t, importOne(t, "small_graph.txt").Layers, got[0].Layers)
}

func TestImportPipeDreamErrors(t *testing.T) {
	line := func(id int, figures string) string { return fmt.Sprintf("node%d -- Conv -- %s\n", id, figures) }
	const good = "forward_compute_time=1.0, backward_compute_time=2.0, activation_size=4.0, parameter_size=8.0"
	with := func(old, new string) string { return line(1, strings.Replace(good, old, new, 1)) }
	malformed{
		{"empty", "", "the file has no nodes; expected lines like"},
		{"blank", "\n\n", "the file has no nodes"},
		{"text", line(1, good) + "hello\n", `line 2: "hello" is not a node; expected "node1 -- Conv2d`},
		{"node name", "nodeX -- Conv -- " + good, `line 1: "nodeX" is not a node name`},
		{"long node name", "node1234567890 -- Conv -- " + good, "at most 9 digits"},
		{"no description", "node1 --  -- " + good, "description \"\""},
		{"twice", line(1, good) + "\n" + line(1, good), "line 3: node1 is defined on line 1 already"},
		{"negative", with("=1.0", "=-1.0"), `line 1: node1: forward_compute_time "-1.0" is negative`},
		{"NaN", with("=2.0", "=nan"), `backward_compute_time "nan" is not a non-negative decimal`},
		{"infinite", with("=2.0", "=inf"), "is not a non-negative decimal"},
		{"too fine", with("=1.0", "=1.0000001"), "more decimals"},
		{"half a byte", with("=8.0", "=8.5"), `parameter_size "8.5" is not a whole number of bytes`},
		{"too large", with("=8.0", "=99999999999999999999"), "is too large"},
		{"open list", with("=4.0", "=[4.0; 4.0"), `is not a list like`},
		{"empty list", with("=4.0", "=[]"), "activation_size"},
		{"bad list", with("=4.0", "=[4.0; x]"), "activation_size"},
		{"missing figure", with(", parameter_size=8.0", ""), "parameter_size is missing"},
		{"figure twice", with("parameter_size=8.0", "activation_size=8.0"), "once"},
		{"unknown figure", with("parameter_size", "speed"), `speed "8.0" is not a known figure`},
		{"figure without value", with("parameter_size=8.0", "parameter_size"), "once"},
		{"bad edge", line(1, good) + "\tnode1 - node2", `line 2: "node1 - node2" is not an edge; expected a tab and "node1 -- node2"`},
		{"self edge", line(1, good) + "\tnode1 -- node1", "line 2: edge from node1 to itself"},
		{"unknown source", line(1, good) + "\tnode7 -- node1", "line 2: edge names node7, which no line defines"},
		{"unknown target", line(1, good) + "\tnode1 -- node7", "line 2: edge names node7, which no line defines"},
		{"edge twice", line(1, good) + line(2, good) + "\tnode1 -- node2\n\tnode1 -- node2", "line 4: edge node1 -- node2 is on line 3 already"},
		{"cycle", line(1, good) + line(2, good) + "\tnode1 -- node2\n\tnode2 -- node1", "is on a cycle"},
		{"edges missing", line(1, good) + line(2, good) + line(3, good) + line(4, good) + "\tnode2 -- node1\n\tnode3 -- node4", "line 3: no edges connect node3 with the first layer"},
		{"only input", "node1 -- Input -- " + good, "no nodes besides inputs"},
		{"no time", with("forward_compute_time=1.0, backward_compute_time=2.0", "forward_compute_time=0.0, backward_compute_time=0.0"), "no layer takes any time"},
		{"sum too large", line(1, strings.Replace(good, "=8.0", "=72057594037927936.0", 1)) + line(2, good) + "\tnode1 -- node2", "the sum of parameters is above 2^56"},
		{"long line", line(1, good) + strings.Repeat("x", maxLine+1), "line 2: longer than 1048576 bytes"},
		{"many nodes", manyLines(maxNodes+1, func(i int) string { return line(i, good) }), "line 20001: more than 20000 nodes"},
		{"many edges", manyLines(maxEdges+1, func(i int) string { return fmt.Sprintf("\tnode%d -- node%d\n", i, i+1) }), "line 200001: more than 200000 edges"},
	}.check(t, PipeDream)
}

func manyLines(n int, line func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// TestImportPipeDreamLargest takes the largest graphs allowed in the shapes
// that cost most: a star of ends, and a chain of views.
func TestImportPipeDreamLargest(t *testing.T) {
	const good = "forward_compute_time=1.0, backward_compute_time=0.0, activation_size=0.0, parameter_size=0.0\n"
	star := manyLines(maxNodes, func(i int) string {
		s := fmt.Sprintf("node%d -- Conv -- %s", i, good)
		if i > 0 {
			s += fmt.Sprintf("\tnode0 -- node%d\n", i)
		}
		return s
	})
	ps, err := Import(PipeDream, strings.NewReader(star), someOptions)
	assert.NoError(t, err)
	assert.Len(t, ps[0].Layers, maxNodes)
	views := manyLines(maxNodes, func(i int) string {
		s := "node0 -- Conv -- " + good
		if i > 0 {
			s = fmt.Sprintf("node%d -- View -- %s\tnode%d -- node%d\n", i, strings.Replace(good, "=1.0", "=0.0", 1), i-1, i)
		}
		return s
	})
	ps, err = Import(PipeDream, strings.NewReader(views), someOptions)
	assert.NoError(t, err)
	assert.Len(t, ps[0].Layers, 1)
}
