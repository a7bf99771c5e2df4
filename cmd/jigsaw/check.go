package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
)

func newCheck(std cli.Streams) *cobra.Command {
	var o cli.InstanceFlags
	var to cli.Destination
	var d drawings
	var begin cli.Begin
	c := &cobra.Command{
		Use:   "check INSTANCE SCHEDULE",
		Short: "Decide whether a schedule is valid, by the ten rules",
		Long: `Test a schedule against an instance, rule by rule. SCHEDULE is what
"jigsaw plan -o json" printed, or its "schedule" part alone; "-" reads it from
standard input. The checker shares no code with the planner.

A valid schedule is printed, drawn and written as by "jigsaw plan", so that a saved plan need not be
made again. The bound in its picture is the one stated in its file.
Exit codes: 0 valid, 1 violations found, 2 invalid input.`,
		Example: `  jigsaw plan rack -o json > plan.json
  jigsaw check rack plan.json
  jigsaw check tonight.yaml tonight.json --gantt tonight.svg --jobs-out tonight.csv`,
		Args: cli.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return runCheck(args[0], args[1], o, to, d, begin, std) },
	}
	o.Flags(c)
	to.Flags(c, cli.PrintFormats()...)
	d.Flags(c)
	c.Flags().Var(&begin, "begin", "when the plan begins, by the clock, like 2026-11-26T20:00, for the table by job, --gantt, --jobs-out and --turns; by default, what its file says")
	return c
}

// checkReport is the output of check.
type checkReport struct {
	Valid      bool        `json:"valid"`
	Instance   string      `json:"instance"`
	Objective  string      `json:"objective"`
	Value      *float64    `json:"value"`
	Efficiency *float64    `json:"efficiency"`
	Violations []violation `json:"violations"`
}

type violation struct {
	Rule      int    `json:"rule"`
	Job       string `json:"job,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	Tick      int64  `json:"tick"`
	Message   string `json:"message"`
}

func runCheck(name, schedule string, o cli.InstanceFlags, to cli.Destination, d drawings, begin cli.Begin, std cli.Streams) error {
	if err := cli.CheckWritable(o.Files(name, schedule), append(d.files(), to.File)...); err != nil {
		return err
	}
	o.Begun = begin.Time
	document, models, err := o.ReadDocument(name, std)
	if err != nil {
		return err
	}
	if document.Spec.Bursts() {
		in, err := document.CompileBursts(models)
		if err != nil {
			return cli.Invalid(name, "a valid instance", err)
		}
		if d != (drawings{}) {
			return cli.Usage(errors.New("plans of burst-parallel jobs are drawn by jigsaw plan --gantt, which makes them at once"))
		}
		return checkBursts(in, schedule, to, std)
	}
	in, err := document.Compile(models)
	if err != nil {
		return cli.Invalid(name, "a valid instance", err)
	}
	if err := d.refuses(in); err != nil {
		return err
	}
	var read bytes.Buffer
	plan, err := readPlan(in, schedule, std, &read)
	if err != nil {
		return err
	}
	tasks, _ := plan.(*instance.Schedule)
	blocks, _ := plan.(*instance.BlockSchedule)
	report := newCheckReport(in, plan)
	begun := statedBegin(begin, read.Bytes())
	err = to.Print(std, report, func(w io.Writer) {
		if report.Valid && blocks != nil {
			staysTable(w, jigsaw.Stays(in, blocks), begun)
		}
		report.table(w, in, plan)
	})
	if err == nil && !report.Valid {
		return &cli.ExitError{Code: cli.ExitFailure}
	}
	if err != nil || d == (drawings{}) {
		return err
	}
	options := view.GanttOptions{Begin: begun}
	if bound := statedBound(in, read.Bytes()); bound != nil {
		options.Bound = *bound
	}
	if blocks != nil {
		if tasks, err = jigsaw.WrittenOut(in, blocks); err != nil {
			return err
		}
	}
	return d.draw(in, tasks, blocks, options)
}

// readSchedule reads a schedule of the instance from a file or standard input.
func readSchedule(in *instance.Instance, name string, std cli.Streams) (instance.Plan, error) {
	return readPlan(in, name, std, io.Discard)
}

// statedBound is the dual bound that the file of a plan states for the instance's objective; nil:
// none. It is not checked.
func statedBound(in *instance.Instance, plan []byte) *float64 {
	var stated struct {
		Objective string   `json:"objective"`
		DualBound *float64 `json:"dual_bound"`
	}
	if err := json.Unmarshal(plan, &stated); err != nil || stated.Objective != string(in.Objective) {
		return nil
	}
	return stated.DualBound
}

// statedBegin is when a plan begins, by a flag or else by its file; zero: not known.
func statedBegin(flag cli.Begin, plan []byte) time.Time {
	var stated struct {
		Begin string `json:"begin"`
	}
	if flag.IsZero() && json.Unmarshal(plan, &stated) == nil {
		flag.Time, _ = codec.ParseTime(stated.Begin)
	}
	return flag.Time
}

// readPlan is readSchedule that also copies what it reads.
func readPlan(in *instance.Instance, name string, std cli.Streams, to io.Writer) (instance.Plan, error) {
	file, err := cli.OpenFile(name, std)
	if err != nil {
		return nil, cli.Usage(err)
	}
	defer file.Close()
	return decodePlan(in, name, io.TeeReader(file, to))
}

// decodePlan reads a schedule of the instance from a file with that name.
func decodePlan(in *instance.Instance, name string, r io.Reader) (instance.Plan, error) {
	plan, err := codec.DecodePlan(in, r)
	if err != nil {
		return nil, cli.Invalid(name, "a schedule of "+in.Name, err)
	}
	return plan, nil
}

func newCheckReport(in *instance.Instance, plan instance.Plan) *checkReport {
	report := &checkReport{Instance: in.Name, Objective: string(in.Objective), Violations: []violation{}}
	for _, v := range check.Plan(in, plan) {
		row := violation{Rule: v.Rule, Iteration: v.Iteration, Tick: int64(v.Tick), Message: v.String()}
		if v.Job >= 0 && int(v.Job) < len(in.Jobs) {
			row.Job = in.Jobs[v.Job].Name
		}
		report.Violations = append(report.Violations, row)
	}
	if report.Valid = len(report.Violations) == 0; report.Valid {
		report.Value, report.Efficiency = jigsaw.Number(in.Value(plan)), new(plan.Efficiency(in))
	}
	return report
}

func (r *checkReport) table(w io.Writer, in *instance.Instance, plan instance.Plan) {
	if r.Valid {
		fmt.Fprintf(w, "valid: %s %s, efficiency %.3f\n", r.Objective, jigsaw.FormatValue(in, in.Value(plan)), *r.Efficiency)
		return
	}
	for _, v := range r.Violations {
		fmt.Fprintln(w, v.Message)
	}
	fmt.Fprintf(w, "invalid: %s\n", cli.Count(len(r.Violations), "violation"))
}
