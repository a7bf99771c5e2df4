package profile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/profiler"
)

type profileMeasureOptions struct {
	to     cli.Destination
	python string
	script bool
	gpu    string
	batch  int
	more   []string
}

func newProfileMeasure(std cli.Streams) *cobra.Command {
	var o profileMeasureOptions
	c := &cobra.Command{
		Use:   "measure FILE.py:factory [-- OPTION...]",
		Short: "Measure a PyTorch model's profile, layer by layer, on this machine",
		Long: `Run the PyTorch companion on a model and check what it writes. FILE.py:factory, which may
take the batch size, returns the model, the inputs of one batch and a function that
computes the loss from the model's output. Arguments after -- are passed to the companion:
--blocks 'layers.*', --iterations 30, --dtype bf16, --checkpointing, --optimizer adam, --device.

Tasks are timed as workers run them: for each layer a whole one, with everything before that
layer frozen. PyTorch 1.13 or newer is needed, and a GPU for meaningful figures. If
the GPU is on another machine, run the companion there:

  jigsaw profile measure --script > jigsaw_profile.py
  python3 jigsaw_profile.py mymodels.py:make_gpt --gpu h100 --batch 8 --file gpt.json
  jigsaw profile check gpt.json`,
		Example: `  jigsaw profile measure mymodels.py:make_gpt --gpu h100 --batch 8 --file gpt.json -- --dtype bf16
  jigsaw plan cluster.yaml --profiles gpt.json`,
		Args:    cobra.ArbitraryArgs,
		PreRunE: func(c *cobra.Command, _ []string) error { return cli.AboveZero(c, "batch") },
		RunE: func(c *cobra.Command, args []string) error {
			if at := c.ArgsLenAtDash(); at >= 0 {
				args, o.more = args[:at], args[at:]
			}
			if o.script {
				return o.to.Write(std, func(w io.Writer) error { _, err := w.Write(profiler.Module); return err })
			}
			if len(args) != 1 {
				return cli.Usage(fmt.Errorf("name one FILE.py:factory; options of the companion come after --"))
			}
			return runProfileMeasure(c.Context(), args[0], o, std)
		},
	}
	f := c.Flags()
	f.StringVar(&o.python, "python", "python3", "a Python that has PyTorch")
	f.BoolVar(&o.script, "script", false, "write the companion itself, one Python file, to take it to another machine")
	f.StringVar(&o.gpu, "gpu", "", "the GPU's name in clusters, like h100")
	f.IntVar(&o.batch, "batch", 0, "samples of a worker in an iteration")
	o.to.FileFlag(c)
	return c
}

func runProfileMeasure(ctx context.Context, factory string, o profileMeasureOptions, std cli.Streams) error {
	if o.gpu == "" || o.batch < 1 {
		return cli.Usage(errors.New("give --gpu, the GPU's name in clusters, and --batch, the samples of a worker"))
	}
	file, _, _ := strings.Cut(factory, ":")
	if err := cli.CheckWritable([]string{file}, o.to.File); err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, o.python, "-c", "import torch").Run(); err != nil {
		return cli.Usage(fmt.Errorf("%s has no PyTorch (or there is no such program): name one that has it with --python, install it, or measure on another machine: jigsaw profile measure --help", o.python))
	}
	folder, err := os.MkdirTemp("", "jigsaw-profile")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	script, result := filepath.Join(folder, "jigsaw_profile.py"), filepath.Join(folder, "profile.json")
	if err := os.WriteFile(script, profiler.Module, 0o600); err != nil {
		return err
	}
	arguments := append([]string{script, factory, "--gpu", o.gpu, "--batch", strconv.Itoa(o.batch), "--file", result}, o.more...)
	command := exec.CommandContext(ctx, o.python, arguments...)
	command.Stdout, command.Stderr = std.Err, std.Err // its own progress bar
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && ctx.Err() == nil {
			return cli.Usage(errors.New("the measurement failed; see the messages above"))
		}
		return err
	}
	measured, err := cli.ReadProfiles([]string{result})
	if err != nil {
		return err
	}
	for _, p := range measured {
		std.Note("%s", profileLine(p))
	}
	return o.to.Write(std, func(w io.Writer) error { return profiles.Encode(w, measured) })
}

func newProfileCheck(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Check profile files, and say what is in them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := cli.ReadProfiles(args)
			if err != nil {
				return err
			}
			if _, err := profiles.New(found...); err != nil {
				return cli.Usage(err)
			}
			for _, p := range found {
				if _, err := fmt.Fprintln(std.Out, profileLine(p)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// profileLine summarises a profile.
func profileLine(p *instance.Profile) string {
	t, r := p.Totals(), profiles.Rows([]*instance.Profile{p})[0]
	how := "measured"
	if r.Estimated {
		how = "estimated"
	}
	return fmt.Sprintf("%s on %s, batch %d, %s: %s with %s, forward %s, backward %s, parameters %v, activations %v", p.Model, p.GPU, p.Batch, how,
		cli.Count(r.Layers, "layer"), cli.Count(r.Cuts+1, "depth"), cli.Milliseconds(t.Forward), cli.Milliseconds(t.Backward), t.Parameters, t.Activations)
}
