//go:build !js && (!cgo || noclp)

package clp

import (
	"fmt"
	"os"
	"path/filepath"

	"jigsaw/solver"
)

// Way says how this build reaches CLP.
func Way() string {
	if path, err := find(embedded); err == nil && path == "" {
		return "by wazero, from this program"
	}
	return "by wazero"
}

// New returns the solver with live models, or [ErrUnavailable] if there is no
// clp.wasm: neither at the path in the environment variable JIGSAW_CLP_WASM, nor
// beside the program, nor in the folder clp there, nor inside the program, where the
// tag clpwasm puts it. The value none means no engine.
func New() (solver.Solver, error) {
	path, err := find(embedded)
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return newWasm(embedded, "the clp.wasm of this program")
	}
	return NewWasm(path)
}

// find returns the path of the clp.wasm to use, empty for the one inside the program.
// A file has priority over it, so that users can provide another CLP.
func find(inside []byte) (string, error) {
	path := os.Getenv("JIGSAW_CLP_WASM")
	switch path {
	case "":
	case "none":
		return "", fmt.Errorf("%w: switched off by JIGSAW_CLP_WASM=none", ErrUnavailable)
	default:
		return path, nil
	}
	if program, err := os.Executable(); err == nil {
		for _, name := range []string{"clp.wasm", "clp/clp.wasm"} {
			path := filepath.Join(filepath.Dir(program), filepath.FromSlash(name))
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	if len(inside) > 0 {
		return "", nil
	}
	return "", fmt.Errorf("%w: install coinor-libclp-dev and pkg-config, then build with CGO_ENABLED=1 and "+
		"without -tags noclp; or `make clp-wasm` and put clp.wasm beside this program, or its path into JIGSAW_CLP_WASM",
		ErrUnavailable)
}

// NewOneShot returns the solver for programs that are solved once, with ranging; or
// [ErrUnavailable], like [New].
func NewOneShot() (solver.Solver, error) {
	engine, err := New()
	if err != nil {
		return nil, err
	}
	return oneShot(engine.(*wasm)), nil
}
