package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
)

const dnnPartitioningNote = "Times are fpgaLatency, for layer graphs profiled on a GPU that the file does not name, with a batch size it does not name. " +
	"Activations are the size of the tensor that leaves a node, parameters the rest of its size; " +
	"what a module keeps inside is not in the source, so the activations are those of recomputation from module outputs. " +
	"Backward time of some modules is booked further up: no cut in between."

// dnnPartitioningLayers reads a training layer graph of dnn-partitioning; see the package comment.
func dnnPartitioningLayers(data []byte) ([]instance.Layer, error) {
	nodes, edges, err := readDNNPartitioning(data)
	if err != nil {
		return nil, err
	}
	g, err := pairDNNPartitioning(nodes, edges)
	if err != nil {
		return nil, err
	}
	return g.layers()
}

// boolean may be written 0 or 1.
type boolean bool

func (f *boolean) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "0", "false":
		*f = false
	case "1", "true":
		*f = true
	default:
		return fmt.Errorf("%q is not true, false, 0 or 1", instance.Clip(string(data)))
	}
	return nil
}

// dnnNode and dnnEdge are the entries of the file, less those not used.
type dnnNode struct {
	ID        *int64      `json:"id"`
	Name      string      `json:"name"`
	Supported *boolean    `json:"supportedOnFpga"`
	Latency   json.Number `json:"fpgaLatency"`
	Backward  boolean     `json:"isBackwardNode"`
	Colour    *int64      `json:"colorClass"`
	Size      json.Number `json:"size"`
	where     string
}

type dnnEdge struct {
	From  *int64      `json:"sourceId"`
	To    *int64      `json:"destId"`
	Size  json.Number `json:"size"`
	where string
}

// readDNNPartitioning reads nodes and edges with their places in the file.
func readDNNPartitioning(data []byte) (nodes []dnnNode, edges []dnnEdge, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	place := func(offset int64) string {
		return fmt.Sprintf("line %d", 1+bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n")))
	}
	fail := func(err error) ([]dnnNode, []dnnEdge, error) {
		return nil, nil, fmt.Errorf("profiles: %s: %w", place(dec.InputOffset()), strictjson.Describe(err))
	}
	if err := delim(dec, '{'); err != nil {
		return fail(err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fail(err)
		}
		switch key {
		case "nodes":
			if nodes != nil {
				return fail(errors.New(`"nodes" is given twice`))
			}
			nodes, err = array(dec, data, "nodes", maxNodes, func(n *dnnNode, where string) { n.where = where })
			if err != nil {
				return nil, nil, err
			}
		case "edges":
			if edges != nil {
				return fail(errors.New(`"edges" is given twice`))
			}
			edges, err = array(dec, data, "edges", maxEdges, func(e *dnnEdge, where string) { e.where = where })
			if err != nil {
				return nil, nil, err
			}
		default:
			var skipped json.RawMessage
			if err := dec.Decode(&skipped); err != nil {
				return fail(err)
			}
		}
	}
	if err := delim(dec, '}'); err != nil {
		return fail(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fail(errors.New("text after the closing brace"))
	}
	if len(nodes) == 0 {
		return nil, nil, errors.New(`profiles: the file has no nodes; expected {"nodes": [...], "edges": [...]}`)
	}
	return nodes, edges, nil
}

// delim reads one brace or bracket.
func delim(dec *json.Decoder, want json.Delim) error {
	t, err := dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("expected %q", want.String())
	}
	return err
}

// array reads an array of at most limit entries; place is given each entry and
// its line and path. Its errors name the line.
func array[T any](dec *json.Decoder, data []byte, name string, limit int, place func(*T, string)) ([]T, error) {
	line, counted := 1, int64(0)
	where := func() string {
		// The entry begins after the comma and the space that come next.
		to := dec.InputOffset()
		for to < int64(len(data)) && bytes.IndexByte([]byte(" \t\r\n,:"), data[to]) >= 0 {
			to++
		}
		line += bytes.Count(data[counted:to], []byte("\n"))
		counted = to
		return fmt.Sprintf("line %d: %s", line, name)
	}
	at := where()
	if err := delim(dec, '['); err != nil {
		return nil, fmt.Errorf("profiles: %s: %w", at, strictjson.Describe(err))
	}
	out := []T{}
	for dec.More() {
		at := fmt.Sprintf("%s[%d]", where(), len(out))
		if len(out) == limit {
			return nil, fmt.Errorf("profiles: %s: more than %d %s", at, limit, name)
		}
		var v T
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("profiles: %s: %w", at, strictjson.Describe(err))
		}
		place(&v, at)
		out = append(out, v)
	}
	if err := delim(dec, ']'); err != nil {
		return nil, fmt.Errorf("profiles: %s: %w", where(), strictjson.Describe(err))
	}
	return out, nil
}

// dnnGraph pairs the forward nodes of a graph with their backward nodes.
type dnnGraph struct {
	nodes             []dnnNode
	at                map[int64]int // id to index into nodes
	time              []instance.Duration
	size              []instance.Bytes // by node
	forward, backward map[int64]int    // colour to index into nodes
	index             map[int]int      // index into nodes to index into g.nodes
	g                 *graph

	sent     map[int]instance.Bytes // forward node to the size of the edges that leave it
	mirrored map[int]instance.Bytes // forward node to the size of the edges into its backward node
}

// pairDNNPartitioning makes a graph of the forward nodes, each with the time of
// its backward node.
func pairDNNPartitioning(nodes []dnnNode, edges []dnnEdge) (*graph, error) {
	d := &dnnGraph{
		nodes: nodes, at: make(map[int64]int, len(nodes)), forward: map[int64]int{}, backward: map[int64]int{}, index: map[int]int{},
		g: newGraph(nil), sent: map[int]instance.Bytes{}, mirrored: map[int]instance.Bytes{},
	}
	for _, step := range []func() error{d.read, d.pair, func() error { return d.connect(edges) }, d.divide} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	topo, err := d.g.topological()
	if err != nil {
		return nil, err
	}
	d.g.inferKinds(topo)
	for i := range d.g.nodes {
		if d.g.nodes[i].inPlace {
			d.g.nodes[i].layer.Activations = 0
		}
	}
	return d.g, nil
}

// badDNN is a mistake at a place of the file.
func badDNN(where, format string, args ...any) error {
	return fmt.Errorf("profiles: %s: "+format, append([]any{where}, args...)...)
}

// read reads the figures of the nodes and sorts these by pass and colour class.
func (d *dnnGraph) read() error {
	for i, n := range d.nodes {
		switch {
		case n.ID == nil || n.Colour == nil || n.Latency == "" || n.Size == "":
			return badDNN(n.where, "id, colorClass, fpgaLatency and size are all needed")
		case n.Supported != nil && !bool(*n.Supported):
			return badDNN(n.where, "node %d does not run on the accelerator (supportedOnFpga), so it has no time there", *n.ID)
		}
		if j, found := d.at[*n.ID]; found {
			return badDNN(n.where, "id %d is taken by %s; ids are unique", *n.ID, d.nodes[j].where)
		}
		d.at[*n.ID] = i
		time, err := parseRoundedMilliseconds(n.Latency.String())
		if err != nil {
			return badDNN(n.where, "fpgaLatency %s %w", instance.Clip(n.Latency.String()), err)
		}
		size, err := parseBytes(n.Size.String())
		if err != nil {
			return badDNN(n.where, "size %s %w", instance.Clip(n.Size.String()), err)
		}
		d.time, d.size = append(d.time, time), append(d.size, size)
		group, pass := d.forward, "forward"
		if n.Backward {
			group, pass = d.backward, "backward"
		}
		if j, found := group[*n.Colour]; found {
			return badDNN(n.where, "colour class %d has a second %s node beside %s; only layer graphs, with one each, can be imported", *n.Colour, pass, d.nodes[j].where)
		}
		group[*n.Colour] = i
	}
	return nil
}

// pair makes a node of the graph of each forward node and its backward node.
func (d *dnnGraph) pair() error {
	for i, n := range d.nodes {
		if n.Backward {
			if _, found := d.forward[*n.Colour]; !found {
				return badDNN(n.where, "backward node %d has no forward node of colour class %d", *n.ID, *n.Colour)
			}
			continue
		}
		b, found := d.backward[*n.Colour]
		if !found {
			return badDNN(n.where, "forward node %d has no backward node of colour class %d; an inference graph has no backward times to import", *n.ID, *n.Colour)
		}
		if d.size[i] != d.size[b] {
			return badDNN(n.where, "forward node %d has %d bytes, its backward node %d", *n.ID, d.size[i], d.size[b])
		}
		d.index[i] = len(d.g.nodes)
		name := n.Name
		if name == "" {
			name = fmt.Sprintf("node%d", *n.ID)
		}
		d.g.nodes = append(d.g.nodes, node{id: *n.ID, where: n.where, layer: instance.Layer{Name: name, Forward: d.time[i], Backward: d.time[b]}})
	}
	d.g.preds = make([][]int, len(d.g.nodes))
	return nil
}

// connect reads the edges.
func (d *dnnGraph) connect(edges []dnnEdge) error {
	seen := make(map[[2]int64]string)
	for _, e := range edges {
		if e.From == nil || e.To == nil {
			return badDNN(e.where, "sourceId and destId are needed")
		}
		from, okFrom := d.at[*e.From]
		to, okTo := d.at[*e.To]
		if !okFrom || !okTo {
			missing := *e.From
			if okFrom {
				missing = *e.To
			}
			return badDNN(e.where, "edge names node %d, which is not in nodes", missing)
		}
		if from == to {
			return badDNN(e.where, "edge from node %d to itself; a forward pass has no cycles, remove it", *e.From)
		}
		key := [2]int64{*e.From, *e.To}
		if other, found := seen[key]; found {
			return badDNN(e.where, "edge from %d to %d is given already by %s; remove one", *e.From, *e.To, other)
		}
		seen[key] = e.where
		if e.Size == "" {
			continue // found missing below, if it matters
		}
		size, err := parseBytes(e.Size.String())
		if err != nil {
			return badDNN(e.where, "size %s %w", instance.Clip(e.Size.String()), err)
		}
		switch {
		case bool(d.nodes[from].Backward) && bool(d.nodes[to].Backward):
			f := d.index[d.forward[*d.nodes[to].Colour]]
			d.mirrored[f] = max(d.mirrored[f], size)
		case !bool(d.nodes[from].Backward) && !bool(d.nodes[to].Backward):
			f := d.index[from]
			if other, found := d.sent[f]; found && other != size {
				return badDNN(e.where, "edges out of node %d carry %d and %d bytes; the output of a node has one size", *e.From, other, size)
			}
			d.sent[f] = size
			d.g.preds[d.index[to]] = append(d.g.preds[d.index[to]], f)
		}
	}
	return nil
}

// divide divides the bytes of the nodes into parameters and activations.
func (d *dnnGraph) divide() error {
	for i := range d.nodes {
		f, found := d.index[i]
		if !found {
			continue
		}
		n, size := &d.g.nodes[f], d.size[i]
		output, found := d.sent[f]
		if !found {
			output, found = d.mirrored[f]
		}
		switch {
		case !found && size > 0:
			return badDNN(n.where, "no edge gives the size of the output of node %d, so its %d bytes cannot be split into parameters and activations", n.id, size)
		case output > size:
			return badDNN(n.where, "node %d has %d bytes, but its output has %d", n.id, size, output)
		}
		l := &n.layer
		l.Activations, l.Parameters = output, size-output
		n.bookedAbove = l.Parameters > 0 && l.Backward < l.Forward/4
	}
	return nil
}
