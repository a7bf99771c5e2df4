package study

import (
	"context"
	"errors"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/study/quality"
)

type studyQualityOptions struct {
	models  []string
	workers []int
	seeds   int
	epochs  int
	rate    float64
	smoke   bool
	to      cli.Destination
	figures string
}

func newStudyQuality(std cli.Streams) *cobra.Command {
	var o studyQualityOptions
	c := &cobra.Command{
		Use:   "spb-quality",
		Short: "Train small models with SPB, and compare them with full backpropagation",
		Long: `Train a multilayer perceptron and a small convolutional net on real data, in
parallel by 2, 4 and 8 workers, with full backpropagation and under rules of
structured partial backpropagation (SPB), and compare what they learn, with 95 %
confidence intervals. Runs take all cores, about five minutes on two.

Same flags, same table, on any number of cores. docs/spb-quality.md says how to
read it, and what so small models cannot tell.`,
		Example: `  jigsaw study run spb-quality
  jigsaw study run spb-quality --models perceptron --workers 8 --epochs 60
  jigsaw study run spb-quality --smoke`,
		Args:    cli.ExactArgs(0),
		PreRunE: func(c *cobra.Command, _ []string) error { return cli.AboveZero(c, "seeds", "epochs", "rate") },
		RunE: func(c *cobra.Command, _ []string) error {
			command := c.CommandPath()
			c.Flags().Visit(func(f *pflag.Flag) {
				if f.Name != "figures" && f.Name != "output" && f.Name != "file" {
					command += " --" + f.Name + " " + f.Value.String()
				}
			})
			return runStudyQuality(c.Context(), command, o, std)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.models, "models", nil, "perceptron, convolutional (default both)")
	f.IntSliceVar(&o.workers, "workers", nil, "numbers of workers, divisors of 64 (default 2,4,8)")
	f.IntVar(&o.seeds, "seeds", 0, "seeds of each comparison, at least 2 (default 10)")
	f.IntVar(&o.epochs, "epochs", 0, "passes over the training set, at least 4 (default 20)")
	f.Float64Var(&o.rate, "rate", 0, "base learning rate (default one that is searched with full backpropagation)")
	f.BoolVar(&o.smoke, "smoke", false, "a study of seconds, to see that it works; its nets learn little")
	f.StringVar(&o.figures, "figures", "", "write the differences in accuracy into this `file`, too, as JSON; reports of other studies quote them")
	o.to.Flags(c, cli.PrintFormats()...)
	return c
}

// runStudyQuality runs the study; command is how it was called.
func runStudyQuality(ctx context.Context, command string, o studyQualityOptions, std cli.Streams) error {
	var study quality.Options
	if o.smoke {
		study = quality.Smoke()
	}
	if o.seeds != 0 {
		study.Seeds = o.seeds
	}
	if o.epochs != 0 {
		study.Epochs = o.epochs
	}
	if len(o.workers) != 0 {
		study.Workers = o.workers
	}
	for _, m := range o.models {
		study.Models = append(study.Models, quality.Model(m))
	}
	study.Rate = o.rate
	if err := study.Validate(); err != nil {
		return cli.Usage(err)
	}
	if err := cli.CheckWritable(nil, o.to.File); err != nil {
		return err
	}
	var bar *progressbar.ProgressBar
	if f, ok := std.Terminal(); ok {
		study.Progress = func(done, of int) {
			if bar == nil {
				bar = progressbar.NewOptions(of,
					progressbar.OptionSetWriter(f),
					progressbar.OptionSetDescription("spb-quality"),
					progressbar.OptionShowCount(),
					progressbar.OptionSetPredictTime(true),
					progressbar.OptionSetElapsedTime(true),
					progressbar.OptionClearOnFinish(),
				)
			}
			_ = bar.Set(done) // a terminal that went away is no reason to stop
		}
	}
	result, err := quality.Study(ctx, study)
	if bar != nil {
		_ = bar.Finish()
	}
	switch {
	case ctx.Err() != nil:
		return &cli.ExitError{Code: cli.ExitLimit, Err: errors.New("stopped; this study keeps nothing of an unfinished run")}
	case err != nil:
		return err
	}
	if o.figures != "" {
		if err := cli.WriteFile(o.figures, result.Figures(command).Write); err != nil {
			return err
		}
	}
	return o.to.Print(std, result, result.Markdown)
}
