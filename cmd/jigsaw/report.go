package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/study/planreport"
	"jigsaw/study/report/page"
)

// planReport is the flag for a page about the plan.
type planReport struct {
	report  string
	command string
}

func (o *planReport) Flags(c *cobra.Command) {
	c.Flags().StringVar(&o.report, "report", "", "write a page about the plan into this HTML `file`: baselines, bound, Gantt chart, use of GPUs and links, all jobs")
}

// mostSource is the size in bytes up to which a report contains the instance.
const mostSource = 1 << 18

// write writes the report, if it is requested and there is a plan, with a further section if that has a title. files encodes instances.
func (o *planReport) write(r *jigsaw.Result, opt planreport.Options, files *cli.InstanceFlags, spec *instance.Spec, further page.Section) error {
	if o.report == "" || r.Primal == nil {
		return nil
	}
	var source bytes.Buffer
	if err := files.EncodeInstance(&source, spec); err != nil {
		return err
	}
	if opt.Command = o.command; source.Len() <= mostSource {
		opt.Instance = source.String()
	}
	made, err := planreport.New(r, opt)
	if err != nil {
		return err
	}
	if further.Title != "" {
		made.Sections = append([]page.Section{further}, made.Sections...)
	}
	return cli.WriteFile(o.report, made.HTML)
}
