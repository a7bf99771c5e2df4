package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/whatif"
)

type resilienceOptions struct {
	cli.InstanceFlags
	to       cli.Destination
	failures int
	sample   int
	seed     uint64
	noLP     bool
	picture  string
	top      int
}

func newResilience(std cli.Streams) *cobra.Command {
	var o resilienceOptions
	c := &cobra.Command{
		Use:   "resilience INSTANCE",
		Short: "Say what the failure of each link and node does to the plan",
		Long: `Plan the instance, then let every link (in one direction) and every node fail in turn,
or pairs of them. For each failure, say which jobs it affects, what the plan becomes
if it is repaired at once, keeping its order and moving only jobs that must move, what
a new plan achieves, and the bound that no plan beats. If no plan exists, say why: for
example, because no route obeys a job's policy.

All plans are quick ones (jigsaw plan --quick), so a new plan may turn out better than the
plan of the whole cluster. The greatest harm comes first. Cases are worked out in parallel;
after Ctrl-C those that are done are printed.
Exit codes: 0 answered, 2 invalid input, 3 proven infeasible as it is, 4 no plan found, or interrupted.`,
		Example: `  jigsaw resilience rack --picture rack.svg
  jigsaw resilience crossing --failures 2 --sample 100 -o json`,
		Args:    cli.ExactArgs(1),
		PreRunE: func(c *cobra.Command, _ []string) error { return cli.AboveZero(c, "sample", "top") },
		RunE:    func(c *cobra.Command, args []string) error { return runResilience(c.Context(), args[0], o, std) },
	}
	o.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	f := c.Flags()
	f.IntVar(&o.failures, "failures", 1, "failures at once, 1 or 2")
	f.IntVar(&o.sample, "sample", 0, "most pairs with --failures 2, drawn at random (default 200)")
	f.IntVar(&o.top, "top", 0, "rows of the table (default 40; other formats have all)")
	f.Uint64Var(&o.seed, "seed", 0, "seed of all randomness; same seed, same answer")
	f.BoolVar(&o.noLP, "no-lp", false, "leave out bounds that need a linear program")
	f.StringVar(&o.picture, "picture", "", "draw the network, coloured by harm, into this SVG `file`")
	return c
}

func runResilience(ctx context.Context, name string, o resilienceOptions, std cli.Streams) error {
	if o.failures != 1 && o.failures != 2 {
		return cli.Usage(fmt.Errorf("--failures %d: choose 1 or 2", o.failures))
	}
	if o.sample != 0 && o.failures == 1 {
		return cli.Usage(errors.New("--sample is for --failures 2: single failures are all examined"))
	}
	if o.sample < 0 || o.top < 0 {
		return cli.Usage(errors.New("--sample and --top are numbers from 1"))
	}
	if err := cli.CheckWritable(o.Files(name), o.to.File, o.picture); err != nil {
		return err
	}
	in, err := o.Load(name, std)
	if err != nil {
		return err
	}
	if err := underWay(in, name); err != nil {
		return err
	}
	show, end := std.Counter("failures")
	r, err := whatif.Resilience(ctx, o.Document.Spec, o.Models, whatif.ResilienceOptions{Seed: o.seed, Failures: o.failures, Sample: o.sample, NoLP: o.noLP, Progress: show})
	end()
	if err != nil {
		return cli.Refused(o.Document, name, "an instance whose failures can be examined", err)
	}
	if r.Plan.Primal == nil {
		if err := o.to.Print(std, r.Plan.Document(true), func(w io.Writer) { planTable(w, std, r.Plan) }); err != nil {
			return err
		}
		return statusExit(r.Plan)
	}
	report := r.Document()
	if o.picture != "" {
		if err := cli.WriteFile(o.picture, r.Draw); err != nil {
			return err
		}
	}
	if err := o.to.Print(std, report, func(w io.Writer) { o.table(w, std, r) }); err != nil {
		return err
	}
	if report.Interrupted {
		return &cli.ExitError{Code: cli.ExitLimit}
	}
	return nil
}

// table prints the most harmful failures, a row each; failures that affect nothing are
// one line.
func (o *resilienceOptions) table(w io.Writer, std cli.Streams, r *whatif.ResilienceResult) {
	in := r.Plan.Instance
	heading(w, in)
	value := func(v *big.Rat) string { return jigsaw.FormatValueLike(in, v, r.Plan.Primal) }
	fmt.Fprintf(w, "plan %s, bound %s (%s); %d of %s\n\n", value(r.Plan.Primal), value(r.Plan.Dual), certified(r.Plan.Certified),
		len(r.Harm), cli.Count(r.Cases, "case"))
	rows := o.top
	if rows == 0 {
		rows = 40
	}
	t := cli.Columns(w)
	fmt.Fprintln(t, "failed\tjobs affected\tmoved\trepaired\tre-planned\tbound\t")
	harmless, more := 0, 0
	var why []string
	for i := range r.Harm {
		h := &r.Harm[i]
		if len(h.Touched) == 0 && len(h.Infeasible) == 0 {
			harmless++
			continue
		}
		if rows == 0 {
			more++
			continue
		}
		rows--
		replanned := value(h.Replanned)
		if len(h.Infeasible) > 0 {
			replanned = "infeasible"
			why = append(why, fmt.Sprintf("%s: %s", failed(h.Failures), strings.Join(h.Infeasible, "; ")))
		} else if h.Repaired == nil {
			why = append(why, fmt.Sprintf("%s: not repaired: %s", failed(h.Failures), strings.TrimPrefix(strings.TrimPrefix(h.Unrepaired, "repair: "), "heuristics: ")))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t\n", failed(h.Failures), len(h.Touched), len(h.Moved), value(h.Repaired), replanned, value(h.Bound))
	}
	t.Flush()
	if more > 0 {
		fmt.Fprintf(w, "... and %d more; --top shows more rows\n", more)
	}
	if harmless > 0 {
		fmt.Fprintf(w, "\n%s no job of this plan\n", harmlessText(harmless))
	}
	for _, reason := range why {
		fmt.Fprintf(w, "- %s\n", reason)
	}
	var notes []string
	if h := r.Beaten(); h != nil && value(h.Replanned) != value(r.Plan.Primal) {
		notes = append(notes, fmt.Sprintf("%s: the new plan is better than that of the whole cluster, %s for %s; all plans here are quick ones, and jigsaw plan may find a better one of the whole cluster, too",
			failed(h.Failures), value(h.Replanned), value(r.Plan.Primal)))
	}
	if len(r.Harm) < r.Cases {
		notes = append(notes, "interrupted: the others were not examined")
	}
	std.Notes(w, notes)
}

// harmlessText says how many failures affect nothing.
func harmlessText(n int) string {
	if n == 1 {
		return "1 case affects"
	}
	return fmt.Sprintf("%d cases affect", n)
}

// failed lists failures.
func failed(failures []whatif.Failure) string {
	var names []string
	for _, f := range failures {
		names = append(names, f.String())
	}
	return strings.Join(names, ", ")
}
