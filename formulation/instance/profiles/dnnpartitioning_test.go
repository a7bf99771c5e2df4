package profiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/instance"
)

func TestImportDNNPartitioning(t *testing.T) {
	p := importOne(t, "small_layers.json")
	assert.Equal(t, []instance.Layer{
		{Name: "embed", Forward: 696_000, Backward: 4_778_000, Parameters: 1000, Activations: 16},
		{Name: "layer", Forward: 3_598_000, Backward: 52_000, Parameters: 500, Activations: 16, Joined: true},
		{Name: "node4", Forward: 5_655_000, Backward: 8_380_000, Parameters: 104, Activations: 12},
	}, p.Layers)
}

// TestImportDNNPartitioningKinds: what loads data is no layer, what is done in place adds
// no activations, and views are no layers.
func TestImportDNNPartitioningKinds(t *testing.T) {
	var got []string
	for _, l := range importOne(t, "small_network.json").Layers {
		got = append(got, fmt.Sprintf("%s %v %v %d %d", l.Name, l.Forward, l.Backward, int64(l.Parameters), int64(l.Activations)))
	}
	assert.Equal(t, []string{
		"conv 2ms 4ms 32 100",
		"norm 1ms 150µs 4 100",
		"relu 500µs 400µs 0 0",
		"conv2 2ms 4ms 32 100",
		"add 0s 0s 0 0",
		"relu2 500µs 400µs 0 0",
		"pool 400µs 600µs 0 100",
		"linear 1ms 2ms 50 10",
		"lstm 10ms 20µs 30 10",
		"dropout 100µs 100µs 0 10", // a module with parts keeps its output
		"head 1ms 2ms 20 6",
	}, got)
}

func TestImportDNNPartitioningErrors(t *testing.T) {
	node := func(id, colour, back int) string {
		return fmt.Sprintf(`{"id":%d,"colorClass":%d,"fpgaLatency":1.5,"size":8,"isBackwardNode":%d}`, id, colour, back)
	}
	file := func(nodes, edges string) string {
		return "{\"nodes\":[\n" + nodes + "\n],\"edges\":[\n" + edges + "\n]}"
	}
	pair := node(1, 1, 0) + ",\n" + node(2, 1, 1)
	two := pair + ",\n" + node(3, 2, 0) + ",\n" + node(4, 2, 1)
	const edge = `{"sourceId":1,"destId":3,"size":4}`
	const out = `{"sourceId":2,"destId":4,"size":4}`
	with := func(s, old, new string) string { return strings.Replace(s, old, new, 1) }
	good := file(two, edge+","+out)
	malformed{
		{"empty", "", "line 1: the file ends too early"},
		{"not an object", "[]", `expected "{"`},
		{"cut off", good[:len(good)-3], "the file ends too early"},
		{"syntax", with(good, `"id":3`, `"id":`), "line 4: nodes[2]: invalid character"},
		{"text after", good + "\nx", "line 9: text after the closing brace"},
		{"no nodes", `{"edges":[]}`, "the file has no nodes"},
		{"nodes twice", `{"nodes":[],"nodes":[]}`, `"nodes" is given twice`},
		{"edges twice", `{"edges":[],"edges":[]}`, `"edges" is given twice`},
		{"nodes not a list", `{"nodes":{}}`, `line 1: nodes: expected "["`},
		{"kind of number", with(good, `"id":3`, `"id":"x"`), "line 4: nodes[2]: id is a string; expected a whole number"},
		{"text", with(good, `"size":8,`, `"size":"8 MB",`), "line 2: nodes[0]: text stands where a number is expected"},
		{"flag", with(good, `"isBackwardNode":1`, `"isBackwardNode":2`), `line 3: nodes[1]: "2" is not true, false, 0 or 1`},
		{"missing field", with(good, `"size":8,`, ``), "line 2: nodes[0]: id, colorClass, fpgaLatency and size are all needed"},
		{"no accelerator", with(good, `"size":8,`, `"size":8,"supportedOnFpga":0,`), "node 1 does not run on the accelerator"},
		{"id twice", with(good, `"id":3`, `"id":1`), "line 4: nodes[2]: id 1 is taken by line 2: nodes[0]"},
		{"negative time", with(good, "1.5", "-1.5"), "line 2: nodes[0]: fpgaLatency -1.5 is negative"},
		{"huge time", with(good, "1.5", "1e300"), "fpgaLatency 1e300 is not a number in range"},
		{"NaN", with(good, "1.5", "NaN"), "line 2: nodes[0]: invalid character 'N'"},
		{"half a byte", with(good, `"size":8`, `"size":8.5`), "size 8.5 is not a whole number of bytes"},
		{"colour with two", file(pair+",\n"+node(3, 1, 0), ""), "line 4: nodes[2]: colour class 1 has a second forward node beside line 2: nodes[0]"},
		{"inference", file(node(1, 1, 0), ""), "an inference graph has no backward times"},
		{"backward alone", file(node(1, 1, 1), ""), "backward node 1 has no forward node of colour class 1"},
		{"sizes differ", with(good, `"size":8`, `"size":9`), "forward node 1 has 9 bytes, its backward node 8"},
		{"edge without end", with(good, `"destId":3,`, ``), "line 7: edges[0]: sourceId and destId are needed"},
		{"edge to unknown", with(good, `"destId":3`, `"destId":7`), "line 7: edges[0]: edge names node 7, which is not in nodes"},
		{"edge from unknown", with(good, `"sourceId":1`, `"sourceId":7`), "edge names node 7"},
		{"self edge", with(good, `"destId":3`, `"destId":1`), "edge from node 1 to itself"},
		{"edge twice", file(two, edge+",\n"+edge), "line 8: edges[1]: edge from 1 to 3 is given already by line 7: edges[0]"},
		{"negative edge", with(good, `"size":4`, `"size":-4`), "size -4 is negative"},
		{"outputs differ", file(two+","+node(5, 3, 0)+","+node(6, 3, 1), edge+","+`{"sourceId":1,"destId":5,"size":5}`), "edges out of node 1 carry 4 and 5 bytes"},
		{"no output size", file(two, edge), "no edge gives the size of the output of node 3"},
		{"output too large", with(good, `"size":4`, `"size":9`), "node 1 has 8 bytes, but its output has 9"},
		{"cycle", file(two, edge+`,{"sourceId":3,"destId":1,"size":4}`), "is on a cycle"},
		{"bad name", with(good, `"id":1`, `"name":"\u0000","id":1`), "layers[0].name"},
		{"many nodes", file(strings.TrimSuffix(manyLines(maxNodes+1, func(i int) string { return node(i, i, 0) + ",\n" }), ",\n"), ""), "more than 20000 nodes"},
	}.check(t, DNNPartitioning)
}
