package site

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func serve(t *testing.T) func(method, path string, header ...string) *http.Response {
	handler, err := Handler(fstest.MapFS{
		"index.html":             {Data: []byte("<!doctype html>")},
		"sw.js":                  {Data: []byte("1")},
		"assets/core-abc1.wasm":  {Data: []byte("\x00asm")},
		"assets/face-abc1.woff2": {Data: []byte("wOF2")},
	})
	require.NoError(t, err)
	return func(method, path string, header ...string) *http.Response {
		r := httptest.NewRequest(method, path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	}
}

func TestHandler(t *testing.T) {
	get := serve(t)
	tests := []struct {
		method, path     string
		code             int
		mediaType, cache string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/index.html", 200, "text/html; charset=utf-8", "no-cache"},
		{"HEAD", "/sw.js", 200, "text/javascript; charset=utf-8", "no-cache"},
		{"GET", "/assets/core-abc1.wasm", 200, "application/wasm", "public, max-age=31536000, immutable"},
		{"GET", "/assets/face-abc1.woff2", 200, "font/woff2", "public, max-age=31536000, immutable"},
		{"GET", "/assets/../sw.js", 200, "text/javascript; charset=utf-8", "no-cache"},
		{"GET", "/assets", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/../../etc/passwd", 404, "text/plain; charset=utf-8", ""},
		{"POST", "/", 405, "text/plain; charset=utf-8", ""},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			got := get(test.method, test.path)
			assert.Equal(t, test.code, got.StatusCode)
			assert.Equal(t, test.mediaType, got.Header.Get("Content-Type"))
			assert.Equal(t, test.cache, got.Header.Get("Cache-Control"))
			if test.code == 200 {
				assert.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
				assert.Contains(t, got.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
			}
		})
	}
}

func TestHandlerKnowsWhatTheBrowserHas(t *testing.T) {
	get := serve(t)
	etag := get("GET", "/").Header.Get("ETag")
	assert.Equal(t, http.StatusNotModified, get("GET", "/", "If-None-Match", etag).StatusCode)
	assert.Equal(t, http.StatusOK, get("GET", "/", "If-None-Match", `"other"`).StatusCode)
}

// A host that sets no headers leaves it to the page to forbid requests to other places.
func TestPageSaysThePolicy(t *testing.T) {
	html, err := os.ReadFile("index.html")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?s)http-equiv="Content-Security-Policy"\s+content="([^"]*)"`).FindSubmatch(html)
	require.NotNil(t, found)
	assert.Equal(t, Policy, string(found[1]))
}
