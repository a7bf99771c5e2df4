//go:build !site

package site

import (
	"archive/zip"
	"errors"
)

// Files returns the built page.
func Files() (*zip.Reader, error) {
	return nil, errors.New("this jigsaw was built without the playground: run make site, which builds both")
}
