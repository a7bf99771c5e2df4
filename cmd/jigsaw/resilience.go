package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
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
		Long: `Plan the instance, and let every link (one direction) and every node fail in turn,
or pairs of them. Of each failure, say which jobs it touches, what the plan becomes
when it is carried over at once in its order, moving only jobs that must move, what
a new plan reaches, the bound that no plan beats, and where no plan exists, why: for
instance because no route obeys a job's policy.

All plans are quick ones (jigsaw plan --quick), so that a new one may be better than that
of the whole cluster. The greatest harm comes first. Cases run side by side;
Ctrl-C ends with those that are done.
Exit codes: 0 answered, 2 invalid input, 3 infeasible as it is, 4 no plan, or interrupted.`,
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

// resilienceReport is what resilience prints. Values are in the objective's unit in files,
// ticks or weighted ticks.
type resilienceReport struct {
	Objective   instance.Objective `json:"objective"`
	Plan        *float64           `json:"plan"`
	Bound       *float64           `json:"dual_bound"`
	Cases       int                `json:"cases"`
	Interrupted bool               `json:"interrupted,omitempty"`
	Harm        []harmReport       `json:"harm"`
}

type harmReport struct {
	Failures   []jigsaw.Failure `json:"failures"`
	Touched    []string         `json:"touched"`
	Moved      []string         `json:"moved,omitempty"`
	Repaired   *float64         `json:"repaired"`
	Unrepaired string           `json:"unrepaired,omitempty"`
	Replanned  *float64         `json:"replanned"`
	Bound      *float64         `json:"dual_bound"`
	Certified  bool             `json:"certified"`
	Infeasible []string         `json:"infeasible,omitempty"`
}

func runResilience(ctx context.Context, name string, o resilienceOptions, std cli.Streams) error {
	if o.failures != 1 && o.failures != 2 {
		return cli.Usage(fmt.Errorf("--failures %d: choose 1 or 2", o.failures))
	}
	if o.sample != 0 && o.failures == 1 {
		return cli.Usage(errors.New("--sample is for --failures 2: of single failures all are looked at"))
	}
	if o.sample < 0 || o.top < 0 {
		return cli.Usage(errors.New("--sample and --top are numbers from 1"))
	}
	if err := cli.CheckWritable(o.Files(name), o.to.File, o.picture); err != nil {
		return err
	}
	document, models, err := o.ReadDocument(name, std)
	if err != nil {
		return err
	}
	if _, err := document.Compile(models); err != nil {
		return cli.Invalid(name, "a valid instance", err)
	}
	show, ok := std.Terminal()
	opt := jigsaw.ResilienceOptions{Seed: o.seed, Failures: o.failures, Sample: o.sample, NoLP: o.noLP, Progress: func(done, of int) {
		if ok {
			fmt.Fprintf(show, "\r%d of %d failures", done, of)
		}
	}}
	r, err := jigsaw.Resilience(ctx, document.Spec, models, opt)
	if ok {
		fmt.Fprint(show, "\r\033[K")
	}
	var problems instance.Problems
	if errors.As(err, &problems) {
		return cli.Invalid(name, "an instance whose failures can be looked at", err)
	}
	if err != nil {
		return err
	}
	if r.Plan.Schedule == nil {
		if err := o.to.Print(std, r.Plan.Document(true), func(w io.Writer) error { return planTable(w, std, r.Plan) }); err != nil {
			return err
		}
		return statusExit(r.Plan)
	}
	report := newResilienceReport(r)
	if o.picture != "" {
		if err := cli.WriteFile(o.picture, func(w io.Writer) error { return drawHarm(w, r) }); err != nil {
			return err
		}
	}
	if err := o.to.Print(std, report, func(w io.Writer) error { return o.table(w, std, r) }); err != nil {
		return err
	}
	if report.Interrupted {
		return &cli.ExitError{Code: cli.ExitLimit}
	}
	return nil
}

func newResilienceReport(r *jigsaw.ResilienceResult) resilienceReport {
	number := func(v *big.Rat) *float64 {
		if v == nil {
			return nil
		}
		f, _ := v.Float64()
		return &f
	}
	report := resilienceReport{
		Objective: r.Plan.Instance.Objective, Plan: number(r.Plan.Primal), Bound: number(r.Plan.Dual), Cases: r.Cases,
		Interrupted: len(r.Harm) < r.Cases, Harm: []harmReport{},
	}
	for _, h := range r.Harm {
		touched := h.Touched
		if touched == nil {
			touched = []string{}
		}
		report.Harm = append(report.Harm, harmReport{
			h.Failures, touched, h.Moved, number(h.Repaired), h.Unrepaired, number(h.Replanned), number(h.Bound), h.Certified, h.Infeasible,
		})
	}
	return report
}

// table prints the greatest harm, a row each; failures that touch nothing are one line.
func (o *resilienceOptions) table(w io.Writer, std cli.Streams, r *jigsaw.ResilienceResult) error {
	in := r.Plan.Instance
	heading(w, in)
	value := func(v *big.Rat) string { return jigsaw.FormatValue(in, v) }
	fmt.Fprintf(w, "plan %s, bound %s (%s); %d of %s\n\n", value(r.Plan.Primal), value(r.Plan.Dual), certified(r.Plan.Certified),
		len(r.Harm), cli.Count(r.Cases, "case"))
	rows := o.top
	if rows == 0 {
		rows = 40
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "failed\tjobs touched\tmoved\trepaired\tre-planned\tbound\t")
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
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t\n", failed(h.Failures), len(h.Touched), len(h.Moved), value(h.Repaired), replanned, value(h.Bound))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(w, "... and %d more; --top shows more rows\n", more)
	}
	fmt.Fprintf(w, "\n%s no job of this plan\n", harmlessText(harmless))
	for _, reason := range why {
		fmt.Fprintf(w, "- %s\n", reason)
	}
	if len(r.Harm) < r.Cases {
		return std.Notes(w, []string{"interrupted: the others were not looked at"})
	}
	return nil
}

// harmlessText says how many failures touch nothing.
func harmlessText(n int) string {
	if n == 1 {
		return "1 case touches"
	}
	return fmt.Sprintf("%d cases touch", n)
}

// failed lists failures.
func failed(failures []jigsaw.Failure) string {
	var names []string
	for _, f := range failures {
		names = append(names, f.String())
	}
	return strings.Join(names, ", ")
}

// drawHarm draws the network, each link and node by the worst case that it is part of: how
// much longer the repaired plan is.
func drawHarm(w io.Writer, r *jigsaw.ResilienceResult) error {
	in := r.Plan.Instance
	worst := big.NewRat(0, 1)
	rise := func(h *jigsaw.Harm) *big.Rat {
		v := h.Repaired
		if v == nil {
			v = h.Replanned
		}
		if v == nil {
			return nil
		}
		return new(big.Rat).Sub(v, r.Plan.Primal)
	}
	for i := range r.Harm {
		if d := rise(&r.Harm[i]); d != nil && d.Cmp(worst) > 0 {
			worst = d
		}
	}
	o := view.NetworkOptions{
		Title: in.Name + ": harm by failures", Links: map[string]view.NetworkMark{}, Nodes: map[string]view.NetworkMark{},
		Least: "no harm", Most: "+" + jigsaw.FormatValue(in, worst), Beyond: "no plan found",
	}
	for i := range r.Harm {
		h := &r.Harm[i]
		mark := view.NetworkMark{Level: 2, Text: "no plan found"}
		if len(h.Infeasible) > 0 {
			mark.Text = strings.Join(h.Infeasible, "; ")
		} else if d := rise(h); d != nil {
			mark.Level = 0
			if worst.Sign() > 0 && d.Sign() > 0 {
				mark.Level, _ = new(big.Rat).Quo(d, worst).Float64()
			}
			mark.Text = fmt.Sprintf("%s touched, repaired %s, re-planned %s", cli.Count(len(h.Touched), "job"),
				jigsaw.FormatValue(in, h.Repaired), jigsaw.FormatValue(in, h.Replanned))
		}
		for _, f := range h.Failures {
			marks, name := o.Links, f.Link
			if f.Node != "" {
				marks, name = o.Nodes, f.Node
			}
			if before, ok := marks[name]; !ok || mark.Level > before.Level {
				marks[name] = mark
			}
		}
	}
	return view.Network(w, in, o)
}
