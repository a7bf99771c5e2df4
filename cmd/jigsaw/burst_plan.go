package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
)

// burstDocument is a plan that prints itself as a table.
type burstDocument jigsaw.BurstDocument

// bursts plans an instance of burst-parallel jobs.
func (o *planOptions) bursts(in *instance.Bursts, std cli.Streams) error {
	if err := o.notForBursts(o.report); err != nil {
		return err
	}
	if o.block < 0 || o.block > len(in.Foreground) {
		return cli.Usage(fmt.Errorf("--gantt-block %d: there are %d burst-parallel jobs", o.block, len(in.Foreground)))
	}
	r, err := jigsaw.PlanBursts(in)
	if err != nil {
		return err
	}
	d := (*burstDocument)(&r.Document)
	if r.Proof == nil {
		said, exit := "no plan found", cli.ExitLimit
		if d.Status == jigsaw.Infeasible {
			said, exit = "proven: no plan exists", cli.ExitInfeasible
		}
		return errors.Join(o.to.Print(std, d, func(w io.Writer) {
			fmt.Fprintf(w, "%s\n\n%s:\n- %s\n", burstTitle(in), said, strings.Join(d.Reasons, "\n- "))
		}), &cli.ExitError{Code: exit})
	}
	if err := cli.Prove(o.Certificate, r.Proof); err != nil {
		return err
	}
	if o.gantt != "" {
		if err := cli.WriteFile(o.gantt, func(w io.Writer) error { return r.Draw(w, max(o.block, 1)-1) }); err != nil {
			return err
		}
	}
	return o.to.Print(std, d, func(w io.Writer) { d.table(w, std, in) })
}

// burstTitle describes an instance.
func burstTitle(in *instance.Bursts) string {
	return fmt.Sprintf("%s: %s, %s, on %s in %s", in.Name, cli.Count(len(in.Foreground), "burst-parallel job"), cli.Count(len(in.Jobs), "background job"),
		cli.Count(len(in.GPUs), "GPU"), cli.Count(len(in.Nodes), "node"))
}

// table prints the burst-parallel jobs, when their GPUs are idle, and the background
// jobs.
func (d *burstDocument) table(w io.Writer, std cli.Streams, in *instance.Bursts) {
	fmt.Fprintf(w, "%s\n\n", burstTitle(in))
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "job\tnode\tone GPU\tdata parallel\tin bursts\tGPU-time\tperiod\tslowdown\t  GPUs of stages")
	for _, job := range d.Jobs {
		var widths []string
		for _, s := range job.Stages {
			widths = append(widths, fmt.Sprint(s.GPUs))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t  %s\n", job.Name, job.Node, fine(job.OneGPU), fine(job.DataParallel), fine(job.Time), fine(job.GPUTime), fine(job.Period), job.Slowdown, strings.Join(widths, " "))
	}
	t.Flush()
	for _, job := range d.Jobs {
		fmt.Fprintf(w, "\n%s leaves idle, for %s and more\n", job.Name, d.Slice)
		windowTable(w, job.GPUs, job.Windows)
	}
	if len(d.Background) > 0 {
		fmt.Fprintln(w)
		t = cli.RightColumns(w)
		fmt.Fprintln(t, "background\tnode\tGPU\tmodel\trate of alone\titerations/s\t")
		for j, b := range d.Background[:min(mostRows, len(d.Background))] {
			node, gpu := "-", "-"
			if b.GPU != burst.Nowhere {
				node, gpu = b.Node, fmt.Sprint(in.Nodes[in.GPUs[b.GPU].Node].Place(b.GPU))
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s@%d\t%.4f\t%.3f\t\n", b.Name, node, gpu, in.Jobs[j].Model, in.Jobs[j].Batch, b.Rate, b.PerSecond)
		}
		t.Flush()
		if len(d.Background) > mostRows {
			fmt.Fprintf(w, "and %d more; -o json has all\n", len(d.Background)-mostRows)
		}
		fmt.Fprintf(w, "\nbackground %.4f GPUs' worth, at most %.4f (certified)\n", d.Rate, d.Bound)
	}
	std.Notes(w, d.Notes)
}

// mostPlanBytes is the largest plan of burst-parallel jobs that is read.
const mostPlanBytes = 64 << 20

// checkBursts checks a plan of burst-parallel jobs, as printed by -o json.
func checkBursts(in *instance.Bursts, name string, to cli.Destination, std cli.Streams) error {
	file, err := cli.OpenFile(name, std)
	if err != nil {
		return cli.Usage(err)
	}
	defer file.Close()
	var d burstDocument
	decoder := json.NewDecoder(io.LimitReader(file, mostPlanBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return cli.Usage(fmt.Errorf("%s is not a plan of burst-parallel jobs, as jigsaw plan -o json prints it: %w", name, err))
	}
	chains, _, err := burst.Chains(in)
	if err != nil {
		return cli.Usage(err)
	}
	s := &burst.Schedule{}
	for i := range d.Jobs {
		s.Jobs = append(s.Jobs, d.Jobs[i].Foreground)
	}
	for _, b := range d.Background {
		s.Homes = append(s.Homes, b.GPU)
	}
	report := burstCheck{Instance: in.Name, Violations: burst.CheckSchedule(in, chains, s)}
	if report.Valid = len(report.Violations) == 0; report.Valid {
		sum := new(big.Rat)
		for _, rate := range s.Rates(in) {
			sum.Add(sum, rate)
		}
		bound, err := burst.Prove(in, chains, s.Stages())
		if err != nil {
			return err
		}
		report.Rate, report.Bound = float(sum), float(bound)
	}
	err = to.Print(std, report, func(w io.Writer) {
		if report.Valid {
			fmt.Fprintf(w, "valid: background %.4f GPUs' worth, at most %.4f\n", report.Rate, report.Bound)
			return
		}
		fmt.Fprintf(w, "%s\ninvalid: %s\n", strings.Join(report.Violations, "\n"), cli.Count(len(report.Violations), "violation"))
	})
	if err == nil && !report.Valid {
		err = &cli.ExitError{Code: cli.ExitFailure}
	}
	return err
}

// burstCheck is the output of check for a plan of burst-parallel jobs.
type burstCheck struct {
	Valid      bool     `json:"valid"`
	Instance   string   `json:"instance"`
	Rate       float64  `json:"background_rate"`
	Bound      float64  `json:"background_bound"`
	Violations []string `json:"violations"`
}
