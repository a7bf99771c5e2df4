package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
)

// burstDocument is the plan of an instance of burst-parallel jobs as it is printed, and read by check.
type burstDocument struct {
	SchemaVersion int                `json:"schema_version"`
	Instance      string             `json:"instance"`
	Status        jigsaw.Status      `json:"status"`
	Jobs          []burstPlanned     `json:"jobs"`
	Background    []placedBackground `json:"background"`
	Slice         instance.Duration  `json:"slice"`
	// Rate is what the background has together, in GPUs' worth of time, and Bound what it has at most,
	// wherever its jobs are and however these plans are delayed.
	Rate       float64  `json:"background_rate"`
	RateExact  string   `json:"background_rate_exact"`
	Bound      float64  `json:"background_bound"`
	BoundExact string   `json:"background_bound_exact"`
	Notes      []string `json:"notes,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
}

// burstPlanned is a burst-parallel job.
type burstPlanned struct {
	Name string `json:"name"`
	Node string `json:"node"`
	GPUs int    `json:"gpus"`
	burst.Foreground
	Stages []burst.Stage `json:"stages"`
	// OneGPU and DataParallel are the time of an iteration on one GPU, and with every layer on all of them.
	OneGPU       instance.Duration `json:"time_on_one_gpu"`
	DataParallel instance.Duration `json:"time_data_parallel"`
	Slowdown     float64           `json:"slowdown"`
}

// placedBackground is a background job.
type placedBackground struct {
	Name string `json:"name"`
	// GPU by number; -1 where none has room.
	GPU  instance.GPUID `json:"gpu"`
	Node string         `json:"node,omitempty"`
	// Rate over that alone, and the same as a fraction.
	Rate      float64 `json:"rate_of_alone"`
	RateExact string  `json:"rate_of_alone_exact"`
	PerSecond float64 `json:"iterations_per_second"`
}

// bursts plans an instance of burst-parallel jobs.
func (o *planOptions) bursts(in *instance.Bursts, std cli.Streams) error {
	for _, file := range []struct{ flag, name string }{{"certificate", o.Certificate}, {"trace", o.trace}, {"csv", o.csv}, {"turns", o.turns}, {"jobs-out", o.jobsOut}} {
		if file.name != "" {
			return cli.Usage(fmt.Errorf("--%s is not for burst-parallel jobs; -o json has their timetables, and --gantt draws one", file.flag))
		}
	}
	if o.block < 0 || o.block > len(in.Foreground) {
		return cli.Usage(fmt.Errorf("--gantt-block %d: there are %d burst-parallel jobs", o.block, len(in.Foreground)))
	}
	chains, notes, err := burst.Chains(in)
	if err != nil {
		return cli.Usage(err)
	}
	s, bound, reasons, err := burst.Solve(in, chains)
	if err != nil {
		return cli.Usage(err)
	}
	d := &burstDocument{SchemaVersion: jigsaw.DocumentVersion, Instance: in.Name, Status: jigsaw.Unknown, Slice: in.Slice, Notes: notes, Reasons: reasons}
	if s == nil {
		return errors.Join(o.to.Print(std, d, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: no plan found, since memory is not among what stages are chosen by:\n- %s\n", d.Instance, strings.Join(reasons, "\n- "))
			return err
		}), &cli.ExitError{Code: cli.ExitLimit})
	}
	if wrong := burst.CheckSchedule(in, chains, s); len(wrong) > 0 {
		return fmt.Errorf("a fault of JigSaw: the plan is not valid: %s", strings.Join(wrong, "; "))
	}
	if err := d.fill(in, chains, s, bound); err != nil {
		return err
	}
	if o.gantt != "" {
		if err := cli.WriteFile(o.gantt, func(w io.Writer) error { return d.draw(w, in, chains, max(o.block, 1)-1) }); err != nil {
			return err
		}
	}
	return o.to.Print(std, d, func(w io.Writer) error { return d.table(w, std, in) })
}

// fill says what a schedule amounts to.
func (d *burstDocument) fill(in *instance.Bursts, chains []*burst.Chain, s *burst.Schedule, bound *big.Rat) error {
	for i, f := range s.Jobs {
		job := &in.Foreground[i]
		d.Jobs = append(d.Jobs, burstPlanned{
			Name: job.Name, Node: in.Nodes[job.Node].Name, GPUs: job.GPUs, Foreground: f, Stages: chains[i].Stages(f.Plan),
			OneGPU: chains[i].DataParallel(1).Time, DataParallel: chains[i].DataParallel(slices.Max(chains[i].GPUs)).Time, Slowdown: ratio(f.Period, f.Alone),
		})
		if widest := slices.Max(chains[i].GPUs); widest < job.GPUs {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: at most %d of %d GPUs are used: the batch of %d is divided no further", job.Name, widest, job.GPUs, job.Batch))
		}
	}
	sum := new(big.Rat)
	for j, rate := range s.Rates(in) {
		job, home := &in.Jobs[j], s.Homes[j]
		sum.Add(sum, rate)
		filler := placedBackground{Name: job.Name, GPU: home, Rate: float(rate), RateExact: rate.RatString()}
		if home == burst.Nowhere {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: no GPU that idles has the memory for it", job.Name))
		} else {
			filler.Node = in.Nodes[in.GPUs[home].Node].Name
			filler.PerSecond = filler.Rate * 1e6 / float64(job.On[in.GPUs[home].Type].Time[job.Full()])
		}
		d.Background = append(d.Background, filler)
	}
	if sum.Cmp(bound) > 0 {
		return fmt.Errorf("a fault of JigSaw: the background has %s of a GPU, above the bound of %s", sum.RatString(), bound.RatString())
	}
	d.Rate, d.RateExact = float(sum), sum.RatString()
	d.Bound, d.BoundExact = float(bound), bound.RatString()
	if d.Status = jigsaw.Feasible; sum.Cmp(bound) == 0 {
		d.Status = jigsaw.Optimal
	}
	return nil
}

// table prints the burst-parallel jobs, when their GPUs idle, and the background jobs.
func (d *burstDocument) table(w io.Writer, std cli.Streams, in *instance.Bursts) error {
	fmt.Fprintf(w, "%s: %s, %s, on %s in %s\n\n", d.Instance, cli.Count(len(d.Jobs), "burst-parallel job"), cli.Count(len(d.Background), "background job"),
		cli.Count(len(in.GPUs), "GPU"), cli.Count(len(in.Nodes), "node"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "job\tnode\tone GPU\tdata parallel\tin bursts\tGPU-time\tperiod\tslowdown\t  GPUs of stages")
	for _, job := range d.Jobs {
		var widths []string
		for _, s := range job.Stages {
			widths = append(widths, fmt.Sprint(s.GPUs))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t  %s\n", job.Name, job.Node, fine(job.OneGPU), fine(job.DataParallel), fine(job.Time), fine(job.GPUTime), fine(job.Period), job.Slowdown, strings.Join(widths, " "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, job := range d.Jobs {
		fmt.Fprintf(w, "\n%s leaves idle, for %s and more\n", job.Name, d.Slice)
		if err := windowTable(w, job.GPUs, job.Windows); err != nil {
			return err
		}
	}
	if len(d.Background) > 0 {
		fmt.Fprintln(w)
		t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "background\tnode\tGPU\tmodel\trate of alone\titerations/s\t")
		for j, b := range d.Background[:min(mostRows, len(d.Background))] {
			node, gpu := "-", "-"
			if b.GPU != burst.Nowhere {
				node, gpu = b.Node, fmt.Sprint(b.GPU-in.Nodes[in.GPUs[b.GPU].Node].FirstGPU)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s@%d\t%.4f\t%.3f\t\n", b.Name, node, gpu, in.Jobs[j].Model, in.Jobs[j].Batch, b.Rate, b.PerSecond)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if len(d.Background) > mostRows {
			fmt.Fprintf(w, "and %d more; -o json has all\n", len(d.Background)-mostRows)
		}
		fmt.Fprintf(w, "\nbackground %.4f GPUs' worth, at most %.4f (exact arithmetic)\n", d.Rate, d.Bound)
	}
	return std.Notes(w, d.Notes)
}

// draw makes a picture of one period of a burst-parallel job.
func (d *burstDocument) draw(w io.Writer, in *instance.Bursts, chains []*burst.Chain, i int) error {
	job := &d.Jobs[i]
	b := burstBackground{Rules: burst.Rules{GPUs: job.GPUs}, Timetable: &job.Timetable, Slowdown: job.Slowdown}
	for _, rate := range job.Rates(len(in.Jobs)) {
		b.Background += float(rate)
	}
	for j := range in.Jobs {
		b.Jobs = append(b.Jobs, backgroundJob{backgroundModel: backgroundModel{Model: in.Jobs[j].Model}})
	}
	r := burstReport{Model: job.Name}
	for _, l := range chains[i].Layers {
		r.Layers = append(r.Layers, l.Name)
	}
	return b.draw(w, &r)
}

// mostPlanBytes of a plan of burst-parallel jobs are read.
const mostPlanBytes = 64 << 20

// checkBursts checks a plan of burst-parallel jobs, as -o json prints it.
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
		report.Rate, report.Bound = float(sum), float(s.Bound(in, chains))
	}
	err = to.Print(std, report, func(w io.Writer) error {
		if report.Valid {
			_, err := fmt.Fprintf(w, "valid: background %.4f GPUs' worth, at most %.4f\n", report.Rate, report.Bound)
			return err
		}
		_, err := fmt.Fprintf(w, "%s\ninvalid: %s\n", strings.Join(report.Violations, "\n"), cli.Count(len(report.Violations), "violation"))
		return err
	})
	if err == nil && !report.Valid {
		err = &cli.ExitError{Code: cli.ExitFailure}
	}
	return err
}

// burstCheck is what check prints of a plan of burst-parallel jobs.
type burstCheck struct {
	Valid      bool     `json:"valid"`
	Instance   string   `json:"instance"`
	Rate       float64  `json:"background_rate"`
	Bound      float64  `json:"background_bound"`
	Violations []string `json:"violations"`
}
