package main

import (
	"fmt"
	"os"
	"path/filepath"

	"jigsaw/cmd/jigsaw/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"jigsaw"
)

func newMan(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages, one for each command",
		Long: `Write a manual page for each command into a folder, which is created if it does not
exist. If jigsaw is in a folder bin of PATH, man finds the pages in share/man/man1 beside
that folder: man jigsaw, man jigsaw-plan.`,
		Example: "  jigsaw man ~/.local/share/man/man1",
		Args:    cli.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return runMan(c.Root(), args[0], std) },
	}
}

func runMan(root *cobra.Command, folder string, std cli.Streams) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return cli.Usage(fmt.Errorf("%s cannot be made: %w", folder, err))
	}
	root.DisableAutoGenTag = true // equal programs write equal pages
	header := &doc.GenManHeader{Section: "1", Source: "JigSaw " + jigsaw.Version(), Manual: "JigSaw"}
	if err := doc.GenManTree(root, header, folder); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(folder, "jigsaw*.1"))
	if err != nil {
		return err
	}
	std.Note("%s: %s", folder, cli.Count(len(pages), "page"))
	return nil
}
