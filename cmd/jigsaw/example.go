package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"jigsaw"
)

func newExample(std streams) *cobra.Command {
	c := &cobra.Command{Use: "example", Short: "List the built-in instances, or write one out to start from"}
	var list, written destination
	listing := &cobra.Command{
		Use: "list", Short: "List the built-in instances", Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error { return runExampleList(list, std) },
	}
	list.flags(listing, printed()...)
	write := &cobra.Command{
		Use: "write NAME", Short: "Write a built-in instance to standard output or a file", Args: exactArgs(1),
		Example:           "  jigsaw example write rack --file rack.yaml",
		ValidArgsFunction: completeInstance,
		RunE:              func(_ *cobra.Command, args []string) error { return runExampleWrite(args[0], written.file, std) },
	}
	written.fileFlag(write)
	c.AddCommand(listing, write)
	return c
}

func runExampleList(to destination, std streams) error {
	examples, err := jigsaw.Examples()
	if err != nil {
		return err
	}
	type row struct {
		Name   string `json:"name"`
		Lesson string `json:"lesson"`
	}
	rows := make([]row, len(examples))
	for i, e := range examples {
		rows[i] = row{e.Name, e.Lesson}
	}
	return to.print(std, rows, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\n", r.Name, r.Lesson)
		}
		return t.Flush()
	})
}

func runExampleWrite(name, file string, std streams) error {
	examples, err := jigsaw.Examples()
	if err != nil {
		return err
	}
	for _, e := range examples {
		if e.Name != name {
			continue
		}
		write := func(w io.Writer) error {
			_, err := w.Write(e.Data)
			return err
		}
		if file == "" {
			return write(std.out)
		}
		if held, err := os.ReadFile(file); err == nil && !bytes.Equal(held, e.Data) {
			return usage(fmt.Errorf("%s is there and is not that example; choose another name, or remove it", file))
		}
		return writeFile(file, write)
	}
	return usage(fmt.Errorf("there is no example %q; see jigsaw example list", name))
}
