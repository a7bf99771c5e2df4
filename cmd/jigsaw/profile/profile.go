// Package profile contains the commands about layer profiles: list, show, import, estimate,
// measure.
package profile

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
)

// New returns the command profile.
func New(std cli.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "profile",
		Short: "List, show, import and estimate layer profiles",
		Long: `Layer profiles say what every layer of a model costs on a GPU. Many are built
in, measured by other projects or estimated. More can be imported from such projects'
files, measured here, or, for models that nobody measured, estimated from the architecture.`,
	}
	c.AddCommand(newProfileList(std), newProfileShow(std), newProfileImport(std),
		newProfileEstimate(std), newProfileMeasure(std), newProfileCheck(std), newProfileGPUs(std), newProfileCompare(std))
	return c
}

func newProfileList(std cli.Streams) *cobra.Command {
	var to cli.Destination
	var files []string
	c := &cobra.Command{
		Use: "list", Short: "List the profile library", Args: cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error { return runProfileList(files, to, std) },
	}
	to.Flags(c, cli.PrintFormats()...)
	c.Flags().StringArrayVar(&files, "profiles", nil, "a profile file to list besides the library (repeatable)")
	return c
}

func runProfileList(files []string, to cli.Destination, std cli.Streams) error {
	library, err := cli.LoadLibrary(files)
	if err != nil {
		return err
	}
	rows := profiles.Rows(library.All())
	slices.SortStableFunc(rows, func(a, b profiles.Row) int {
		return cmp.Compare(slices.Index(profiles.Families(), a.Family), slices.Index(profiles.Families(), b.Family))
	})
	return to.Print(std, rows, func(w io.Writer) {
		var table bytes.Buffer
		t := cli.Columns(&table)
		fmt.Fprintln(t, "model\tGPU\tbatch\tlayers\tcuts\tforward\tbackward\tparameters\tactivations\tmeasured by")
		for i := range rows {
			r := &rows[i]
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\t%s\t%v\t%v\t%s\n", r.Model, cli.GPUs(r.GPUs, r.GPU), r.Batch, r.Layers, r.Cuts,
				cli.Milliseconds(r.Forward), cli.Milliseconds(r.Backward), r.Parameters, r.Activations, measuredBy(r))
		}
		t.Flush()
		for i, line := range slices.Collect(strings.Lines(table.String())) {
			if i > 0 && (i == 1 || rows[i-1].Family != rows[i-2].Family) {
				fmt.Fprintf(w, "\n%s:\n", cmp.Or(rows[i-1].Family, "others"))
			}
			fmt.Fprint(w, line)
		}
	})
}

// measuredBy gives the source of the figures of a profile.
func measuredBy(r *profiles.Row) string {
	if r.Estimated {
		return "nobody: estimated"
	}
	return r.Source
}

type profileShowOptions struct {
	to    cli.Destination
	files []string
	gpu   string
	batch int
	group int
}

func newProfileShow(std cli.Streams) *cobra.Command {
	var o profileShowOptions
	c := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show a profile layer by layer, and what each depth costs",
		Long: `Show the layers of a profile in order of the forward pass, with the costs of a
worker that back-propagates from the loss down to that layer. Depths in brackets
are not allowed: the layer is inside a block.`,
		Example:           "  jigsaw profile show vgg16 --gpu v100",
		Args:              cli.ExactArgs(1),
		ValidArgsFunction: cli.CompleteModel,
		PreRunE:           func(c *cobra.Command, _ []string) error { return cli.AboveZero(c, "batch") },
		RunE:              func(_ *cobra.Command, args []string) error { return runProfileShow(args[0], o, std) },
	}
	o.to.Flags(c, cli.PrintFormats()...)
	cli.ProfileFlag(c, &o.files)
	c.Flags().StringVar(&o.gpu, "gpu", "", "the GPU type, where the model was measured on several")
	c.Flags().IntVar(&o.batch, "batch", 0, "the batch size, where the model was measured at several")
	c.Flags().IntVar(&o.group, "gpus-per-worker", 1, "the GPUs of a worker, where there are profiles of several together")
	return c
}

func runProfileShow(model string, o profileShowOptions, std cli.Streams) error {
	library, err := cli.LoadLibrary(o.files)
	if err != nil {
		return err
	}
	var found []*instance.Profile
	var others []string
	for _, p := range library.Profiles(model) {
		others = append(others, fmt.Sprintf("--gpu %s --batch %d --gpus-per-worker %d", p.GPU, p.Batch, p.Group()))
		if (o.gpu == "" || o.gpu == p.GPU) && (o.batch == 0 || o.batch == p.Batch) && o.group == p.Group() {
			found = append(found, p)
		}
	}
	switch {
	case len(others) == 0:
		return cli.Usage(fmt.Errorf("no profile of model %q; see jigsaw profile list", model))
	case len(found) == 0:
		return cli.Usage(fmt.Errorf("no such profile of %q; there are: %s", model, strings.Join(others, ", ")))
	case len(found) > 1:
		return cli.Usage(fmt.Errorf("%q has %d profiles; choose one of: %s", model, len(found), strings.Join(others, ", ")))
	}
	return o.to.Print(std, found[0], func(w io.Writer) { profileTable(w, found[0]) })
}

// profileTable prints one row per layer, the loss last.
func profileTable(w io.Writer, p *instance.Profile) {
	on := p.GPU
	if p.GPUs > 1 {
		on = fmt.Sprintf("%d %s together", p.GPUs, p.GPU)
	}
	fmt.Fprintf(w, "%s on %s, batch %d: %s\n", p.Model, on, p.Batch, cli.Count(len(p.Layers), "layer"))
	if p.Estimated != "" {
		fmt.Fprintf(w, "estimated, not measured: %s\n", p.Estimated)
	}
	if s := p.Source; s != nil {
		source := strings.Fields(s.Repository + " " + s.Commit + " " + s.File)
		if s.Licence != "" {
			source = append(source, "("+s.Licence+")")
		}
		fmt.Fprintf(w, "source: %s\n", strings.Join(source, " "))
		if s.Note != "" {
			fmt.Fprintf(w, "note: %s\n", s.Note)
		}
	}
	fmt.Fprintln(w)
	total := p.Totals()
	back, kept, sent := total.Backward, total.Activations, total.Parameters
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "forward\tbackward\tparameters\tactivations\tdepth\ttask\tkept\tworkspace\tgradient\t  layer")
	for i, l := range p.Layers {
		depth := fmt.Sprint(len(p.Layers) - i)
		if !p.CutAllowed(len(p.Layers) - i) {
			depth = "(" + depth + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%v\t%v\t%s\t%s\t%v\t%v\t%v\t  %s\n", cli.Milliseconds(l.Forward), cli.Milliseconds(l.Backward), l.Parameters, l.Activations,
			depth, cli.Milliseconds(total.Forward+back), kept, p.WorkspaceOf(len(p.Layers)-i), sent, l.Name)
		back, kept, sent = back-l.Backward, kept-l.Activations, sent-l.Parameters
	}
	t.Flush()
}

type profileImportOptions struct {
	format  string
	to      cli.Destination
	options profiles.ImportOptions
}

func newProfileImport(std cli.Streams) *cobra.Command {
	var o profileImportOptions
	var names []string
	for _, f := range profiles.Formats() {
		names = append(names, string(f))
	}
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Turn a profile of another project into JigSaw's format",
		Long: `Read a PipeDream graph.txt, a DeepPool .prof, a dnn-partitioning JSON graph or a
trace of torch.profiler (kineto; record_shapes, profile_memory and with_stack on)
and write the project's own profile format, for --profiles or for the profiles
section of an instance file.`,
		Example: `  jigsaw profile import graph.txt --model vgg16 --gpu v100 --batch 128 --file vgg16.json
  jigsaw profile import trace.json --model gpt --gpu h100 --batch 8 --file gpt.json
  jigsaw plan cluster.yaml --profiles vgg16.json`,
		Args: cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runProfileImport(args[0], o, std) },
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", "format of the file: "+strings.Join(names, ", ")+" (default: what it looks like)")
	f.StringVar(&o.options.Model, "model", "", "the model's name")
	f.StringVar(&o.options.GPU, "gpu", "", "the GPU type it was measured on")
	f.IntVar(&o.options.Batch, "batch", 0, "the batch size it was measured at")
	f.StringVar(&o.options.Source.Repository, "repository", "", "provenance: where the file comes from")
	f.StringVar(&o.options.Source.Commit, "commit", "", "provenance: its version there")
	f.StringVar(&o.options.Source.Licence, "licence", "", "provenance: its licence")
	o.to.FileFlag(c)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func runProfileImport(name string, o profileImportOptions, std cli.Streams) error {
	if err := cli.CheckWritable([]string{name}, o.to.File); err != nil {
		return err
	}
	r, err := cli.OpenFile(name, std)
	if err != nil {
		return cli.Usage(err)
	}
	defer r.Close()
	if o.options.Source.File == "" {
		o.options.Source.File = name
	}
	imported, err := profiles.Import(profiles.Format(o.format), r, o.options)
	if err != nil {
		return cli.Usage(fmt.Errorf("%s: %w", name, cli.Unprefixed(err)))
	}
	return o.to.Write(std, func(w io.Writer) error { return profiles.Encode(w, imported) })
}
