package jigsaw_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/schemagen"
)

var update = flag.Bool("update", false, "rewrite the published schema")

// resultOptions is what the schema of results says beyond the Go types.
func resultOptions(t *testing.T) schemagen.Options {
	docs, err := schemagen.Docs(os.DirFS("."))
	require.NoError(t, err)
	for _, folder := range []string{"formulation/instance", "formulation/instance/codec"} {
		more, err := schemagen.Docs(os.DirFS(folder))
		require.NoError(t, err)
		maps.Copy(docs, more)
	}
	return schemagen.Options{
		ID:    "urn:jigsaw:schema:result:1",
		Title: "JigSaw result",
		Docs:  docs,
		Types: map[reflect.Type]map[string]any{
			reflect.TypeFor[jigsaw.Status](): {"enum": []jigsaw.Status{jigsaw.Optimal, jigsaw.Feasible, jigsaw.Infeasible, jigsaw.Limit, jigsaw.Unknown}},
		},
		Fields: map[string]map[string]any{
			"Document.SchemaVersion": {"const": jigsaw.DocumentVersion},
			"Document.Objective":     {"enum": instance.Objectives()},
		},
	}
}

// TestSchema keeps the published schema equal to the Go types; -update rewrites it.
func TestSchema(t *testing.T) {
	want, err := schemagen.Generate(jigsaw.Document{}, resultOptions(t))
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("result.schema.json", want, 0o644))
		return
	}
	got, err := jigsaw.Schema("result")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run make schema")
	for _, kind := range jigsaw.SchemaKinds() {
		_, err := jigsaw.Schema(kind)
		assert.NoError(t, err)
	}
	_, err = jigsaw.Schema("nothing")
	assert.ErrorContains(t, err, "choose one of")
}

// requireSchema prints a result and validates it with an independent reader of JSON Schema.
func requireSchema(t *testing.T, r *jigsaw.Result) {
	t.Helper()
	text, err := jigsaw.Schema("result")
	require.NoError(t, err)
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("result.json", parsed))
	schema, err := compiler.Compile("result.json")
	require.NoError(t, err)

	printed, err := json.Marshal(r.Document(false))
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(printed))
	require.NoError(t, err)
	assert.NoError(t, schema.Validate(value))
}
