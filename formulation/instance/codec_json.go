package instance

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// jsonToken is the kind of a JSON token: the punctuation itself, '"' for a
// text, '0' for a number, and 't', 'f' and 'n' for true, false and null.
type jsonToken int16

// jsonEnd is the end of the stream; no byte is it.
const jsonEnd jsonToken = -1

// maxTextBytes bounds a single text or number of a JSON stream.
const maxTextBytes = 16 << 20

// jsonReader reads JSON from a stream, token by token, and knows where it is.
// encoding/json knows offsets only, takes keys twice and in any case, and
// reads a schedule of a million tasks much slower.
type jsonReader struct {
	r      io.Reader
	buffer []byte
	window []byte // the part of the buffer that is read and not yet used
	err    error  // what ended the stream
	offset int64  // of the window
	line   int    // of the window, from 1
	origin int64  // the offset that is column 0 of this line

	// Of the last token: its position, and what it says if it is a value.
	tokenLine, tokenColumn int
	text                   []byte

	depth int               // of nested arrays and objects
	keys  map[string]string // so that the keys of many objects are not many strings
}

// jsonKey is a key of an object and its position.
type jsonKey struct {
	name         string
	line, column int
}

func newJSONReader(r io.Reader) *jsonReader {
	return &jsonReader{r: r, buffer: make([]byte, 1<<16), line: 1, origin: -1, keys: map[string]string{}}
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
func (j *jsonReader) tree(first jsonToken, values *int) (*yaml.Node, error) {
	if *values++; *values > maxValues {
		return nil, j.fail("the file holds more than %d values", maxValues)
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: j.tokenLine, Column: j.tokenColumn, Value: string(j.text)}
	switch first {
	case '{':
		n.Kind, n.Tag, n.Value = yaml.MappingNode, "!!map", ""
		return n, j.object(func(key jsonKey, first jsonToken) error {
			k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key.name, Line: key.line, Column: key.column}
			v, err := j.tree(first, values)
			n.Content = append(n.Content, k, v)
			return err
		})
	case '[':
		n.Kind, n.Tag, n.Value = yaml.SequenceNode, "!!seq", ""
		return n, j.array(func(_ int, first jsonToken) error {
			v, err := j.tree(first, values)
			n.Content = append(n.Content, v)
			return err
		})
	case '"':
		n.Tag = "!!str"
	case '0':
		n.Tag = "!!int"
		if bytes.ContainsAny(j.text, ".eE") {
			n.Tag = "!!float"
		}
	case 't', 'f':
		n.Tag = "!!bool"
	case 'n':
		n.Tag = "!!null"
	default:
		return nil, j.unexpected(first, "a value")
	}
	return n, nil
}

// array reads the rest of an array after its bracket. each must consume the
// i-th value, which begins with the token first.
func (j *jsonReader) array(each func(i int, first jsonToken) error) error {
	if j.depth++; j.depth > maxNesting {
		return j.fail("%s", tooDeep)
	}
	defer func() { j.depth-- }()
	for i := 0; ; i++ {
		first, err := j.token()
		if err != nil || i == 0 && first == ']' {
			return err
		}
		if err := each(i, first); err != nil {
			return err
		}
		switch next, err := j.token(); {
		case err != nil:
			return err
		case next == ']':
			return nil
		case next != ',':
			return j.unexpected(next, "a comma or ]")
		}
	}
}

// object reads the rest of an object after its brace. each must consume the
// value of the key, which begins with the token first.
func (j *jsonReader) object(each func(key jsonKey, first jsonToken) error) error {
	if j.depth++; j.depth > maxNesting {
		return j.fail("%s", tooDeep)
	}
	defer func() { j.depth-- }()
	for i := 0; ; i++ {
		t, err := j.token()
		if err != nil || i == 0 && t == '}' {
			return err
		}
		if t != '"' {
			return j.unexpected(t, "a field name in double quotes")
		}
		key := jsonKey{j.intern(j.text), j.tokenLine, j.tokenColumn}
		if t, err = j.token(); err != nil {
			return err
		} else if t != ':' {
			return j.unexpected(t, "a colon")
		}
		if t, err = j.token(); err != nil {
			return err
		}
		if err := each(key, t); err != nil {
			return err
		}
		switch t, err = j.token(); {
		case err != nil:
			return err
		case t == '}':
			return nil
		case t != ',':
			return j.unexpected(t, "a comma or }")
		}
	}
}

// skip reads past the value that begins with the token first.
func (j *jsonReader) skip(first jsonToken) error {
	switch first {
	case '{':
		return j.object(func(_ jsonKey, first jsonToken) error { return j.skip(first) })
	case '[':
		return j.array(func(_ int, first jsonToken) error { return j.skip(first) })
	case '"', '0', 't', 'f', 'n':
		return nil
	}
	return j.unexpected(first, "a value")
}

// finish checks that nothing follows.
func (j *jsonReader) finish() error {
	t, err := j.token()
	if err == nil && t != jsonEnd {
		err = j.unexpected(t, "the end of the file")
	}
	return err
}

// intern returns the text of a key, the same string for the same key unless
// there are very many.
func (j *jsonReader) intern(text []byte) string {
	key, ok := j.keys[string(text)]
	if !ok {
		if key = string(text); len(j.keys) < 100 {
			j.keys[key] = key
		}
	}
	return key
}

// ensure makes the window at least n bytes long, if the stream has them.
func (j *jsonReader) ensure(n int) bool {
	for len(j.window) < n && j.err == nil {
		kept := copy(j.buffer, j.window)
		read, err := j.r.Read(j.buffer[kept:])
		j.window, j.err = j.buffer[:kept+read], err
	}
	return len(j.window) >= n
}

// drop moves past n bytes of the window.
func (j *jsonReader) drop(n int) {
	j.window = j.window[n:]
	j.offset += int64(n)
}

// peek returns the next byte, 0 at the end.
func (j *jsonReader) peek() byte {
	if len(j.window) == 0 && !j.ensure(1) {
		return 0
	}
	return j.window[0]
}

// take moves the next byte to the token's text.
func (j *jsonReader) take() {
	j.text = append(j.text, j.window[0])
	j.drop(1)
}

// token reads the next token.
func (j *jsonReader) token() (jsonToken, error) {
	for {
		j.tokenLine, j.tokenColumn = j.line, int(j.offset-j.origin)
		if len(j.window) == 0 && !j.ensure(1) {
			j.text = j.text[:0]
			if j.err != io.EOF {
				return jsonEnd, fmt.Errorf("instance: %w", j.err)
			}
			return jsonEnd, nil
		}
		b := j.window[0]
		switch b {
		case ' ', '\t', '\r':
			j.drop(1)
			continue
		case '\n':
			j.line++
			j.origin = j.offset
			j.drop(1)
			continue
		}
		j.text = j.text[:0]
		switch {
		case b == '"':
			j.drop(1)
			return '"', j.string()
		case b == '-' || b >= '0' && b <= '9':
			return '0', j.number()
		case b == 't':
			return 't', j.literal("true")
		case b == 'f':
			return 'f', j.literal("false")
		case b == 'n':
			return 'n', j.literal("null")
		}
		j.take()
		return jsonToken(b), nil
	}
}

func (j *jsonReader) literal(word string) error {
	for b := j.peek(); b >= 'a' && b <= 'z' && len(j.text) < 40; b = j.peek() {
		j.take()
	}
	if string(j.text) != word {
		return j.fail("invalid JSON: %q is no value; texts go in double quotes", j.text)
	}
	return nil
}

// number reads a number of JSON's grammar.
func (j *jsonReader) number() error {
	digits := func() bool {
		start := len(j.text)
		for b := j.peek(); b >= '0' && b <= '9' && len(j.text) < 1000; b = j.peek() {
			j.take()
		}
		return len(j.text) > start
	}
	if j.peek() == '-' {
		j.take()
	}
	ok := true
	if j.peek() == '0' {
		j.take()
	} else {
		ok = digits()
	}
	if ok && j.peek() == '.' {
		j.take()
		ok = digits()
	}
	if b := j.peek(); ok && b|0x20 == 'e' {
		j.take()
		if b := j.peek(); b == '+' || b == '-' {
			j.take()
		}
		ok = digits()
	}
	if b := j.peek(); !ok || b >= '0' && b <= '9' || b == '.' || b|0x20 >= 'a' && b|0x20 <= 'z' {
		return j.fail("invalid JSON: the number that begins with %q is malformed", clip(string(j.text)))
	}
	return nil
}

// string reads the rest of a text and resolves its escapes.
func (j *jsonReader) string() error {
	for {
		if len(j.window) == 0 && !j.ensure(1) {
			return j.fail("invalid JSON: the text that begins here does not end")
		}
		n := 0
		for n < len(j.window) && j.window[n] != '"' && j.window[n] != '\\' && j.window[n] >= ' ' {
			if j.window[n]&0xC0 == 0x80 {
				j.origin++ // columns count characters
			}
			n++
		}
		j.text = append(j.text, j.window[:n]...)
		j.drop(n)
		if len(j.text) > maxTextBytes {
			return j.fail("a text is longer than %d MiB", maxTextBytes>>20)
		}
		if len(j.window) == 0 {
			continue
		}
		switch j.window[0] {
		case '"':
			j.drop(1)
			if !utf8.Valid(j.text) {
				return j.fail("the text is not UTF-8")
			}
			return nil
		case '\\':
			if err := j.escape(); err != nil {
				return err
			}
		default:
			return j.fail("invalid JSON: the text that begins here holds a control character; write it as an escape")
		}
	}
}

// escape reads a backslash and what it stands for.
func (j *jsonReader) escape() error {
	if !j.ensure(2) {
		return j.fail("invalid JSON: the text that begins here does not end")
	}
	b := j.window[1]
	if i := strings.IndexByte(`"\/bfnrt`, b); i >= 0 {
		j.text = append(j.text, "\"\\/\b\f\n\r\t"[i])
		j.drop(2)
		return nil
	}
	if b != 'u' {
		return j.fail("invalid JSON: the text that begins here has an unknown escape \\%c", b)
	}
	r, ok := j.unicode()
	if !ok {
		return j.fail("invalid JSON: the text that begins here has a malformed \\u escape")
	}
	j.drop(6)
	if utf16.IsSurrogate(r) {
		// Half of a pair: without its other half it stands for nothing.
		low, _ := j.unicode()
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			j.drop(6)
		}
	}
	j.text = utf8.AppendRune(j.text, r)
	return nil
}

// unicode reads, without using it up, an escape \uXXXX.
func (j *jsonReader) unicode() (rune, bool) {
	if !j.ensure(6) || string(j.window[:2]) != `\u` {
		return 0, false
	}
	v, err := strconv.ParseUint(string(j.window[2:6]), 16, 16)
	return rune(v), err == nil
}

// fail returns a problem at the last token, or what broke the stream.
func (j *jsonReader) fail(format string, args ...any) error {
	if j.err != nil && j.err != io.EOF {
		return fmt.Errorf("instance: %w", j.err)
	}
	return Problems{{Line: j.tokenLine, Column: j.tokenColumn, Message: fmt.Sprintf(format, args...)}}
}

// unexpected says what was found instead of what was wanted.
func (j *jsonReader) unexpected(found jsonToken, wanted string) error {
	what := "the end of the file"
	switch found {
	case jsonEnd:
	case '"':
		what = fmt.Sprintf("the text %q", clip(string(j.text)))
	case '0', 't', 'f', 'n':
		what = clip(string(j.text))
	default:
		what = fmt.Sprintf("%q", rune(found))
	}
	return j.fail("invalid JSON: found %s instead of %s", what, wanted)
}
