//go:build !js && (!cgo || noclp)

package clp

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A build without CLP says so, and says how to mend it.
func TestUnavailable(t *testing.T) {
	for setting, words := range map[string][]string{
		"":     {"coinor-libclp-dev", "pkg-config", "CGO_ENABLED=1", "noclp", "make clp-wasm", "JIGSAW_CLP_WASM"},
		"none": {"JIGSAW_CLP_WASM=none"},
	} {
		t.Setenv("JIGSAW_CLP_WASM", setting)
		_, err := New()
		require.ErrorIs(t, err, ErrUnavailable)
		_, err = NewOneShot()
		require.ErrorIs(t, err, ErrUnavailable)
		for _, word := range words {
			require.ErrorContains(t, err, word)
		}
	}
}

// A file that was asked for and is not there is an error, not a missing engine.
func TestMissingFile(t *testing.T) {
	t.Setenv("JIGSAW_CLP_WASM", filepath.Join(t.TempDir(), "clp.wasm"))
	_, err := New()
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "make clp-wasm")
}
