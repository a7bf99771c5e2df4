package jigsaw

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance/codec"
)

// resultSchema is generated from [Document] by TestSchema; see make schema.
//
//go:embed result.schema.json
var resultSchema []byte

// SchemaKinds lists what [Schema] knows.
func SchemaKinds() []string { return append(codec.SchemaKinds(), "result") }

// Schema returns the published JSON Schema (draft 2020-12) of instance files,
// of schedules, or of results, which is the form of [Document].
func Schema(kind string) ([]byte, error) {
	if kind == "result" {
		return resultSchema, nil
	}
	if !slices.Contains(codec.SchemaKinds(), kind) {
		return nil, fmt.Errorf("there is no schema of %q; choose one of %s", kind, strings.Join(SchemaKinds(), ", "))
	}
	return codec.Schema(kind)
}
