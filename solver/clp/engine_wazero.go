//go:build !js && (!cgo || noclp)

package clp

import (
	"fmt"
	"os"
	"path/filepath"

	"jigsaw/solver"
)

// Way says how this build reaches CLP.
const Way = "by wazero"

// New returns the face with live models, or [ErrUnavailable] where no clp.wasm is:
// neither where the environment variable JIGSAW_CLP_WASM says, nor beside the
// program, nor in the folder clp there. The value none asks for no engine.
func New() (solver.Solver, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	return NewWasm(path)
}

func find() (string, error) {
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
	return "", fmt.Errorf("%w: install coinor-libclp-dev and pkg-config, then build with CGO_ENABLED=1 and "+
		"without -tags noclp; or `make clp-wasm` and put clp.wasm beside this program, or its path into JIGSAW_CLP_WASM",
		ErrUnavailable)
}

// NewOneShot returns the face for programs that are solved once, with ranging; or
// [ErrUnavailable], as [New].
func NewOneShot() (solver.Solver, error) {
	engine, err := New()
	if err != nil {
		return nil, err
	}
	return oneShot(engine.(*wasm)), nil
}
