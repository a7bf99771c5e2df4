// Package backend chooses the engine of a build. Which one it is depends on the
// build tags alone, so that a program never finds out at run time, half way
// through, that it has no engine:
//
//	cgo && !noclp && !js   CLP through cgo
//	otherwise              none: Default returns ErrNone
//
// Without an engine the heuristics and the bounds that need no linear program
// still work; a caller says so in a plain word and goes on.
package backend

import "errors"

// ErrNone is the error of [Default] in a build without an engine. Its text says
// how to get one.
var ErrNone = errors.New("backend: this build has no linear programming engine: " +
	"install coinor-libclp-dev and pkg-config, then build with CGO_ENABLED=1 and without -tags noclp")
