package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"jigsaw/cmd/jigsaw/cli"

	"github.com/spf13/cobra"

	"jigsaw"
)

func newExample(std cli.Streams) *cobra.Command {
	c := &cobra.Command{Use: "example", Short: "List the built-in instances, or write one out to start from"}
	var list, written cli.Destination
	listing := &cobra.Command{
		Use: "list", Short: "List the built-in instances", Args: cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error { return runExampleList(list, std) },
	}
	list.Flags(listing, cli.PrintFormats()...)
	write := &cobra.Command{
		Use: "write NAME", Short: "Write a built-in instance to standard output or a file", Args: cli.ExactArgs(1),
		Example:           "  jigsaw example write rack --file rack.yaml",
		ValidArgsFunction: cli.CompleteInstance,
		RunE:              func(_ *cobra.Command, args []string) error { return runExampleWrite(args[0], written.File, std) },
	}
	written.FileFlag(write)
	c.AddCommand(listing, write)
	return c
}

func runExampleList(to cli.Destination, std cli.Streams) error {
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
	return to.Print(std, rows, func(w io.Writer) {
		t := cli.Columns(w)
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\n", r.Name, r.Lesson)
		}
		t.Flush()
	})
}

func runExampleWrite(name, file string, std cli.Streams) error {
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
			return write(std.Out)
		}
		if held, err := os.ReadFile(file); err == nil && !bytes.Equal(held, e.Data) {
			return cli.Usage(fmt.Errorf("%s is there and is not that example; choose another name, or remove it", file))
		}
		return cli.WriteFile(file, write)
	}
	return cli.Usage(fmt.Errorf("there is no example %q; see jigsaw example list", name))
}
