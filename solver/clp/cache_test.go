//go:build !js

package clp

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
)

// tiny is a module with one function, which does nothing.
var tiny = []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x04\x01\x02\x00\x0b")

// ownCache makes this test keep machine code in a folder of its own, which it returns.
func ownCache(t *testing.T) string {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("LocalAppData", home)
	t.Setenv("XDG_CACHE_HOME", "")
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	return filepath.Join(dir, "jigsaw", "wazero")
}

// entries are the files of a cache, in the folder that wazero makes for its version.
func entries(t *testing.T, cache string) []string {
	names, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	require.NoError(t, err)
	return names
}

func compiles(t *testing.T) bool {
	runtime, module, err := compile(t.Context(), tiny)
	if err != nil {
		return assert.NoError(t, err)
	}
	instance, err := runtime.InstantiateModule(t.Context(), module, wazero.NewModuleConfig())
	return assert.NoError(t, err) && assert.NoError(t, instance.Close(t.Context()))
}

// A broken folder of machine code costs time, but no plan.
func TestCompileWhateverTheCache(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, cache string){
		"no home": func(t *testing.T, _ string) {
			for _, key := range []string{"HOME", "LocalAppData", "XDG_CACHE_HOME"} {
				t.Setenv(key, "")
			}
		},
		"a file in its place": func(t *testing.T, cache string) {
			require.NoError(t, os.RemoveAll(cache))
			require.NoError(t, os.WriteFile(cache, nil, 0o600))
		},
		// Not writable, not even by root.
		"read only": func(t *testing.T, cache string) {
			if _, err := os.Stat("/proc/self"); err != nil {
				t.Skip("no /proc")
			}
			version := filepath.Dir(entries(t, cache)[0])
			require.NoError(t, os.RemoveAll(version))
			require.NoError(t, os.Symlink("/proc/self", version))
		},
		"spoilt": func(t *testing.T, cache string) {
			require.NoError(t, os.WriteFile(entries(t, cache)[0], []byte("nonsense"), 0o600))
		},
		"cut off": func(t *testing.T, cache string) {
			info, err := os.Stat(entries(t, cache)[0])
			require.NoError(t, err)
			require.NoError(t, os.Truncate(entries(t, cache)[0], info.Size()/2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cache := ownCache(t)
			require.True(t, compiles(t))
			require.Len(t, entries(t, cache), 1)
			spoil(t, cache)
			compiles(t)
		})
	}
}

// A damaged entry is replaced at the next start.
func TestCacheIsMendedByTheNextStart(t *testing.T) {
	cache := ownCache(t)
	require.True(t, compiles(t))
	whole, err := os.ReadFile(entries(t, cache)[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(entries(t, cache)[0], []byte("nonsense"), 0o600))
	compiles(t)
	compiles(t)
	again, err := os.ReadFile(entries(t, cache)[0])
	require.NoError(t, err)
	assert.Equal(t, whole, again)
}

// Programs that start concurrently for the first time all get their module.
func TestFirstStartsTogether(t *testing.T) {
	cache := ownCache(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() { compiles(t) })
	}
	all.Wait()
	assert.Len(t, entries(t, cache), 1)
}

// What is not a module is rejected, with a cache and without.
func TestNoModule(t *testing.T) {
	ownCache(t)
	_, err := newWasm([]byte("nonsense"), "x.wasm")
	require.ErrorContains(t, err, "x.wasm")
	require.ErrorContains(t, err, "make clp-wasm")
}
