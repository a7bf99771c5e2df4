//go:build !site

package site

import (
	"errors"
	"io/fs"
)

// Files returns the built page.
func Files() (fs.FS, error) {
	return nil, errors.New("this jigsaw was built without the playground: run make site, which builds both")
}
