// Command pack puts the built page, site/dist, into one archive, site/dist.zip, which is embedded
// in the program: compressed once, as browsers accept it. Files with the extension .br are
// compressed already and stay as they are. The same page gives the same bytes.
package main

import (
	"archive/zip"
	"compress/flate"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

func main() {
	if err := pack("site/dist", "site/dist.zip"); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(folder, name string) error {
	part := name + ".part"       // concurrent builds see either the whole new archive or the old one
	file, err := os.Create(part) // #nosec G304 -- a constant
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	if err := add(archive, folder); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(part, name)
}

// add packs the files of a folder, in the order of their names and without times.
func add(archive *zip.Writer, folder string) error {
	files := os.DirFS(folder)
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if strings.HasSuffix(name, ".br") {
			header.Method = zip.Store
		}
		w, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
}
