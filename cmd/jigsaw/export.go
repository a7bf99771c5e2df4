package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
)

// programOptions are the flags that select a time-indexed program.
type programOptions struct {
	cli.InstanceFlags
	granularity     string
	horizon, period int64
	to              cli.Destination
}

var granularities = []cobra.Completion{"gpu", "node", "pool"}

func (o *programOptions) flags(c *cobra.Command) {
	o.Flags(c)
	f := c.Flags()
	f.StringVar(&o.granularity, "granularity", "gpu", "what tasks are assigned to: gpu (exact), node or pool (smaller relaxations)")
	f.Int64Var(&o.horizon, "horizon", 0, "only schedules that end by this tick; 0 excludes only what is worse than a greedy plan")
	f.Int64Var(&o.period, "period", 0, "period in ticks, for periodic objectives")
	_ = c.RegisterFlagCompletionFunc("granularity", cobra.FixedCompletions(granularities, cobra.ShellCompDirectiveNoFileComp))
}

// export converts them to the options of the API.
func (o *programOptions) export() jigsaw.ExportOptions {
	var e jigsaw.ExportOptions
	switch o.granularity {
	case "node":
		e.Granularity = jigsaw.ByNode
	case "pool":
		e.Granularity = jigsaw.ByPool
	}
	e.Horizon, e.Period = instance.Tick(o.horizon), instance.Tick(o.period)
	return e
}

// check reports flags that do not fit the instance.
func (o *programOptions) check(in *instance.Instance) error {
	known := false
	for _, g := range granularities {
		known = known || o.granularity == g
	}
	switch {
	case !known:
		return cli.Usage(fmt.Errorf("--granularity %q: choose %s", o.granularity, strings.Join(granularities, ", ")))
	case o.horizon < 0 || o.period < 0:
		return cli.Usage(fmt.Errorf("--horizon and --period count ticks from 1"))
	case in.Objective.Periodic() && o.period == 0:
		return cli.Usage(fmt.Errorf("a plan for %s repeats, and each period is a program of its own: give one with --period", in.Objective))
	case in.Objective.Periodic() && o.horizon != 0:
		return cli.Usage(fmt.Errorf("a plan for %s repeats: --horizon has no meaning", in.Objective))
	case !in.Objective.Periodic() && o.period != 0:
		return cli.Usage(fmt.Errorf("a plan for %s runs once: --period has no meaning", in.Objective))
	}
	return nil
}

func newExport(std cli.Streams) *cobra.Command {
	var o programOptions
	c := &cobra.Command{
		Use:   "export INSTANCE",
		Short: "Write the integer program of an instance for another solver",
		Long: `Write the time-indexed integer program of an instance as MPS or LP, to be solved
by CBC, HiGHS, SCIP, Gurobi or the like. By GPU the program is exact: its
solutions are the valid schedules, and import-solution turns them back. It grows
with jobs x iterations x GPUs x ticks, so it is for small instances, or a long
tick_us.`,
		Example: `  jigsaw export small.yaml --file small.mps
  cbc small.mps -solve -solution small.sol
  jigsaw import-solution small.yaml small.sol --file schedule.json
  jigsaw check small.yaml schedule.json`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runExport(c.Context(), args[0], o, std) },
	}
	o.flags(c)
	o.to.Flags(c, jigsaw.ExportFormats()...)
	return c
}

func runExport(ctx context.Context, name string, o programOptions, std cli.Streams) error {
	in, err := o.Load(name, std)
	if err != nil {
		return err
	}
	if err := o.check(in); err != nil {
		return err
	}
	if err := cli.CheckWritable(o.Files(name), o.to.File); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if size, err := jigsaw.ExportSize(in, o.export()); err == nil && size > saidSize {
		std.Note("the program has at least %.2g rows, columns and coefficients", size)
	}
	var wrote *jigsaw.Exported
	err = o.to.Write(std, func(w io.Writer) (err error) {
		wrote, err = jigsaw.Export(ctx, in, w, o.to.Chosen(), o.export())
		return err
	})
	if err != nil {
		return cli.Usage(err)
	}
	span := fmt.Sprintf("horizon %d", wrote.Horizon)
	if wrote.Period > 0 {
		span = fmt.Sprintf("period %d", wrote.Period)
	}
	std.Note("%s: %d rows, %d columns, %d coefficients; %s ticks", strings.ToUpper(o.to.Chosen()), wrote.Rows, wrote.Cols, wrote.Entries, span)
	return nil
}

// saidSize is the size from which building a program takes a while.
const saidSize = 1e6
