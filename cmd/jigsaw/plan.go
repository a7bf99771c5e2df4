package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

type planOptions struct {
	batch
	cli.RunFlags
	to    cli.Destination
	gap   cli.Fraction
	quick bool
	gantt string
	block int
	trace string
	csv   string
	turns string

	jobsOut string
	write   string
}

func newPlan(std cli.Streams) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan INSTANCE | --cluster FILE --jobs FILE",
		Short: "Schedule an instance and prove how good the schedule is",
		Long: `Schedule an instance and print the plan beside its baselines and its bound.
A bound called certified was proven in exact arithmetic, twice; --certificate
writes its proof down for "jigsaw certify".

Of the baselines, queue is first come, first served; exclusive searches for the best
order of whole jobs with a fifth of the plan's time, or fixed work; interleaved-full is the
better of exclusive and of list scheduling at full depth; greedy is list scheduling
at the depths of the rules.

Plans of hours and nights, of more tasks than can be written out or of jobs that hold memory
only while they run (residence: run), are made in blocks, patterns that repeat. They come with a
table by job; --jobs-out writes all of it, and --gantt draws who is where over the hours, and one block
close up (--gantt-block).

Burst-parallel jobs (kind: burst) and background jobs get stages, and a timetable of one
period each, of which --gantt draws one (--gantt-block).

With --cluster and --jobs the instance comes as two files: a cluster, which is an instance file without
jobs, and a list of jobs, CSV or separated by tabs or semicolons. Its first line names its columns: name, model and
workers, one of iterations and hours, and any of batch, gpus_per_worker, weight, release, load, deadline, optimizer,
accumulate, checkpointing, sharding, within, rule, which mean what they do in an instance file. JSON will do, too: an
object a line, or an array of objects, with these keys. --write makes
one instance file of both, with estimated profiles, for check, certify, explain and replan.

The list may also be a trace of the formats that "jigsaw replay" reads, or with --from and --until a part of one. A job
is as long, and asks for as many GPUs, as in the trace, and comes as long after the first job of that part; its
model runs the profile that the model table (--models) names for it. The cluster is empty at the beginning.

Of moldable jobs the number of workers is chosen, too, by quick plans of many combinations; a bound says what no
plan with any numbers ends before, and --write writes the instance with those chosen, which check and all else take.

With --time the search goes on until the limit, or until the plan is proven to
be optimal or within --gap of it; without, it does a fixed amount of work, and
equal seeds give equal plans. --log shows how plan and bound close in.

Ctrl-C, or the time limit, ends the work with the best plan so far.
Exit codes: 0 plan found, 2 invalid input, 3 proven infeasible, 4 no plan found.`,
		Example: `  jigsaw plan quickstart
  jigsaw plan cluster.yaml --time 60s --gap 1% --log
  jigsaw plan cluster.yaml --gantt plan.svg --trace plan.trace.json
  jigsaw plan cluster.yaml -o json | jq .gap
  jigsaw plan night --time 60s --gantt night.svg --jobs-out night.csv
  jigsaw plan --cluster cluster.yaml --jobs tonight.csv
  jigsaw plan --cluster cluster.yaml --jobs philly.csv --from 2017-10-09T20:00 --until 2017-10-10T08:00 \
    --time 60s --write night.yaml -o json --file night.json`,
		Args: func(c *cobra.Command, args []string) error {
			if o.cluster != "" || o.jobs != "" {
				return cli.ExactArgs(0)(c, args)
			}
			return cli.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return runPlan(c.Context(), append(args, "")[0], o, std)
		},
	}
	o.batch.Flags(c, "--jobs")
	o.RunFlags.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	f := c.Flags()
	f.Var(&o.gap, "gap", "end once the plan is proven to be this close to the optimum, like 1% or 0.01")
	f.BoolVar(&o.quick, "quick", false, "a twentieth of the greedy work, the baselines and the quick bounds, for a first answer")
	f.StringVar(&o.gantt, "gantt", "", "draw the schedule into this SVG `file`")
	f.IntVar(&o.block, "gantt-block", 0, "the block of a long plan that --gantt draws close up, from 1; 0 is the one with the most work, -1 none")
	f.StringVar(&o.trace, "trace", "", "write the schedule as Chrome trace events (Perfetto) into this JSON `file`")
	f.StringVar(&o.turns, "turns", "", "write turn sheets, what each GPU does in which order, into this JSON `file`; see docs/turns.md")
	f.StringVar(&o.jobsOut, "jobs-out", "", "write when and where every job runs into this CSV `file`")
	f.StringVar(&o.write, "write", "", "write the instance into this YAML `file`: of --cluster and --jobs, with estimated profiles, and the numbers of workers chosen for moldable jobs")
	f.StringVar(&o.csv, "csv", "", "write the schedule as a table into this CSV `file`")
	return c
}

func runPlan(ctx context.Context, name string, o planOptions, std cli.Streams) error {
	options, err := o.Options(o.quick)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable(o.Files(name, o.cluster, o.jobs, o.ModelTable), o.Certificate, o.gantt, o.trace, o.csv, o.turns, o.jobsOut, o.write, o.to.File); err != nil {
		return err
	}
	document, models, err := o.spec(name, std)
	if err != nil {
		return err
	}
	source := cmp.Or(name, o.cluster+" with "+o.jobs)
	if document.Spec.Bursts() {
		in, err := document.CompileBursts(models)
		if err != nil {
			return cli.Invalid(source, "a valid instance", err)
		}
		return errors.Join(o.keep(document.Spec), o.bursts(in, std))
	}
	if document.Spec.Molds() {
		return o.mold(ctx, document, models, source, std)
	}
	in, err := document.Compile(models)
	if err != nil {
		return cli.Invalid(source, "a valid instance", err)
	}
	if o.jobsOut != "" && in.Objective.Periodic() {
		return cli.Usage(errors.New("--jobs-out writes when jobs run and end, and those of a plan that repeats do not end; --csv writes every task of a period"))
	}
	if err := o.keep(document.Spec); err != nil {
		return err
	}
	w := o.Watcher(std, in)
	options.Seed, options.Gap, options.Progress = o.seed, float64(o.gap), w.Show
	result, err := jigsaw.Plan(ctx, in, options)
	w.End(result)
	if err != nil {
		return err
	}
	// What fails keeps nothing of the rest from its reader.
	err = errors.Join(o.draw(result), cli.Prove(o.Certificate, result.Proof),
		o.to.Print(std, result.Document(o.Timeless), func(w io.Writer) error { return planTable(w, std, result) }))
	if err != nil {
		return err
	}
	return statusExit(result)
}

// keep writes the instance, where that is asked for.
func (o *planOptions) keep(spec *instance.Spec) error {
	if o.write == "" {
		return nil
	}
	return o.WriteInstance(o.write, spec)
}

// statusExit turns the status into an exit code; the reason is printed already.
func statusExit(r *jigsaw.Result) error {
	switch r.Status {
	case jigsaw.Infeasible:
		return &cli.ExitError{Code: cli.ExitInfeasible}
	case jigsaw.Limit, jigsaw.Unknown:
		return &cli.ExitError{Code: cli.ExitLimit}
	}
	return nil
}

// draw writes the pictures and tables asked for.
func (o *planOptions) draw(r *jigsaw.Result) (err error) {
	if r.Schedule == nil && r.Blocks == nil {
		return nil
	}
	type output struct {
		name  string
		write func(io.Writer) error
	}
	files := []output{
		{o.gantt, func(w io.Writer) error { return view.Gantt(w, r.Instance, r.Schedule, ganttOptions(r)) }},
		{o.trace, func(w io.Writer) error { return view.Trace(w, r.Instance, r.Schedule) }},
		{o.csv, func(w io.Writer) error { return view.CSV(w, r.Instance, r.Schedule) }},
		{o.turns, func(w io.Writer) error { return view.Turns(w, r.Instance, r.Schedule, r.Blocks) }},
	}
	if r.Blocks != nil {
		if r.Schedule == nil && (o.trace != "" || o.csv != "") {
			err = cli.Usage(fmt.Errorf("--trace and --csv write every task out, and the plan has %d; --jobs-out writes a line for every job", r.Blocks.Tasks()))
			files[1].name, files[2].name = "", ""
		}
		files[0].write = func(w io.Writer) error {
			options := ganttOptions(r)
			options.Block = o.block
			return view.Hours(w, r.Instance, r.Blocks, options)
		}
	} else if o.block != 0 {
		err = cli.Usage(errors.New("--gantt-block is for plans in blocks: of jobs with residence: run, or of too many tasks to be written out; --gantt alone draws this one"))
	}
	if !r.Instance.Objective.Periodic() {
		files = append(files, output{o.jobsOut, func(w io.Writer) error {
			plan := r.Blocks
			if plan == nil {
				plan = r.Schedule.Block()
			}
			return jigsaw.WriteStays(w, jigsaw.Stays(r.Instance, plan))
		}})
	}
	for _, file := range files {
		if file.name != "" {
			err = errors.Join(err, cli.WriteFile(file.name, file.write))
		}
	}
	return err
}

func ganttOptions(r *jigsaw.Result) view.GanttOptions {
	o := view.GanttOptions{Certified: r.Certified}
	if r.Dual != nil {
		o.Bound, _ = r.Dual.Float64()
	}
	return o
}
