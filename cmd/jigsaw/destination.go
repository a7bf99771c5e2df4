package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// destination is how and where a command writes its result: -o, --output is a format and
// --file a file, of every command that has them.
type destination struct {
	formats []string // known, the default first
	format  string   // chosen; empty: by the file's name, or the default
	file    string   // empty: standard output
}

// flags adds -o and --file to a command whose result has these formats, the default first.
func (d *destination) flags(c *cobra.Command, formats ...string) {
	d.formats = formats
	c.Flags().VarP((*destinationFormat)(d), "output", "o", "how to write the result (default "+formats[0]+", or what the name of --file ends in)")
	d.fileFlag(c)
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// fileFlag adds --file to a command whose result has one format.
func (d *destination) fileFlag(c *cobra.Command) {
	c.Flags().StringVar(&d.file, "file", "", "write the result into this `file` instead of standard output")
}

// printed are the formats of [destination.print].
func printed() []string { return []string{"table", "json", "yaml"} }

// chosen is the format to write.
func (d *destination) chosen() string {
	if d.format != "" {
		return d.format
	}
	extension := strings.TrimPrefix(filepath.Ext(d.file), ".")
	if extension == "yml" {
		extension = "yaml"
	}
	if slices.Contains(d.formats, extension) {
		return extension
	}
	return d.formats[0]
}

// write writes the result where it belongs.
func (d *destination) write(std streams, write func(io.Writer) error) error {
	if d.file == "" {
		return write(std.out)
	}
	return writeFile(d.file, write)
}

// print writes v as JSON or YAML, or calls table.
func (d *destination) print(std streams, v any, table func(io.Writer) error) error {
	if d.chosen() == "table" {
		return d.write(std, table)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return d.write(std, func(w io.Writer) error {
		if d.chosen() == "yaml" {
			return writeYAML(w, b.Bytes())
		}
		_, err := w.Write(b.Bytes())
		return err
	})
}

// destinationFormat is the value of -o.
type destinationFormat destination

func (f *destinationFormat) String() string { return f.format }

// Set checks the format while the flags are parsed.
func (f *destinationFormat) Set(s string) error {
	if slices.Contains(f.formats, s) {
		f.format = s
		return nil
	}
	hint := ""
	if strings.ContainsAny(s, "./") {
		hint = "; --file names a file"
	}
	return fmt.Errorf("choose %s%s", either(f.formats), hint)
}

// either lists what there is to choose from.
func either(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Type names the flag's value in the help.
func (f *destinationFormat) Type() string { return strings.Join(f.formats, "|") }

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
