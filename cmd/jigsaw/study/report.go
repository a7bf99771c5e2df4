package study

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/study/report"
)

type reportOptions struct {
	to      cli.Destination
	figures string
}

// NewReport returns the command report.
func NewReport(std cli.Streams) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report RESULT",
		Short: "Make a page of a study's results: tables, plots, plans, commands",
		Long: `Make a report of the results that "jigsaw study run" keeps: one HTML file that
needs no other and no network, or its tables as Markdown. --figures writes the
figures as files of their own, SVG, and PNG where they are plots.`,
		Example: `  jigsaw report paper.db --file paper.html
  jigsaw report paper.db --file paper.md --figures figures`,
		Args: cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runReport(args[0], o, std) },
	}
	f := c.Flags()
	o.to.Flags(c, "html", "md")
	f.StringVar(&o.figures, "figures", "", "write the figures into this `folder`, too")
	return c
}

func runReport(name string, o reportOptions, std cli.Streams) (err error) {
	if ending := filepath.Ext(o.to.File); o.to.Format == "" && ending != "" && ending != "."+o.to.Chosen() {
		return cli.Usage(fmt.Errorf("--file %s: give its format, -o html or -o md, or an extension that says it", o.to.File))
	}
	if err := cli.CheckWritable([]string{name}, o.to.File); err != nil {
		return err
	}
	db, _, err := openStudy(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r, err := report.New(db)
	if err != nil {
		return err
	}
	write := r.HTML
	if o.to.Chosen() == "md" {
		write = r.Markdown
	}
	if err := o.to.Write(std, write); err != nil {
		return err
	}
	if o.figures == "" {
		return nil
	}
	files, err := r.Figures(o.figures)
	std.Note("%s: %s", o.figures, cli.Count(len(files), "file"))
	return err
}
