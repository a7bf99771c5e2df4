// Command quality trains small models with structured partial backpropagation and prints
// comparisons with full backpropagation as tables; docs/spb-quality.md explains how to
// read them. It uses all cores, for about five minutes on two; the same flags give the
// same tables on any number.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jigsaw/study/quality"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	var o quality.Options
	var models []string
	var figures string
	c := &cobra.Command{
		Use: "quality", Short: "Train small models with SPB, and compare them with full backpropagation",
		Args: cobra.NoArgs, SilenceUsage: true,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, m := range models {
				o.Models = append(o.Models, quality.Model(m))
			}
			o.Progress = func(done, of int) {
				if done == of || done%50 == 0 {
					fmt.Fprintf(os.Stderr, "%d of %d trainings\n", done, of)
				}
			}
			r, err := quality.Study(c.Context(), o)
			if err != nil {
				return err
			}
			if figures != "" {
				command := "go run ./study/quality/cmd/quality"
				c.Flags().Visit(func(f *pflag.Flag) {
					if f.Name != "figures" {
						command += " --" + f.Name + " " + f.Value.String()
					}
				})
				var b bytes.Buffer
				if err := r.Figures(command).Write(&b); err != nil {
					return err
				}
				if err := os.WriteFile(figures, b.Bytes(), 0o644); err != nil {
					return err
				}
			}
			return r.Markdown(c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringSliceVar(&models, "models", nil, "perceptron, convolutional (default both)")
	f.IntSliceVar(&o.Workers, "workers", nil, "numbers of workers, divisors of 64 (default 2,4,8)")
	f.IntVar(&o.Seeds, "seeds", 0, "seeds of each comparison, at least 2 (default 10)")
	f.IntVar(&o.Epochs, "epochs", 0, "passes over the training set, at least 4 (default 20)")
	f.Float64Var(&o.Rate, "rate", 0, "base learning rate (default one that is searched with full backpropagation)")
	f.StringVar(&figures, "figures", "", "write the differences in accuracy into this `file`, too, as JSON; reports of other studies quote them")
	return c
}
