package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
)

// backgroundOptions describe what runs in the windows of a burst-parallel job.
type backgroundOptions struct {
	models  []string
	jobs    int
	rules   burst.Rules
	picture string
}

func (o *backgroundOptions) flags(f *pflag.FlagSet) {
	o.rules.Slice, o.rules.Slowdown = 500_000, 1_100_000
	f.StringArrayVar(&o.models, "background", nil, "`MODEL` or MODEL@BATCH to run in idle windows, one job on one GPU; several take turns (repeatable)")
	f.IntVar(&o.jobs, "background-jobs", 0, "number of background jobs (default one for each GPU)")
	f.TextVar(&o.rules.Slice, "slice", o.rules.Slice, "least time that a background job runs without interruption")
	f.TextVar(&o.rules.Slowdown, "slowdown", o.rules.Slowdown, "longest iteration that the background may cause, as a multiple of its length alone")
	f.BoolVar(&o.rules.Overlap, "overlap", false, "let the background run during an all-reduce, on GPUs that take no part in it")
	f.StringVar(&o.picture, "picture", "", "draw one period, GPU by GPU, into this SVG `file`")
}

// check reports flags that cannot be combined.
func (o *backgroundOptions) check(changed func(string) bool, cases int) error {
	if len(o.models) == 0 {
		for _, name := range []string{"background-jobs", "slice", "slowdown", "overlap", "picture"} {
			if changed(name) {
				return cli.Usage(fmt.Errorf("--%s is for background jobs; give --background MODEL, too", name))
			}
		}
	}
	switch {
	case changed("background-jobs") && (o.jobs < 1 || o.jobs > burst.MaxGPUs):
		return cli.Usage(fmt.Errorf("--background-jobs %d: choose 1 to %d", o.jobs, burst.MaxGPUs))
	case o.picture != "" && cases > 1:
		return cli.Usage(errors.New("--picture is of one case: give one number of GPUs and one limit"))
	}
	return nil
}

// backgroundModel is a model that background jobs run.
type backgroundModel struct {
	Model string `json:"model"`
	Batch int    `json:"batch"`
	// Alone is the time of an iteration on a GPU of its own.
	Alone instance.Duration `json:"iteration_alone"`
}

// backgroundJob is one background job.
type backgroundJob struct {
	backgroundModel
	// Rate of its iterations relative to running alone.
	Rate float64 `json:"rate_of_alone"`
	// RateExact is the same as a fraction.
	RateExact string `json:"rate_of_alone_exact"`
	// PerSecond is its iterations per second.
	PerSecond float64 `json:"iterations_per_second"`
}

// burstBackground is one case with its background.
type burstBackground struct {
	burst.Rules
	*burst.Timetable
	Slowdown float64         `json:"slowdown"`
	Jobs     []backgroundJob `json:"jobs"`
	// Foreground is its rate relative to one GPU alone; Background is what the jobs together get of a GPU,
	// and Bound the most that any timetable of this plan gives them.
	Foreground      float64 `json:"foreground"`
	Background      float64 `json:"background"`
	BackgroundExact string  `json:"background_exact"`
	Bound           float64 `json:"background_bound"`
	BoundExact      string  `json:"background_bound_exact"`
	// Together is Foreground + Background; Gain is that relative to data parallelism on all GPUs without a
	// background.
	Together float64 `json:"together"`
	Gain     float64 `json:"over_data_parallel"`
}

// findBackground reads the models of --background.
func (o *burstOptions) findBackground(gpu string, net burst.Network) (list []backgroundModel, err error) {
	for _, text := range o.background.models {
		m := backgroundModel{Model: text, Batch: o.batch}
		if name, batch, found := strings.Cut(text, "@"); found {
			m.Model = name
			if m.Batch, err = strconv.Atoi(batch); err != nil || m.Batch < 1 {
				return nil, cli.Usage(fmt.Errorf("--background %q: the batch is a number from 1, like %s@16", text, name))
			}
		}
		other := *o
		other.gpu = gpu
		found, err := other.find(m.Model)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--background %q: %w", text, err))
		}
		chain, _, err := burst.NewChain(found, m.Batch, 1, net)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--background %q: %w", text, err))
		}
		m.Alone = chain.DataParallel(1).Time
		list = append(list, m)
	}
	return list, nil
}

// fill makes the timetable of a plan, and checks it.
func (o *backgroundOptions) fill(chain *burst.Chain, plan, parallel burst.Plan, gpus int, models []backgroundModel) (*burstBackground, error) {
	b := &burstBackground{Rules: o.rules}
	b.GPUs = gpus
	jobs := o.jobs
	if jobs == 0 {
		jobs = gpus
	}
	if jobs < 1 || jobs > burst.MaxGPUs {
		return nil, cli.Usage(fmt.Errorf("%d background jobs; choose 1 to %d", jobs, burst.MaxGPUs))
	}
	t, bound, err := chain.Fill(plan, b.Rules, burst.Deal(jobs, gpus))
	if err != nil {
		return nil, cli.Usage(err)
	}
	if wrong := chain.Check(plan, t, b.Rules, jobs); len(wrong) > 0 {
		return nil, fmt.Errorf("a fault of JigSaw: the timetable is not valid: %s", strings.Join(wrong, "; "))
	}
	sum := new(big.Rat)
	for j, rate := range t.Rates(jobs) {
		m := models[j%len(models)]
		sum.Add(sum, rate)
		job := backgroundJob{backgroundModel: m, Rate: float(rate), RateExact: rate.RatString()}
		if m.Alone > 0 {
			job.PerSecond = job.Rate * 1e9 / float64(m.Alone)
		}
		b.Jobs = append(b.Jobs, job)
	}
	if sum.Cmp(bound) > 0 {
		return nil, fmt.Errorf("a fault of JigSaw: the background has %s of a GPU, above the bound of %s", sum.RatString(), bound.RatString())
	}
	b.Timetable = t
	b.Slowdown = ratio(t.Period, t.Alone)
	b.Foreground = ratio(chain.DataParallel(1).Time, t.Period)
	b.Background, b.BackgroundExact = float(sum), sum.RatString()
	b.Bound, b.BoundExact = float(bound), bound.RatString()
	b.Together = b.Foreground + b.Background
	b.Gain = b.Together / ratio(chain.DataParallel(1).Time, parallel.Time)
	return b, nil
}

func float(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

// backgroundTable prints the timetable of one case.
func backgroundTable(w io.Writer, b *burstBackground) {
	fmt.Fprintf(w, "\nbackground: %s, in slices of at least %s\n", cli.Count(len(b.Jobs), "job"), b.Slice)
	windowTable(w, b.GPUs, b.Windows)
	fmt.Fprintln(w)
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "job\tGPU\tmodel\titeration alone\trate of alone\titerations/s\t")
	for j, job := range b.Jobs[:min(mostRows, len(b.Jobs))] {
		gpu := "-"
		if i := slices.IndexFunc(b.Slices, func(s burst.Slice) bool { return s.Job == j }); i >= 0 {
			gpu = fmt.Sprint(b.Slices[i].GPU)
		}
		fmt.Fprintf(t, "%d\t%s\t%s@%d\t%s\t%.4f\t%.3f\t\n", j, gpu, job.Model, job.Batch, fine(job.Alone), job.Rate, job.PerSecond)
	}
	t.Flush()
	if len(b.Jobs) > mostRows {
		fmt.Fprintf(w, "and %d more; -o json has all\n", len(b.Jobs)-mostRows)
	}
	fmt.Fprintf(w, "\nperiod %s, %.3f x that alone\nbackground %.4f GPUs' worth, at most %.4f\ntogether with the foreground %.3f GPUs' worth, %.2f x data parallelism alone\n",
		fine(b.Period), b.Slowdown, b.Background, b.Bound, b.Together, b.Gain)
}

// mostRows is the number of jobs printed.
const mostRows = 16

// windowTable prints when GPUs are idle.
func windowTable(w io.Writer, gpus int, windows []burst.Window) {
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "GPUs\twindows\tof a period\t  each")
	for g := 0; g < gpus; {
		mine := windowsOf(windows, g)
		last := g
		for last+1 < gpus && slices.EqualFunc(mine, windowsOf(windows, last+1), func(a, b burst.Window) bool { return a.Start == b.Start && a.End == b.End }) {
			last++
		}
		name, sum := fmt.Sprint(g), instance.Duration(0)
		if last > g {
			name = fmt.Sprintf("%d to %d", g, last)
		}
		var each []string
		for i, x := range mine {
			sum += x.End - x.Start
			if i < 6 {
				each = append(each, fmt.Sprintf("%.3f to %.3f", float64(x.Start)/1e6, float64(x.End)/1e6))
			}
		}
		if len(mine) > len(each) {
			each = append(each, "...")
		}
		if len(each) == 0 {
			each = []string{"none"}
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t  %s\n", name, len(mine), fine(sum), strings.Join(each, ", "))
		g = last + 1
	}
	t.Flush()
}

// throughputComparison prints a row for each case: foreground and background beside plain data
// parallelism.
func throughputComparison(w io.Writer, std cli.Streams, r *burstReport) {
	r.heading(w)
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "GPUs\tlimit\tperiod\tslowdown\tforeground\tbackground\tat most\ttogether\tover data parallel\t")
	last := 0
	for _, c := range r.Cases {
		if c.GPUs != last {
			fmt.Fprintf(t, "%d\tdata parallel\t%s\t1.000\t%.3f\t-\t-\t%.3f\t1.00 x\t\n", c.GPUs, fine(c.DataParallel.Time),
				ratio(r.Alone.Time, c.DataParallel.Time), ratio(r.Alone.Time, c.DataParallel.Time))
			last = c.GPUs
		}
		b := c.Background
		fmt.Fprintf(t, "%d\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f x\t\n", c.GPUs, c.Limit, fine(b.Period), b.Slowdown, b.Foreground, b.Background, b.Bound, b.Together, b.Gain)
	}
	t.Flush()
	std.Notes(w, r.Notes)
}

// windowsOf returns the windows of a GPU.
func windowsOf(list []burst.Window, gpu int) []burst.Window {
	first := slices.IndexFunc(list, func(w burst.Window) bool { return w.GPU == gpu })
	if first < 0 {
		return nil
	}
	last := first
	for last < len(list) && list[last].GPU == gpu {
		last++
	}
	return list[first:last]
}
