package main

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/study/planreport"
	"jigsaw/study/report/page"
)

type planOptions struct {
	batch
	cli.RunFlags
	to    cli.Destination
	gap   cli.Fraction
	quick bool
	drawings
	planReport
	begin cli.Begin
	write string
}

func newPlan(std cli.Streams) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan INSTANCE | --cluster FILE --jobs FILE",
		Short: "Schedule an instance and prove how good the schedule is",
		Long: `Schedule an instance and print the plan beside its baselines and its bound.
A bound called certified was proven in exact arithmetic, twice; --certificate
writes the proof to a file for "jigsaw certify".

The baselines are: queue, first come, first served; exclusive, the best order of whole
jobs that a search finds in a fifth of the plan's time, or with fixed work; interleaved-full,
the better of exclusive and list scheduling at full depth; and greedy, list scheduling at the
depths that the rules allow.

Plans of hours, whose tasks are too many to be listed or whose jobs hold memory only while they
run (residence: run), are made in blocks: patterns that repeat. They are printed as a table with a row
per job. --jobs-out writes all of its rows; --gantt draws which job is where over the hours, and one
block in close-up (--gantt-block).

--report writes a page about the plan that needs no other file and no network: the plan beside its baselines and its bound,
its Gantt chart, how many GPUs compute when, what limits it, when and where every job runs, the command and the instance.

Burst-parallel jobs (kind: burst) are planned in stages, and background jobs fill what they leave
idle. Each burst-parallel job has a timetable of one period; --gantt draws one of them (--gantt-block).

With --cluster and --jobs the instance is given as two files: a cluster, which is an instance file without
jobs, and a list of jobs, separated by commas, tabs or semicolons. The first line of the list names its columns:
name, model and workers; one of iterations and hours; and any of batch, gpus_per_worker, weight, release, load,
deadline, optimizer, accumulate, checkpointing, sharding, within and rule, with the same meaning as in an instance
file. The list may also be JSON with these keys: one object per line, or an array of objects. With --begin,
releases and deadlines may be times of the clock, like 22:30 or 2026-11-27T08:00. --write combines both files into
one instance file, estimated profiles included, for check, certify, explain and replan.

The list may also be a trace in any format that "jigsaw replay" reads, or the part of it between --from and --until.
Jobs keep their lengths, their numbers of GPUs, and the times between their arrivals; the model table (--models) says
which profile a model of the trace runs with. The cluster is empty at the beginning.

For moldable jobs the number of workers is chosen as well, by quick plans of many combinations. The bound then holds for
all numbers of workers, and --write writes the instance with the numbers that were chosen, which all commands take.

With --time the search goes on until the limit, or until the plan is proven to
be optimal or within --gap of the optimum. Without --time it does a fixed amount of work, and
equal seeds give equal plans. --log shows how plan and bound approach each other.

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
		Args: func(c *cobra.Command, args []string) error { return o.args(c, args, 0) },
		RunE: func(c *cobra.Command, args []string) error {
			o.command = cli.CommandLine(c, args)
			return runPlan(c.Context(), append(args, "")[0], o, std)
		},
	}
	o.batch.Flags(c, "--jobs")
	o.RunFlags.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	o.drawings.Flags(c)
	o.planReport.Flags(c)
	f := c.Flags()
	f.Var(&o.begin, "begin", "when the plan begins, by the clock, like 2026-11-26T20:00; tables, --jobs-out, --gantt of plans in blocks, and commands that read the plan from -o json then show times of the clock")
	f.Var(&o.gap, "gap", "end once the plan is proven to be this close to the optimum, like 1% or 0.01")
	f.BoolVar(&o.quick, "quick", false, "a twentieth of the greedy work, the baselines and the quick bounds, for a first answer")
	f.StringVar(&o.write, "write", "", "write the instance into this YAML `file`: of --cluster and --jobs, with estimated profiles, and the numbers of workers chosen for moldable jobs")
	return c
}

func runPlan(ctx context.Context, name string, o planOptions, std cli.Streams) error {
	o.Begun = o.begin.Time
	options, err := o.Options(o.quick)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable(o.Files(name, o.cluster, o.jobs, o.ModelTable), append(o.files(), o.report, o.Certificate, o.write, o.to.File)...); err != nil {
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
	if err := o.refuses(in); err != nil {
		return err
	}
	if !o.begin.IsZero() && in.Objective.Periodic() {
		return cli.Usage(errors.New("--begin is for plans that run once; a plan that repeats has no times"))
	}
	if err := o.keep(document.Spec); err != nil {
		return err
	}
	w := o.Watcher(std, in)
	options.Seed, options.Gap, options.Progress = o.seed, float64(o.gap), w.Show
	result, err := jigsaw.Plan(ctx, in, options)
	w.End(result)
	if err != nil && (result == nil || result.Primal == nil) {
		return err
	}
	result.Begin = o.begin.Time
	// A failure of one output does not suppress the others, nor does one of a part of the planner, whose plan was dropped.
	err = errors.Join(err, o.draw(in, result.Schedule, result.Blocks, ganttOptions(result)), o.page(result, document.Spec), cli.Prove(o.Certificate, result.Proof),
		o.to.Print(std, result.Document(o.Timeless), func(w io.Writer) { planTable(w, std, result) }))
	if err != nil {
		return err
	}
	noteYAML(o.to, std)
	return statusExit(result)
}

// noteYAML says that a plan that was written as YAML is not for this program.
func noteYAML(to cli.Destination, std cli.Streams) {
	if to.Chosen() == "yaml" && to.File != "" {
		std.Note("%s is for other programs: check, certify, explain and replan read plans in JSON, of -o json or --file NAME.json", to.File)
	}
}

// page writes the report of a plan of spec.
func (o *planOptions) page(r *jigsaw.Result, spec *instance.Spec) error {
	return o.planReport.write(r, planreport.Options{Timeless: o.Timeless, Block: o.block}, &o.InstanceFlags, spec, page.Section{})
}

// keep writes the instance, if that is requested.
func (o *planOptions) keep(spec *instance.Spec) error {
	if o.write == "" {
		return nil
	}
	return o.WriteInstance(o.write, spec)
}

// statusExit turns the status into an exit code; the reason has already been
// printed.
func statusExit(r *jigsaw.Result) error {
	switch r.Status {
	case jigsaw.Infeasible:
		return &cli.ExitError{Code: cli.ExitInfeasible}
	case jigsaw.Limit, jigsaw.Unknown:
		return &cli.ExitError{Code: cli.ExitLimit}
	}
	return nil
}
