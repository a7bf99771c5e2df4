package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
)

// Format names a kind of profile file of another project.
type Format string

// The formats.
const (
	PipeDream       Format = "pipedream"
	DeepPool        Format = "deeppool"
	DNNPartitioning Format = "dnn-partitioning"
	Kineto          Format = "kineto"
)

// Formats lists the formats that [Import] reads.
func Formats() []Format { return []Format{PipeDream, DeepPool, DNNPartitioning, Kineto} }

const (
	// maxInput is the largest file read, in bytes.
	maxInput = 64 << 20
	// maxLine is the longest line read, in bytes.
	maxLine = 1 << 20
	// maxNodes and maxEdges bound a graph. The largest published one has 2,000 nodes.
	maxNodes = 20_000
	maxEdges = 200_000
)

// ImportOptions says what the files themselves do not.
type ImportOptions struct {
	// Model and GPU name the profile. Required.
	Model, GPU string
	// Batch is the number of samples per iteration that was profiled. A
	// DeepPool file has its own batch sizes: there Batch picks one, and 0
	// picks all. Otherwise required.
	Batch int
	// Source is the provenance to put into the profiles. Its Note is added to
	// the importer's own.
	Source instance.Source
}

// Import reads a profile file of another project. An empty format is detected
// from the content.
func Import(format Format, r io.Reader, opt ImportOptions) ([]*instance.Profile, error) {
	data, err := readAll(r, maxInput)
	if err != nil {
		return nil, err
	}
	if format == "" {
		if format, err = detect(data); err != nil {
			return nil, err
		}
	}
	var read func(data []byte) ([]instance.Layer, error)
	var note string
	switch format {
	case DeepPool:
		return importDeepPool(data, opt)
	case PipeDream:
		read, note = pipeDreamLayers, pipeDreamNote
	case DNNPartitioning:
		read, note = dnnPartitioningLayers, dnnPartitioningNote
	case Kineto:
		read, note = kinetoLayers, kinetoNote
	default:
		return nil, fmt.Errorf("profiles: format %q is unknown; choose one of %s", instance.Clip(string(format)), formatList())
	}
	if err := opt.check(true); err != nil {
		return nil, err
	}
	layers, err := read(data)
	if err != nil {
		return nil, err
	}
	p, err := opt.profile(opt.Batch, note, layers)
	if err != nil {
		return nil, err
	}
	return []*instance.Profile{p}, nil
}

// detect tells the format of a profile file from its content.
func detect(data []byte) (Format, error) {
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
		return "", errors.New("profiles: the file is empty")
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "", errors.New("profiles: the file is UTF-16; save it as UTF-8")
	case text[0] == '{' || text[0] == '[':
		return detectJSON(text)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	first := string(line)
	brace := strings.IndexByte(first, '{')
	switch {
	case strings.HasPrefix(first, "node") && strings.Contains(first, " -- "):
		return PipeDream, nil
	case brace > 0 && isWord(first[:brace]) && strings.Contains(first, "}["):
		return DeepPool, nil
	}
	return "", fmt.Errorf("profiles: a file that begins with %q has no known format: a graph of PipeDream begins like \"node1 -- Conv2d\", a .prof of DeepPool "+
		"like \"conv2d{\", dnn-partitioning and torch.profiler write JSON", instance.Clip(first))
}

// detectJSON tells the format of a JSON file from its keys, or what it is instead.
func detectJSON(text []byte) (Format, error) {
	keys, err := topKeys(text)
	for _, kind := range []struct {
		key    string
		format Format
		not    string
	}{
		{"traceEvents", Kineto, ""},
		{"ph", "", "the file is a trace of a PyTorch without Kineto, which names no modules; jigsaw profile measure measures the model itself"},
		{"nodes", DNNPartitioning, ""},
		{"cluster", "", "the file is a JigSaw instance, which needs no import; the profiles that it has are used as they are"},
		{"profiles", "", "the file is a JigSaw profile already; use it as it is"},
		{"profile", "", "the file is a JigSaw profile already; use it as it is"},
		{"schema_version", "", "the file is a plan of JigSaw, which has no profiles"},
		{"model_type", "", "the file is the config.json of a model; jigsaw profile estimate --config makes a profile of it"},
	} {
		switch {
		case !slices.Contains(keys, kind.key):
		case kind.not != "":
			return "", errors.New("profiles: " + kind.not)
		default:
			return kind.format, nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("profiles: the file is neither JSON nor text of a known format: %w", strictjson.Describe(err))
	}
	has := "no keys"
	if len(keys) > 0 {
		has = "the keys " + instance.Clip(strings.Join(keys, ", "))
	}
	return "", fmt.Errorf("profiles: the file is JSON with %s, and not a known kind of profile: a graph of dnn-partitioning has nodes and edges, a trace of torch.profiler has traceEvents", has)
}

// topKeys are the keys of an object or, of an array, those of its first entry; those before the error, where
// there is one.
func topKeys(text []byte) (keys []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if open == json.Delim('[') && dec.More() {
		if open, err = dec.Token(); open != json.Delim('{') {
			return nil, err
		}
	}
	for err == nil && dec.More() {
		var key json.Token
		if key, err = dec.Token(); err != nil {
			break
		}
		name, is := key.(string)
		if !is {
			return keys, nil // an array of arrays, say
		}
		keys = append(keys, name)
		var skipped json.RawMessage
		err = dec.Decode(&skipped)
	}
	if err == nil {
		_, err = dec.Token() // a file that ends too early has no brace there
	}
	return keys, err
}

func formatList() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// readAll reads a whole file of at most limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("profiles: the file is larger than %d bytes", limit)
	}
	return bytes.TrimPrefix(data, []byte("\uFEFF")), nil // some editors write this mark
}

// check validates the options; needBatch where the file does not tell it.
func (o ImportOptions) check(needBatch bool) error {
	var errs []error
	if o.Model == "" {
		errs = append(errs, errors.New("profiles: the file does not say its model; give --model, the name that jobs will use"))
	}
	if o.GPU == "" {
		errs = append(errs, errors.New("profiles: the file does not say its GPU type; give --gpu, the one that was profiled"))
	}
	switch {
	case o.Batch < 0 || o.Batch > instance.MaxBatch:
		errs = append(errs, fmt.Errorf("profiles: batch %d is not between 1 and %d", o.Batch, instance.MaxBatch))
	case o.Batch == 0 && needBatch:
		errs = append(errs, errors.New("profiles: the file does not say its batch size; give --batch, the one that was profiled"))
	}
	return errors.Join(errs...)
}

// profile makes a profile of the layers and validates it.
func (o ImportOptions) profile(batch int, note string, layers []instance.Layer) (*instance.Profile, error) {
	src := o.Source
	src.Note = strings.TrimSpace(note + " " + src.Note)
	p := &instance.Profile{Model: o.Model, GPU: o.GPU, Batch: batch, Source: &src, Layers: layers}
	if err := validate(p, ""); err != nil {
		return nil, err
	}
	return p, nil
}

// isWord reports whether s is letters, digits and underscores.
func isWord(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
		default:
			return false
		}
	}
	return s != ""
}
