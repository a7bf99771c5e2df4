//go:build !js

package clp

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// openWasm returns the browser's engine outside a browser; the test is skipped
// if it has not been built.
func openWasm(t *testing.T) *wasm {
	t.Helper()
	const path = "../../bin/clp/clp.wasm"
	if _, err := os.Stat(path); err != nil {
		t.Skip("make clp-wasm has not been run: ", err)
	}
	engine, err := NewWasm(path)
	require.NoError(t, err)
	return engine.(*wasm)
}
