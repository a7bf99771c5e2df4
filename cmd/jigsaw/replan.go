package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
	"jigsaw/study/planreport"
	"jigsaw/study/report/page"
)

type replanOptions struct {
	batch
	cli.RunFlags
	to    cli.Destination
	gap   cli.Fraction
	quick bool
	begin cli.Begin

	at                                        cli.Moment
	changes, add, rest, jobsOut, gantt, turns string
	changed                                   changeFlags
	done, progress, left                      []string
	planReport
}

func newReplan(std cli.Streams) *cobra.Command {
	var o replanOptions
	c := &cobra.Command{
		Use:   "replan INSTANCE PLAN --at TIME",
		Short: "Continue a plan after changes: failures, new jobs, jobs that ended or fell behind",
		Long: `Continue a plan that is under way, after changes. PLAN is what "jigsaw plan -o json" printed for
the instance; --at says how long ago it began, or what time it is now. Iterations that have ended are
done. Those in flight end as planned, unless they use something that changed: then they are done
again. Jobs in memory stay on their GPUs unless they must move; jobs that move are loaded again. The
rest of the plan is first repaired, in the order of the plan, and then improved in the time that is left.
Deadlines that no plan was found to meet are given up, and named.

Changes are given by flags, most of them repeatable, or in a file:

  version: 1
  changes:
    - {kind: fail_node, subject: r0n2}
    - {kind: fail_gpu, subject: r0n1.gpu3}
    - {kind: link_speed, subject: r1.up, factor: 0.5}
    - {kind: progress, subject: bert-1, iterations: 1200}
  jobs:        # new jobs, as in an instance file; releases count from --at
    - {name: late, model: resnet50, workers: 2, iterations: 100}

The kinds are ` + strings.Join(kindNames(), ", ") + `.

The output says what becomes of every job, and shows the plan of the rest with its bound.
Times of that plan count from the start of the oldest iteration in flight, a little before
--at. --write writes the instance of the rest; the next replan takes that instance and this plan.

Ctrl-C, or the time limit, ends the work with the best plan so far.
Exit codes: 0 plan found, or no job left, 2 invalid input, 3 proven infeasible, 4 no plan found.`,
		Example: `  jigsaw plan night --time 60s -o json > night.json
  jigsaw replan night night.json --at 2h --fail-node r0n3 --time 20s
  jigsaw replan night night.json --at 2h --changes changes.yaml --add tonight.csv \
    --write rest.yaml -o json > rest.json
  jigsaw replan rest.yaml rest.json --at 30m --done bert-3`,
		Args: func(c *cobra.Command, args []string) error { return o.args(c, args, 1) },
		PreRunE: func(c *cobra.Command, _ []string) error {
			if !c.Flag("at").Changed {
				return cli.Usage(errors.New("give --at, how long ago the plan began, like --at 2h"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				args = append([]string{""}, args...)
			}
			o.command = cli.CommandLine(c, slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "" }))
			return runReplan(c.Context(), args[0], args[1], o, std)
		},
	}
	o.batch.Flags(c, "--jobs or --add")
	o.RunFlags.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	f := c.Flags()
	f.Var(&o.begin, "begin", "when PLAN began, by the clock, like 2026-11-26T20:00; by default, what its file says; tables, --jobs-out and --gantt then show times of the clock")
	f.Var(&o.gap, "gap", "end once the plan is proven to be this close to the optimum, like 1% or 0.01")
	f.BoolVar(&o.quick, "quick", false, "little search and the quick bounds, for a first answer")
	f.Var(&o.at, "at", "how long ago the plan began, like 2h or 90s, or, if it is known when the plan began, what time it is now, like 22:30")
	f.StringVar(&o.changes, "changes", "", "a `file` of changes, YAML or JSON")
	o.changed.flags(c, &o.InstanceFlags, std)
	f.StringArrayVar(&o.changed.drop, "drop", nil, "this `job` is cancelled")
	f.StringArrayVar(&o.done, "done", nil, "this `job` has ended, whatever was planned")
	f.StringArrayVar(&o.progress, "progress", nil, "`job=n`: the job has done n iterations, whatever was planned")
	f.StringArrayVar(&o.left, "left", nil, "`job=n`: the job has n iterations left, whatever was planned")
	f.StringVar(&o.add, "add", "", "a `file` that lists new jobs, as for jigsaw plan --jobs; releases and deadlines count from --at, or are times of the clock")
	f.StringVar(&o.rest, "write", "", "write the instance of the rest into this YAML `file`")
	f.StringVar(&o.jobsOut, "jobs-out", "", "write what becomes of every job into this CSV `file`")
	f.StringVar(&o.gantt, "gantt", "", "draw which job is where in the rest of the plan into this SVG `file`")
	o.planReport.Flags(c)
	f.StringVar(&o.turns, "turns", "", "write turn sheets of the rest, what each GPU does in which order, into this JSON `file`; see docs/turns.md")
	for flag, after := range map[string]string{"drop": "", "done": "", "progress": "=", "left": "="} {
		o.CompleteFrom(c, flag, after, std, cli.JobNames)
	}
	return c
}

func kindNames() (names []string) {
	for _, k := range change.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// given returns the changes requested by flags.
func (o *replanOptions) given() (list []flagged, err error) {
	if list, err = o.changed.given(); err != nil {
		return nil, err
	}
	for _, name := range o.done {
		list = append(list, flagged{change.Change{Kind: change.DoneJob, Subject: name}, "--done " + name})
	}
	for _, f := range []struct {
		flag  string
		kind  change.Kind
		names []string
	}{{"--progress", change.Progress, o.progress}, {"--left", change.Left, o.left}} {
		for _, name := range f.names {
			at := strings.LastIndexByte(name, '=')
			n, err := strconv.Atoi(name[at+1:])
			if at < 0 || err != nil {
				return nil, cli.Usage(fmt.Errorf("%s %q: write job=iterations, like bert-1=1200", f.flag, name))
			}
			list = append(list, flagged{change.Change{Kind: f.kind, Subject: name[:at], Iterations: n}, f.flag + " " + name})
		}
	}
	return list, nil
}

// replanReport is the output of replan: a plan, and what happens to every job.
type replanReport struct {
	*jigsaw.Document
	// At is the time of the changes, and Origin time 0 of the schedule, in seconds since the previous plan began.
	At     float64            `json:"at"`
	Origin float64            `json:"origin"`
	Jobs   []jigsaw.JobChange `json:"jobs"`
}

func runReplan(ctx context.Context, name, plan string, o replanOptions, std cli.Streams) error {
	options, err := o.Options(o.quick)
	if err != nil {
		return err
	}
	flags, err := o.given()
	if err != nil {
		return err
	}
	if err := cli.CheckWritable(o.Files(name, o.cluster, o.jobs, o.ModelTable, plan, o.changes, o.add), o.Certificate, o.rest, o.jobsOut, o.gantt, o.report, o.turns, o.to.File); err != nil {
		return err
	}
	planned, err := cli.ReadFile(plan, std)
	if err != nil {
		return cli.Usage(err)
	}
	began := statedBegin(o.begin, planned)
	at, err := o.at.After(began)
	if err != nil {
		return cli.Usage(fmt.Errorf("--at %w", err))
	}
	o.Begun = began
	var come coming
	o.Beside = func(spec *instance.Spec) ([]instance.JobSpec, error) {
		now := began
		if !began.IsZero() {
			now = began.Add(at)
		}
		return come.read(&o, spec, now, std)
	}
	document, models, err := o.spec(name, std)
	if err != nil {
		return err
	}
	in, err := document.Compile(models)
	if err != nil {
		return cli.Invalid(name, "a valid instance", err)
	}
	s, err := decodePlan(in, plan, bytes.NewReader(planned))
	if err != nil {
		return err
	}
	blocks, ok := s.(*instance.BlockSchedule)
	if !ok {
		blocks = s.(*instance.Schedule).Block()
	}
	if end := time.Duration(in.Duration(s.Makespan(in))); !began.IsZero() && (at < 0 || at >= end) {
		by := func(after time.Duration) string { return view.MomentLike(began, after.Seconds(), end.Seconds()) }
		return cli.Usage(fmt.Errorf("--at %s: %s is not within the plan, which goes on from %s to %s", &o.at, by(at), by(0), by(end)))
	}
	update, explain, err := o.update(come, document.Spec, models, flags)
	if err != nil {
		return err
	}
	update.At = instance.Duration(at)
	w := o.Watcher(std, in)
	options.Seed, options.Gap, options.Progress = o.seed, float64(o.gap), w.Show
	r, err := jigsaw.Replan(ctx, document.Spec, models, blocks, update, options)
	w.End(nil)
	if err != nil && (r == nil || r.Primal == nil) {
		return explain(err)
	}
	if !began.IsZero() {
		r.Begin = began.Add(time.Duration(r.Origin))
	}
	// As after plan, a failure of one output, or of a part of the planner, does not suppress the others.
	if o.rest != "" {
		err = errors.Join(err, o.WriteInstance(o.rest, r.Spec))
	}
	if o.jobsOut != "" {
		err = errors.Join(err, cli.WriteFile(o.jobsOut, func(w io.Writer) error { return jigsaw.WriteJobChanges(w, r.Jobs, began) }))
	}
	if o.gantt != "" && r.Blocks != nil {
		err = errors.Join(err, cli.WriteFile(o.gantt, func(w io.Writer) error { return view.Hours(w, r.Instance, r.Blocks, ganttOptions(r.Result)) }))
	}
	if o.turns != "" && r.Blocks != nil {
		err = errors.Join(err, cli.WriteFile(o.turns, func(w io.Writer) error { return view.Turns(w, r.Instance, r.Schedule, r.Blocks, r.Begin) }))
	}
	err = errors.Join(err, o.page(r, began))
	report := replanReport{r.Document(o.Timeless), at.Seconds(), time.Duration(r.Origin).Seconds(), r.Jobs}
	if len(r.Instance.Jobs) > 0 {
		err = errors.Join(err, cli.Prove(o.Certificate, r.Proof))
	}
	err = errors.Join(err, o.to.Print(std, report, func(w io.Writer) { replanTable(w, std, r, began) }))
	if err != nil {
		return err
	}
	noteYAML(o.to, std)
	return statusExit(r.Result)
}

// page writes the report of the rest, with what becomes of jobs.
func (o *replanOptions) page(r *jigsaw.ReplanResult, began time.Time) error {
	rows := changeRows(r.Jobs, began)
	changes := page.Section{
		ID: "changes", Title: "What becomes of the jobs", Text: "Jobs: " + changeCounts(r.Jobs) + ".",
		Tables: []page.Table{{Caption: "Jobs that change come first; --jobs-out writes all.", Head: changeHead(), Rows: rows[:min(len(rows), mostChanges)], Words: 4}},
	}
	return o.write(r.Result, planreport.Options{Timeless: o.Timeless}, &o.InstanceFlags, r.Spec, changes)
}

// coming holds what files say about a plan in progress.
type coming struct {
	update jigsaw.Update
	at     codec.File
	added  *codec.JobList
}

// read reads the files of changes and of new jobs, and returns the latter. now is when they arrive, by the
// clock; zero: not known.
func (r *coming) read(o *replanOptions, spec *instance.Spec, now time.Time, std cli.Streams) (jobs []instance.JobSpec, err error) {
	if o.changes != "" {
		file, err := cli.OpenFile(o.changes, std)
		if err != nil {
			return nil, cli.Usage(err)
		}
		defer file.Close()
		if r.update, r.at, err = jigsaw.DecodeChanges(file); err != nil {
			return nil, cli.Invalid(o.changes, "a file of changes", err)
		}
		jobs = r.update.Jobs
	}
	if o.add != "" {
		if r.added, err = o.list(o.add, spec, now, std); err != nil {
			return nil, err
		}
		jobs = slices.Concat(jobs, r.added.Jobs)
	}
	return jobs, nil
}

// update collects the current state of the plan. explain locates errors that [jigsaw.Replan] finds in it.
func (o *replanOptions) update(come coming, spec *instance.Spec, models instance.ProfileSource, flags []flagged) (u jigsaw.Update, explain func(error) error, err error) {
	u = come.update
	changes, jobs := len(u.Changes), len(u.Jobs)
	for _, f := range flags {
		u.Changes = append(u.Changes, f.Change)
	}
	if come.added != nil {
		more, err := jigsaw.CompileJobs(come.added, spec, models)
		if err != nil {
			return u, nil, cli.Invalid(o.add, "a list of jobs", err)
		}
		u.Jobs = append(u.Jobs, more...)
	}
	return u, func(err error) error {
		var problems instance.Problems
		if !errors.As(err, &problems) {
			return err
		}
		here := slices.Clone(problems[:0])
		for _, p := range problems {
			var n int
			if _, bad := fmt.Sscanf(p.Path, "changes[%d]", &n); bad == nil && n >= changes {
				return cli.Usage(fmt.Errorf("%s: %s", flags[n-changes].flag, p.Message))
			}
			if _, bad := fmt.Sscanf(p.Path, "jobs[%d]", &n); bad == nil && n >= jobs {
				return cli.Usage(fmt.Errorf("%s: job %q: %s", o.add, u.Jobs[n].Name, p.Message))
			}
			here = append(here, p)
		}
		if problems[0].Path == "" || o.changes == "" {
			return cli.Usage(err)
		}
		come.at.Locate(here)
		return cli.Invalid(o.changes, "a file of changes for this plan", here)
	}, nil
}

// mostChanges is the number of jobs in the table.
const mostChanges = 40

// replanTable prints what happens to jobs, those that change first, and the plan of the rest.
func replanTable(w io.Writer, std cli.Streams, r *jigsaw.ReplanResult, began time.Time) {
	heading(w, r.Instance)
	if r.Primal == nil && len(r.Instance.Jobs) > 0 {
		reasons(w, r.Result)
		std.Notes(w, r.Notes)
		return
	}
	t := cli.Columns(w)
	fmt.Fprintln(t, strings.Join(changeHead(), "\t"))
	rows := changeRows(r.Jobs, began)
	for _, row := range rows[:min(len(rows), mostChanges)] {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	if more := len(rows) - mostChanges; more > 0 {
		fmt.Fprintf(w, "and %s; --jobs-out FILE writes all\n", cli.Count(more, "more job"))
	}
	fmt.Fprintf(w, "\njobs: %s\n", changeCounts(r.Jobs))
	if r.Primal == nil {
		std.Notes(w, r.Notes)
		return
	}
	begins := view.Clock(time.Duration(r.Origin).Seconds()) + " after the plan"
	if !began.IsZero() {
		begins = "on " + view.Moment(began, time.Duration(r.Origin).Seconds())
	}
	fmt.Fprintf(w, "the rest begins %s; its %s is %s, the bound %s\n", begins, r.Instance.Objective.Words(),
		r.FormatValue(r.Primal), r.FormatValue(r.Dual))
	status(w, r.Result)
	std.Notes(w, r.Notes)
}

func changeHead() []string { return []string{"job", "", "from", "to", "end before", "after", "delay"} }

// changeRows says in words what happens to jobs, those that change first.
func changeRows(changes []jigsaw.JobChange, began time.Time) (rows [][]string) {
	rank := func(c jigsaw.JobChange) int {
		switch {
		case c.What != jigsaw.JobStays && c.What != jigsaw.JobWaits && c.What != jigsaw.JobDone:
			return 0
		case c.Delay != nil && *c.Delay != 0:
			return 1
		}
		return 2
	}
	jobs := slices.Clone(changes)
	slices.SortStableFunc(jobs, func(a, b jigsaw.JobChange) int { return rank(a) - rank(b) })
	last := 0.0 // all times of the table have the same form
	for _, c := range jobs {
		for _, v := range []*float64{c.Before, c.After} {
			if v != nil {
				last = max(last, *v)
			}
		}
	}
	when := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return view.MomentLike(began, *v, last)
	}
	delay := func(v *float64) string {
		if v == nil {
			return "-"
		}
		amount, sign := view.ClockLike(math.Abs(*v), last), "+"
		if *v < 0 && amount != view.ClockLike(0, last) {
			sign = "-"
		}
		return sign + amount
	}
	for _, c := range jobs {
		rows = append(rows, []string{c.Job, string(c.What), on(c.From), on(c.To), when(c.Before), when(c.After), delay(c.Delay)})
	}
	return rows
}

// changeCounts counts jobs by what happens to them.
func changeCounts(changes []jigsaw.JobChange) string {
	counts := map[jigsaw.JobChoice]int{}
	for _, c := range changes {
		counts[c.What]++
	}
	var parts []string
	for _, what := range []jigsaw.JobChoice{jigsaw.JobStays, jigsaw.JobMoves, jigsaw.JobWaits, jigsaw.JobNew, jigsaw.JobCancelled, jigsaw.JobDone} {
		if word := string(what); counts[what] > 0 {
			if counts[what] > 1 {
				word = strings.TrimSuffix(word, "s") // 1 moves, 2 move
			}
			parts = append(parts, fmt.Sprintf("%d %s", counts[what], word))
		}
	}
	return strings.Join(parts, ", ")
}

// on names the first of some nodes, and the number of the others.
func on(nodes []string) string {
	switch len(nodes) {
	case 0:
		return "-"
	case 1:
		return nodes[0]
	}
	return fmt.Sprintf("%s and %d more", nodes[0], len(nodes)-1)
}
