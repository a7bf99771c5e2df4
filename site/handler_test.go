package site

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var wasm = strings.Repeat("\x00asm", 1000)

func serve(t *testing.T) func(method, path string, header ...string) *http.Response {
	var archive bytes.Buffer
	packed := zip.NewWriter(&archive)
	stored, err := packed.CreateHeader(&zip.FileHeader{Name: "assets/core-abc1.wasm.br", Method: zip.Store})
	require.NoError(t, err)
	_, err = io.WriteString(stored, "brotli")
	require.NoError(t, err)
	for name, data := range map[string]string{
		"index.html":             "<!doctype html>",
		"sw.js":                  "1",
		"assets/core-abc1.wasm":  wasm,
		"assets/face-abc1.woff2": "wOF2",
	} {
		w, err := packed.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, data)
		require.NoError(t, err)
	}
	require.NoError(t, packed.Close())
	files, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)
	handler, err := Handler(files)
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
		{"GET", "/assets/core-abc1.wasm.br", 404, "text/plain; charset=utf-8", ""},
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

// Packed responses contain what was packed, and clients that cannot unpack get plain files.
func TestHandlerServesPacked(t *testing.T) {
	get := serve(t)
	for accepts, encoding := range map[string]string{
		"gzip, deflate, br": "br", "BR;q=0.5, gzip": "br", "br": "br", "gzip; q=0.0, br": "br",
		"gzip, deflate": "gzip", "br;q=0, GZIP;q=0.5": "gzip",
		"": "", "gzip;q=0": "",
	} {
		got := get("GET", "/assets/core-abc1.wasm", "Accept-Encoding", accepts)
		require.Equal(t, encoding, got.Header.Get("Content-Encoding"), accepts)
		require.Equal(t, "Accept-Encoding", got.Header.Get("Vary"))
		body := io.Reader(got.Body)
		if encoding == "br" { // as the archive has it
			data, err := io.ReadAll(body)
			require.NoError(t, err)
			require.Equal(t, "brotli", string(data), accepts)
			continue
		}
		if encoding != "" {
			require.Less(t, got.ContentLength, int64(100))
			var err error
			body, err = gzip.NewReader(got.Body)
			require.NoError(t, err)
		}
		data, err := io.ReadAll(body)
		require.NoError(t, err)
		assert.Equal(t, wasm, string(data), accepts)
	}
	plain, packed := get("GET", "/"), get("GET", "/", "Accept-Encoding", "gzip")
	assert.NotEqual(t, plain.Header.Get("ETag"), packed.Header.Get("ETag"))
	// Without a file compressed by brotli there is gzip.
	assert.Equal(t, "gzip", get("GET", "/", "Accept-Encoding", "br, gzip").Header.Get("Content-Encoding"))
}

// If a host sets no headers, the page itself has to forbid requests to other hosts.
func TestPageSaysThePolicy(t *testing.T) {
	html, err := os.ReadFile("index.html")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?s)http-equiv="Content-Security-Policy"\s+content="([^"]*)"`).FindSubmatch(html)
	require.NotNil(t, found)
	assert.Equal(t, Policy, string(found[1]))
}
