package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"jigsaw/formulation/instance"
)

// maxTextBytes bounds a single text of a JSON stream, which the decoder holds
// as a whole.
const maxTextBytes = 16 << 20

var errTooLong = errors.New("too long")

// position is a line and a column, counted in characters, both from 1.
type position struct{ line, column int }

// jsonReader reads JSON token by token with encoding/json and adds what that
// does not know: lines and columns, limits, and texts that are not UTF-8.
type jsonReader struct {
	decoder *json.Decoder // reads from the jsonReader itself
	r       io.Reader
	err     error        // what ended r
	passed  bytes.Buffer // what the decoder has read after the last token
	offset  int64        // of passed
	next    position     // of passed

	// Of the last token: its position, and its bytes until the next is read.
	at  position
	raw []byte

	depth int // of nested arrays and objects
}

// jsonKey is a key of an object and its position.
type jsonKey struct {
	name string
	at   position
}

func newJSONReader(r io.Reader) *jsonReader {
	j := &jsonReader{r: r, next: position{1, 1}}
	j.decoder = json.NewDecoder(j)
	j.decoder.UseNumber() // neither 2^60 nor 1e999 is a float64
	return j
}

// Read is for the decoder. It fills p, since the decoder goes over a long run
// of blanks again after every read.
func (j *jsonReader) Read(p []byte) (n int, err error) {
	if j.passed.Len() > maxTextBytes {
		return 0, errTooLong
	}
	for n < len(p) && j.err == nil {
		var read int
		read, j.err = j.r.Read(p[n:])
		n += read
	}
	j.passed.Write(p[:n])
	return n, j.err
}

// token reads the next token; nil is null. The error is io.EOF only at the
// end of a file that is complete, or empty.
func (j *jsonReader) token() (json.Token, error) {
	t, err := j.decoder.Token()
	// The decoder is after the token, or before the one that it cannot read.
	// The offset in a SyntaxError is no help: it leaves out the punctuation.
	end := int(j.decoder.InputOffset() - j.offset)
	passed := j.passed.Bytes()
	start := end - len(bytes.TrimLeft(passed[:end], " \t\r\n,:"))
	if err != nil {
		start = len(passed) - len(bytes.TrimLeft(passed[end:], " \t\r\n"))
	}
	j.forward(start)
	j.at = j.next
	switch {
	case err == nil:
	case errors.Is(err, errTooLong):
		return nil, j.fail("a text or a run of blanks is longer than %d MiB", maxTextBytes>>20)
	case errors.Is(err, io.EOF) && j.depth == 0:
		return nil, err
	case errors.Is(err, io.EOF):
		return nil, j.fail("invalid JSON: unexpected end of the file")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, j.fail("invalid JSON: what begins here does not end")
	default:
		return nil, j.fail("invalid JSON: %v", err)
	}
	j.raw = j.forward(end - start)
	if !utf8.Valid(j.raw) {
		return nil, j.fail("the text is not UTF-8") // the decoder has replaced what is not
	}
	return t, nil
}

// forward moves past n bytes and returns them.
func (j *jsonReader) forward(n int) []byte {
	passed := j.passed.Next(n)
	for _, b := range passed {
		switch {
		case b == '\n':
			j.next = position{j.next.line + 1, 1}
		case utf8.RuneStart(b):
			j.next.column++
		}
	}
	j.offset += int64(n)
	return passed
}

// parseJSON reads a JSON file into the tree that a YAML parser would make.
func parseJSON(data []byte) (*yaml.Node, error) {
	j := newJSONReader(bytes.NewReader(data))
	first, err := j.token()
	if err != nil {
		return nil, err
	}
	values := 0
	root, err := j.tree(first, &values)
	if err != nil {
		return nil, err
	}
	return root, j.finish()
}

// tree reads the value that begins with the token first.
func (j *jsonReader) tree(first json.Token, values *int) (*yaml.Node, error) {
	if *values++; *values > maxValues {
		return nil, j.fail("the file holds more than %d values", maxValues)
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: j.at.line, Column: j.at.column}
	switch first := first.(type) {
	case string:
		n.Tag, n.Value = "!!str", first
	case json.Number:
		n.Tag, n.Value = "!!int", string(first)
		if bytes.ContainsAny(j.raw, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", string(j.raw)
	case nil:
		n.Tag, n.Value = "!!null", string(j.raw)
	case json.Delim:
		if first == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
			return n, j.object(func(key jsonKey, first json.Token) error {
				k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key.name, Line: key.at.line, Column: key.at.column}
				v, err := j.tree(first, values)
				n.Content = append(n.Content, k, v)
				return err
			})
		}
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		return n, j.array(func(_ int, first json.Token) error {
			v, err := j.tree(first, values)
			n.Content = append(n.Content, v)
			return err
		})
	}
	return n, nil
}

// array reads the rest of an array after its bracket. each must consume the
// i-th value, which begins with the token first.
func (j *jsonReader) array(each func(i int, first json.Token) error) error {
	if j.depth++; j.depth > maxNesting {
		return j.fail("%s", tooDeep)
	}
	defer func() { j.depth-- }()
	for i := 0; ; i++ {
		first, err := j.token()
		if err != nil || first == json.Delim(']') {
			return err
		}
		if err := each(i, first); err != nil {
			return err
		}
	}
}

// object reads the rest of an object after its brace. each must consume the
// value of the key, which begins with the token first. Keys may come twice.
func (j *jsonReader) object(each func(key jsonKey, first json.Token) error) error {
	if j.depth++; j.depth > maxNesting {
		return j.fail("%s", tooDeep)
	}
	defer func() { j.depth-- }()
	for {
		t, err := j.token()
		if err != nil || t == json.Delim('}') {
			return err
		}
		key := jsonKey{t.(string), j.at}
		first, err := j.token()
		if err != nil {
			return err
		}
		if err := each(key, first); err != nil {
			return err
		}
	}
}

// skip reads past the value that begins with the token first.
func (j *jsonReader) skip(first json.Token) error {
	switch first {
	case json.Delim('{'):
		return j.object(func(_ jsonKey, first json.Token) error { return j.skip(first) })
	case json.Delim('['):
		return j.array(func(_ int, first json.Token) error { return j.skip(first) })
	}
	return nil
}

// finish checks that nothing follows.
func (j *jsonReader) finish() error {
	switch _, err := j.token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return j.fail("invalid JSON: found %s instead of the end of the file", instance.Clip(string(j.raw)))
	default:
		return err
	}
}

// fail returns a problem at the last token, or what broke the stream.
func (j *jsonReader) fail(format string, args ...any) error {
	if j.err != nil && !errors.Is(j.err, io.EOF) {
		return fmt.Errorf("instance: %w", j.err)
	}
	return instance.Problems{{Line: j.at.line, Column: j.at.column, Message: fmt.Sprintf(format, args...)}}
}
