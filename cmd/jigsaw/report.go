package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"jigsaw/study/report"
)

type reportOptions struct {
	output  string
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
		Example: `  jigsaw report paper.db -o paper.html
  jigsaw report paper.db -o paper.md --figures figures`,
		Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runReport(args[0], o, std) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "report.html", "write into this `file`: .html or .md")
	f.StringVar(&o.figures, "figures", "", "write the figures into this `folder`, too")
	return c
}

func runReport(name string, o reportOptions, std streams) (err error) {
	extension := filepath.Ext(o.output)
	if extension != ".html" && extension != ".md" {
		return usage(fmt.Errorf("-o %s: the file has to end in .html or .md", o.output))
	}
	if err := writable([]string{name}, o.output); err != nil {
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
	if extension == ".md" {
		write = r.Markdown
	}
	if err := writeFile(o.output, write); err != nil {
		return err
	}
	if o.figures == "" {
		return nil
	}
	files, err := r.Figures(o.figures)
	fmt.Fprintf(std.err, "%s: %s\n", o.figures, count(len(files), "file"))
	return err
}
