package jigsaw_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"jigsaw"
)

// TestReferenceOfInstances holds docs/instance.md to the format: its tables have every
// key that a file may have and no other, and its examples are valid. The first is a whole
// file; each later one takes the place of that file's parts of the same names.
func TestReferenceOfInstances(t *testing.T) {
	text, err := os.ReadFile("docs/instance.md")
	require.NoError(t, err)

	told := map[string][]string{}
	path := ""
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			path = strings.Trim(strings.TrimSpace(heading), "`")
		}
		if key := regexp.MustCompile("^\\| `([a-z_]+)` \\|").FindStringSubmatch(line); key != nil {
			told[path] = append(told[path], key[1])
		}
	}
	for _, keys := range told {
		slices.Sort(keys)
	}
	require.Equal(t, keysOfInstances(t), told)

	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, examples, 4)
	for _, example := range examples {
		file := map[string]any{}
		for _, part := range []string{examples[0][1], example[1]} {
			var parts map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(part), &parts))
			maps.Copy(file, parts)
		}
		data, err := yaml.Marshal(file)
		require.NoError(t, err)
		_, err = jigsaw.Load(data)
		require.NoError(t, err, example[1])
	}
}

// keysOfInstances lists the keys of every object of an instance file by the object's path,
// with "The top" for that of the file.
func keysOfInstances(t *testing.T) map[string][]string {
	type object struct {
		Properties map[string]*object `json:"properties"`
		Items      *object            `json:"items"`
		Values     json.RawMessage    `json:"additionalProperties"` // of any name; false where there are none
		Ref        string             `json:"$ref"`
		Defs       map[string]*object `json:"$defs"`
	}
	data, err := jigsaw.Schema("instance")
	require.NoError(t, err)
	var root object
	require.NoError(t, json.Unmarshal(data, &root))
	keys := map[string][]string{}
	var walk func(path string, o *object)
	walk = func(path string, o *object) {
		if o.Items != nil {
			o = o.Items
		}
		if o.Ref != "" {
			o = root.Defs[strings.TrimPrefix(o.Ref, "#/$defs/")]
		}
		var value object
		if len(o.Values) > 0 && json.Unmarshal(o.Values, &value) == nil {
			o = &value
		}
		if o.Ref != "" {
			o = root.Defs[strings.TrimPrefix(o.Ref, "#/$defs/")]
		}
		if len(o.Properties) == 0 {
			return
		}
		keys[path] = slices.Sorted(maps.Keys(o.Properties))
		for key, value := range o.Properties {
			walk(strings.TrimPrefix(path+"."+key, "The top."), value)
		}
	}
	walk("The top", &root)
	return keys
}
