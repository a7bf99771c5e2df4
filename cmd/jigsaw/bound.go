package main

import (
	"context"
	"fmt"
	"io"
	"math/big"

	"jigsaw/cmd/jigsaw/cli"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/whatif"
)

type boundOptions struct {
	cli.InstanceFlags
	cli.RunFlags
	ranging bool
	to      cli.Destination
	begin   cli.Begin
}

func (o *boundOptions) flags(c *cobra.Command) {
	o.InstanceFlags.Flags(c)
	o.RunFlags.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	c.Flags().Var(&o.begin, "begin", "when the plan begins, by the clock, like 2026-11-26T20:00, for --deadlines and for times in the output; by default, what the file of the plan says")
}

// run computes the bounds of the first of the files that are read.
func (o *boundOptions) run(ctx context.Context, std cli.Streams, read ...string) (*jigsaw.Result, error) {
	options, err := o.Options(false)
	if err != nil {
		return nil, err
	}
	if err := cli.CheckWritable(o.Files(read...), o.Certificate, o.to.File); err != nil {
		return nil, err
	}
	o.Begun = o.begin.Time
	in, err := o.Load(read[0], std)
	if err != nil {
		return nil, err
	}
	w := o.Watcher(std, in)
	options.Ranging, options.Progress = o.ranging, w.Show
	r, err := jigsaw.Bound(ctx, in, options)
	w.End(r)
	if err != nil {
		return nil, err
	}
	r.Begin = o.begin.Time
	return r, cli.Prove(o.Certificate, r.Proof)
}

func newBound(std cli.Streams) *cobra.Command {
	var o boundOptions
	c := &cobra.Command{
		Use:   "bound INSTANCE",
		Short: "Prove a bound that no schedule can beat",
		Long: `Compute the bounds of an instance without scheduling it. Every bound called
certified was evaluated in exact integer arithmetic; --certificate writes the
proof of the strongest one for "jigsaw certify".
Exit codes: 0 bound found, 2 invalid input, 3 proven infeasible.`,
		Example: "  jigsaw bound rack",
		Args:    cli.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return runBound(c.Context(), args[0], o, std) },
	}
	o.flags(c)
	return c
}

func runBound(ctx context.Context, name string, o boundOptions, std cli.Streams) error {
	r, err := o.run(ctx, std, name)
	if err != nil {
		return err
	}
	if err := o.to.Print(std, r.Document(o.Timeless), func(w io.Writer) { boundTable(w, std, r) }); err != nil {
		return err
	}
	return boundExit(r)
}

// boundExit is [statusExit] for commands that make no schedule.
func boundExit(r *jigsaw.Result) error {
	if r.Dual != nil && r.Status != jigsaw.Infeasible {
		return nil
	}
	return statusExit(r)
}

func boundTable(w io.Writer, std cli.Streams, r *jigsaw.Result) {
	heading(w, r.Instance)
	if r.Status == jigsaw.Infeasible {
		reasons(w, r)
		return
	}
	t := cli.Columns(w)
	fmt.Fprintln(t, "bound\tvalue\t")
	strongest := map[string]int{} // by kind: the last
	for i, b := range r.Bounds {
		strongest[string(b.Kind)] = i
	}
	for i, b := range r.Bounds {
		if strongest[string(b.Kind)] == i {
			fmt.Fprintf(t, "%s\t%s\t%s\n", b.Kind, r.FormatValue(b.Value), certified(b.Certified))
		}
	}
	t.Flush()
	std.Notes(w, r.Notes)
}

func newExplain(std cli.Streams) *cobra.Command {
	o := boundOptions{ranging: true}
	c := &cobra.Command{
		Use:   "explain INSTANCE [SCHEDULE]",
		Short: "Say in words what limits the plan, or why there is none",
		Long: `Say which GPUs, links, memory or jobs limit the best possible plan, and what
more of each would gain, according to the dual prices of the bound's linear program. For an
infeasible instance, say why it is infeasible. If no plan is found for lack of memory, name
the jobs, the GPUs and the missing bytes, and changes that make a plan possible. The search of
"jigsaw plan" may prove a stronger bound, for which there are no such prices.

With SCHEDULE, a plan as for "jigsaw check", also say why the plan ends when it
does, step by step, why each job ends when it does, and whether the plan's file states a
stronger bound. In a plan of hours, made in blocks, the steps are whole jobs; they have times
of the clock if it is known when the plan begins.
Exit codes: 0 explained, 2 invalid input, 3 proven infeasible.`,
		Example: `  jigsaw explain thin-network
  jigsaw plan rack -o json > plan.json
  jigsaw explain rack plan.json`,
		Args: cli.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error { return runExplain(c.Context(), args, o, std) },
	}
	o.flags(c)
	return c
}

func runExplain(ctx context.Context, args []string, o boundOptions, std cli.Streams) error {
	r, err := o.run(ctx, std, args...)
	if err != nil {
		return err
	}
	var report explainReport
	if len(args) > 1 {
		if report.Schedule, err = explainSchedule(r, args[1], std); err != nil {
			return err
		}
	}
	report.Document = r.Document(o.Timeless)
	if len(args) == 1 && ctx.Err() == nil {
		if report.Memory, err = whatif.MemoryShortage(ctx, o.Document.Spec, o.Models); err != nil {
			return err
		}
		if report.Memory == nil && r.Status == jigsaw.Infeasible {
			found, err := whatif.Remedies(ctx, o.Document.Spec, o.Models)
			if err != nil {
				return err
			}
			report.Remedies, report.JobsAtFault = found.Remedies, found.Jobs
		}
	}
	if err := o.to.Print(std, report, func(w io.Writer) {
		explainText(w, std, r, report.Schedule)
		report.Schedule.text(w)
		report.mendText(w)
	}); err != nil {
		return err
	}
	return boundExit(r)
}

// mostSentences keeps an explanation short enough to read.
const mostSentences = 12

// explainText says what limits the bound, and which bound that is: others may be
// stronger, but give no reasons. The plan's report is nil if no plan was given.
func explainText(w io.Writer, std cli.Streams, r *jigsaw.Result, plan *scheduleReport) {
	heading(w, r.Instance)
	if r.Status == jigsaw.Infeasible {
		reasons(w, r)
		return
	}
	value := func(v *big.Rat) string { return jigsaw.FormatValue(r.Instance, v) }
	fmt.Fprintf(w, "No plan can be better than %s%s.\n", value(r.Dual), inBrackets(certified(r.Certified)))
	switch {
	case plan == nil:
		fmt.Fprintln(w, "The search of jigsaw plan may prove a stronger bound: give its plan to see whether it did.")
	case plan.StatedBound != nil:
		if stated := value(new(big.Rat).SetFloat64(*plan.StatedBound)); stated != value(r.Dual) { // not by less than is printed
			fmt.Fprintf(w, "The plan's file states a stronger bound, %s, which its certificate can prove.\n", stated)
		}
	}
	bound := r.BindingBound()
	var binding []string
	for _, b := range bound.Binding {
		binding = append(binding, b.Text)
	}
	if len(binding) > 0 {
		fmt.Fprintf(w, "\nWhat limits the %s bound, %s", bound.Kind, value(bound.Value))
		if bound.Value.Cmp(r.Dual) != 0 {
			fmt.Fprint(w, ", the strongest that tells")
		}
		fmt.Fprintln(w, ":")
	}
	sentences(w, binding)
	std.Notes(w, r.Notes)
}
