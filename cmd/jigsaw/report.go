package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"jigsaw/study/report"
)

type reportOptions struct {
	to      destination
	figures string
}

func newReport(std streams) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report RESULT",
		Short: "Make a page of a study's results: tables, plots, plans, commands",
		Long: `Make a report of the results that "jigsaw study run" keeps: one HTML file that
needs no other and no network, or its tables as Markdown. --figures writes the
figures as files of their own, SVG, and PNG where they are plots.`,
		Example: `  jigsaw report paper.db --file paper.html
  jigsaw report paper.db --file paper.md --figures figures`,
		Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runReport(args[0], o, std) },
	}
	f := c.Flags()
	o.to.flags(c, "html", "md")
	f.StringVar(&o.figures, "figures", "", "write the figures into this `folder`, too")
	return c
}

func runReport(name string, o reportOptions, std streams) (err error) {
	if ending := filepath.Ext(o.to.file); o.to.format == "" && ending != "" && ending != "."+o.to.chosen() {
		return usage(fmt.Errorf("--file %s: say what it is to be, -o html or -o md, or end its name so", o.to.file))
	}
	if err := writable([]string{name}, o.to.file); err != nil {
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
	if o.to.chosen() == "md" {
		write = r.Markdown
	}
	if err := o.to.write(std, write); err != nil {
		return err
	}
	if o.figures == "" {
		return nil
	}
	files, err := r.Figures(o.figures)
	std.note("%s: %s", o.figures, count(len(files), "file"))
	return err
}
