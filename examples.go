package jigsaw

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"jigsaw/formulation/instance/codec"
)

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
