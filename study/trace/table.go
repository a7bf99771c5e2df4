package trace

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"jigsaw/formulation/instance"
)

// Table gives the costs of the models of a trace.
type Table struct {
	// Version of the file format.
	Version int `yaml:"version"`
	// Source says where the figures come from.
	Source *instance.Source `yaml:"source,omitempty"`
	// Links determine the time of a synchronisation for models whose iterations are
	// those of a profile.
	Links *TableLinks `yaml:"links,omitempty"`
	// Interference holds factors on the length of an iteration: the first on that
	// given by the trace or this table, for a job with GPUs of its own; the others
	// on that of a scheduler's model for 2, 3, ... jobs that share GPUs. With more
	// jobs than entries the last one applies. Without it every factor is 1.
	Interference []float64 `yaml:"interference,omitempty"`
	// Models of the trace.
	Models []Model `yaml:"models"`
	// Unnamed lists entries of Models. Jobs of traces without model names are given
	// one of these, drawn uniformly with the seed of the replay.
	Unnamed []string `yaml:"unnamed,omitempty"`
}

// TableLinks are the speeds of the network assumed for profiles.
type TableLinks struct {
	// Node is the ring inside a node, Cluster the network between nodes.
	Node    instance.BitRate `yaml:"node"`
	Cluster instance.BitRate `yaml:"cluster"`
	// GPUs of a node.
	GPUs int `yaml:"gpus"`
}

// Model is an entry of the table.
type Model struct {
	// Name in the trace.
	Name string `yaml:"name"`
	// Batch of the entry, as the trace counts it; 0 is any.
	Batch int `yaml:"batch,omitempty"`
	// Shape is the profile whose layers the model has, up to a factor. Without one
	// the model is a single unit: it has no partial backpropagation.
	Shape *Shape `yaml:"shape,omitempty"`
	// Iteration is the length of an iteration in seconds, by GPU type ("any": all
	// that are not named) and number of GPUs; required if the trace does not give it.
	Iteration map[string]map[int]float64 `yaml:"iteration_s,omitempty"`
	// Timed requests iterations as long as those of the shape, with the
	// synchronisation determined by Links.
	Timed bool `yaml:"timed,omitempty"`
	// GPU is the fraction of an iteration that computes, if the trace does not give
	// it; 0 means 1.
	GPU float64 `yaml:"gpu_part,omitempty"`
	// Iterations of a job, if the trace does not give them.
	Iterations int64 `yaml:"iterations,omitempty"`
	// Restart is the cost of a restart in seconds, by number of GPUs. A job uses
	// the entry of its number of GPUs, or else of the next smaller one.
	Restart map[int]float64 `yaml:"restart_s,omitempty"`
}

// Shape names a profile of the library.
type Shape struct {
	Model string `yaml:"model"`
	GPU   string `yaml:"gpu"`
	Batch int    `yaml:"batch"`
}

// mostInterference exceeds everything measured.
const mostInterference = 100

// TableVersion is the version of [Table].
const TableVersion = 1

//go:embed tables/*.yaml
var tables embed.FS

// DefaultTable names the shipped table for a format; "" if there is none.
func DefaultTable(f Format) string {
	switch f {
	case Philly, Helios:
		return "unnamed"
	case Pollux:
		return "" // no figures are available
	}
	return string(f)
}

// BuiltinTables lists the tables that are shipped.
func BuiltinTables() []string {
	names, _ := fs.Glob(tables, "tables/*.yaml") // the pattern is valid
	for k, name := range names {
		names[k] = strings.TrimSuffix(strings.TrimPrefix(name, "tables/"), ".yaml")
	}
	return names
}

// BuiltinTable returns a shipped table.
func BuiltinTable(name string) (*Table, error) {
	f, err := tables.Open("tables/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("trace: there is no built-in table %q; there are %s", instance.Clip(name), strings.Join(BuiltinTables(), ", "))
	}
	defer f.Close()
	return ReadTable(name, f)
}

// mostTableBytes is the largest table that is read.
const mostTableBytes = 16 << 20

// ReadTable reads a table.
func ReadTable(file string, r io.Reader) (*Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostTableBytes))
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var t Table
	if err := d.Decode(&t); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, Problem{file, 1, 1, "the model table is empty; it begins with version: 1"}
		}
		return nil, malformed(file, err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, malformed(file, err)
	}
	if problems := zeros(file, &root); len(problems) > 0 {
		return nil, problems
	}
	return &t, t.check(file)
}

// malformed describes an error in the form of a table for its author.
func malformed(file string, err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return Problem{File: file, Message: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	var problems Problems
	for _, message := range wrong.Errors {
		p := Problem{File: file, Message: message}
		if rest, ok := strings.CutPrefix(message, "line "); ok {
			line, what, _ := strings.Cut(rest, ": ")
			p.Line, _ = strconv.Atoi(line)
			p.Message = unknownField.ReplaceAllString(what, "unknown field \"$1\"; docs/replay.md has those of a model table")
		}
		problems = append(problems, p)
	}
	return problems.err()
}

// unknownField matches the YAML decoder's message.
var unknownField = regexp.MustCompile(`^field (.*) not found in type .*$`)

// zeros finds fields of models given as 0, which would be treated as omitted.
func zeros(file string, root *yaml.Node) (problems Problems) {
	absent := map[string]string{"batch": "any", "gpu_part": "1", "iterations": "that the trace has to say it"}
	for _, models := range field(root.Content[0], "models") {
		for i, m := range models.Content {
			for name, means := range absent {
				for _, v := range field(m, name) {
					if n, err := strconv.ParseFloat(v.Value, 64); err == nil && n == 0 {
						problems = append(problems, Problem{file, v.Line, v.Column, fmt.Sprintf(
							"models[%d].%s: %s is not allowed here; give another value, or leave the field out, which means %s", i, name, instance.Clip(v.Value), means)})
					}
				}
			}
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return problems
}

// field returns the value of a field of a mapping, or none.
func field(n *yaml.Node, name string) []*yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1 : i+2]
		}
	}
	return nil
}

// check reports all errors in a table.
func (t *Table) check(file string) error {
	var problems Problems
	add := func(format string, args ...any) {
		problems = append(problems, Problem{File: file, Message: fmt.Sprintf(format, args...)})
	}
	if t.Version != TableVersion {
		add("version %d is not supported; write version: %d", t.Version, TableVersion)
	}
	if l := t.Links; l != nil && (l.Node <= 0 || l.Cluster <= 0 || l.GPUs < 1) {
		add("links: node and cluster are speeds like 25Gbit/s, and gpus is at least 1")
	}
	for k, f := range t.Interference {
		if !(f >= 1) || f > mostInterference || f < t.Interference[0] {
			add("interference[%d]: %v; write how many times as long iterations of %d jobs on the same GPUs last: from 1 to %d, and no less than for a job alone", k, f, k+1, mostInterference)
		}
	}
	seen := map[[2]string]bool{}
	names := map[string]bool{}
	for i, m := range t.Models {
		at := fmt.Sprintf("models[%d] %q", i, instance.Clip(m.Name))
		key := [2]string{m.Name, fmt.Sprint(m.Batch)}
		if m.Name == "" {
			add("%s: a model needs the name that the trace gives it", at)
		}
		if seen[key] {
			add("%s: there is another entry for batch %d", at, m.Batch)
		}
		seen[key], names[m.Name] = true, true
		if m.Batch < 0 || m.Iterations < 0 || m.GPU < 0 || m.GPU > 1 {
			add("%s: batch and iterations are not negative, and gpu_part is from 0 to 1", at)
		}
		if m.Timed && (m.Shape == nil || t.Links == nil) {
			add("%s: timed needs a shape, and links in the table", at)
		}
		for _, kind := range slices.Sorted(maps.Keys(m.Iteration)) {
			for gpus, s := range m.Iteration[kind] {
				if gpus < 1 || !(s > 0) || s > longest {
					add("%s: iteration_s.%s: %d: %v; write seconds above 0 for a number of GPUs", at, instance.Clip(kind), gpus, s)
				}
			}
		}
		for gpus, s := range m.Restart {
			if gpus < 1 || !(s >= 0) || s > longest {
				add("%s: restart_s: %d: %v; write seconds for a number of GPUs", at, gpus, s)
			}
		}
	}
	for _, name := range t.Unnamed {
		if !names[name] {
			add("unnamed: %q is not among the models", instance.Clip(name))
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Message, b.Message) })
	return problems.err()
}

// find returns the entry for a model at a batch size, or nil.
func (t *Table) find(name string, batch int) *Model {
	var general *Model
	for i := range t.Models {
		if m := &t.Models[i]; m.Name == name {
			if m.Batch == batch {
				return m
			}
			if m.Batch == 0 {
				general = m
			}
		}
	}
	return general
}

// byGPUs returns the entry for the number of GPUs, or that of the next smaller
// number.
func byGPUs(of map[int]float64, gpus int) (value float64, ok bool) {
	best := 0
	for n, v := range of {
		if n <= gpus && n > best {
			best, value, ok = n, v, true
		}
	}
	return value, ok
}
