package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// Destination is how and where a command writes its result: -o, --output selects a
// format and --file a file, for every command that has them.
type Destination struct {
	formats []string // available, the default first
	Format  string   // chosen; empty: by the file's name, or the default
	File    string   // empty: standard output
}

// Flags adds -o and --file to a command whose result has these formats, the default first.
func (d *Destination) Flags(c *cobra.Command, formats ...string) {
	d.formats = formats
	c.Flags().VarP((*destinationFormat)(d), "output", "o", "how to write the result (default "+formats[0]+", or the extension of --file)")
	d.FileFlag(c)
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// FileFlag adds --file to a command whose result has one format.
func (d *Destination) FileFlag(c *cobra.Command) {
	c.Flags().StringVar(&d.File, "file", "", "write the result into this `file` instead of standard output")
}

// PrintFormats are the formats of [Destination.Print].
func PrintFormats() []string { return []string{"table", "json", "yaml"} }

// Chosen is the format to write.
func (d *Destination) Chosen() string {
	if d.Format != "" {
		return d.Format
	}
	extension := strings.TrimPrefix(filepath.Ext(d.File), ".")
	if extension == "yml" {
		extension = "yaml"
	}
	if slices.Contains(d.formats, extension) {
		return extension
	}
	return d.formats[0]
}

// Write writes the result to its destination.
func (d *Destination) Write(std Streams, write func(io.Writer) error) error {
	if d.File == "" {
		return write(std.Out)
	}
	return WriteFile(d.File, write)
}

// Print writes v as JSON or YAML, or calls table, which need not check whether writing fails.
func (d *Destination) Print(std Streams, v any, table func(io.Writer)) error {
	if d.Chosen() == "table" {
		return d.Write(std, func(w io.Writer) error {
			out := &output{w: w}
			table(out)
			return out.err
		})
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return d.Write(std, func(w io.Writer) error {
		if d.Chosen() == "yaml" {
			return writeYAML(w, b.Bytes())
		}
		_, err := w.Write(recordLines(b.Bytes()))
		return err
	})
}

// recordLines puts records, such as a task, of an indented JSON document on one line each from the third level on: lists of
// plain values, and objects of plain values and such lists, as blockStyle does. A schedule takes half the space then.
func recordLines(document []byte) []byte {
	const deep = "      " // the indentation of the third level
	var all [][]byte
	var open [][][]byte // the lines of what may become records, each inside the one before
	for line := range bytes.Lines(document) {
		text := bytes.Trim(line, " ,\n")
		switch last := len(open) - 1; {
		case (bytes.HasSuffix(text, []byte("{")) || bytes.HasSuffix(text, []byte("["))) && bytes.HasPrefix(line, []byte(deep)):
			open = append(open, [][]byte{line})
		case last < 0:
			all = append(all, line)
		case text[0] == '}' || text[0] == ']':
			var inside [][]byte
			for _, part := range open[last][1:] {
				inside = append(inside, bytes.TrimSpace(part))
			}
			one := slices.Concat(bytes.TrimRight(open[last][0], "\n"), bytes.Join(inside, []byte(" ")), bytes.TrimLeft(line, " "))
			open = open[:last]
			if text[0] == ']' && last > 0 && bytes.HasSuffix(open[last-1][0], []byte("{\n")) {
				open[last-1] = append(open[last-1], one)
				continue
			}
			for _, lines := range open { // they have inner structure
				all = append(all, lines...)
			}
			all, open = append(all, one), nil
		default:
			open[last] = append(open[last], line)
		}
	}
	return bytes.Join(all, nil)
}

// Columns prints lines whose cells end in tabs, in columns aligned left, once it is flushed.
func Columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// RightColumns is [Columns] aligned right.
func RightColumns(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// destinationFormat is the value of -o.
type destinationFormat Destination

func (f *destinationFormat) String() string { return f.Format }

// Set checks the format while the flags are parsed.
func (f *destinationFormat) Set(s string) error {
	if slices.Contains(f.formats, s) {
		f.Format = s
		return nil
	}
	hint := ""
	if strings.ContainsAny(s, "./") {
		hint = "; --file names a file"
	}
	return fmt.Errorf("choose %s%s", OrList(f.formats), hint)
}

// OrList lists the choices.
func OrList(names []string) string {
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

// blockStyle turns JSON's flow style into YAML's block style, leaving the records of recordLines on one line.
func blockStyle(n *yaml.Node, depth int) {
	record := depth > 2
	for _, child := range n.Content {
		blockStyle(child, depth+1)
		record = record && (child.Kind == yaml.ScalarNode || n.Kind == yaml.MappingNode && child.Kind == yaml.SequenceNode && (child.Style == yaml.FlowStyle || len(child.Content) == 0))
	}
	n.Style &^= yaml.DoubleQuotedStyle
	if n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode {
		n.Style = 0
		if record && len(n.Content) > 0 {
			n.Style = yaml.FlowStyle
		}
	}
}
