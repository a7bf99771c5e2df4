package main

import (
	"fmt"
	"strings"

	"jigsaw/cmd/jigsaw/cli"

	"github.com/spf13/cobra"

	"jigsaw"
)

func newSchema(std cli.Streams) *cobra.Command {
	kinds := jigsaw.SchemaKinds()
	return &cobra.Command{
		Use:   "schema " + strings.Join(kinds, "|"),
		Short: "Print the JSON Schema of a file format",
		Long: `Print the JSON Schema (draft 2020-12) of instance files, of schedules, or of
what "jigsaw plan -o json" prints. Editors complete and check files with it.`,
		Example:   "  jigsaw schema instance > instance.schema.json",
		Args:      cli.ExactArgs(1),
		ValidArgs: kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			schema, err := jigsaw.Schema(args[0])
			if err != nil {
				return cli.Usage(err)
			}
			_, err = fmt.Fprintf(std.Out, "%s", schema)
			return err
		},
	}
}
