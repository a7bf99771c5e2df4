package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

type whatIfOptions struct {
	cli.InstanceFlags
	cli.WorkFlags
	to     cli.Destination
	seed   uint64
	quick  bool
	addGPU string
	fail   string
	node   string
	faster float64
	link   string
	cut    string
	memory string
	speed  string
	drop   string
	write  string
}

func newWhatIf(std cli.Streams) *cobra.Command {
	var o whatIfOptions
	c := &cobra.Command{
		Use:   "whatif INSTANCE",
		Short: "Say what a change of the cluster or the jobs would do",
		Long: `Make one change, predict from the prices of the bound's linear program what it
does to the bound, and verify that by planning both instances in the same way;
--time is for each of them.
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
	f.StringVar(&o.addGPU, "add-gpu", "", "one more GPU in this `node`")
	f.StringVar(&o.fail, "fail-gpu", "", "without this `GPU`, like r0n1.gpu2, the third of node r0n1, or with one less in a node")
	f.StringVar(&o.node, "fail-node", "", "without this `node`")
	f.Float64Var(&o.faster, "network", 0, "NICs and links between switches faster or slower by this `factor`")
	f.StringVar(&o.link, "link", "", "a link, `name=factor`, faster or slower: r0.up=1.1 is 10 % faster")
	f.StringVar(&o.cut, "cut", "", "without this `link`")
	f.StringVar(&o.memory, "memory", "", "a GPU type, `name=factor`, with more or less memory")
	f.StringVar(&o.speed, "speed", "", "a GPU type, `name=factor`, faster or slower")
	f.StringVar(&o.drop, "drop", "", "without this `job`")
	f.StringVar(&o.write, "write", "", "write the changed instance into this YAML `file`")
	o.CompleteFrom(c, "add-gpu", "", std, cli.NodeNames)
	o.CompleteFrom(c, "fail-gpu", "", std, cli.DeviceNames)
	o.CompleteFrom(c, "fail-node", "", std, cli.NodeNames)
	o.CompleteFrom(c, "link", "=", std, cli.LinkNames)
	o.CompleteFrom(c, "cut", "", std, cli.LinkNames)
	o.CompleteFrom(c, "memory", "=", std, cli.TypeNames)
	o.CompleteFrom(c, "speed", "=", std, cli.TypeNames)
	o.CompleteFrom(c, "drop", "", std, cli.JobNames)
	return c
}

// change returns the change that the flags ask for.
func (o *whatIfOptions) change() (jigsaw.Change, error) {
	given := 0
	for _, flag := range []string{o.addGPU, o.fail, o.node, o.link, o.cut, o.memory, o.speed, o.drop} {
		if flag != "" {
			given++
		}
	}
	if o.faster != 0 {
		given++
	}
	switch {
	case given != 1:
		return jigsaw.Change{}, cli.Usage(errors.New("give one of --add-gpu, --fail-gpu, --fail-node, --network, --link, --cut, --memory, --speed and --drop"))
	case o.addGPU != "":
		return jigsaw.Change{Kind: jigsaw.AddGPU, Subject: o.addGPU}, nil
	case o.fail != "":
		return jigsaw.Change{Kind: jigsaw.FailGPU, Subject: o.fail}, nil
	case o.node != "":
		return jigsaw.Change{Kind: jigsaw.FailNode, Subject: o.node}, nil
	case o.faster != 0:
		return jigsaw.Change{Kind: jigsaw.Network, Factor: o.faster}, nil
	case o.cut != "":
		return jigsaw.Change{Kind: jigsaw.CutLink, Subject: o.cut}, nil
	case o.drop != "":
		return jigsaw.Change{Kind: jigsaw.DropJob, Subject: o.drop}, nil
	case o.link != "":
		return scaled(jigsaw.LinkSpeed, "--link", o.link, "r0.up=1.5")
	case o.speed != "":
		return scaled(jigsaw.GPUSpeed, "--speed", o.speed, "v100=0.5")
	}
	return scaled(jigsaw.MoreMemory, "--memory", o.memory, "v100=1.5")
}

// scaled reads name=factor.
func scaled(kind jigsaw.ChangeKind, flag, value, example string) (jigsaw.Change, error) {
	at := strings.LastIndexByte(value, '=')
	factor, err := strconv.ParseFloat(value[at+1:], 64)
	if at < 0 || err != nil {
		return jigsaw.Change{}, cli.Usage(fmt.Errorf("%s %q: write name=factor, like %s", flag, value, example))
	}
	return jigsaw.Change{Kind: kind, Subject: value[:at], Factor: factor}, nil
}

// whatIfReport is what whatif prints.
type whatIfReport struct {
	Change    string   `json:"change"`
	Predicted *float64 `json:"predicted"`
	Verified  *float64 `json:"verified"`
	Before    side     `json:"before"`
	After     side     `json:"after"`
	Reasons   []string `json:"reasons,omitempty"`
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
	change, err := o.change()
	if err != nil {
		return err
	}
	if err := cli.CheckWritable(o.Files(name), o.write, o.to.File); err != nil {
		return err
	}
	document, models, err := o.ReadDocument(name, std)
	if err != nil {
		return err
	}
	in, err := document.Compile(models)
	if err != nil {
		return cli.Invalid(name, "a valid instance", err)
	}
	show := cli.NewProgress(std, in)
	options.Seed, options.Progress = o.seed, show.Show
	r, err := jigsaw.WhatIf(ctx, document.Spec, models, change, options)
	show.End(nil)
	if ctx.Err() != nil {
		return ctx.Err() // plans that were not made in the same way tell nothing
	}
	var problems instance.Problems
	if errors.As(err, &problems) {
		return cli.Invalid(name, "an instance with that change", err)
	}
	if err != nil {
		return err
	}
	if o.write != "" {
		if err := cli.WriteFile(o.write, func(w io.Writer) error { return codec.EncodeYAML(w, r.Spec) }); err != nil {
			return err
		}
	}
	report := &whatIfReport{Change: change.String(), Predicted: r.Predicted, Verified: r.Verified(), Reasons: r.Reasons, Before: newSide(r.Before), After: newSide(r.After)}
	return o.to.Print(std, report, func(w io.Writer) error { return report.table(w, std, r) })
}

func newSide(r *jigsaw.Result) side {
	if r == nil {
		return side{}
	}
	d := r.Document(true)
	return side{d.DualBound, d.PrimalBound}
}

func (r *whatIfReport) table(w io.Writer, std cli.Streams, result *jigsaw.WhatIfResult) error {
	heading(w, result.Before.Instance)
	fmt.Fprintln(w, r.Change+":")
	if r.Predicted != nil {
		fmt.Fprintf(w, "- predicted by prices: %s\n", relative(*r.Predicted))
	}
	if r.Verified != nil {
		fmt.Fprintf(w, "- the bound: %s, from %s to %s\n", relative(*r.Verified), jigsaw.FormatValue(result.Before.Instance, result.Before.Dual),
			jigsaw.FormatValue(result.After.Instance, result.After.Dual))
	}
	if result.After != nil && result.Before.Primal != nil && result.After.Primal != nil {
		fmt.Fprintf(w, "- the plan: from %s to %s\n", jigsaw.FormatValue(result.Before.Instance, result.Before.Primal),
			jigsaw.FormatValue(result.After.Instance, result.After.Primal))
	}
	for _, reason := range r.Reasons {
		fmt.Fprintf(w, "- no plan: %s\n", reason)
	}
	return std.Notes(w, result.Before.Notes)
}

// relative writes a relative change.
func relative(v float64) string { return fmt.Sprintf("%+.2f %%", 100*v) }
