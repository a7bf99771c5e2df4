package clp

import (
	"sync"

	"jigsaw/solver"
)

// wasm is the solver with live models in an instance of clp.wasm, made when first
// needed and made anew after a trap.
type wasm struct {
	open func() (machine, error)

	mu    sync.Mutex
	table *wasmTable
}

// reach returns a table whose instance is sound.
func (w *wasm) reach() (*wasmTable, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.table == nil || w.table.lost() {
		machine, err := w.open()
		if err != nil {
			return nil, err
		}
		w.table = &wasmTable{machine: machine}
	}
	return w.table, nil
}

// Name returns the engine and its version, if it can be reached.
func (w *wasm) Name() string {
	t, err := w.reach()
	if err != nil {
		return "CLP"
	}
	return (&live{t}).Name()
}

// Caps are those of all live models.
func (w *wasm) Caps() solver.Caps { return (&live{}).Caps() }

// Load validates the problem and copies it into the instance.
func (w *wasm) Load(p *solver.Problem) (solver.Model, error) {
	t, err := w.reach()
	if err != nil {
		return nil, err
	}
	return (&live{t}).Load(p)
}
