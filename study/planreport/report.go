package planreport

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
	"jigsaw/study/report/page"
)

// Options are what a report says beyond the result.
type Options struct {
	// Command that made the plan.
	Command string
	// Instance as a file, with all that is needed to plan it again; empty: left out.
	Instance string
	// Timeless leaves out what differs between equal runs: times of the search.
	Timeless bool
	// Block of a long plan that the Gantt chart draws close up, as in [view.GanttOptions].
	Block int
}

// ErrNoPlan is the error for results without a plan.
var ErrNoPlan = errors.New("planreport: there is no plan to report")

// New makes the page of a result.
func New(r *jigsaw.Result, opt Options) (*page.Page, error) {
	p := &reporter{r: r, in: r.Instance, opt: opt}
	switch {
	case r.Blocks != nil:
		p.blocks = r.Blocks
	case r.Schedule != nil:
		p.blocks, p.period = r.Schedule.Block(), r.Schedule.Period
	default:
		return nil, ErrNoPlan
	}
	p.use = newUse(p.in, p.blocks, p.period)
	p.head()
	p.comparison()
	if err := p.schedule(); err != nil {
		return nil, err
	}
	p.resources()
	p.bounds()
	p.jobs()
	return &p.Page, nil
}

// reporter is a page in the making.
type reporter struct {
	page.Page
	r      *jigsaw.Result
	in     *instance.Instance
	opt    Options
	blocks *instance.BlockSchedule
	period instance.Tick // 0: the plan runs once
	use    *use
}

func percent(f float64, decimals int) string {
	if math.IsNaN(f) {
		return "-"
	}
	return fmt.Sprintf("%.*f %%", decimals, 100*f)
}

// head says in a few sentences what the plan is worth, and how it was made.
func (p *reporter) head() {
	r, in := p.r, p.in
	p.Title = "JigSaw plan: " + in.Name
	p.Question = fmt.Sprintf("%s on %s in %s, %s", view.Count(len(in.Jobs), "job"), view.Count(len(in.GPUs), "GPU"), view.Count(len(in.Nodes), "node"), in.Objective.Words())
	p.Lead = append(p.Lead, fmt.Sprintf("The plan has a %s of %s.", in.Objective.Words(), p.r.FormatValue(r.Primal)))
	if r.Dual != nil {
		proof := "not certified"
		if r.Certified {
			proof = "certified: evaluated in exact arithmetic, twice"
		}
		side, best := "less than", "It is optimal."
		if in.Objective.Periodic() {
			side = "more than"
		}
		if r.Status != jigsaw.Optimal {
			best = fmt.Sprintf("The gap is %s.", percent(r.Gap(), 2))
		}
		p.Lead = append(p.Lead, fmt.Sprintf("No valid plan has %s %s (%s). %s", side, p.r.FormatValue(r.Dual), proof, best))
	}
	var others []string
	for _, b := range p.r.Baselines() {
		if b.Value != nil && b.Value.Sign() > 0 {
			others = append(others, fmt.Sprintf("%s for %s", signed(ratio(b.Value, r.Primal)-1), b.Name))
		}
	}
	if len(others) > 0 {
		p.Lead = append(p.Lead, fmt.Sprintf("Against the plan the %s is %s.", in.Objective.Words(), strings.Join(others, ", ")))
	}
	if !r.Begin.IsZero() {
		p.Facts = append(p.Facts, [2]string{"Begin", view.Begin(r.Begin)})
	}
	engine, err := jigsaw.Engine()
	if err != nil {
		engine = "none"
	}
	p.Facts = append(p.Facts, [2]string{"Status", string(r.Status)}, [2]string{"JigSaw", jigsaw.Version()}, [2]string{"Linear programs", engine}, [2]string{"Seed", strconv.FormatUint(r.Seed, 10)})
	if !p.opt.Timeless {
		p.Facts = append(p.Facts, [2]string{"Planned in", jigsaw.FormatSecondsLike(r.Elapsed.Seconds(), r.Elapsed.Seconds())})
	}
	p.Facts = append(p.Facts, [2]string{"Instance", in.Digest()})
	p.Commands = []string{p.opt.Command}
	p.Note = "Plans are checked by jigsaw check INSTANCE PLAN, with the plan that -o json prints; the proof of the bound, which --certificate writes, by jigsaw certify INSTANCE PROOF."
	if p.opt.Instance != "" {
		p.Source.Title, p.Source.Text = "The instance's file", p.opt.Instance
	}
}

// ratio of two values; NaN where that is unknown.
func ratio(a, b *big.Rat) float64 {
	if a == nil || b == nil || b.Sign() == 0 {
		return math.NaN()
	}
	f, _ := new(big.Rat).Quo(a, b).Float64()
	return f
}

func signed(f float64) string {
	if math.Round(1000*f) == 0 {
		return "the same"
	}
	return fmt.Sprintf("%+.1f %%", 100*f)
}

// comparison is the plan beside its baselines and the bound; replans have no baselines.
func (p *reporter) comparison() {
	r := p.r
	if len(p.r.Baselines()) == 0 {
		return
	}
	t := page.Table{Words: 1, Head: []string{"", p.in.Objective.Words(), "to the bound", "efficiency"}}
	t.Caption = "Efficiency is the work delivered, counted at full depth, by GPU time. " + baselineText
	row := func(name string, v *big.Rat, efficiency string, cost *big.Rat) {
		line := []string{name, p.r.FormatValue(v), percent(jigsaw.Gap(v, r.Dual), 1), efficiency}
		if p.in.Priced() {
			line = append(line, jigsaw.FormatCost(p.in, cost))
		}
		t.Rows = append(t.Rows, line)
	}
	if p.in.Priced() {
		t.Head = append(t.Head, "cost")
	}
	for _, b := range p.r.Baselines() {
		efficiency := "-"
		if b.Value != nil {
			efficiency = fmt.Sprintf("%.3f", b.Efficiency)
		}
		row(b.Name, b.Value, efficiency, b.Cost())
		if b.Reason != "" {
			t.Caption += fmt.Sprintf(" No %s: %s.", b.Name, strings.TrimSuffix(b.Reason, "."))
		}
	}
	row("plan", r.Primal, fmt.Sprintf("%.3f", r.Efficiency()), r.Cost())
	if r.Dual != nil {
		row("bound", r.Dual, "", jigsaw.LeastCost(p.in))
		t.Rows[len(t.Rows)-1][2] = ""
	}
	p.Sections = append(p.Sections, page.Section{ID: "comparison", Title: "Beside the baselines", Figures: p.comparisonFigure(), Tables: []page.Table{t}})
}

const baselineText = "Queue: first come, first served. Exclusive: the best order found of whole jobs on GPUs of their own. Interleaved-full: the better of exclusive and list scheduling at full depth. Greedy: list scheduling at the depths that the rules allow."

// ganttWidth in pixels is that of the page.
const ganttWidth = 1080

// schedule is the Gantt chart, and how many GPUs compute.
func (p *reporter) schedule() error {
	s := page.Section{ID: "schedule", Title: "Schedule"}
	var b bytes.Buffer
	o := view.GanttOptions{Certified: p.r.Certified, Begin: p.r.Begin, Block: p.opt.Block, Width: ganttWidth}
	if p.r.Dual != nil {
		o.Bound, _ = p.r.Dual.Float64()
	}
	draw := func() error { return view.Gantt(&b, p.in, p.r.Schedule, o) }
	s.Text = "Each row is a GPU; each box is a worker's forward and backward pass in one iteration, paler the shallower it is. Below are the links with traffic."
	if p.r.Blocks != nil {
		draw = func() error { return view.Hours(&b, p.in, p.r.Blocks, o) }
		s.Text = "Above, which job is where over the whole plan; jobs that share GPUs are slices of their rows. Below, one block of the plan close up: each box is a worker's forward and backward pass in one iteration, paler the shallower it is."
	}
	if err := draw(); err != nil {
		return err
	}
	s.Figures = []page.Figure{{Name: "gantt", Alt: "The plan as a Gantt chart.", Caption: "Gantt chart; --gantt writes it to a file of its own.", Drawing: b.Bytes()}, p.useFigure()}
	p.Sections = append(p.Sections, s)
	return nil
}

// span is what times are shares of.
func (p *reporter) span() string {
	if p.period > 0 {
		return "in a period"
	}
	return "until the end of the plan"
}

// mostNodes and mostLinks keep tables readable.
const (
	mostNodes = 64
	mostLinks = 12
)

// resources says how busy nodes and links are.
func (p *reporter) resources() {
	in, span := p.in, float64(p.use.Span)
	s := page.Section{ID: "resources", Title: "GPUs and links"}
	nodes := page.Table{Caption: "By node: the share of GPU time in which a job computes, and in which there is a job in memory, " + p.span() + ".", Words: 2, Head: []string{"node", "GPUs", "computing", "occupied"}}
	for n := range in.Nodes {
		node := &in.Nodes[n]
		all := span * float64(node.GPUs)
		busy, held := 0.0, 0.0
		for g := range node.All() {
			busy, held = busy+float64(p.use.GPUs[g].Busy), held+p.use.held[g]
		}
		nodes.Rows = append(nodes.Rows, []string{node.Name, fmt.Sprintf("%d × %s", node.GPUs, in.Types[node.Type].Name), percent(busy/all, 1), percent(held/all, 1)})
	}
	s.Text = fmt.Sprintf("In the mean GPUs compute for %s of the time.", percent(p.use.MeanGPU(), 1))
	if len(in.Nodes) > mostNodes {
		nodes.Caption += fmt.Sprintf(" The first %d of %d.", mostNodes, len(in.Nodes))
		nodes.Rows = nodes.Rows[:mostNodes]
	}
	s.Tables = append(s.Tables, nodes)
	links := page.Table{Words: 1, Head: []string{"link", "Gbit/s", "carried (GB)", "in use"}}
	var used []instance.LinkID
	for l, u := range p.use.Links {
		if u.Bytes > 0 {
			used = append(used, instance.LinkID(l))
		}
	}
	slices.SortStableFunc(used, func(a, b instance.LinkID) int { return cmp.Compare(p.use.Links[b].Share, p.use.Links[a].Share) })
	links.Caption = fmt.Sprintf("%s with traffic, by the share of their capacity that it takes %s.", view.Count(len(used), "link"), p.span())
	if len(used) > mostLinks {
		links.Caption = fmt.Sprintf("The %d busiest of %s", mostLinks, links.Caption)
		used = used[:mostLinks]
	}
	for _, l := range used {
		links.Rows = append(links.Rows, []string{in.Links[l].Name, fmt.Sprintf("%.4g", float64(in.Links[l].Capacity)/1e9), fmt.Sprintf("%.4g", float64(p.use.Links[l].Bytes)/1e9), percent(p.use.Links[l].Share, 1)})
	}
	if len(used) > 0 {
		s.Tables = append(s.Tables, links)
	}
	p.Sections = append(p.Sections, s)
}

// bounds says what limits the plan, and how it was found.
func (p *reporter) bounds() {
	r := p.r
	s := page.Section{ID: "bound", Title: "Bound"}
	if telling := r.BindingBound(); telling.Value != nil {
		effects := page.Table{
			Caption: fmt.Sprintf("What limits plans, by the prices of the bound %q: how the bound changes per relative growth of a resource. -0.3 says that 10 %% more of it lowers the bound by 3 %%.", telling.Kind),
			Words:   2, Head: []string{"resource", "", "effect"},
		}
		for i, b := range telling.Binding {
			if i == mostLinks {
				break
			}
			effects.Rows = append(effects.Rows, []string{b.Subject, b.Text, fmt.Sprintf("%.2f", b.Effect)})
		}
		if len(effects.Rows) > 0 {
			s.Tables = append(s.Tables, effects)
		}
	}
	last := map[string]int{}
	var kinds []string
	for i, b := range r.Bounds {
		if _, ok := last[string(b.Kind)]; !ok {
			kinds = append(kinds, string(b.Kind))
		}
		last[string(b.Kind)] = i
	}
	t := page.Table{Caption: "The bounds that were computed, the last of each kind. docs/certificate.md says what each of them proves.", Words: 1, Head: []string{"bound", p.in.Objective.Words(), "certified"}}
	for _, k := range kinds {
		b := &r.Bounds[last[k]]
		yes := "no"
		if b.Certified {
			yes = "yes"
		}
		t.Rows = append(t.Rows, []string{k, p.r.FormatValue(b.Value), yes})
	}
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	if !p.opt.Timeless {
		s.Figures = p.searchFigure()
	}
	for _, note := range r.Notes {
		s.Text += strings.ToUpper(note[:1]) + strings.TrimSuffix(note[1:], ".") + ". "
	}
	if len(s.Tables)+len(s.Figures) > 0 {
		p.Sections = append(p.Sections, s)
	}
}

// jobs lists all jobs.
func (p *reporter) jobs() {
	in := p.in
	p.Rows.Title = "All jobs"
	p.Rows.Caption = "Work is GPU time of an iteration relative to full depth on all workers."
	p.Rows.Head, p.Rows.Words = []string{"job", "model", "on", "GPUs", "iterations", "work"}, 3
	var stays []jigsaw.Stay
	last := 0.0
	if p.period == 0 {
		stays = jigsaw.Stays(in, p.blocks)
		for _, s := range stays {
			last = max(last, s.End)
		}
		p.Rows.Head = append(p.Rows.Head, "admitted", "end", "wait", "slowdown")
		p.Rows.Caption += " Wait is the time from release to admission; slowdown the time from release to end, relative to that of the job alone on the empty cluster at full depth."
	} else {
		p.Rows.Head[4] = "iterations per period"
		p.Rows.Head = append(p.Rows.Head, "iterations per second")
		p.Rows.Caption += " The period is " + jigsaw.FormatSecondsLike(float64(p.period)*float64(in.TickUS)/1e6, 1) + "."
	}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		gpus := p.blocks.Residency[i]
		line := []string{j.Name, j.Model, p.nodes(gpus), strconv.Itoa(len(gpus)), strconv.Itoa(p.use.iterations[i]), percent(p.use.work[i], 0)}
		if stays != nil {
			s, slowdown := &stays[i], "-"
			if s.Slowdown > 0 {
				slowdown = fmt.Sprintf("%.2f", s.Slowdown)
			}
			line = append(line, view.MomentLike(p.r.Begin, s.Admitted, last), view.MomentLike(p.r.Begin, s.End, last), view.ClockLike(s.Wait, last), slowdown)
		} else {
			line = append(line, fmt.Sprintf("%.4g", float64(p.use.iterations[i])*1e6/(float64(p.period)*float64(in.TickUS))))
		}
		p.Rows.Rows = append(p.Rows.Rows, line)
	}
}

// nodes names where GPUs are; of many, the first and the last.
func (p *reporter) nodes(gpus []instance.GPUID) string {
	var names []string
	for _, n := range p.in.NodesOf(gpus) {
		names = append(names, p.in.Nodes[n].Name)
	}
	if len(names) > 4 {
		return fmt.Sprintf("%s … %s (%d)", names[0], names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}
