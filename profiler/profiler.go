// Package profiler contains the companion that measures layer profiles of PyTorch models; see
// README.md in its folder.
package profiler

import _ "embed"

// Module is the text of jigsaw_profile.py, which runs by itself.
//
//go:embed jigsaw_profile.py
var Module []byte
