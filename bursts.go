package jigsaw

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

// BurstDocument is the plan of an instance of burst-parallel jobs as it is printed, and read by check.
type BurstDocument struct {
	SchemaVersion int                  `json:"schema_version"`
	Instance      string               `json:"instance"`
	Status        Status               `json:"status"`
	Jobs          []BurstJobDocument   `json:"jobs"`
	Background    []BackgroundDocument `json:"background"`
	Slice         instance.Duration    `json:"slice"`
	// Rate is what the background has together, in GPUs' worth of time, and Bound what it has at most,
	// wherever its jobs are and however these plans are delayed.
	Rate       float64  `json:"background_rate"`
	RateExact  string   `json:"background_rate_exact"`
	Bound      float64  `json:"background_bound"`
	BoundExact string   `json:"background_bound_exact"`
	Notes      []string `json:"notes,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
}

// BurstJobDocument is a burst-parallel job.
type BurstJobDocument struct {
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

// BackgroundDocument is a background job.
type BackgroundDocument struct {
	Name string `json:"name"`
	// GPU by number; -1 where none has room.
	GPU  instance.GPUID `json:"gpu"`
	Node string         `json:"node,omitempty"`
	// Rate over that alone, and the same as a fraction.
	Rate      float64 `json:"rate_of_alone"`
	RateExact string  `json:"rate_of_alone_exact"`
	PerSecond float64 `json:"iterations_per_second"`
}

// BurstPlan is a plan of burst-parallel jobs and of the background jobs that run where those idle.
type BurstPlan struct {
	// Document is the printed form. Its status is infeasible or unknown, with reasons, where memory has room for no stages.
	Document BurstDocument
	// Proof is the certificate of the bound on what the background has, which has passed [CertifyBackground]; nil
	// without a plan.
	Proof *Certificate

	in     *instance.Bursts
	chains []*burst.Chain
}

// PlanBursts plans burst-parallel jobs. The plan has passed the checker.
func PlanBursts(in *instance.Bursts) (*BurstPlan, error) {
	chains, notes, err := burst.Chains(in)
	if err != nil {
		return nil, err
	}
	s, bound, memory, proven, err := burst.Solve(in, chains)
	if err != nil {
		return nil, err
	}
	p := &BurstPlan{in: in, chains: chains, Document: BurstDocument{
		SchemaVersion: DocumentVersion, Instance: in.Name, Status: Unknown, Slice: in.Slice, Notes: append(notes, memory...),
	}}
	if s == nil {
		if p.Document.Notes, p.Document.Reasons = notes, memory; proven {
			p.Document.Status = Infeasible
		}
		return p, nil
	}
	if wrong := burst.CheckSchedule(in, chains, s); len(wrong) > 0 {
		return nil, fmt.Errorf("jigsaw: the plan is not valid: %s", strings.Join(wrong, "; "))
	}
	if err := p.Document.fill(in, chains, s, bound); err != nil {
		return nil, err
	}
	p.Proof = BackgroundProof(in, s.Stages(), bound)
	_, err = CertifyBackground(in, p.Proof)
	return p, err
}

// fill says what a schedule amounts to.
func (d *BurstDocument) fill(in *instance.Bursts, chains []*burst.Chain, s *burst.Schedule, bound *big.Rat) error {
	for i, f := range s.Jobs {
		job, widest := &in.Foreground[i], slices.Max(chains[i].GPUs)
		d.Jobs = append(d.Jobs, BurstJobDocument{
			Name: job.Name, Node: in.Nodes[job.Node].Name, GPUs: job.GPUs, Foreground: f, Stages: chains[i].Stages(f.Plan),
			OneGPU: chains[i].DataParallel(1).Time, DataParallel: chains[i].DataParallel(widest).Time, Slowdown: float64(f.Period) / float64(f.Alone),
		})
		if widest < job.GPUs {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: at most %d of %d GPUs are used: the batch of %d cannot be divided further", job.Name, widest, job.GPUs, job.Batch))
		}
	}
	sum := new(big.Rat)
	for j, rate := range s.Rates(in) {
		job, home := &in.Jobs[j], s.Homes[j]
		sum.Add(sum, rate)
		filler := BackgroundDocument{Name: job.Name, GPU: home, Rate: *Number(rate), RateExact: rate.RatString()}
		if home == burst.Nowhere {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: no idle GPU has enough memory for it", job.Name))
		} else {
			filler.Node = in.Nodes[in.GPUs[home].Node].Name
			filler.PerSecond = filler.Rate * 1e6 / float64(job.On[in.GPUs[home].Type].Time[job.Full()])
		}
		d.Background = append(d.Background, filler)
	}
	if sum.Cmp(bound) > 0 {
		return fmt.Errorf("jigsaw: the background has %s of a GPU, above the bound of %s", sum.RatString(), bound.RatString())
	}
	d.Rate, d.RateExact = *Number(sum), sum.RatString()
	d.Bound, d.BoundExact = *Number(bound), bound.RatString()
	if d.Status = Feasible; sum.Cmp(bound) == 0 {
		d.Status = Optimal
	}
	return nil
}

// Draw writes a picture of one period of burst-parallel job i as SVG.
func (p *BurstPlan) Draw(w io.Writer, i int) error {
	job := &p.Document.Jobs[i]
	b := BurstPicture{Title: job.Name, GPUs: job.GPUs, Timetable: &job.Timetable}
	for _, rate := range job.Rates(len(p.in.Jobs)) {
		b.Background += *Number(rate)
	}
	for j := range p.in.Jobs {
		b.Models = append(b.Models, p.in.Jobs[j].Model)
		b.Names = append(b.Names, p.in.Jobs[j].Name)
	}
	for _, l := range p.chains[i].Layers {
		b.Layers = append(b.Layers, l.Name)
	}
	return b.Draw(w)
}

// BurstPicture is a picture of one period of a burst-parallel job.
type BurstPicture struct {
	// Title names the job.
	Title string
	GPUs  int
	*burst.Timetable
	// Background is what the background jobs have, in GPUs' worth of time, and Bound what they have at most; 0 is not told.
	Background, Bound float64
	// Models of the background jobs, by number in the timetable, and their names; nil where they have none.
	Models, Names []string
	// Layers of the burst-parallel job by name.
	Layers []string
}

// Draw writes it as SVG.
func (b *BurstPicture) Draw(w io.Writer) error {
	const full, blue, red = view.BarShades - 1, 0, 5
	here := map[int]bool{}
	for _, s := range b.Slices {
		here[s.Job] = true
	}
	text := fmt.Sprintf("One period of %s, %.3f x that alone; the background has %.2f GPUs' worth of time", fine(b.Period), float64(b.Period)/float64(b.Alone), b.Background)
	if b.Bound > 0 {
		text += fmt.Sprintf(", at most %.2f", b.Bound)
	}
	l := view.Lanes{
		Title: fmt.Sprintf("%s in bursts on %s, and %s", b.Title, view.Count(b.GPUs, "GPU"), view.Count(len(here), "background job")), Text: text,
		Span: float64(b.Period),
	}
	for g := range b.GPUs {
		l.Rows = append(l.Rows, fmt.Sprintf("GPU %d", g))
	}
	look := map[burst.Kind]view.Bar{
		burst.Forward: {Colour: blue, Shade: full, Label: "forward"}, burst.Backward: {Colour: blue, Shade: full - 1, Label: "backward"},
		burst.Move: {Colour: blue, Shade: 0, Label: "move"}, burst.Sync: {Colour: red, Shade: full, Label: "all-reduce"},
	}
	for _, kind := range []burst.Kind{burst.Forward, burst.Backward, burst.Move, burst.Sync} {
		l.Legend = append(l.Legend, look[kind])
	}
	for _, s := range b.Steps {
		bar := look[s.Kind]
		bar.Rows, bar.From, bar.To = s.GPUs, float64(s.Start), float64(s.End)
		bar.Tip = fmt.Sprintf("%s, %s to %s, on %s: %s", s.Kind, b.Layers[s.First], b.Layers[s.Last], view.Count(s.GPUs, "GPU"), fine(s.End-s.Start))
		if s.First == s.Last {
			bar.Tip = fmt.Sprintf("%s, %s, on %s: %s", s.Kind, b.Layers[s.First], view.Count(s.GPUs, "GPU"), fine(s.End-s.Start))
		}
		l.Bars = append(l.Bars, bar)
	}
	colour := map[string]int{}
	for _, s := range b.Slices {
		model := b.Models[s.Job]
		c, known := colour[model]
		if !known {
			c = 1 + len(colour)%4
			colour[model] = c
			l.Legend = append(l.Legend, view.Bar{Colour: c, Shade: full, Label: model + ", background"})
		}
		bar := view.Bar{Row: s.GPU, Rows: 1, From: float64(s.Start), To: float64(min(s.End, b.Period)), Colour: c, Shade: full}
		name := fmt.Sprintf("job %d", s.Job)
		if bar.Label = fmt.Sprintf("%s %d", model, s.Job); b.Names != nil {
			name = b.Names[s.Job]
			bar.Label = name
		}
		bar.Tip = fmt.Sprintf("%s, %s: %s", name, model, fine(s.End-s.Start))
		l.Bars = append(l.Bars, bar)
		if s.End > b.Period { // the rest of it comes first
			bar.From, bar.To = 0, float64(s.End-b.Period)
			l.Bars = append(l.Bars, bar)
		}
	}
	return l.Draw(w)
}

// fine is a time of layers, which may be short.
func fine(d instance.Duration) string { return fmt.Sprintf("%.3f ms", float64(d)/1e6) }
