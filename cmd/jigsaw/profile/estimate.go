package profile

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/formulation/instance/profiles/estimate"
)

type profileEstimateOptions struct {
	to           cli.Destination
	config       string
	architecture string
	gpus         []string
	given        bool // some figure of an architecture is given
	transformer  estimate.Transformer
	options      estimate.Options
	precision    string
	attention    string
	mfu          cli.Fraction
}

func newProfileEstimate(std cli.Streams) *cobra.Command {
	var o profileEstimateOptions
	c := &cobra.Command{
		Use:   "estimate",
		Short: "Estimate a profile from a model's architecture",
		Long: `Write a profile of a model that was not measured, from its Hugging Face config.json, from
the figures of its architecture, or of a well-known convolutional net: parameters exactly,
times by a roofline over the GPU's data sheet with efficiencies fitted to measured
profiles. "jigsaw profile compare" shows how far estimates are from what was measured, and
"jigsaw profile gpus" the GPUs with their figures.

Plans can take a config.json as it is: jigsaw plan cluster.yaml --estimate MODEL=config.json`,
		Example: `  jigsaw profile estimate --config config.json --gpu h100 --batch 4 --sequence 4096 --file mine.json
  jigsaw profile estimate --architecture llama --layers 32 --hidden 4096 --heads 32 --kv-heads 8 \
      --ffn 14336 --vocab 128256 --gpu a100,h100 --batch 1 --sequence 8192 --checkpointing
  jigsaw profile estimate --architecture resnet152 --gpu v100 --batch 64 --precision fp32`,
		Args: cli.ExactArgs(0),
		PreRunE: func(c *cobra.Command, _ []string) error {
			figures := []string{"layers", "hidden", "heads", "kv-heads", "head-size", "ffn", "vocab", "positions", "window", "image", "patch", "labels"}
			o.given = slices.ContainsFunc(figures, c.Flags().Changed)
			return cli.AboveZero(c, append(figures, "batch", "sequence", "gpus-per-worker")...)
		},
		RunE: func(*cobra.Command, []string) error { return runProfileEstimate(o, std) },
	}
	f, t := c.Flags(), &o.transformer
	f.StringVar(&o.config, "config", "", "the config.json of a Hugging Face model: "+strings.Join(estimate.TransformerTypes(), ", "))
	f.StringVar(&o.architecture, "architecture", "", "without a config: one of these, with figures (default llama), or of "+strings.Join(estimate.Nets(), ", "))
	f.Int64Var(&t.Layers, "layers", 0, "how many blocks")
	f.Int64Var(&t.Hidden, "hidden", 0, "the width of the model")
	f.Int64Var(&t.Heads, "heads", 0, "attention heads")
	f.Int64Var(&t.KVHeads, "kv-heads", 0, "heads of keys and values (default: as many)")
	f.Int64Var(&t.HeadSize, "head-size", 0, "the width of a head (default: hidden / heads)")
	f.Int64Var(&t.Intermediate, "ffn", 0, "the width of the feed-forward part")
	f.Int64Var(&t.Vocabulary, "vocab", 0, "tokens in the vocabulary")
	f.Int64Var(&t.Positions, "positions", 0, "learned positions, of gpt2 and bert")
	f.Int64Var(&t.Window, "window", 0, "how far back attention looks (default: to the beginning)")
	f.BoolVar(&t.Tied, "tied", false, "the output embedding is the input embedding")
	f.Int64Var(&t.Image, "image", 0, "the side of images in pixels, of vit")
	f.Int64Var(&t.Patch, "patch", 0, "the side of patches in pixels, of vit")
	f.Int64Var(&t.Labels, "labels", 0, "classes, of vit")
	f.StringVar(&o.options.Model, "model", "", "the model's name, for jobs (default: the name of the config or of its folder, or the architecture)")
	f.StringSliceVar(&o.gpus, "gpu", nil, "the GPU type, or several with commas; see jigsaw profile gpus")
	f.IntVar(&o.options.Batch, "batch", 1, "samples of a worker in an iteration")
	f.IntVar(&o.options.Sequence, "sequence", 0, "tokens of a sample (default: the longest the model takes, at most 2048)")
	f.StringVar(&o.precision, "precision", "", "fp32, tf32, fp16 or bf16 (default: what models are trained in on all of the GPUs)")
	f.StringVar(&o.attention, "attention", "fused", "fused, as FlashAttention, or eager, which writes its scores to memory")
	f.BoolVar(&o.options.Checkpointing, "checkpointing", false, "keep only the inputs of blocks and recompute the rest")
	f.IntVar(&o.options.GPUs, "gpus-per-worker", 1, "GPUs of a node that share every layer, as jobs with so many gpus_per_worker do")
	f.Var(&o.mfu, "mfu", "scale the times to this model FLOPs utilisation, like 40% (default: by the roofline)")
	o.to.FileFlag(c)
	completeNames(c, "gpu", cli.GPUNames())
	completeNames(c, "architecture", estimate.Architectures())
	completeNames(c, "precision", names(estimate.Precisions()))
	completeNames(c, "attention", []string{"fused", "eager"})
	return c
}

// completeNames offers names for a flag.
func completeNames(c *cobra.Command, flag string, names []string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

func names[T ~string](list []T) (texts []string) {
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

func runProfileEstimate(o profileEstimateOptions, std cli.Streams) error {
	read := []string{}
	if o.config != "" {
		read = append(read, o.config)
	}
	if err := cli.CheckWritable(read, o.to.File); err != nil {
		return err
	}
	if err := o.model(std); err != nil {
		return err
	}
	if len(o.gpus) == 0 {
		return cli.Usage(fmt.Errorf("give --gpu, one of %s", strings.Join(cli.GPUNames(), ", ")))
	}
	if err := cli.Attention(o.attention, &o.options); err != nil {
		return err
	}
	if o.precision == "" {
		o.precision = string(estimate.Common(o.gpus))
	}
	o.options.Precision, o.options.MFU = estimate.Precision(o.precision), instance.Ratio(float64(o.mfu)*float64(instance.One))
	var all []*instance.Profile
	for _, gpu := range o.gpus {
		o.options.GPU = gpu
		p, summary, err := estimate.Profile(o.options)
		if err != nil {
			return cli.Usage(cli.Unprefixed(err))
		}
		all = append(all, p)
		std.Note("%s on %s: %s", p.Model, cli.GPUs(p.GPUs, p.GPU), cli.SummaryLine(summary))
	}
	return o.to.Write(std, func(w io.Writer) error { return profiles.Encode(w, all) })
}

// model fills the architecture into the options.
func (o *profileEstimateOptions) model(std cli.Streams) error {
	switch {
	case o.config != "" && (o.architecture != "" || o.given || o.transformer.Tied):
		return cli.Usage(fmt.Errorf("--config says what the model is; leave out --architecture and its figures"))
	case o.config != "":
		t, err := cli.ReadConfig(o.config, std)
		if err != nil {
			return err
		}
		o.options.Transformer = t
		if o.options.Model == "" {
			o.options.Model = configName(o.config)
		}
	case slices.Contains(estimate.Nets(), o.architecture):
		if o.given || o.transformer.Tied {
			return cli.Usage(fmt.Errorf("%s has its figures; leave out those of a transformer", o.architecture))
		}
		o.options.Net = o.architecture
	case o.architecture == "" && !o.given:
		return cli.Usage(fmt.Errorf("say what to estimate: --config config.json, or --architecture, one of %s", strings.Join(estimate.Architectures(), ", ")))
	default:
		if o.architecture == "" {
			o.architecture = "llama"
		}
		o.transformer.Type = o.architecture
		o.options.Transformer = &o.transformer
	}
	if o.options.Model == "" {
		o.options.Model = o.architecture
	}
	return nil
}

// configName is the name of a model whose config is in this file.
func configName(file string) string {
	name := cli.Stem(file)
	if name != "config" {
		return name
	}
	if path, err := filepath.Abs(file); err == nil {
		return filepath.Base(filepath.Dir(path))
	}
	return "model"
}

func newProfileGPUs(std cli.Streams) *cobra.Command {
	var to cli.Destination
	c := &cobra.Command{
		Use:   "gpus",
		Short: "List the GPUs that profiles can be estimated for, with their figures",
		Args:  cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			gpus := estimate.GPUs()
			return to.Print(std, gpus, func(w io.Writer) {
				t := cli.Columns(w)
				fmt.Fprintln(t, "GPU\tmemory\tGB/s\tfabric GB/s\tfp32\ttf32\tfp16\tbf16\tTFLOP/s without sparsity, from")
				for _, g := range gpus {
					fmt.Fprintf(t, "%s\t%v\t%g\t%g", g.Name, g.Memory, g.Bandwidth, g.Fabric)
					for _, p := range estimate.Precisions() {
						if g.Peak[p] == 0 {
							fmt.Fprint(t, "\t-")
						} else {
							fmt.Fprintf(t, "\t%g", g.Peak[p])
						}
					}
					fmt.Fprintf(t, "\t%s\n", g.Sheet)
				}
				t.Flush()
			})
		},
	}
	to.Flags(c, cli.PrintFormats()...)
	return c
}

func newProfileCompare(std cli.Streams) *cobra.Command {
	var to cli.Destination
	var files []string
	c := &cobra.Command{
		Use:   "compare",
		Short: "Compare estimates with measurements",
		Long: `Estimate every measured profile whose architecture "profile estimate" knows, and models
whose throughput is published, and print how far each estimate is off. Ratios are of
estimate to measurement; where only throughputs are known, that of the whole iteration.`,
		Args: cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error { return runProfileCompare(files, to, std) },
	}
	to.Flags(c, cli.PrintFormats()...)
	cli.ProfileFlag(c, &files)
	return c
}

func runProfileCompare(files []string, to cli.Destination, std cli.Streams) error {
	library, err := cli.LoadLibrary(files)
	if err != nil {
		return err
	}
	list, err := estimate.Compare(library.All())
	if err != nil {
		return err
	}
	return to.Print(std, list, func(w io.Writer) {
		t := cli.Columns(w)
		fmt.Fprintln(t, "model\tGPU\tbatch\tmeasured\testimated\terror\tforward\tbackward\tactivations\tsource")
		ratio := func(v float64) string {
			if v == 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f", v)
		}
		for i := range list {
			c := &list[i]
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%+.0f%%\t%s\t%s\t%s\t%s\n", c.Model, c.GPU, c.Batch, cli.Milliseconds(c.Measured), cli.Milliseconds(c.Estimated),
				100*c.Error(), ratio(c.Forward), ratio(c.Backward), ratio(c.Activations), c.Source)
		}
		t.Flush()
	})
}
