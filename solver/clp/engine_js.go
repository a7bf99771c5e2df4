package clp

import (
	"fmt"
	"syscall/js"

	"jigsaw/solver"
)

// Way says how this build reaches CLP.
func Way() string { return "in the browser" }

// New returns the solver with live models, or [ErrUnavailable] on a page without
// CLP: globalThis.jigsawCLP, made by host.mjs.
func New() (solver.Solver, error) {
	if !js.Global().Get("jigsawCLP").Truthy() {
		return nil, fmt.Errorf("%w: the page has not loaded clp.wasm: build it with `make clp-wasm`, "+
			"and set globalThis.jigsawCLP to host(module), of solver/clp/wasm/host.mjs, before JigSaw starts", ErrUnavailable)
	}
	return &wasm{open: openPage}, nil
}

// NewOneShot returns the solver for programs that are solved once, with ranging;
// or [ErrUnavailable], like [New].
func NewOneShot() (solver.Solver, error) {
	engine, err := New()
	if err != nil {
		return nil, err
	}
	return oneShot(engine.(*wasm)), nil
}
