package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance/codec"
)

func newImport(std cli.Streams) *cobra.Command {
	var o programOptions
	c := &cobra.Command{
		Use:   "import-solution INSTANCE SOLUTION",
		Short: "Turn another solver's solution of an exported program into a schedule",
		Long: `Read a solution that CBC, HiGHS, SCIP or Gurobi wrote of a program of
"jigsaw export", check the schedule it stands for, and write that as JSON. The
flags must be those of the export. "-" reads the solution from standard input.
Exit codes: 0 valid, 2 no valid schedule.`,
		Example: "  jigsaw import-solution small.yaml small.sol --file schedule.json",
		Args:    cli.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return runImport(c.Context(), args[0], args[1], o, std)
		},
	}
	o.flags(c)
	o.to.FileFlag(c)
	return c
}

func runImport(ctx context.Context, name, solution string, o programOptions, std cli.Streams) error {
	if err := cli.CheckWritable(o.Files(name, solution), o.to.File); err != nil {
		return err
	}
	in, err := o.Load(name, std)
	if err != nil {
		return err
	}
	if err := o.check(in); err != nil {
		return err
	}
	f, err := cli.OpenFile(solution, std)
	if err != nil {
		return cli.Usage(err)
	}
	defer f.Close()
	s, err := jigsaw.ImportSolution(ctx, in, f, o.export())
	if err != nil {
		return cli.Usage(fmt.Errorf("%s: %w", solution, cli.Unprefixed(err)))
	}
	if err := o.to.Write(std, func(w io.Writer) error { return codec.EncodeSchedule(w, in, s) }); err != nil {
		return err
	}
	std.Note("valid: %s %s (%s), efficiency %.3f", in.Objective, jigsaw.FormatValue(in, in.Value(s)), in.Value(s).RatString(), s.Efficiency(in))
	return nil
}
