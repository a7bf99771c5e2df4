// Package strictjson reads JSON token by token with encoding/json and adds what that does not
// know: lines and columns, limits, and texts that are not UTF-8.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"jigsaw/formulation/instance"
)

// MaxNesting is the largest depth of nested lists and objects.
const MaxNesting = 64

// TooDeep is the mistake of a file that has a greater one.
var TooDeep = fmt.Sprintf("lists and objects are nested deeper than %d levels", MaxNesting)

// maxTextBytes bounds a single text of a JSON stream, which the decoder holds
// as a whole.
const maxTextBytes = 16 << 20

var errTooLong = errors.New("too long")

// Position is a line and a column, counted in characters, both from 1.
type Position struct{ Line, Column int }

// Reader reads a file.
type Reader struct {
	decoder *json.Decoder // reads from the Reader itself
	r       io.Reader
	err     error        // what ended r
	passed  bytes.Buffer // what the decoder has read after the last token
	offset  int64        // of passed
	next    Position     // of passed

	// Of the last token: its position, and its bytes until the next is read.
	At  Position
	Raw []byte

	depth int // of nested arrays and objects
}

// Key is a key of an object and its position.
type Key struct {
	Name string
	At   Position
}

// NewReader returns a reader at the start of a file.
func NewReader(r io.Reader) *Reader {
	j := &Reader{r: r, next: Position{1, 1}}
	j.decoder = json.NewDecoder(j)
	j.decoder.UseNumber() // neither 2^60 nor 1e999 is a float64
	return j
}

// Read is for the decoder. It fills p, since the decoder goes over a long run
// of blanks again after every read.
func (j *Reader) Read(p []byte) (n int, err error) {
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

// Token reads the next token; nil is null. The error is io.EOF only at the
// end of a file that is complete, or empty.
func (j *Reader) Token() (json.Token, error) {
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
	j.At = j.next
	switch {
	case err == nil:
	case errors.Is(err, errTooLong):
		return nil, j.Fail("a text or a run of blanks is longer than %d MiB", maxTextBytes>>20)
	case errors.Is(err, io.EOF) && j.depth == 0:
		return nil, err
	case errors.Is(err, io.EOF):
		return nil, j.Fail("invalid JSON: unexpected end of the file")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, j.Fail("invalid JSON: what begins here does not end")
	default:
		return nil, j.Fail("invalid JSON: %v", err)
	}
	j.Raw = j.forward(end - start)
	if !utf8.Valid(j.Raw) {
		return nil, j.Fail("the text is not UTF-8") // the decoder has replaced what is not
	}
	return t, nil
}

// Describe says what is wrong with JSON that [json.Decoder] refused, in the file's words.
func Describe(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "" && kind.Type.Kind() == reflect.Int64:
		return fmt.Errorf("%s is a %s; expected a whole number", kind.Field, kind.Value)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s is a %s; expected another kind of value", kind.Field, kind.Value)
	case strings.HasPrefix(err.Error(), "json: invalid number literal"):
		return errors.New("text stands where a number is expected")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends too early")
	}
	return err
}

// forward moves past n bytes and returns them.
func (j *Reader) forward(n int) []byte {
	passed := j.passed.Next(n)
	for _, b := range passed {
		switch {
		case b == '\n':
			j.next = Position{j.next.Line + 1, 1}
		case utf8.RuneStart(b):
			j.next.Column++
		}
	}
	j.offset += int64(n)
	return passed
}

// Array reads the rest of an array after its bracket. each must consume the
// i-th value, which begins with the token first.
func (j *Reader) Array(each func(i int, first json.Token) error) error {
	if j.depth++; j.depth > MaxNesting {
		return j.Fail("%s", TooDeep)
	}
	defer func() { j.depth-- }()
	for i := 0; ; i++ {
		first, err := j.Token()
		if err != nil || first == json.Delim(']') {
			return err
		}
		if err := each(i, first); err != nil {
			return err
		}
	}
}

// Object reads the rest of an object after its brace. each must consume the
// value of the key, which begins with the token first. Keys may come twice.
func (j *Reader) Object(each func(key Key, first json.Token) error) error {
	if j.depth++; j.depth > MaxNesting {
		return j.Fail("%s", TooDeep)
	}
	defer func() { j.depth-- }()
	for {
		t, err := j.Token()
		if err != nil || t == json.Delim('}') {
			return err
		}
		key := Key{t.(string), j.At}
		first, err := j.Token()
		if err != nil {
			return err
		}
		if err := each(key, first); err != nil {
			return err
		}
	}
}

// Skip reads past the value that begins with the token first.
func (j *Reader) Skip(first json.Token) error {
	switch first {
	case json.Delim('{'):
		return j.Object(func(_ Key, first json.Token) error { return j.Skip(first) })
	case json.Delim('['):
		return j.Array(func(_ int, first json.Token) error { return j.Skip(first) })
	}
	return nil
}

// Finish checks that nothing follows.
func (j *Reader) Finish() error {
	switch _, err := j.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return j.Fail("invalid JSON: found %s instead of the end of the file", instance.Clip(string(j.Raw)))
	default:
		return err
	}
}

// Fail returns a problem at the last token, or what broke the stream.
func (j *Reader) Fail(format string, args ...any) error {
	if j.err != nil && !errors.Is(j.err, io.EOF) {
		return fmt.Errorf("instance: %w", j.err)
	}
	return instance.Problems{{Line: j.At.Line, Column: j.At.Column, Message: fmt.Sprintf(format, args...)}}
}
