package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Hours writes a plan in blocks as one self-contained SVG in two scales. Above, a row for each GPU, by
// node, with the stay of every job from its admission to its end; what comes before its first task, when
// it is loaded, is pale. Alike rows are one bar: a job is drawn once for GPUs next to one another. Jobs that
// share GPUs are slices of the rows that they share, node by node, and rows are as high as their names need.
// Below, one block close up, as [Gantt] draws it: opt.Block.
// Colours, and the preference for light or dark, are those of [Gantt].
func Hours(w io.Writer, in *instance.Instance, s *instance.BlockSchedule, opt GanttOptions) error {
	if len(s.Residency) != len(in.Jobs) {
		return fmt.Errorf("view: the plan has residencies of %d jobs, the instance has %d jobs", len(s.Residency), len(in.Jobs))
	}
	if opt.Block < -1 || opt.Block > len(s.Blocks) {
		return fmt.Errorf("view: there is no block %d: the plan has %s", opt.Block, Count(len(s.Blocks), "block"))
	}
	h := &hours{chart: chart{svg: svg{w: w}, plan: &plan{in: in}, opt: opt, lim: defaultLimits, colour: jobColours(in)}, plan: s}
	h.from, h.to = s.Spans(in)
	if err := h.layout(); err != nil {
		return err
	}
	h.draw()
	return h.flush()
}

// hours is one picture of stays.
type hours struct {
	chart
	plan     *instance.BlockSchedule
	from, to []instance.Tick // by job: first task, end
	bars     []stayBar
	nodes    []rowGroup
	named    []bool // by job: its name is on a bar
	block    int    // that is drawn close up; -1: none
	close    *chart // the picture of it
}

// stayBar is a job on GPUs next to one another, or its slice of GPUs that it shares.
type stayBar struct {
	job  instance.JobID
	y, h float64
}

const (
	slice    = 14.0 // what a bar with a name takes
	mostRows = 5000 // pixels that all rows take; they are pressed together beyond
)

func (h *hours) layout() error {
	in := h.in
	h.horizon = float64(max(1, slices.Max(append(h.to, 1))))
	h.width, h.x0 = 1400, 110
	if h.opt.Width > 0 {
		h.width = float64(max(400, h.opt.Width))
	}
	h.plot = h.width - h.x0 - margin
	stays := h.stays()
	heights := make([]float64, len(in.GPUs))
	for g := range heights {
		heights[g] = min(slice, max(0.5, 900/float64(len(in.GPUs))))
	}
	for _, s := range stays {
		for g := s.first; g < s.end; g++ {
			heights[g] = max(heights[g], slice*float64(s.lanes)/float64(s.end-s.first))
		}
	}
	sum := 0.0
	for _, height := range heights {
		sum += height
	}
	press := min(1, mostRows/max(1, sum))
	top, bottom, at := make([]float64, len(in.GPUs)), make([]float64, len(in.GPUs)), 0.0
	for n := range in.Nodes {
		from := at
		for g := range in.Nodes[n].All() {
			top[g] = at
			at += heights[g] * press
			bottom[g] = at
		}
		h.nodes = append(h.nodes, rowGroup{in.Nodes[n].Name, "", from, at - from})
		at += 3 * press
	}
	h.named = make([]bool, len(in.Jobs))
	for _, s := range stays {
		height := (bottom[s.end-1] - top[s.first]) / float64(s.lanes)
		for i, j := range s.jobs {
			h.bars = append(h.bars, stayBar{j, top[s.first] + height*float64(s.lane[i]), height})
			h.named[j] = h.named[j] || h.caption(j, height) != ""
		}
	}
	h.top = 94
	if slices.Contains(h.named, false) {
		h.top = h.layoutLegend(72) + 14
	}
	h.bottom = h.top + at
	h.height = h.bottom + 34
	return h.closeUp()
}

// admitted returns when a job comes into memory.
func (h *hours) admitted(j instance.JobID) instance.Tick {
	return max(0, h.from[j]-h.in.Jobs[j].Load)
}

// caption is what stands on a bar of that height: the name of its job with GPUs and end, as much of
// it as fits.
func (h *hours) caption(j instance.JobID, height float64) string {
	job := &h.in.Jobs[j]
	width := h.plot*float64(h.to[j]-h.from[j])/h.horizon - 8
	name := fit(job.Name, 300, 10)
	if height < 10 || textWidth(name, 10) > width {
		return ""
	}
	text := name + "  ·  " + h.when(j)
	if textWidth(text, 10) > width {
		return name
	}
	return text
}

// when says how many GPUs a job has, and from when to when.
func (h *hours) when(j instance.JobID) string {
	clock := func(t instance.Tick) string { return Moment(h.opt.Begin, float64(t)*float64(h.in.TickUS)/1e6) }
	from := "0"
	if a := h.admitted(j); a > 0 || !h.opt.Begin.IsZero() {
		from = clock(a)
	}
	return fmt.Sprintf("%s, %s to %s", Count(h.in.Jobs[j].Workers, "GPU"), from, clock(h.to[j]))
}

// summary is the line below the title.
func (h *hours) summary() string {
	in := h.in
	value, _ := in.Value(h.plan).Float64()
	parts := []string{"makespan " + seconds(in, h.horizon)}
	if in.Objective != instance.Makespan {
		parts = []string{in.Objective.Words() + " " + h.value(value), parts[0]}
	}
	bound := h.value(h.opt.Bound)
	if in.Objective == instance.Makespan {
		bound = seconds(in, h.opt.Bound)
	}
	parts = append(parts, h.against(value, bound)...)
	return strings.Join(append(parts, "efficiency "+percent(h.plan.Efficiency(in))), "  ·  ")
}

func (h *hours) draw() {
	in := h.in
	title := h.opt.Title
	if title == "" {
		title = in.Name
	}
	inventory := fmt.Sprintf("%s on %s in %s  ·  %s tasks in %s", Count(len(in.Jobs), "job"), Count(len(in.GPUs), "GPU"), Count(len(in.Nodes), "node"),
		integer(h.plan.Tasks()), Count(len(h.plan.Blocks), "block"))
	h.open(title, "When jobs are on which GPUs: "+h.summary()+"; "+inventory+".")
	h.label("h", margin, 32, title)
	h.label("s", margin, 50, h.summary())
	h.label("i d", margin, 67, inventory+"  ·  pale: a job is loaded  ·  jobs that share GPUs are slices of their rows")
	h.drawItems()
	h.str(`<path class="track" d="`)
	for _, n := range h.nodes {
		h.box(h.x0, h.top+n.y, h.plot, n.h)
	}
	h.str(`"/>` + "\n")
	for _, m := range momentMarks(in, h.opt.Begin, h.horizon, 12) {
		x := h.px(m.at)
		h.str(`<path class="g" d="M`).num(x).str(" ").num(h.top - 4).str("V").num(h.bottom).str(`"/>` + "\n")
		h.label("d c", x, h.top-8, m.label)
	}
	last := -100.0
	for _, n := range h.nodes {
		if n.h > 0 && n.y-last >= 11 {
			last = n.y
			h.label("d e", h.x0-10, h.top+n.y+min(n.h/2+4, 10), fit(n.name, 90, 11))
		}
	}
	for _, b := range h.bars {
		h.stay(b)
	}
	h.drawBlock()
	h.str("</svg>\n")
}

// stay draws a bar: pale while its job is loaded.
func (h *hours) stay(b stayBar) {
	gap := 0.0
	if b.h > 4 {
		gap = 1
	}
	part := func(from, to instance.Tick, shade int) {
		if to <= from {
			return
		}
		x := h.px(float64(from))
		h.rect(x, h.top+b.y, max(0.3, h.px(float64(to))-x-gap), b.h-gap)
		h.str(` class="`).str(className(h.colour[b.job], shade)).str(`"><title>`)
		h.text(h.in.Jobs[b.job].Name + ": " + h.when(b.job)).str("</title></rect>\n")
	}
	part(h.admitted(b.job), h.from[b.job], 0)
	part(h.from[b.job], h.to[b.job], shades-1)
	if text := h.caption(b.job, b.h); text != "" {
		h.str(`<g class="`).str(className(h.colour[b.job], shades-1)).str(`"><text font-size="10" x="`).num(h.px(float64(h.from[b.job])) + 4)
		h.str(`" y="`).num(h.top + b.y + b.h/2 + 3.5).str(`">`).text(text).str("</text></g>\n")
	}
}
