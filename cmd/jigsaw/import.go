package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/formulation/instance/codec"
)

func newImport(std streams) *cobra.Command {
	var o programOptions
	c := &cobra.Command{
		Use:   "import-solution INSTANCE SOLUTION",
		Short: "Turn another solver's solution of an exported program into a schedule",
		Long: `Read a solution that CBC, HiGHS, SCIP or Gurobi wrote of a program of
"jigsaw export", check the schedule it stands for, and write that as JSON. The
flags must be those of the export. "-" reads the solution from standard input.
Exit codes: 0 valid, 2 no valid schedule.`,
		Example: "  jigsaw import-solution small.yaml small.sol --file schedule.json",
		Args:    exactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return runImport(c.Context(), args[0], args[1], o, std)
		},
	}
	o.flags(c)
	o.to.fileFlag(c)
	return c
}

func runImport(ctx context.Context, name, solution string, o programOptions, std streams) error {
	if name == "-" && solution == "-" {
		return usage(fmt.Errorf("only one of instance and solution can come from standard input"))
	}
	if err := writable(o.files(name, solution), o.to.file); err != nil {
		return err
	}
	in, err := o.load(name, std)
	if err != nil {
		return err
	}
	if err := o.check(in); err != nil {
		return err
	}
	f, err := openFile(solution, std)
	if err != nil {
		return usage(err)
	}
	defer f.Close()
	s, err := jigsaw.ImportSolution(ctx, in, f, o.export())
	if err != nil {
		return usage(fmt.Errorf("%s: %w", solution, bare{err}))
	}
	if err := o.to.write(std, func(w io.Writer) error { return codec.EncodeSchedule(w, in, s) }); err != nil {
		return err
	}
	std.note("valid: %s %s (%s), efficiency %.3f", in.Objective, jigsaw.FormatValue(in, in.Value(s)), in.Value(s).RatString(), s.Efficiency(in))
	return nil
}
