//go:build site

package site

import (
	"archive/zip"
	_ "embed"
	"strings"
)

//go:embed dist.zip
var dist string

// Files returns the built page.
func Files() (*zip.Reader, error) { return zip.NewReader(strings.NewReader(dist), int64(len(dist))) }
