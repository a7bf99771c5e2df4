package schemagen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance/schemagen"
)

func TestErrors(t *testing.T) {
	_, err := schemagen.Generate(struct {
		C chan int `json:"c"`
	}{}, schemagen.Options{})
	assert.EqualError(t, err, "schemagen: no JSON Schema for the type chan int")
	_, err = schemagen.Generate(struct{ Name string }{}, schemagen.Options{Fields: map[string]map[string]any{"Spec.Nome": {}}})
	assert.EqualError(t, err, "schemagen: there is no field Spec.Nome")
}

func TestTypes(t *testing.T) {
	type Inner struct {
		Next *Inner `json:"next,omitempty"`
	}
	type Base struct{ Shared bool }
	type outer struct {
		Base
		hidden   int
		Skipped  int              `json:"-"`
		Any      any              `json:"any"`
		ByName   map[string]Inner `json:"by_name"`
		Pairs    [][2]float64     `json:"pairs,omitzero"`
		Unnamed  struct{ X int8 } `json:"unnamed"`
		Gap      *float32         `json:"gap"`
		Untagged string
	}
	_ = outer{}.hidden
	got, err := schemagen.Generate(outer{}, schemagen.Options{ID: "urn:x", Title: "X", Docs: map[string]string{"outer.Gap": "Relative."}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:x", "title": "X", "type": "object",
"additionalProperties": false, "required": ["Shared", "any", "by_name", "unnamed", "gap", "Untagged"], "properties": {
  "Shared": {"type": "boolean"}, "any": {}, "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Inner"}},
  "pairs": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
  "unnamed": {"type": "object", "additionalProperties": false, "required": ["X"], "properties": {"X": {"type": "integer"}}},
  "gap": {"anyOf": [{"type": "number"}, {"type": "null"}], "description": "Relative."}, "Untagged": {"type": "string"}},
"$defs": {"Inner": {"type": "object", "additionalProperties": false, "properties": {"next": {"$ref": "#/$defs/Inner"}}}}}`, string(got))
}
