package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
)

// Limits of an instance file. Together they bound the memory that reading a
// hostile file takes, and the time.
const (
	maxFileBytes = 32 << 20
	maxValues    = 1 << 21
)

// Document is an instance file that has been read: what it says, and where it
// says it.
type Document struct {
	Spec *instance.Spec
	File
}

// File knows where a file that was read says what.
type File struct{ root *yaml.Node }

// Decode reads an instance file, YAML or JSON. A file whose first characters
// are those of a JSON object, {", is read as JSON, any other as YAML.
//
// Decode is strict: unknown fields, fields given twice, missing fields, values
// of a wrong type, empty values and YAML's aliases and tags are all mistakes.
// Where a text is wanted, an unquoted YAML value is that text, whatever else
// YAML may take it for: yes, 2024-01-01 and 007 are good names. Whole numbers
// are plain decimals. Mistakes are reported together, as [instance.Problems] with line
// and column; whether the values make sense together is for
// [Document.Compile] to say.
//
// A file holds at most 32 MiB, two million values, and 64 levels of nesting.
func Decode(data []byte) (*Document, error) {
	spec := &instance.Spec{}
	file, err := DecodeFile(data, instance.Version, spec)
	if err != nil {
		return nil, err
	}
	return &Document{spec, file}, nil
}

// DecodeFile fills target as strictly as [Decode] reads an instance: files of
// other formats are read by the same rules. Target points to a struct whose
// fields have yaml tags; those without omitempty are required. It may hold
// structs, slices, pointers, strings, booleans, integers, and types that read
// themselves from text. A file's version field has to be the one given.
func DecodeFile(data []byte, version int, target any) (File, error) {
	root, isJSON, err := parse(data)
	if err != nil {
		return File{}, err
	}
	problems := decodeNode(root, isJSON, version, target)
	if other := checkVersion(root, version); other != nil {
		// Fields need not be those of this version, but they show where a file is of another kind.
		for _, p := range problems {
			if p.Path == "" {
				other[0].Unknown = append(other[0].Unknown, p.Unknown...)
			}
		}
		return File{}, other
	}
	if len(problems) > 0 {
		return File{}, problems
	}
	return File{root}, nil
}

// DecodeSpec is [Decode] of what r yields. It stops reading at the limit of
// a file's size.
func DecodeSpec(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("instance: %w", err)
	}
	return Decode(data)
}

// Compile is [instance.Compile] of the document's spec, with problems that know their
// line and column, in the order of the file.
func (d *Document) Compile(library instance.ProfileSource) (*instance.Instance, error) {
	return located(d, library, instance.Compile)
}

// CompileBursts is [instance.CompileBursts], with problems like those of Compile.
func (d *Document) CompileBursts(library instance.ProfileSource) (*instance.Bursts, error) {
	return located(d, library, instance.CompileBursts)
}

func located[T any](d *Document, library instance.ProfileSource, compile func(*instance.Spec, instance.ProfileSource) (*T, error)) (*T, error) {
	in, err := compile(d.Spec, library)
	var problems instance.Problems
	if !errors.As(err, &problems) {
		return in, err
	}
	d.Locate(problems)
	return nil, problems
}

// Locate gives problems, which know their paths, line and column, and brings
// them into the order of the file.
func (f File) Locate(problems instance.Problems) {
	for i := range problems {
		problems[i].Line, problems[i].Column = f.Position(problems[i].Path)
	}
	problems.Sort()
}

// Position returns line and column, from 1, of the value at a path like
// "jobs[3].placement.within", or of the nearest value around it that the file
// has. Of lists and objects it is the position of their field's name.
func (f File) Position(path string) (line, column int) {
	at, n := f.root, f.root
	if n == nil {
		return 0, 0 // the document was not read from a file
	}
	for path != "" && n != nil {
		var step string
		if rest, ok := strings.CutPrefix(path, "["); ok {
			step, path, _ = strings.Cut(rest, "]")
			i, err := strconv.Atoi(step)
			if err != nil || n.Kind != yaml.SequenceNode || i < 0 || i >= len(n.Content) {
				break
			}
			n = n.Content[i]
			at = n
		} else {
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
			key, value := entry(n, step)
			if value == nil {
				break
			}
			n = value
			if at = value; value.Kind != yaml.ScalarNode {
				at = key
			}
		}
	}
	return at.Line, at.Column
}

// entry finds a field of a mapping node.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// checkVersion refuses a file of another version.
func checkVersion(root *yaml.Node, version int) instance.Problems {
	_, v := entry(root, "version")
	if v == nil || v.Kind != yaml.ScalarNode || v.Tag != "!!int" {
		return nil // the decoder says so
	}
	if n, err := strconv.Atoi(v.Value); err == nil && n == version {
		return nil
	}
	return instance.Problems{{Path: "version", Line: v.Line, Column: v.Column,
		Message: fmt.Sprintf("version %s is not supported; this program reads version: %d", instance.Clip(v.Value), version)}}
}

// parse reads the file into a tree, after checks that cost little.
func parse(data []byte) (root *yaml.Node, isJSON bool, err error) {
	if len(data) > maxFileBytes {
		return nil, false, whole("the file is larger than %d MiB", maxFileBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors write this mark
	if err := checkText(data); err != nil {
		return nil, false, err
	}
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) == 0 {
		return nil, false, whole("the file is empty")
	}
	if rest, ok := bytes.CutPrefix(trimmed, []byte("{")); ok {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		isJSON = len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
	}
	// A JSON list is no instance, but its errors are better as JSON.
	if isJSON || trimmed[0] == '[' {
		root, err = parseJSON(data)
		return root, true, err
	}
	root, err = parseYAML(data)
	return root, false, err
}

// whole returns a problem of the file as a whole.
func whole(format string, args ...any) error {
	return instance.Problems{{Message: fmt.Sprintf(format, args...)}}
}

// checkText finds what is not UTF-8 text.
func checkText(data []byte) error {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return whole("the file is UTF-16; save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return instance.Problems{at(data, i, "there is a NUL byte; an instance file is UTF-8 text")}
	}
	if utf8.Valid(data) {
		return nil
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return instance.Problems{at(data, i, "the byte 0x%02x is not UTF-8; save the file as UTF-8", data[i])}
		}
		i += size
	}
}

// at returns a problem of the byte at an offset.
func at(data []byte, offset int, format string, args ...any) instance.Problem {
	before := data[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return instance.Problem{
		Line:    bytes.Count(before, []byte("\n")) + 1,
		Column:  utf8.RuneCount(line) + 1,
		Message: fmt.Sprintf(format, args...),
	}
}

// parseYAML reads a single YAML document.
func parseYAML(data []byte) (root *yaml.Node, err error) {
	if most := mostValues(data); most > maxValues {
		return nil, whole("the file holds too many values: about %d, more than %d", most, maxValues)
	}
	defer func() {
		// The parser is not ours and reports some broken files by panicking.
		if r := recover(); r != nil {
			root, err = nil, whole("not valid YAML: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, whole("the file is empty")
	case err != nil:
		return nil, yamlProblem(data, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, instance.Problems{{Line: second.Line, Column: second.Column, Message: "a second YAML document begins here; a file holds one"}}
	case !errors.Is(err, io.EOF):
		return nil, yamlProblem(data, err)
	}
	root = document.Content[0]
	if deep := deeper(root, strictjson.MaxNesting); deep != nil {
		return nil, instance.Problems{{Line: deep.Line, Column: deep.Column, Message: strictjson.TooDeep}}
	}
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, whole("the file is empty")
	}
	return root, nil
}

// mostValues bounds the values in a YAML text: each of them needs one of the
// separators counted here. A tree takes about 300 bytes per value.
func mostValues(data []byte) int {
	n := 0
	for i, b := range data {
		switch b {
		case '\n', ',', '[', '{':
			n++
		case '-', '?':
			if i+1 < len(data) && data[i+1] == ' ' {
				n++
			}
		}
	}
	return n
}

// deeper returns a node below the given number of levels, if there is one.
// The parser's own limit keeps this recursion in bounds.
func deeper(n *yaml.Node, levels int) *yaml.Node {
	if n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode {
		return nil
	}
	if levels == 0 {
		return n
	}
	for _, c := range n.Content {
		if deep := deeper(c, levels-1); deep != nil {
			return deep
		}
	}
	return nil
}

// yamlProblem turns the parser's error into a problem.
func yamlProblem(data []byte, err error) error {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, rest, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			message, line = rest, n
		}
	}
	switch {
	case strings.Contains(message, "exceeded max depth"):
		return instance.Problems{{Line: line, Message: strictjson.TooDeep}}
	case strings.Contains(message, "cannot start any token") && bytes.ContainsRune(data, '\t'):
		message += "; YAML is indented with spaces, not tabs"
	}
	return instance.Problems{{Line: min(line, math.MaxInt32), Message: "not valid YAML: " + message}}
}
