package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/whatif"
)

type whatIfOptions struct {
	cli.InstanceFlags
	cli.WorkFlags
	to      cli.Destination
	seed    uint64
	quick   bool
	changed changeFlags
	write   string
}

func newWhatIf(std cli.Streams) *cobra.Command {
	var o whatIfOptions
	c := &cobra.Command{
		Use:   "whatif INSTANCE",
		Short: "Say what a change of the cluster or the jobs would do",
		Long: `Make one change, predict from the prices of the bound's linear program what it
does to the bound, and verify that by planning both instances in the same way;
--time is for each of them.
Ctrl-C prints the prediction, if it is known by then.
Exit codes: 0 answered, 2 invalid input, 4 interrupted.`,
		Example: `  jigsaw whatif rack --add-gpu r0n1
  jigsaw whatif rack --fail-gpu r0n1.gpu2
  jigsaw whatif rack --network 4
  jigsaw whatif crossing --link r0.up=1.5
  jigsaw whatif tight-memory --memory v100=2 --write larger.yaml
  jigsaw whatif rack --speed v100=0.5
  jigsaw whatif rack --drop vgg-2 --quick`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runWhatIf(c.Context(), args[0], o, std) },
	}
	o.InstanceFlags.Flags(c)
	o.WorkFlags.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	f := c.Flags()
	f.Uint64Var(&o.seed, "seed", 0, "seed of all randomness; same seed, same plan")
	f.BoolVar(&o.quick, "quick", false, "plan as with jigsaw plan --quick")
	o.changed.flags(c, &o.InstanceFlags, std)
	c.Flag("fail-gpu").Usage += ", or with one less in a node"
	f.StringArrayVar(&o.changed.speed, "speed", nil, "make a GPU type, `name=factor`, faster or slower")
	f.StringArrayVar(&o.changed.drop, "drop", nil, "remove this `job`")
	f.StringVar(&o.write, "write", "", "write the changed instance into this YAML `file`")
	o.CompleteFrom(c, "speed", "=", std, cli.TypeNames)
	o.CompleteFrom(c, "drop", "", std, cli.JobNames)
	return c
}

// whatIfReport is the output of whatif.
type whatIfReport struct {
	Change    string   `json:"change"`
	Predicted *float64 `json:"predicted"`
	Verified  *float64 `json:"verified"`
	Before    side     `json:"before"`
	After     side     `json:"after"`
	Reasons   []string `json:"reasons,omitempty"`
	// Interrupted: the changed instance was not planned.
	Interrupted bool `json:"interrupted,omitempty"`
}

// side is one of the two instances.
type side struct {
	Bound *float64 `json:"dual_bound"`
	Plan  *float64 `json:"primal_bound"`
}

func runWhatIf(ctx context.Context, name string, o whatIfOptions, std cli.Streams) error {
	options, err := o.Options(o.quick)
	if err != nil {
		return err
	}
	changes, err := o.changed.given()
	if err != nil {
		return err
	}
	if len(changes) != 1 {
		return cli.Usage(errors.New("give one of --add-gpu, --fail-gpu, --fail-node, --network, --link, --cut, --memory, --speed and --drop"))
	}
	change := changes[0].Change
	if err := cli.CheckWritable(o.Files(name), o.write, o.to.File); err != nil {
		return err
	}
	in, err := o.Load(name, std)
	if err != nil {
		return err
	}
	if err := underWay(in, name); err != nil {
		return err
	}
	show := cli.NewProgress(std, in)
	options.Seed, options.Progress = o.seed, show.Show
	r, err := whatif.Compare(ctx, o.Document.Spec, o.Models, change, options)
	show.End(nil)
	if ctx.Err() != nil && r == nil {
		return ctx.Err()
	}
	var problems instance.Problems
	if errors.As(err, &problems) {
		return cli.Invalid(name, "an instance with that change", err)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if o.write != "" {
		if err := o.WriteInstance(o.write, r.Spec); err != nil {
			return err
		}
	}
	report := &whatIfReport{Change: change.String(), Predicted: r.Predicted, Verified: r.Verified(), Reasons: r.Reasons, Before: newSide(r.Before), After: newSide(r.After), Interrupted: err != nil}
	if err := o.to.Print(std, report, func(w io.Writer) { report.table(w, std, r) }); err != nil {
		return err
	}
	if report.Interrupted {
		return &cli.ExitError{Code: cli.ExitLimit, Err: cli.ErrInterrupted}
	}
	return nil
}

// underWay rejects the rest of a plan; replan shows the effect of a change on
// that.
func underWay(in *instance.Instance, name string) error {
	if !in.Resumes() {
		return nil
	}
	return cli.Usage(fmt.Errorf("%s is the rest of a plan that is under way: jigsaw replan %s PLAN --at 0s, with changes like --fail-node or --network, says what these do to that plan", name, name))
}

func newSide(r *jigsaw.Result) side {
	if r == nil {
		return side{}
	}
	d := r.Document(true)
	return side{d.DualBound, d.PrimalBound}
}

func (r *whatIfReport) table(w io.Writer, std cli.Streams, result *whatif.Comparison) {
	heading(w, result.Before.Instance)
	fmt.Fprintln(w, r.Change+":")
	if r.Predicted != nil {
		fmt.Fprintf(w, "- predicted by prices: %s\n", relative(*r.Predicted))
	}
	if r.Interrupted {
		fmt.Fprintf(w, "- interrupted before this was verified; without the change the bound is %s\n", jigsaw.FormatValue(result.Before.Instance, result.Before.Dual))
	}
	if r.Verified != nil {
		fmt.Fprintf(w, "- the bound: %s, from %s to %s\n", relative(*r.Verified), jigsaw.FormatValue(result.Before.Instance, result.Before.Dual),
			jigsaw.FormatValueLike(result.After.Instance, result.After.Dual, result.Before.Dual))
	}
	if result.After != nil && result.Before.Primal != nil && result.After.Primal != nil {
		fmt.Fprintf(w, "- the plan: from %s to %s\n", jigsaw.FormatValue(result.Before.Instance, result.Before.Primal),
			jigsaw.FormatValueLike(result.After.Instance, result.After.Primal, result.Before.Primal))
	}
	for _, reason := range r.Reasons {
		fmt.Fprintf(w, "- no plan: %s\n", reason)
	}
	std.Notes(w, result.Before.Notes)
}

// relative writes a relative change.
func relative(v float64) string { return fmt.Sprintf("%+.2f %%", 100*v) }
