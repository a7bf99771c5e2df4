package codec

import (
	"bufio"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"jigsaw/formulation/instance"
)

// EncodeYAML writes the spec as an instance file that [Decode] reads back to
// the same spec. Fields come in the order of the types, zero values that
// mean a default are left out, quantities have their largest whole unit.
func EncodeYAML(w io.Writer, spec *instance.Spec) error {
	root, err := encodeNode(spec)
	if err != nil {
		return err
	}
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return encoder.Close()
}

// EncodeJSON is [EncodeYAML] in JSON.
func EncodeJSON(w io.Writer, spec *instance.Spec) error {
	root, err := encodeNode(spec)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	if err := writeJSON(b, root, "\n"); err != nil {
		return err
	}
	b.WriteByte('\n')
	return b.Flush()
}

// encodeNode turns a pointer to a struct into a tree.
func encodeNode(v any) (*yaml.Node, error) {
	var e treeEncoder
	n := e.value(reflect.ValueOf(v).Elem())
	return n, e.err
}

// treeEncoder turns Go values into a tree. It keeps the first error.
type treeEncoder struct{ err error }

func (e *treeEncoder) value(v reflect.Value) *yaml.Node {
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		b, err := text.MarshalText()
		if err != nil && e.err == nil {
			e.err = fmt.Errorf("instance: %w", err)
		}
		return plain(string(b))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v = reflect.New(v.Type().Elem())
		}
		return e.value(v.Elem())
	case reflect.Struct:
		return e.object(v)
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			n.Content = append(n.Content, e.value(v.Index(i)))
		}
		if v.Len() == 0 || n.Content[0].Kind == yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		}
		return n
	case reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			n.Content = append(n.Content, text(name.String()), e.value(v.MapIndex(name)))
		}
		return n
	case reflect.String:
		if !utf8.ValidString(v.String()) && e.err == nil {
			e.err = fmt.Errorf("instance: the text %q is not UTF-8", instance.Clip(v.String()))
		}
		return text(v.String())
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v.Bool())}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v.Int(), 10)}
}

// object writes the fields that are required or not zero. A layer goes on one
// line, so that a profile stays a table.
func (e *treeEncoder) object(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if v.Type() == reflect.TypeFor[instance.Layer]() {
		n.Style = yaml.FlowStyle
	}
	for _, f := range fieldsOf(v.Type()) {
		if value := v.Field(f.index); f.required || !value.IsZero() && !empty(value) {
			n.Content = append(n.Content, text(f.name), e.value(value))
		}
	}
	return n
}

// empty reports whether v is an empty slice or map, or a struct of nothing else.
func empty(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
	}
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() && !empty(f) {
			return false
		}
	}
	return true
}

// plain is a quantity: unquoted, and a number if it looks like one.
func plain(s string) *yaml.Node {
	tag := "!!str"
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		tag = "!!float"
		if !strings.Contains(s, ".") {
			tag = "!!int"
		}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s}
}

// text is a text. What YAML's emitter would write as a block of lines is
// quoted, since a block does not keep every text as it is.
func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// writeJSON writes a tree, indented; nodes in flow style on one line. newline
// is a line break and the indentation of the value.
func writeJSON(w *bufio.Writer, n *yaml.Node, newline string) error {
	if n.Kind == yaml.ScalarNode {
		if n.Tag != "!!str" {
			w.WriteString(n.Value)
			return nil
		}
		b, err := json.Marshal(n.Value)
		if err != nil {
			return fmt.Errorf("instance: %w", err)
		}
		_, err = w.Write(b)
		return err
	}
	brackets, inner, space := "[]", newline+"  ", ""
	if n.Kind == yaml.MappingNode {
		brackets = "{}"
	}
	if n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		newline, inner, space = "", "", " "
	}
	w.WriteByte(brackets[0])
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 1:
			w.WriteString(": ")
		case i > 0:
			w.WriteString("," + space + inner)
		default:
			w.WriteString(inner)
		}
		if err := writeJSON(w, c, inner); err != nil {
			return err
		}
	}
	w.WriteString(newline)
	w.WriteByte(brackets[1])
	return nil
}
