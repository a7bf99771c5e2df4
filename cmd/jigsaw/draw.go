package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

// drawings are the output files that show a plan.
type drawings struct {
	gantt                      string
	block                      int
	trace, csv, turns, jobsOut string
}

func (d *drawings) Flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.gantt, "gantt", "", "draw the schedule into this SVG `file`")
	f.IntVar(&d.block, "gantt-block", 0, "which block of a long plan --gantt draws in close-up, counted from 1; 0 is the one with the most work, -1 none")
	f.StringVar(&d.trace, "trace", "", "write the schedule as Chrome trace events (Perfetto) into this JSON `file`")
	f.StringVar(&d.csv, "csv", "", "write the schedule as a table into this CSV `file`")
	f.StringVar(&d.turns, "turns", "", "write turn sheets, what each GPU does in which order, into this JSON `file`; see docs/turns.md")
	f.StringVar(&d.jobsOut, "jobs-out", "", "write when and where every job runs into this CSV `file`")
}

// files are the names of the requested files.
func (d *drawings) files() []string { return []string{d.gantt, d.trace, d.csv, d.turns, d.jobsOut} }

// refuses reports what plans of an instance cannot have.
func (d *drawings) refuses(in *instance.Instance) error {
	if d.jobsOut != "" && in.Objective.Periodic() {
		return cli.Usage(errors.New("--jobs-out writes when jobs run and end, but jobs of a plan that repeats never end; --csv writes every task of a period"))
	}
	return nil
}

// notForBursts reports what plans of burst-parallel jobs cannot have.
func (d *drawings) notForBursts(report string) error {
	for _, file := range []struct{ flag, name string }{{"trace", d.trace}, {"csv", d.csv}, {"turns", d.turns}, {"jobs-out", d.jobsOut}, {"report", report}} {
		if file.name != "" {
			return cli.Usage(fmt.Errorf("--%s is not for burst-parallel jobs; plan -o json has their timetables, and --gantt draws one", file.flag))
		}
	}
	return nil
}

// draw writes the requested files for a plan of tasks, of blocks, or of both. A failure does not keep others from being
// written.
func (d *drawings) draw(in *instance.Instance, tasks *instance.Schedule, blocks *instance.BlockSchedule, options view.GanttOptions) (err error) {
	if tasks == nil && blocks == nil {
		return nil
	}
	type output struct {
		name  string
		write func(io.Writer) error
	}
	files := []output{
		{d.gantt, func(w io.Writer) error { return view.Gantt(w, in, tasks, options) }},
		{d.trace, func(w io.Writer) error { return view.Trace(w, in, tasks) }},
		{d.csv, func(w io.Writer) error { return view.CSV(w, in, tasks) }},
		{d.turns, func(w io.Writer) error { return view.Turns(w, in, tasks, blocks, options.Begin) }},
	}
	if blocks != nil {
		if tasks == nil && (d.trace != "" || d.csv != "") {
			err = cli.Usage(fmt.Errorf("--trace and --csv write every single task, and the plan has %d; --jobs-out writes a line for every job", blocks.Tasks()))
			files[1].name, files[2].name = "", ""
		}
		files[0].write = func(w io.Writer) error {
			options.Block = d.block
			return view.Hours(w, in, blocks, options)
		}
	} else if d.block != 0 {
		err = cli.Usage(errors.New("--gantt-block is only for plans in blocks, which jobs with residence: run and plans of very many tasks have; this plan is drawn by --gantt alone"))
	}
	if !in.Objective.Periodic() {
		files = append(files, output{d.jobsOut, func(w io.Writer) error {
			plan := blocks
			if plan == nil {
				plan = tasks.Block()
			}
			return jigsaw.WriteStays(w, jigsaw.Stays(in, plan), options.Begin)
		}})
	}
	for _, file := range files {
		if file.name != "" {
			err = errors.Join(err, cli.WriteFile(file.name, file.write))
		}
	}
	return err
}

// ganttOptions returns options with the bound of a result.
func ganttOptions(r *jigsaw.Result) view.GanttOptions {
	o := view.GanttOptions{Certified: r.Certified, Begin: r.Begin}
	if r.Dual != nil {
		o.Bound, _ = r.Dual.Float64()
	}
	return o
}
