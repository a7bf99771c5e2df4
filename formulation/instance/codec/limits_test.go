package codec

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/instance"
)

// endless yields one byte for ever, and counts.
type endless struct {
	b    byte
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.b
	}
	e.read += len(p)
	return len(p), nil
}

func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("large inputs")
	}
	tests := map[string]struct{ file, want string }{
		"brackets":     {strings.Repeat("[", 10<<20), "line 1, column 65: lists and objects are nested deeper than 64 levels"},
		"JSON objects": {strings.Repeat(`{"a":`, 2<<20), "line 1, column 321: lists and objects are nested deeper than 64 levels"},
		"JSON values":  {`{"a": [` + strings.Repeat("1,", maxValues) + "1]}", "line 1, column 4194308: the file holds more than 2097152 values"},
		"YAML flow":    {"a: " + strings.Repeat("[", 2<<20), "lists and objects are nested deeper than 64 levels"},
		"YAML flow 65": {"a: " + strings.Repeat("[", 64) + strings.Repeat("]", 64), "line 1, column 67: lists and objects are nested deeper than 64 levels"},
		"YAML dashes":  {strings.Repeat("- ", 1<<20), "lists and objects are nested deeper than 64 levels"},
		"YAML keys":    {strings.Repeat("? ", 1<<20), "lists and objects are nested deeper than 64 levels"},
		"YAML block":   {block(2000), "line 65, column 65: lists and objects are nested deeper than 64 levels"},
		"YAML values":  {"a: [" + strings.Repeat("1,", 4<<20) + "1]", "the file holds too many values: about 4194305, more than 2097152"},
		"file size":    {strings.Repeat("#", maxFileBytes+1), "the file is larger than 32 MiB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Decode([]byte(test.file))
			assert.EqualError(t, err, "instance: "+test.want)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30))
		})
	}
}

// block nests n objects, each in lines of its own.
func block(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestDecodeSpecStopsReading(t *testing.T) {
	source := &endless{b: ' '}
	_, err := DecodeSpec(source)
	assert.EqualError(t, err, "instance: the file is larger than 32 MiB")
	assert.Less(t, source.read, 64<<20)

	source = &endless{b: '['}
	_, err = DecodeSchedule(scheduled(t), source)
	assert.EqualError(t, err, "instance: line 1, column 1: a schedule is a JSON object, as jigsaw plan -o json prints; it begins with {")
	assert.Less(t, source.read, 1<<20)

	_, err = DecodeSpec(io.MultiReader(strings.NewReader("version: 1"), failing{}))
	assert.EqualError(t, err, "instance: unexpected EOF")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for _, start := range []string{"", "{", `{"tasks`, `{"tasks\`, `{"tasks":`, `{"tasks": [`, `{"tasks": [{}`, `{"tasks": [] `, `{"period": 1`, `{"x": {"a": {}`, `{"schedule": {"x": tr`} {
		_, err := DecodeSchedule(scheduled(t), io.MultiReader(strings.NewReader(start), failing{}))
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF, start)
	}
}

// failing is a stream that breaks.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// full is a writer that takes a few bytes only.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return f.left, io.ErrShortWrite
	}
	f.left -= len(p)
	return len(p), nil
}

func TestEncodeErrors(t *testing.T) {
	spec := twoNodes(instance.JobSpec{Name: "a", Model: "four", Workers: 4})
	in := scheduled(t)
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs)), Tasks: make([]instance.Task, 500), Syncs: []instance.Sync{{Rate: 1}}}
	for _, room := range []int{0, 10, 5000} {
		assert.ErrorIs(t, EncodeSchedule(&full{room}, in, s), io.ErrShortWrite)
	}
	assert.ErrorContains(t, EncodeYAML(&full{0}, spec), "short write")
	assert.ErrorIs(t, EncodeJSON(&full{0}, spec), io.ErrShortWrite)
	spec.Name = "\xff"
	assert.EqualError(t, EncodeYAML(io.Discard, spec), `instance: the text "\xff" is not UTF-8`)
	assert.EqualError(t, EncodeJSON(io.Discard, spec), `instance: the text "\xff" is not UTF-8`)
}
