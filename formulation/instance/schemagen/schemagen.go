// Package schemagen generates JSON Schemas (draft 2020-12) from Go types and
// their doc comments. Only tests and their -update use it: the schemas that
// JigSaw publishes are files, kept equal to the types by those tests.
package schemagen

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"strings"
)

// Options is what [Generate] cannot learn from Go types.
type Options struct {
	ID    string // $id
	Title string
	// Docs holds descriptions by "Type" and "Type.Field", in Go's names; see
	// [Docs].
	Docs map[string]string
	// Types holds whole schemas of Go types that files write in another way
	// than their kind, like quantities with units.
	Types map[reflect.Type]map[string]any
	// Fields holds further keywords of fields by "Type.Field".
	Fields map[string]map[string]any
}

// Generate returns the JSON Schema (draft 2020-12) of the JSON form of
// v's type: what encoding/json makes of structs, maps, slices and basic kinds.
// Fields without omitempty or omitzero are required, and null where they are
// pointers; others than the struct's are not allowed. Named structs become definitions.
func Generate(v any, options Options) ([]byte, error) {
	g := generator{Options: options, definitions: map[string]any{}, used: map[string]bool{}}
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	root := g.object(t)
	delete(g.definitions, t.Name())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"], root["title"] = options.ID, options.Title
	if len(g.definitions) > 0 {
		root["$defs"] = g.definitions
	}
	for name := range options.Fields {
		if !g.used[name] && g.err == nil {
			g.err = fmt.Errorf("schemagen: there is no field %s", name)
		}
	}
	if g.err != nil {
		return nil, g.err
	}
	b, err := json.MarshalIndent(root, "", "  ")
	return append(b, '\n'), err
}

type generator struct {
	Options
	definitions map[string]any
	used        map[string]bool // of Options.Fields
	err         error
}

func (g *generator) value(t reflect.Type) map[string]any {
	if s, ok := g.Types[t]; ok {
		return maps.Clone(s)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.value(t.Elem())
	case reflect.Struct:
		if t.Name() == "" {
			return g.object(t)
		}
		if _, ok := g.definitions[t.Name()]; !ok {
			g.definitions[t.Name()] = nil // ends recursion
			g.definitions[t.Name()] = g.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": g.value(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": g.value(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Interface:
		return map[string]any{}
	}
	g.err = fmt.Errorf("schemagen: no JSON Schema for the type %v", t)
	return nil
}

func (g *generator) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	g.fields(t, properties, &required)
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	if text := g.Docs[t.Name()]; text != "" {
		s["description"] = text
	}
	return s
}

func (g *generator) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			g.fields(f.Type, properties, required) // as encoding/json inlines it
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		key := t.Name() + "." + f.Name
		omit := strings.Contains(flags, "omit")
		s := g.value(f.Type)
		if f.Type.Kind() == reflect.Pointer && !omit {
			s = map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
		}
		if text := g.Docs[key]; text != "" {
			s["description"] = text
		}
		maps.Copy(s, g.Fields[key])
		g.used[key] = true
		properties[name] = s
		if !omit {
			*required = append(*required, name)
		}
	}
}

// Docs reads the doc comments of the types of a package and of their
// fields from its source files, for [Options].
func Docs(source fs.FS) (map[string]string, error) {
	files, err := fs.Glob(source, "*.go")
	if err != nil {
		return nil, err
	}
	docs := map[string]string{}
	for _, name := range files {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				if len(n.Specs) == 1 {
					if spec, ok := n.Specs[0].(*ast.TypeSpec); ok && spec.Doc == nil {
						spec.Doc = n.Doc
					}
				}
			case *ast.TypeSpec:
				docs[n.Name.Name] = plainDoc(n.Doc)
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						comment := f.Doc
						if comment == nil {
							comment = f.Comment
						}
						for _, field := range f.Names {
							docs[n.Name.Name+"."+field.Name] = plainDoc(comment)
						}
					}
				}
			}
			return true
		})
	}
	return docs, nil
}

var docLink = regexp.MustCompile(`\[([A-Z][A-Za-z.]*)\]`)

// plainDoc returns the text of a comment on one line, without doc links.
func plainDoc(comment *ast.CommentGroup) string {
	return docLink.ReplaceAllString(strings.Join(strings.Fields(comment.Text()), " "), "$1")
}
