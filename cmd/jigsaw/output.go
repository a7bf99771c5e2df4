package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// format is the value of -o: table, json or yaml.
type format string

func (f *format) String() string { return string(*f) }

// Set checks the format while the flags are parsed.
func (f *format) Set(s string) error {
	switch s {
	case "table", "json", "yaml":
		*f = format(s)
		return nil
	}
	return fmt.Errorf("choose table, json or yaml")
}

// Type names the flag's value in the help.
func (f *format) Type() string { return "table|json|yaml" }

func (f *format) flag(c *cobra.Command) {
	*f = "table"
	c.Flags().VarP(f, "output", "o", "how to print the result")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]cobra.Completion{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
}

// print writes v as JSON or YAML, or calls table.
func (f format) print(w io.Writer, v any, table func(io.Writer) error) error {
	if f == "table" {
		return table(w)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	if f == "yaml" {
		return writeYAML(w, b.Bytes())
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeYAML writes a JSON document as YAML with its keys in the same order.
func writeYAML(w io.Writer, document []byte) error {
	var node yaml.Node
	if err := yaml.Unmarshal(document, &node); err != nil {
		return err
	}
	blockStyle(&node, 0)
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return err
	}
	return encoder.Close()
}

// blockStyle turns JSON's flow style into YAML's block style, leaving records
// without inner structure, such as a task, on one line.
func blockStyle(n *yaml.Node, depth int) {
	leaf := true
	for _, child := range n.Content {
		blockStyle(child, depth+1)
		leaf = leaf && child.Kind == yaml.ScalarNode
	}
	n.Style &^= yaml.DoubleQuotedStyle
	if n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode {
		n.Style = 0
		if leaf && depth > 2 && len(n.Content) > 0 {
			n.Style = yaml.FlowStyle
		}
	}
}

// writeFile makes a file whole or not at all: it is written beside its place
// and then moved there; a link stays one. Devices and pipes are written directly.
func writeFile(name string, write func(io.Writer) error) (err error) {
	if err := nameable(name); err != nil {
		return err
	}
	if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return usage(err)
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
		where.Path = name // not that of the file beside it
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// createBeside makes the file that becomes the named one, whose name an error has. Unlike
// one of os.CreateTemp it is for whom the user's umask lets have it.
func createBeside(name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".jigsaw-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	var where *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
	case errors.As(err, &where):
		err = fmt.Errorf("%s cannot be written: %w", name, where.Err)
	}
	if err != nil {
		return nil, usage(err)
	}
	return f, nil
}

// nameable returns an error where the name is that of a folder, or stands for
// standard input.
func nameable(name string) error {
	if name == "-" {
		return usage(errors.New(`"-" is no name of a file to write; /dev/stdout is standard output`))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return usage(fmt.Errorf("%s cannot be written: it is a folder", name))
	}
	return nil
}

// writable tells beforehand whether files can be written, so that no long run ends
// without them, and that none of them would overwrite another, or one that is read.
// Empty names are left out.
func writable(read []string, names ...string) error {
	for i, name := range names {
		if name == "" {
			continue
		}
		if err := nameable(name); err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err == nil && !info.Mode().IsRegular() {
			continue // a device or pipe
		}
		for _, other := range read {
			if o, otherErr := os.Stat(other); err == nil && otherErr == nil && os.SameFile(info, o) {
				return usage(fmt.Errorf("%s would overwrite %s, which is read; choose another name", name, other))
			}
		}
		for _, other := range names[:i] {
			if filepath.Clean(other) == filepath.Clean(name) {
				return usage(fmt.Errorf("%s would be written twice; choose another name", name))
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
