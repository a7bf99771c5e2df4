//go:build !js && (!cgo || noclp)

package clp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A build without CLP says so, and how to fix it.
func TestUnavailable(t *testing.T) {
	for setting, words := range map[string][]string{
		"":     {"coinor-libclp-dev", "pkg-config", "CGO_ENABLED=1", "noclp", "make clp-wasm", "JIGSAW_CLP_WASM"},
		"none": {"JIGSAW_CLP_WASM=none"},
	} {
		t.Setenv("JIGSAW_CLP_WASM", setting)
		_, err := find(nil)
		require.ErrorIs(t, err, ErrUnavailable)
		for _, word := range words {
			require.ErrorContains(t, err, word)
		}
		if setting == "" && len(embedded) > 0 {
			continue
		}
		_, err = New()
		require.ErrorIs(t, err, ErrUnavailable)
		_, err = NewOneShot()
		require.ErrorIs(t, err, ErrUnavailable)
	}
}

// A file has priority over what is inside the program: first the requested one, then one
// beside the program.
func TestWhichFileIsUsed(t *testing.T) {
	inside := []byte("CLP")
	t.Setenv("JIGSAW_CLP_WASM", "")
	path, err := find(inside)
	require.NoError(t, err)
	require.Empty(t, path)

	program, err := os.Executable()
	require.NoError(t, err)
	beside := filepath.Join(filepath.Dir(program), "clp.wasm")
	require.NoError(t, os.WriteFile(beside, inside, 0o600))
	defer os.Remove(beside)
	path, err = find(inside)
	require.NoError(t, err)
	require.Equal(t, beside, path)

	t.Setenv("JIGSAW_CLP_WASM", "other.wasm")
	path, err = find(inside)
	require.NoError(t, err)
	require.Equal(t, "other.wasm", path)

	t.Setenv("JIGSAW_CLP_WASM", "none")
	_, err = find(inside)
	require.ErrorIs(t, err, ErrUnavailable)
}

// A requested file that does not exist is an error, not a missing engine.
func TestMissingFile(t *testing.T) {
	t.Setenv("JIGSAW_CLP_WASM", filepath.Join(t.TempDir(), "clp.wasm"))
	_, err := New()
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "make clp-wasm")
}
