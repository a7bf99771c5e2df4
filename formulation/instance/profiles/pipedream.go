package profiles

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

const pipeDreamNote = "Times are measured: wall clock with a device synchronisation after each module, ms with 3 decimals. " +
	"The GPU type and the batch size are not in the file. Data loading (Input nodes) is dropped; views are one with the node they look at. " +
	"Activations are activation_size (FP32 outputs) of all nodes but in-place operations and views; " +
	"pooling indices, dropout masks and what modules with parts keep inside are not counted. " +
	"Backward time of modules with parts is booked further up: no cut in between."

const (
	pipeDreamTimes = " -- forward_compute_time="
	pipeDreamWant  = `"node1 -- Conv2d(...) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=4.0, parameter_size=8.0"`
)

var (
	pipeDreamInput = regexp.MustCompile(`^Input[0-9]*$`)
	// A module with parts lists them as "(name): Kind(...)".
	pipeDreamParts = regexp.MustCompile(`\(\w+\): `)
)

// pipeDreamLayers reads a graph.txt of PipeDream's profiler; see the package comment.
func pipeDreamLayers(data []byte) ([]instance.Layer, error) {
	g, err := readPipeDream(data)
	if err != nil {
		return nil, err
	}
	return g.layers()
}

// pipeDreamEdge waits until all nodes are known: edges may come first.
type pipeDreamEdge struct {
	from, to int64
	line     int
}

func readPipeDream(data []byte) (*graph, error) {
	var nodes []node
	var edges []pipeDreamEdge
	at := make(map[int64]int) // node id to index
	err := eachLine(data, func(line int, text string) error {
		if text[0] == '\t' || text[0] == ' ' {
			e, err := parsePipeDreamEdge(text)
			e.line = line
			edges = append(edges, e)
			if err == nil && len(edges) > maxEdges {
				err = fmt.Errorf("more than %d edges", maxEdges)
			}
			return err
		}
		n, err := parsePipeDreamNode(text)
		if err != nil {
			return err
		}
		n.where = fmt.Sprintf("line %d", line)
		if i, found := at[n.id]; found {
			return fmt.Errorf("node%d is defined on %s already; node names are unique", n.id, nodes[i].where)
		}
		at[n.id] = len(nodes)
		nodes = append(nodes, n)
		if len(nodes) > maxNodes {
			return fmt.Errorf("more than %d nodes", maxNodes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("profiles: the file has no nodes; expected lines like %s", pipeDreamWant)
	}
	g := newGraph(nodes)
	first := make(map[[2]int64]int)
	for _, e := range edges {
		from, okFrom := at[e.from]
		to, okTo := at[e.to]
		key := [2]int64{e.from, e.to}
		switch {
		case !okFrom || !okTo:
			missing := e.from
			if okFrom {
				missing = e.to
			}
			return nil, fmt.Errorf("profiles: line %d: edge names node%d, which no line defines", e.line, missing)
		case first[key] != 0:
			return nil, fmt.Errorf("profiles: line %d: edge node%d -- node%d is on line %d already; remove one", e.line, e.from, e.to, first[key])
		}
		first[key] = e.line
		g.preds[to] = append(g.preds[to], from)
	}
	for i := range nodes {
		n := &nodes[i]
		// Sources that cost nothing, such as "hidden", are inputs too.
		free := n.layer.Forward|n.layer.Backward == 0 && n.layer.Parameters|n.layer.Activations == 0
		n.input = n.number || len(g.preds[i]) == 0 && (n.input || free)
		if n.inPlace {
			n.layer.Activations = 0
		}
	}
	if lone := g.unconnected(); lone >= 0 {
		return nil, fmt.Errorf("profiles: %s: no edges connect node%d with the first layer, so the order of the layers is not known; the file is incomplete", nodes[lone].where, nodes[lone].id)
	}
	return g, nil
}

// eachLine calls f with each line that is not blank, and puts the line number
// before its error.
func eachLine(data []byte, f func(line int, text string) error) error {
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, maxLine)
	line := 0
	for scan.Scan() {
		line++
		text := strings.TrimRight(scan.Text(), " \t\r")
		if text == "" {
			continue
		}
		if err := f(line, text); err != nil {
			return fmt.Errorf("profiles: line %d: %w", line, err)
		}
	}
	if errors.Is(scan.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("profiles: line %d: longer than %d bytes", line+1, maxLine)
	}
	return scan.Err()
}

func parsePipeDreamEdge(text string) (pipeDreamEdge, error) {
	from, to, found := strings.Cut(strings.TrimSpace(text), " -- ")
	a, errA := parsePipeDreamID(from)
	b, errB := parsePipeDreamID(to)
	if !found || errA != nil || errB != nil {
		return pipeDreamEdge{}, fmt.Errorf("%q is not an edge; expected a tab and \"node1 -- node2\"", instance.Clip(strings.TrimSpace(text)))
	}
	if a == b {
		return pipeDreamEdge{}, fmt.Errorf("edge from node%d to itself; a forward pass has no cycles, remove it", a)
	}
	return pipeDreamEdge{from: a, to: b}, nil
}

func parsePipeDreamID(s string) (int64, error) {
	digits, found := strings.CutPrefix(s, "node")
	if !found || len(digits) > 9 || digits == "" || !allDigits(digits) {
		return 0, errors.New("not a node name")
	}
	return strconv.ParseInt(digits, 10, 64)
}

func parsePipeDreamNode(text string) (node, error) {
	id, rest, found := strings.Cut(text, " -- ")
	split := strings.LastIndex(rest, pipeDreamTimes)
	if !found || split < 0 {
		return node{}, fmt.Errorf("%q is not a node; expected %s", instance.Clip(text), pipeDreamWant)
	}
	number, err := parsePipeDreamID(id)
	if err != nil {
		return node{}, fmt.Errorf("%q is not a node name; expected \"node\" and a number of at most 9 digits", instance.Clip(id))
	}
	about, figures := rest[:split], rest[split+len(" -- "):]
	// The optimizer appends the stage it chose; it is not part of the profile.
	figures, _, _ = strings.Cut(figures, " -- stage_id=")

	kind := about
	if end := strings.IndexFunc(about, func(r rune) bool { return r > 'z' || !isWord(string(r)) }); end >= 0 {
		kind = about[:end]
	}
	if kind == "" {
		return node{}, fmt.Errorf("node%d has the description %q; expected a module such as Conv2d(...)", number, instance.Clip(about))
	}
	n := node{id: number, name: kind}
	l := &n.layer
	if l.Forward, l.Backward, l.Activations, l.Parameters, err = parsePipeDreamFigures(figures); err != nil {
		return node{}, fmt.Errorf("node%d: %w", number, err)
	}
	l.Name = instance.Clip(fmt.Sprintf("node%d %s", number, kind))
	costless := l.Forward|l.Backward == 0 && l.Parameters == 0
	n.input = pipeDreamInput.MatchString(about)
	n.inPlace = strings.Contains(about, "inplace") && !strings.Contains(about, "inplace=False")
	n.bookedAbove = pipeDreamParts.MatchString(about)
	switch kind {
	case "Size":
		n.number = costless
	case "View", "Transpose", "__getitem__":
		n.view = costless
	}
	return n, nil
}

// parsePipeDreamFigures reads the four figures, each exactly once.
func parsePipeDreamFigures(text string) (forward, backward instance.Duration, activations, parameters instance.Bytes, err error) {
	seen := make(map[string]bool)
	for field := range strings.SplitSeq(text, ", ") {
		key, value, found := strings.Cut(field, "=")
		if !found || seen[key] {
			err = fmt.Errorf("%q: expected each of forward_compute_time, backward_compute_time, activation_size and parameter_size once", instance.Clip(field))
			return
		}
		seen[key] = true
		switch key {
		case "forward_compute_time":
			forward, err = parseMilliseconds(value)
		case "backward_compute_time":
			backward, err = parseMilliseconds(value)
		case "activation_size":
			activations, err = parsePipeDreamSizes(value)
		case "parameter_size":
			parameters, err = parseBytes(value)
		default:
			err = errors.New("is not a known figure")
		}
		if err != nil {
			err = fmt.Errorf("%s %q %w", instance.Clip(key), instance.Clip(value), err)
			return
		}
	}
	for _, key := range []string{"forward_compute_time", "backward_compute_time", "activation_size", "parameter_size"} {
		if !seen[key] {
			err = fmt.Errorf("%s is missing", key)
			return
		}
	}
	return
}

// parsePipeDreamSizes reads a size, or a list of sizes and sums it.
func parsePipeDreamSizes(s string) (instance.Bytes, error) {
	list, found := strings.CutPrefix(s, "[")
	if !found {
		return parseBytes(s)
	}
	list, found = strings.CutSuffix(list, "]")
	if !found {
		return 0, errors.New(`is not a list like "[4.0; 8.0]"`)
	}
	var sum instance.Bytes
	for part := range strings.SplitSeq(list, ";") {
		b, err := parseBytes(part)
		if err != nil {
			return 0, err
		}
		if sum += b; sum > maxQuantity {
			return 0, errors.New("is too large")
		}
	}
	return sum, nil
}
