package main

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"time"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

// title is the first line of every table: what is planned, on what, with which objective.
func title(in *instance.Instance) string {
	return fmt.Sprintf("%s: %s on %s in %s, %s", in.Name,
		cli.Count(len(in.Jobs), "job"), cli.Count(len(in.GPUs), "GPU"), cli.Count(len(in.Nodes), "node"), in.Objective)
}

func heading(w io.Writer, in *instance.Instance) { fmt.Fprintf(w, "%s\n\n", title(in)) }

func certified(yes bool) string {
	if yes {
		return "certified"
	}
	return "not certified"
}

func inBrackets(s string) string { return " (" + s + ")" }

// planTable prints baselines, plan and bound, one line each; notes say why one has no value.
func planTable(w io.Writer, std cli.Streams, r *jigsaw.Result) {
	in := r.Instance
	heading(w, in)
	if r.Status == jigsaw.Infeasible {
		reasons(w, r)
		std.Notes(w, []string{"jigsaw explain looks for changes that make a plan possible"})
		return
	}
	t := cli.RightColumns(w)
	money := func(cost *big.Rat) string { // a column if there are prices
		if !in.Priced() {
			return ""
		}
		return jigsaw.FormatCost(in, cost) + "\t"
	}
	head := ""
	if in.Priced() {
		head = "cost\t"
	}
	fmt.Fprintf(t, "\t%s\tto bound\tefficiency\t%s\n", in.Objective, head)
	row := func(name string, v *big.Rat, efficiency string, cost *big.Rat) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", name, r.FormatValue(v), cli.Gap(v, r.Dual, 1), efficiency, money(cost))
	}
	for _, b := range r.Baselines() {
		row(b.Name, b.Value, efficiency(b.Value, b.Efficiency), b.Cost())
	}
	row("plan", r.Primal, efficiency(r.Primal, r.Efficiency()), r.Cost())
	if r.Dual != nil {
		fmt.Fprintf(t, "bound\t%s\t\t\t%s\n", r.FormatValue(r.Dual), money(jigsaw.LeastCost(in)))
	}
	t.Flush()
	fmt.Fprintln(w)
	if r.Schedule == nil && r.Blocks == nil {
		reasons(w, r)
	} else {
		if stays := r.Stays(); stays != nil {
			staysTable(w, stays, r.Begin)
		}
		status(w, r)
	}
	std.Notes(w, r.Notes)
}

// status prints whether a plan is optimal, or how far from it.
func status(w io.Writer, r *jigsaw.Result) {
	fmt.Fprint(w, r.Status)
	if r.Primal != nil && r.Dual != nil {
		fmt.Fprintf(w, ", gap %s to a bound that is %s", cli.Gap(r.Primal, r.Dual, 2), certified(r.Certified))
	}
	fmt.Fprintln(w)
}

func efficiency(value *big.Rat, e float64) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", e)
}

// reasons prints why there is no plan.
func reasons(w io.Writer, r *jigsaw.Result) {
	what := map[jigsaw.Status]string{
		jigsaw.Infeasible: "infeasible: no valid schedule exists:",
		jigsaw.Limit:      "stopped before a plan was found:",
		jigsaw.Unknown:    "no plan was found, and no proof that there is none:",
	}[r.Status]
	fmt.Fprintln(w, what)
	for _, reason := range r.Reasons {
		fmt.Fprintf(w, "- %s\n", reason)
	}
}

// mostStays is the number of jobs shown in a table on the terminal.
const mostStays = 12

// staysTable prints which jobs are where and when, with clock times if the begin of the plan is known.
func staysTable(w io.Writer, stays []jigsaw.Stay, begin time.Time) {
	last := 0.0 // all times of the table have the same form
	for _, s := range stays {
		last = max(last, s.End)
	}
	t := cli.Columns(w)
	fmt.Fprintln(t, "job\tGPUs\ton\tadmitted\tend\twait\tslowdown")
	row := func(s *jigsaw.Stay, gpus, nodes string) {
		slowdown := "-"
		if s.Slowdown > 0 {
			slowdown = fmt.Sprintf("%.2f", s.Slowdown)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Job, gpus, nodes, view.MomentLike(begin, s.Admitted, last), view.MomentLike(begin, s.End, last), view.ClockLike(s.Wait, last), slowdown)
	}
	mean, share := jigsaw.Stay{Job: "mean of all"}, 1/float64(len(stays))
	for n := range stays {
		s := &stays[n]
		if n < mostStays {
			row(s, strconv.Itoa(len(s.GPUs)), on(s.Nodes))
		}
		mean.Admitted, mean.End = mean.Admitted+share*s.Admitted, mean.End+share*s.End
		mean.Wait, mean.Slowdown = mean.Wait+share*s.Wait, mean.Slowdown+share*s.Slowdown
	}
	if slices.ContainsFunc(stays, func(s jigsaw.Stay) bool { return s.Slowdown == 0 }) {
		mean.Slowdown = 0 // for some it is unknown
	}
	row(&mean, "", "")
	t.Flush()
	if more := len(stays) - mostStays; more > 0 {
		fmt.Fprintf(w, "and %s; --jobs-out FILE writes all\n", cli.Count(more, "more job"))
	}
	fmt.Fprintln(w)
}
