package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteFile writes a file completely or not at all: it is written as a temporary file
// beside its place and then moved there; a link stays a link. Devices and pipes are
// written directly.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	if err := nameable(name); err != nil {
		return err
	}
	if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return Usage(err)
		}
		return errors.Join(write(f), f.Close())
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	f, err := createBeside(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f), f.Close())
	var where *fs.PathError
	if errors.As(err, &where) {
		where.Path = name // not that of the temporary file
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return unwritable(name, err)
	}
	return nil
}

// createBeside creates the temporary file that becomes the named one, whose name is used
// in errors. Unlike those of os.CreateTemp its permissions follow the user's umask.
func createBeside(name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".jigsaw-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, unwritable(name, err)
	}
	return f, nil
}

// unwritable says that a file cannot be written, and why, without mentioning the temporary
// file.
func unwritable(name string, err error) error {
	folder := filepath.Dir(name)
	var path *fs.PathError
	var link *os.LinkError
	_, statErr := os.Stat(folder)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		err = fmt.Errorf("there is no folder %s", folder)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("no file can be created in %s", folder)
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return Usage(fmt.Errorf("%s cannot be written: %w", name, err))
}

// nameable returns an error if the name is that of a folder, or stands for standard
// input.
func nameable(name string) error {
	if name == "-" {
		return Usage(errors.New(`"-" does not name a file to write; /dev/stdout is standard output`))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return Usage(fmt.Errorf("%s cannot be written: it is a folder", name))
	}
	return nil
}

// CheckWritable checks in advance whether files can be written, so that no long run
// ends without them, and that none of them would overwrite another, or one that is
// read, nor has an extension of pictures that are not drawn. Empty names are ignored.
func CheckWritable(read []string, names ...string) error {
	for i, name := range names {
		if name == "" {
			continue
		}
		if err := nameable(name); err != nil {
			return err
		}
		if extension := filepath.Ext(name); slices.Contains([]string{".png", ".jpg", ".jpeg", ".pdf"}, strings.ToLower(extension)) {
			return Usage(fmt.Errorf("%s: pictures are drawn as SVG; name it %s.svg", name, strings.TrimSuffix(name, extension)))
		}
		info, err := os.Stat(name)
		if err == nil && !info.Mode().IsRegular() {
			continue // a device or pipe
		}
		for _, other := range read {
			if o, otherErr := os.Stat(other); err == nil && otherErr == nil && os.SameFile(info, o) {
				return Usage(fmt.Errorf("%s would overwrite %s, an input; choose another name", name, other))
			}
		}
		for _, other := range names[:i] {
			if filepath.Clean(other) == filepath.Clean(name) {
				return Usage(fmt.Errorf("%s would be written twice; choose another name", name))
			}
		}
		f, err := createBeside(name)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
			return err
		}
	}
	return nil
}
