package clp

import "testing"

// openWasm returns the engine of the page; the test is skipped if it has none.
func openWasm(t *testing.T) *wasm {
	t.Helper()
	engine, err := New()
	if err != nil {
		t.Skip(err)
	}
	return engine.(*wasm)
}
