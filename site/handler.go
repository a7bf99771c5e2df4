package site

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// Policy is the page's Content-Security-Policy: nothing is loaded from or sent to another host.
// index.html says the same for hosts that set no headers; only frame-ancestors cannot be said
// there. Images may be data, for CodeMirror's marks, and blobs, for the export of pictures.
const Policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; object-src 'none'; " +
	"base-uri 'none'; form-action 'none'"

// mediaTypes by extension, because the tables of systems differ. WebAssembly compiles while
// loading only with its own type.
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

// Handler serves the files of a built page, packed by command pack. Files compressed in the
// archive are sent to browsers as they are: browsers unpack them, and a slow network carries a
// fifth of the bytes with deflate, a seventh with brotli (a separate file, NAME.br). Browsers accept
// brotli over https and from their own machine.
func Handler(files *zip.Reader) (http.Handler, error) {
	pages := map[string]*page{}
	brotli := map[string]*zip.File{}
	for _, file := range files.File {
		if name, ok := strings.CutSuffix(file.Name, ".br"); ok {
			brotli[name] = file
		}
	}
	for _, file := range files.File {
		if strings.HasSuffix(file.Name, ".br") {
			continue
		}
		p, err := newPage(file, brotli[file.Name])
		if err != nil {
			return nil, fmt.Errorf("the playground's %s: %w", file.Name, err)
		}
		pages["/"+file.Name] = p
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

// page is a file as gzip (RFC 1952), which differs from the archive's own form only in its header
// and trailer.
type page struct {
	gzip                   []byte
	brotli                 []byte // nil: none
	mediaType, cache, etag string
}

// gzipHead says deflate, no name, no time, an unknown system.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"

func newPage(file, brotli *zip.File) (*page, error) {
	body, err := rawOf(file, zip.Deflate)
	if err != nil {
		return nil, err
	}
	var packed []byte
	if brotli != nil {
		if packed, err = rawOf(brotli, zip.Store); err != nil {
			return nil, err
		}
	}
	data := append([]byte(gzipHead), body...)
	data = binary.LittleEndian.AppendUint32(data, file.CRC32)
	data = binary.LittleEndian.AppendUint32(data, uint32(file.UncompressedSize64)) // #nosec G115 -- modulo 2^32, as gzip has it
	sum := sha256.Sum256(data)
	p := &page{
		gzip:      data,
		brotli:    packed,
		mediaType: mediaTypes[path.Ext(file.Name)],
		cache:     "no-cache",
		etag:      base64.RawURLEncoding.EncodeToString(sum[:16]),
	}
	if p.mediaType == "" {
		p.mediaType = mime.TypeByExtension(path.Ext(file.Name))
	}
	// The names in assets contain a hash of the content.
	if strings.HasPrefix(file.Name, "assets/") {
		p.cache = "public, max-age=31536000, immutable"
	}
	return p, nil
}

// rawOf returns the archive's bytes of a file, packed by that method.
func rawOf(file *zip.File, method uint16) ([]byte, error) {
	if file.Method != method {
		return nil, errors.New("packed by another method than command pack does")
	}
	raw, err := file.OpenRaw()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(raw)
}

func (p *page) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", p.mediaType)
	h.Set("Cache-Control", p.cache)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Security-Policy", Policy+"; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	var data []byte
	etag := p.etag
	switch {
	case p.brotli != nil && accepts(r, "br"):
		h.Set("Content-Encoding", "br")
		data, etag = p.brotli, etag+"-br"
	case accepts(r, "gzip"):
		h.Set("Content-Encoding", "gzip")
		data, etag = p.gzip, etag+"-gzip"
	default:
		var err error
		if data, err = p.unpacked(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

func (p *page) unpacked() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(p.gzip))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// accepts reports whether the request accepts a coding; browsers send it without a weight. A weight
// of 0 would forbid it.
func accepts(r *http.Request, wanted string) bool {
	for _, field := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if strings.EqualFold(strings.TrimSpace(name), wanted) {
				return strings.Trim(strings.TrimPrefix(strings.TrimSpace(weight), "q="), "0.") != "" || weight == ""
			}
		}
	}
	return false
}
