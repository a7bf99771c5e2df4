package jigsaw

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// Load decodes an instance file, YAML or JSON, and compiles it. Models that
// the file has no profile for are looked up among extra, then in the profile
// library that is built in. Mistakes in the file come back together as
// [instance.Problems].
func Load(data []byte, extra ...*instance.Profile) (*instance.Instance, error) {
	document, err := codec.Decode(data)
	if err != nil {
		return nil, err
	}
	models, err := Models(extra...)
	if err != nil {
		return nil, err
	}
	return document.Compile(models)
}

// Models is [Profiles] for who asks for single models only.
func Models(extra ...*instance.Profile) (instance.ProfileSource, error) {
	if len(extra) == 0 {
		return profiles.Shipped(), nil
	}
	return Profiles(extra...)
}

// Profiles returns the built-in profile library with extra profiles added.
func Profiles(extra ...*instance.Profile) (*profiles.Library, error) {
	library, err := profiles.Builtin()
	if err != nil || len(extra) == 0 {
		return library, err
	}
	return library.With(extra...)
}

//go:embed testdata/examples/*.yaml
var exampleFiles embed.FS

// Example is an instance shipped with JigSaw.
type Example struct {
	Name string
	// Lesson is a line about what the example shows.
	Lesson string
	// Data is the instance file.
	Data []byte
}

// Examples returns the shipped instances by name.
func Examples() ([]Example, error) {
	files, err := fs.Glob(exampleFiles, "testdata/examples/*.yaml")
	if err != nil {
		return nil, err
	}
	var examples []Example
	for _, file := range files {
		data, err := exampleFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		document, err := codec.Decode(data)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		examples = append(examples, Example{name, document.Spec.Lesson, data})
	}
	return examples, nil
}

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

// version is that of a packed program: scripts/dist sets it when it links one.
var version string

// Version returns the version of this build: what it was packed as, else the version that
// Go read from the repository, "(devel)" where neither is known.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
