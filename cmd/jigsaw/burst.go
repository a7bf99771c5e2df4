package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

type burstOptions struct {
	to      cli.Destination
	files   []string
	gpu     string
	batch   int
	gpus    []int
	limits  []string
	memory  instance.Bytes
	optim   string
	rate    instance.BitRate
	latency instance.Duration

	background backgroundOptions
}

func newBurst(std cli.Streams) *cobra.Command {
	o := burstOptions{latency: -1}
	c := &cobra.Command{
		Use:   "burst MODEL",
		Short: "Give every layer of a job as many GPUs as are worth it",
		Long: `Plan one iteration of a burst-parallel job: its global batch is fixed, and every
layer has its own number of GPUs, a power of two. Among all plans in which no layer
takes more than --amplification times the GPU-time that it takes on one GPU, transfers
and all-reduces included, find the fastest, and the trade-off between time and
GPU-time. Data parallelism is shown for comparison.

With several numbers of GPUs or limits, one table compares them.

--background fills idle GPUs with other jobs, each on one GPU. They run in slices while
the foreground job leaves that GPU idle, never during an all-reduce. Steps of the foreground
job are delayed, within --slowdown, where that helps the background most. The timetable
of one period is checked, and a bound says what no timetable of the plan exceeds.
docs/burst.md says what the model leaves out.
Exit codes: 0 planned, 2 invalid input.`,
		Example: `  jigsaw burst vgg16 --gpu a100 --batch 32 --gpus 8 --amplification 2
  jigsaw burst vgg16 --gpu a100 --gpus 1,2,4,8 --amplification 1.5,2,2.5,none
  jigsaw burst vgg16 --gpu a100 --gpus 8 --background wrn101_2@16 --picture period.svg`,
		Args:              cli.ExactArgs(1),
		ValidArgsFunction: cli.CompleteModel,
		PreRunE: func(c *cobra.Command, _ []string) error {
			if c.Flag("rate").Changed && o.rate == 0 {
				return cli.Usage(errors.New("--rate 0: the GPUs would never exchange anything; choose more, or leave it out"))
			}
			return o.background.check(c.Flags().Changed, len(o.gpus)*len(o.limits))
		},
		RunE: func(_ *cobra.Command, args []string) error { return runBurst(args[0], o, std) },
	}
	o.to.Flags(c, cli.PrintFormats()...)
	f := c.Flags()
	cli.ProfileFlag(c, &o.files)
	f.StringVar(&o.gpu, "gpu", "", "the GPU type, where the model was measured on several")
	f.IntVar(&o.batch, "batch", 32, "samples of an iteration, over all GPUs")
	f.IntSliceVar(&o.gpus, "gpus", []int{8}, "most GPUs that a layer may have, a power of two; several are compared")
	f.StringSliceVar(&o.limits, "amplification", []string{"2"}, "most GPU-time that a layer may take, as a multiple of that on one GPU, or none; several are compared")
	f.TextVar(&o.memory, "memory", instance.Bytes(0), "memory of a GPU, like 40GiB: the plan is the fastest that fits")
	f.StringVar(&o.optim, "optimizer", "momentum", "sgd, momentum or adam, whose state takes memory")
	f.TextVar(&o.rate, "rate", instance.BitRate(0), "rate at which a GPU sends and receives, like 266GB/s (default of v100 and a100: the published planner's)")
	f.TextVar(&o.latency, "latency", instance.Duration(-1), "latency of each collective, like 40us (default of v100 and a100: the published planner's)")
	o.background.flags(f)
	f.Lookup("memory").DefValue = ""
	f.Lookup("rate").DefValue, f.Lookup("latency").DefValue = "", ""
	return c
}

// burstReport is the output of burst.
type burstReport struct {
	Model   string        `json:"model"`
	GPU     string        `json:"gpu"`
	Batch   int           `json:"batch"`
	Network burst.Network `json:"network"`
	// Alone is the plan on one GPU.
	Alone  burst.Plan  `json:"one_gpu"`
	Cases  []burstCase `json:"cases"`
	Layers []string    `json:"layers"`
	Notes  []string    `json:"notes,omitempty"`
}

// burstCase is one number of GPUs and one limit.
type burstCase struct {
	GPUs         int           `json:"gpus"`
	Limit        string        `json:"amplification_limit"`
	DataParallel burst.Plan    `json:"data_parallel"`
	Plan         burst.Plan    `json:"plan"`
	Stages       []burst.Stage `json:"stages"`
	// Front is time against GPU-time, the fastest first.
	Front []burst.Plan `json:"front"`
	// Bytes of the plan, and of each plan of the front, on the first GPU, which has all
	// layers.
	Bytes      instance.Bytes   `json:"memory"`
	FrontBytes []instance.Bytes `json:"front_memory"`
	// Background of the plan.
	Background *burstBackground `json:"background,omitempty"`
}

// mostLabels keeps the work on a front within seconds. Fronts of the library's models on
// 1,024 GPUs stay below it.
const mostLabels = 5000

func runBurst(model string, o burstOptions, std cli.Streams) error {
	limits, err := o.parseLimits()
	if err != nil {
		return err
	}
	found, err := o.find(model)
	if err != nil {
		return err
	}
	r := burstReport{Model: model, GPU: found[0].GPU, Batch: o.batch}
	if r.Network, err = o.network(r.GPU); err != nil {
		return err
	}
	if err := cli.CheckWritable(o.files, o.to.File, o.background.picture); err != nil {
		return err
	}
	kept, known := instance.KeptFor(o.optim, found[0])
	if !known {
		return cli.Usage(fmt.Errorf("--optimizer %q: choose sgd, momentum or adam", o.optim))
	}
	behind, err := o.findBackground(r.GPU, r.Network)
	if err != nil {
		return err
	}
	for i, most := range o.gpus {
		chain, guessed, err := burst.NewChain(found, o.batch, most, r.Network)
		if err != nil {
			return cli.Usage(err)
		}
		if i == 0 {
			r.Alone = chain.DataParallel(1)
			for _, l := range chain.Layers {
				r.Layers = append(r.Layers, l.Name)
			}
		}
		room, err := burst.NewRoom(found, o.batch, kept, chain, o.memory)
		if err != nil {
			return cli.Usage(err)
		}
		r.note(chain, most, guessed, found)
		for _, limit := range limits {
			c, err := r.plan(chain, most, limit, room, o.memory)
			if err == nil && len(behind) > 0 {
				c.Background, err = o.background.fill(chain, c.Plan, c.DataParallel, most, behind)
			}
			if err != nil {
				return err
			}
			r.Cases = append(r.Cases, c)
		}
	}
	if o.background.picture != "" {
		if err := cli.WriteFile(o.background.picture, r.draw); err != nil {
			return err
		}
	}
	return o.to.Print(std, r, func(w io.Writer) {
		switch {
		case len(r.Cases) > 1 && len(behind) > 0:
			throughputComparison(w, std, &r)
		case len(r.Cases) > 1:
			burstComparison(w, std, &r)
		default:
			burstTable(w, std, &r)
		}
	})
}

// plan plans within a limit on the number of GPUs, a limit of amplification and, unless it is 0,
// the memory of a GPU.
func (r *burstReport) plan(chain *burst.Chain, most int, limit instance.Ratio, room burst.Room, memory instance.Bytes) (burstCase, error) {
	c := burstCase{GPUs: most, Limit: limitText(limit), DataParallel: chain.DataParallel(slices.Max(chain.GPUs)), Plan: chain.Fastest(limit)}
	if memory > 0 {
		fits, why, _ := chain.Within(limit, room)
		if fits == nil {
			return c, cli.Usage(fmt.Errorf("%s on %s, limit %s: %s", r.Model, cli.Count(most, "GPU"), c.Limit, why))
		}
		if c.Plan = *fits; why != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, limit %s: %s", cli.Count(most, "GPU"), c.Limit, why))
		}
	}
	c.Stages = chain.Stages(c.Plan)
	var exact bool
	if c.Front, exact = chain.Front(limit, mostLabels); !exact {
		r.Notes = append(r.Notes, fmt.Sprintf("the front of %d GPUs at %s may lack plans: a layer has more than %d partial plans", most, c.Limit, mostLabels))
	}
	c.Bytes = room.Bytes(chain, c.Plan.Widths, 0)
	for _, p := range c.Front {
		c.FrontBytes = append(c.FrontBytes, room.Bytes(chain, p.Widths, 0))
	}
	return c, nil
}

// draw draws one period of the only case.
func (r *burstReport) draw(w io.Writer) error {
	b := r.Cases[0].Background
	if b.GPUs > view.MaxLanes {
		return cli.Usage(fmt.Errorf("--picture draws at most %d GPUs", view.MaxLanes))
	}
	p := jigsaw.BurstPicture{Title: r.Model, GPUs: b.GPUs, Timetable: b.Timetable, Background: b.Background, Bound: b.Bound, Layers: r.Layers}
	for _, job := range b.Jobs {
		p.Models = append(p.Models, job.Model)
	}
	return p.Draw(w)
}

// parseLimits parses the limits of amplification.
func (o *burstOptions) parseLimits() (limits []instance.Ratio, err error) {
	for _, text := range o.limits {
		limit := burst.Unlimited
		if text != "none" {
			if err := limit.UnmarshalText([]byte(text)); err != nil || limit < instance.One {
				return nil, cli.Usage(fmt.Errorf("--amplification %q: write a number of at least 1, like 2 or 1.5, or none", text))
			}
		}
		limits = append(limits, limit)
	}
	if len(limits) == 0 || len(o.gpus) == 0 {
		return nil, cli.Usage(errors.New("give at least one number of GPUs and one limit"))
	}
	return limits, nil
}

func limitText(limit instance.Ratio) string {
	if limit == burst.Unlimited {
		return "none"
	}
	return limit.String()
}

// find returns the model's profiles on the GPU type, for every batch.
func (o *burstOptions) find(model string) (found []*instance.Profile, err error) {
	library, err := cli.LoadLibrary(o.files)
	if err != nil {
		return nil, err
	}
	var types []string
	for _, p := range library.Profiles(model) {
		if p.GPUs > 1 {
			continue // for several GPUs together
		}
		if !slices.Contains(types, p.GPU) {
			types = append(types, p.GPU)
		}
		if o.gpu == "" || p.GPU == o.gpu {
			found = append(found, p)
		}
	}
	switch {
	case len(types) == 0:
		return nil, cli.Usage(fmt.Errorf("no profile of model %q; see jigsaw profile list", model))
	case o.gpu == "" && len(types) > 1:
		return nil, cli.Usage(fmt.Errorf("%q was measured on several GPUs; choose --gpu %s", model, cli.OrList(types)))
	case len(found) == 0:
		return nil, cli.Usage(fmt.Errorf("%q was not measured on %q; there is --gpu %s", model, o.gpu, strings.Join(types, ", --gpu ")))
	}
	return found, nil
}

// network is the one given by flags, or that of the published planner.
func (o *burstOptions) network(gpu string) (burst.Network, error) {
	n, known := burst.Published(gpu)
	if !known && o.rate == 0 {
		return n, cli.Usage(fmt.Errorf("no network is known for GPUs of type %q; give --rate, like 100Gbit/s, and --latency", gpu))
	}
	if o.rate != 0 {
		n.Rate = o.rate
	}
	if o.latency >= 0 {
		n.Latency = o.latency
	}
	return n, nil
}

// note adds notes on what about a chain was not measured, or differs from the request.
func (r *burstReport) note(chain *burst.Chain, most int, guessed []int, found []*instance.Profile) {
	add := func(text string) {
		if !slices.Contains(r.Notes, text) {
			r.Notes = append(r.Notes, text)
		}
	}
	if len(guessed) > 0 {
		var have []string
		for _, p := range found {
			have = append(have, fmt.Sprint(p.Batch))
		}
		var not []string
		for _, b := range guessed {
			not = append(not, fmt.Sprint(b))
		}
		add(fmt.Sprintf("batch %s per GPU was not measured (%s was): its times are interpolated or extrapolated, which favours many GPUs", strings.Join(not, ", "), strings.Join(have, ", ")))
	}
	if widest := slices.Max(chain.GPUs); widest < most {
		add(fmt.Sprintf("at most %d of %d GPUs are used: the batch of %d cannot be divided further", widest, most, r.Batch))
	}
}

func (r *burstReport) heading(w io.Writer) {
	fmt.Fprintf(w, "%s on %s, global batch %d; %s and %s between GPUs\n\n", r.Model, r.GPU, r.Batch, r.Network.Rate, r.Network.Latency)
}

// burstTable prints one case: plans, stages, front.
func burstTable(w io.Writer, std cli.Streams, r *burstReport) {
	r.heading(w)
	c := r.Cases[0]
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "\ttime\tspeed-up\tGPU-time\tworst layer\t")
	row := func(name string, p burst.Plan) {
		fmt.Fprintf(t, "%s\t%s\t%.2f\t%s\t%.2f x\t\n", name, fine(p.Time), ratio(r.Alone.Time, p.Time), fine(p.GPUTime), p.Amplification)
	}
	row("one GPU", r.Alone)
	row(fmt.Sprintf("data parallel, %s", cli.Count(c.DataParallel.Widths[0], "GPU")), c.DataParallel)
	name := fmt.Sprintf("burst, limit %s", c.Limit)
	row(name, c.Plan)
	t.Flush()
	fmt.Fprintf(w, "\n%s on the first GPU\n\nstages, forward; then back the same way\n", c.Bytes)
	t = cli.RightColumns(w)
	fmt.Fprintln(t, "GPUs\tmove\tforward\tbackward\tall-reduce\t  layers")
	for _, s := range c.Stages {
		layers := r.Layers[s.First]
		if s.Last > s.First {
			layers += " ... " + r.Layers[s.Last]
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t  %s\n", s.GPUs, fine(s.Move), fine(s.Forward), fine(s.Backward), fine(s.Sync), layers)
	}
	t.Flush()
	fmt.Fprintf(w, "\nfront: %s that no other beats in time and GPU-time", cli.Count(len(c.Front), "plan"))
	const shown = 10
	if len(c.Front) > shown {
		fmt.Fprintf(w, ", %d of them; -o json has all", shown)
	}
	fmt.Fprintln(w)
	t = cli.RightColumns(w)
	fmt.Fprintln(t, "time\tGPU-time\tworst layer\tfirst GPU\t  GPUs of stages")
	n := min(shown, len(c.Front))
	for k := range n {
		at := k * (len(c.Front) - 1) / max(n-1, 1)
		p := c.Front[at]
		var widths []string
		for _, g := range slices.Compact(slices.Clone(p.Widths)) {
			widths = append(widths, fmt.Sprint(g))
		}
		fmt.Fprintf(t, "%s\t%s\t%.2f x\t%s\t  %s\n", fine(p.Time), fine(p.GPUTime), p.Amplification, c.FrontBytes[at], strings.Join(widths, " "))
	}
	t.Flush()
	if c.Background != nil {
		backgroundTable(w, c.Background)
	}
	std.Notes(w, r.Notes)
}

// burstComparison prints a row for each case.
func burstComparison(w io.Writer, std cli.Streams, r *burstReport) {
	r.heading(w)
	t := cli.RightColumns(w)
	fmt.Fprintln(t, "GPUs\tlimit\ttime\tspeed-up\tGPU-time\tworst layer\tstages\tfront\t")
	row := func(gpus int, limit string, p burst.Plan, stages, front string) {
		fmt.Fprintf(t, "%d\t%s\t%s\t%.2f\t%s\t%.2f x\t%s\t%s\t\n", gpus, limit, fine(p.Time), ratio(r.Alone.Time, p.Time), fine(p.GPUTime), p.Amplification, stages, front)
	}
	last := 0
	for _, c := range r.Cases {
		if c.GPUs != last {
			row(c.GPUs, "data parallel", c.DataParallel, "1", "-")
			last = c.GPUs
		}
		row(c.GPUs, c.Limit, c.Plan, fmt.Sprint(len(c.Stages)), fmt.Sprint(len(c.Front)))
	}
	t.Flush()
	std.Notes(w, r.Notes)
}

func ratio(a, b instance.Duration) float64 { return float64(a) / float64(b) }

// fine formats a time of layers, which may be short.
func fine(d instance.Duration) string { return fmt.Sprintf("%.3f ms", float64(d)/1e6) }
