package codec

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"jigsaw/formulation/instance"
)

// field is a field of a struct as files know it.
type field struct {
	name     string
	index    int
	required bool   // files must give it
	absent   string // what it means to leave it out, where zero stands for that
}

// fieldsOf returns the fields of a struct type in order. The ones without
// omitempty are required.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		fields = append(fields, field{name, i, !strings.Contains(options, "omitempty"), t.Field(i).Tag.Get("absent")})
	}
	return fields
}

// decodeNode fills target, a pointer to a struct, from a tree of a file of a
// version. It returns what is wrong in the order of the file.
func decodeNode(root *yaml.Node, isJSON bool, version int, target any) instance.Problems {
	d := treeDecoder{isJSON: isJSON, version: version, fields: map[reflect.Type][]field{}}
	d.value(root, reflect.ValueOf(target).Elem())
	d.problems.Sort()
	return d.problems
}

// treeDecoder fills Go values from a tree by reflection and collects what is
// wrong.
type treeDecoder struct {
	isJSON   bool
	version  int // of the file's format
	fields   map[reflect.Type][]field
	path     []step
	problems instance.Problems
}

// step is a field's name, or an index if the name is empty. Paths are written
// out for problems only.
type step struct {
	name  string
	index int
}

func (d *treeDecoder) bad(n *yaml.Node, format string, args ...any) {
	var path strings.Builder
	for i, s := range d.path {
		switch {
		case s.name == "":
			path.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			path.WriteString("." + s.name)
		default:
			path.WriteString(s.name)
		}
	}
	before := len(d.problems)
	d.problems.Add(path.String(), format, args...)
	if len(d.problems) > before {
		p := &d.problems[before]
		p.Line, p.Column = n.Line, n.Column
	}
}

// value decodes one node of any kind.
func (d *treeDecoder) value(n *yaml.Node, v reflect.Value) {
	switch {
	case n.Kind == yaml.AliasNode:
		d.bad(n, "YAML aliases are not supported; write out what *%s stands for", instance.Clip(n.Value))
		return
	case n.Style&yaml.TaggedStyle != 0:
		d.bad(n, "YAML tags are not supported; remove %s", instance.Clip(n.Tag))
		return
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		what := "the value is empty"
		if n.Value != "" {
			what = "the value is " + n.Value
		}
		d.bad(n, "%s; expected %s", what, expectation(v.Type()))
		return
	}
	if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.quantity(n, v, text)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem())
	case reflect.Struct:
		d.object(n, v)
	case reflect.Slice:
		d.list(n, v)
	case reflect.Map:
		d.table(n, v)
	case reflect.String:
		// Whatever YAML takes an unquoted word for, here it is a text.
		if n.Kind != yaml.ScalarNode || d.isJSON && n.Tag != "!!str" {
			d.mismatch(n, v)
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			d.mismatch(n, v)
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	default:
		d.integer(n, v)
	}
}

// quantity decodes a number with a unit.
func (d *treeDecoder) quantity(n *yaml.Node, v reflect.Value, text encoding.TextUnmarshaler) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!bool" {
		d.mismatch(n, v)
		return
	}
	if err := text.UnmarshalText([]byte(n.Value)); err != nil {
		d.bad(n, "%v", err)
	}
}

// integer decodes a plain decimal. What YAML or JSON may write otherwise,
// like 1e3, 0x10, 010 or 1_000, is refused rather than guessed at.
func (d *treeDecoder) integer(n *yaml.Node, v reflect.Value) {
	digits := strings.TrimPrefix(n.Value, "-")
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float":
		d.mismatch(n, v)
		return
	case strings.Trim(digits, "0123456789") != "" || len(digits) > 1 && digits[0] == '0':
		d.bad(n, "%s is not a whole number in plain decimal digits", instance.Clip(n.Value))
		return
	}
	i, err := strconv.ParseInt(n.Value, 10, v.Type().Bits())
	if err != nil {
		d.bad(n, "%s is out of range", instance.Clip(n.Value))
		return
	}
	v.SetInt(i)
}

func (d *treeDecoder) list(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.mismatch(n, v)
		return
	}
	if len(n.Content) == 0 {
		return // an empty list is a nil slice, as an absent one
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, c := range n.Content {
		d.path = append(d.path, step{index: i})
		d.value(c, v.Index(i))
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *treeDecoder) object(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.mismatch(n, v)
		return
	}
	fields, ok := d.fields[v.Type()]
	if !ok {
		fields = fieldsOf(v.Type())
		d.fields[v.Type()] = fields
	}
	first := make([]*yaml.Node, len(fields)) // key nodes by field
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		f := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		switch {
		case key.Kind != yaml.ScalarNode:
			d.bad(key, "a field's name must be a word")
		case f < 0 && key.Tag == "!!merge":
			d.bad(key, "YAML merge keys are not supported; write out the fields")
		case f < 0:
			before := len(d.problems)
			d.bad(key, "unknown field %q%s", instance.Clip(key.Value), suggestion(key.Value, v.Type(), fields))
			if len(d.problems) > before {
				d.problems[before].Unknown = []string{key.Value}
			}
		case first[f] != nil:
			d.bad(key, "the field %q is given twice, first in line %d", key.Value, first[f].Line)
		default:
			first[f] = key
			d.path = append(d.path, step{name: key.Value})
			d.given(n.Content[i+1], v.Field(fields[f].index), fields[f].absent)
			d.path = d.path[:len(d.path)-1]
		}
	}
	for i, f := range fields {
		if f.required && first[i] == nil {
			hint := "give " + expectation(v.Field(f.index).Type())
			if len(d.path) == 0 && f.name == "version" {
				hint = fmt.Sprintf("add version: %d", d.version)
			}
			d.bad(n, "the field %q is missing; %s", f.name, hint)
		}
	}
}

// table decodes a map from names.
func (d *treeDecoder) table(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.mismatch(n, v)
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name := reflect.ValueOf(key.Value)
		switch {
		case key.Kind != yaml.ScalarNode:
			d.bad(key, "a name must be a word")
		case key.Tag == "!!merge":
			d.bad(key, "YAML merge keys are not supported; write out the fields")
		case v.MapIndex(name).IsValid():
			d.bad(key, "the name %q is given twice", instance.Clip(key.Value))
		default:
			value := reflect.New(v.Type().Elem()).Elem()
			d.path = append(d.path, step{name: key.Value})
			d.value(n.Content[i+1], value)
			d.path = d.path[:len(d.path)-1]
			v.SetMapIndex(name, value)
		}
	}
}

// given decodes the value of a field. One that the program would take for no value at
// all, which means absent, is a mistake.
func (d *treeDecoder) given(n *yaml.Node, v reflect.Value, absent string) {
	before := len(d.problems)
	d.value(n, v)
	if absent == "" || !v.IsZero() || len(d.problems) > before {
		return
	}
	what := instance.Clip(n.Value) + " is"
	switch {
	case n.Kind == yaml.SequenceNode:
		what = "an empty list is"
	case n.Value == "":
		what = "an empty text is"
	}
	d.bad(n, "%s not allowed here; give another value, or leave the field out, which means %s", what, absent)
}

// mismatch reports a value of a wrong type.
func (d *treeDecoder) mismatch(n *yaml.Node, v reflect.Value) {
	d.bad(n, "expected %s, found %s", expectation(v.Type()), found(n))
}

// expectation says in words what a Go type is in a file.
func expectation(t reflect.Type) string {
	switch reflect.New(t).Interface().(type) {
	case *instance.Bytes:
		return `a size like "16GiB"`
	case *instance.BitRate:
		return `a link speed like "100Gbit/s"`
	case *instance.Duration:
		return `a duration like "12.5ms"`
	case *instance.Ratio:
		return `a ratio like 0.75 or "75%"`
	case *instance.Price:
		return `a price like 2.50`
	case *instance.RateLevel:
		return `a fraction like 1/2`
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expectation(t.Elem())
	case reflect.Struct:
		names := []string{}
		for _, f := range fieldsOf(t) {
			names = append(names, f.name)
		}
		return "an object with the fields " + strings.Join(names, ", ")
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return "an object with a name for each field"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	}
	return "a whole number"
}

// found says in words what a node is.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "an object"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!int" || n.Tag == "!!float" || n.Tag == "!!bool":
		return instance.Clip(n.Value)
	}
	return fmt.Sprintf("the text %q", instance.Clip(n.Value))
}

// suggestion says for an unknown field of an object which of its fields has such a field, or proposes the known one nearest
// to it, or all.
func suggestion(name string, object reflect.Type, fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
		below := object.Field(f.index).Type
		list := below.Kind() == reflect.Slice
		for below.Kind() == reflect.Slice || below.Kind() == reflect.Pointer {
			below = below.Elem()
		}
		if below.Kind() != reflect.Struct || !slices.ContainsFunc(fieldsOf(below), func(f field) bool { return f.name == name }) {
			continue
		}
		if list {
			return fmt.Sprintf("; it is a field of the elements of %q", f.name)
		}
		return fmt.Sprintf("; it is a field of %q", f.name)
	}
	return instance.DidYouMean(name, names, "; the fields here are "+strings.Join(names, ", "))
}
