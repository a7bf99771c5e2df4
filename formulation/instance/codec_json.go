package instance

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// jsonToken is the kind of a JSON token: the punctuation itself, '"' for a
// text, '0' for a number, 't', 'f' and 'n' for true, false and null, and 0 for
// the end.
type jsonToken byte

// maxTextBytes bounds a single text or number of a JSON stream.
const maxTextBytes = 16 << 20

// jsonReader reads JSON from a stream, token by token, and knows where it is.
// encoding/json knows offsets only, takes keys twice and in any case, and
// reads a schedule of a million tasks much slower.
type jsonReader struct {
	r      *bufio.Reader
	offset int64 // of the next byte
	line   int   // of the next byte, from 1
	origin int64 // the offset that is column 0 of this line

	// Of the last token: its position, and what it says if it is a value.
	tokenLine, tokenColumn int
	text                   []byte

	depth int // of nested arrays and objects
}

// jsonKey is a key of an object and its position.
type jsonKey struct {
	name         string
	line, column int
}

func newJSONReader(r io.Reader) *jsonReader {
	return &jsonReader{r: bufio.NewReaderSize(r, 1<<16), line: 1, origin: -1}
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
		key := jsonKey{string(j.text), j.tokenLine, j.tokenColumn}
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
	if err == nil && t != 0 {
		err = j.unexpected(t, "the end of the file")
	}
	return err
}

// token reads the next token.
func (j *jsonReader) token() (jsonToken, error) {
	for {
		b, err := j.r.ReadByte()
		if err != nil {
			j.mark()
			j.text = j.text[:0]
			if err == io.EOF {
				return 0, nil
			}
			return 0, fmt.Errorf("instance: %w", err)
		}
		j.offset++
		switch b {
		case ' ', '\t', '\r':
			continue
		case '\n':
			j.line++
			j.origin = j.offset - 1
			continue
		}
		j.mark()
		j.tokenColumn--
		j.text = append(j.text[:0], b)
		switch {
		case b == '"':
			return '"', j.string()
		case b == '-' || b >= '0' && b <= '9':
			return '0', j.number(b)
		case b == 't':
			return 't', j.literal("true")
		case b == 'f':
			return 'f', j.literal("false")
		case b == 'n':
			return 'n', j.literal("null")
		}
		return jsonToken(b), nil
	}
}

// mark notes the position of the next byte as the token's.
func (j *jsonReader) mark() {
	j.tokenLine, j.tokenColumn = j.line, int(j.offset-j.origin)
}

// peek returns the next byte, 0 at the end or on an error, which the next
// read will meet again.
func (j *jsonReader) peek() byte {
	b, err := j.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// take moves the next byte to the token's text.
func (j *jsonReader) take() {
	if b, err := j.r.ReadByte(); err == nil {
		j.offset++
		j.text = append(j.text, b)
	}
}

func (j *jsonReader) literal(word string) error {
	for b := j.peek(); b >= 'a' && b <= 'z' && len(j.text) <= len(word); b = j.peek() {
		j.take()
	}
	if string(j.text) != word {
		return j.fail("invalid JSON: %q is no value; texts go in double quotes", j.text)
	}
	return nil
}

// number reads the rest of a number of JSON's grammar.
func (j *jsonReader) number(first byte) error {
	digits := func() bool {
		start := len(j.text)
		for b := j.peek(); b >= '0' && b <= '9' && len(j.text) < 1000; b = j.peek() {
			j.take()
		}
		return len(j.text) > start
	}
	ok := true
	if first == '-' {
		if first = j.peek(); first >= '0' && first <= '9' {
			j.take()
		} else {
			ok = false
		}
	}
	if first != '0' {
		digits()
	}
	if ok && j.peek() == '.' {
		j.take()
		ok = digits()
	}
	if b := j.peek(); ok && (b == 'e' || b == 'E') {
		j.take()
		if b := j.peek(); b == '+' || b == '-' {
			j.take()
		}
		ok = digits()
	}
	if b := j.peek(); !ok || b >= '0' && b <= '9' || b == '.' || b|0x20 >= 'a' && b|0x20 <= 'z' {
		return j.fail("invalid JSON: the number %q is malformed", clip(string(j.text)))
	}
	return nil
}

// string reads the rest of a text and resolves its escapes.
func (j *jsonReader) string() error {
	j.text = j.text[:0]
	for {
		b, err := j.r.ReadByte()
		if err != nil {
			if err == io.EOF {
				return j.fail("invalid JSON: the text that begins here does not end")
			}
			return fmt.Errorf("instance: %w", err)
		}
		j.offset++
		switch {
		case b == '"':
			if !utf8.Valid(j.text) {
				return j.fail("the text is not UTF-8")
			}
			return nil
		case b < ' ':
			return j.fail("invalid JSON: the text that begins here holds a control character; write it as an escape")
		case b == '\\':
			if err := j.escape(); err != nil {
				return err
			}
		default:
			if b&0xC0 == 0x80 {
				j.origin++ // columns count characters
			}
			j.text = append(j.text, b)
		}
		if len(j.text) > maxTextBytes {
			return j.fail("a text is longer than %d MiB", maxTextBytes>>20)
		}
	}
}

// escape reads what follows a backslash.
func (j *jsonReader) escape() error {
	b, err := j.r.ReadByte()
	if err != nil {
		return j.fail("invalid JSON: the text that begins here does not end")
	}
	j.offset++
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), b); i >= 0 {
		j.text = append(j.text, "\"\\/\b\f\n\r\t"[i])
		return nil
	}
	if b != 'u' {
		return j.fail("invalid JSON: the text that begins here has an unknown escape \\%c", b)
	}
	r, ok := j.hex(0)
	if !ok {
		return j.fail("invalid JSON: the text that begins here has a malformed \\u escape")
	}
	j.skipBytes(4)
	if utf16.IsSurrogate(r) {
		// Half of a pair: without its other half it stands for nothing.
		pair := rune(utf8.RuneError)
		if next, err := j.r.Peek(2); err == nil && string(next) == `\u` {
			if low, ok := j.hex(2); ok {
				pair = utf16.DecodeRune(r, low)
			}
		}
		if r = pair; r != utf8.RuneError {
			j.skipBytes(6)
		}
	}
	j.text = utf8.AppendRune(j.text, r)
	return nil
}

// hex reads, without consuming, four hexadecimal digits after skip bytes.
func (j *jsonReader) hex(skip int) (rune, bool) {
	b, err := j.r.Peek(skip + 4)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[skip:]), 16, 16)
	return rune(v), err == nil
}

func (j *jsonReader) skipBytes(n int) {
	n, _ = j.r.Discard(n)
	j.offset += int64(n)
}

// fail returns a problem at the last token.
func (j *jsonReader) fail(format string, args ...any) error {
	return Problems{{Line: j.tokenLine, Column: j.tokenColumn, Message: fmt.Sprintf(format, args...)}}
}

// unexpected says what was found instead of what was wanted.
func (j *jsonReader) unexpected(found jsonToken, wanted string) error {
	what := "the end of the file"
	switch found {
	case 0:
	case '"':
		what = fmt.Sprintf("the text %q", clip(string(j.text)))
	case '0', 't', 'f', 'n':
		what = clip(string(j.text))
	default:
		what = fmt.Sprintf("%q", rune(found))
	}
	return j.fail("invalid JSON: found %s instead of %s", what, wanted)
}
