package sweep

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Builtin is a study that is shipped.
type Builtin struct {
	Name string
	// Data is the study file.
	Data []byte
}

// Builtins returns the shipped studies by name.
func Builtins() ([]Builtin, error) {
	files, err := builtin.ReadDir("builtin")
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	var all []Builtin
	for _, f := range files {
		data, err := builtin.ReadFile(path.Join("builtin", f.Name()))
		if err != nil {
			return nil, fmt.Errorf("sweep: %w", err)
		}
		all = append(all, Builtin{strings.TrimSuffix(f.Name(), ".yaml"), data})
	}
	return all, nil
}
