//go:build site

package site

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built page.
func Files() (fs.FS, error) { return fs.Sub(dist, "dist") }
