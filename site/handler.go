package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// Policy is the page's Content-Security-Policy: nothing comes from, and nothing goes to,
// another place. index.html says the same for hosts that set no headers; only
// frame-ancestors cannot be said there. Images may be data for CodeMirror's marks and blobs
// for the export of pictures.
const Policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; object-src 'none'; " +
	"base-uri 'none'; form-action 'none'"

// mediaTypes by extension, for systems' own tables differ. WebAssembly compiles while it
// loads only under its own type.
var mediaTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".svg":         "image/svg+xml",
	".wasm":        "application/wasm",
	".woff2":       "font/woff2",
	".webmanifest": "application/manifest+json",
	".txt":         "text/plain; charset=utf-8",
	".md":          "text/plain; charset=utf-8",
}

// Handler serves the files of a built page. They are read once, into memory.
func Handler(files fs.FS) (http.Handler, error) {
	pages := map[string]page{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		pages["/"+name] = newPage(name, data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	pages["/"] = pages["/index.html"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the playground is read only", http.StatusMethodNotAllowed)
			return
		}
		found, ok := pages[path.Clean("/"+strings.TrimPrefix(r.URL.Path, "/"))]
		if !ok {
			http.NotFound(w, r)
			return
		}
		found.serve(w, r)
	}), nil
}

type page struct {
	data                   []byte
	mediaType, cache, etag string
}

func newPage(name string, data []byte) page {
	sum := sha256.Sum256(data)
	p := page{
		data:      data,
		mediaType: mediaTypes[path.Ext(name)],
		cache:     "no-cache",
		etag:      `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`,
	}
	if p.mediaType == "" {
		p.mediaType = mime.TypeByExtension(path.Ext(name))
	}
	// The names in assets carry a hash of what they hold.
	if strings.HasPrefix(name, "assets/") {
		p.cache = "public, max-age=31536000, immutable"
	}
	return p
}

func (p page) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", p.mediaType)
	h.Set("Cache-Control", p.cache)
	h.Set("ETag", p.etag)
	h.Set("Content-Security-Policy", Policy+"; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.data))
}
