package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"jigsaw/formulation/instance"
)

// Hours writes a plan in blocks as one self-contained SVG: a row for each GPU, by node, with the
// stay of every job from its admission to its end. What comes before its first task, when it is
// loaded, is pale. Jobs that share a GPU share the height of its row.
// Colours, and the preference for light or dark, are those of [Gantt], which draws a single block
// close up.
func Hours(w io.Writer, in *instance.Instance, s *instance.BlockSchedule, opt GanttOptions) error {
	if len(s.Residency) != len(in.Jobs) {
		return fmt.Errorf("view: the plan has residencies of %d jobs, the instance has %d jobs", len(s.Residency), len(in.Jobs))
	}
	h := &hours{chart: chart{svg: svg{w: w}, plan: &plan{in: in}, opt: opt, colour: jobColours(in)}, plan: s}
	h.from, h.to = s.Spans(in)
	h.layout()
	h.draw()
	return h.flush()
}

// hours is one picture of stays.
type hours struct {
	chart
	plan     *instance.BlockSchedule
	from, to []instance.Tick // by job: first task, end
	lanes    [][]stay        // by GPU
	row      float64         // height of a GPU's
	y        []float64       // of each GPU's row
}

// stay is a job on a GPU, in one of several lanes of its row.
type stay struct {
	job         instance.JobID
	lane, lanes int
}

func (h *hours) layout() {
	in := h.in
	h.lanes = make([][]stay, len(in.GPUs))
	for j, gpus := range h.plan.Residency {
		for _, g := range gpus {
			h.lanes[g] = append(h.lanes[g], stay{instance.JobID(j), 0, 1})
		}
	}
	for g := range h.lanes {
		h.split(h.lanes[g])
	}
	h.horizon = float64(max(1, slices.Max(append(h.to, 1))))
	h.width, h.x0 = 1200, 110
	if h.opt.Width > 0 {
		h.width = float64(max(400, h.opt.Width))
	}
	h.plot = h.width - h.x0 - margin
	h.row = min(14, max(0.5, 1800/float64(len(in.GPUs))))
	h.top = 74
	at := h.top
	for n := range in.Nodes {
		for range in.Nodes[n].GPUs {
			h.y = append(h.y, at)
			at += h.row
		}
		at += min(4, h.row)
	}
	h.bottom = at
	h.height = at + 34
}

// admitted returns when a job comes into memory.
func (h *hours) admitted(j instance.JobID) instance.Tick {
	return max(0, h.from[j]-h.in.Jobs[j].Load)
}

// split gives jobs that are on a GPU at the same time lanes of their own.
func (h *hours) split(stays []stay) {
	slices.SortFunc(stays, func(a, b stay) int {
		return cmp.Or(cmp.Compare(h.admitted(a.job), h.admitted(b.job)), cmp.Compare(a.job, b.job))
	})
	for first := 0; first < len(stays); {
		// A company of jobs that overlap one another, directly or by others.
		last, end := first, instance.Tick(0)
		var ends []instance.Tick // by lane
		for ; last < len(stays) && (last == first || h.admitted(stays[last].job) < end); last++ {
			j := stays[last].job
			lane := slices.IndexFunc(ends, func(e instance.Tick) bool { return e <= h.admitted(j) })
			if lane < 0 {
				lane, ends = len(ends), append(ends, 0)
			}
			ends[lane], stays[last].lane = h.to[j], lane
			end = max(end, h.to[j])
		}
		for i := first; i < last; i++ {
			stays[i].lanes = len(ends)
		}
		first = last
	}
}

func (h *hours) draw() {
	in := h.in
	title := h.opt.Title
	if title == "" {
		title = in.Name
	}
	span := float64(slices.Max(append(h.to, 0)))
	text := fmt.Sprintf("%s, %s, %s; %s tasks in %s", plural(len(in.Jobs), "job"), plural(len(in.GPUs), "GPU"), seconds(in, span),
		integer(h.plan.Tasks()), plural(len(h.plan.Blocks), "block"))
	h.str(`<svg xmlns="http://www.w3.org/2000/svg" class="jigsaw" role="img" width="`).num(h.width).str(`" height="`).num(h.height)
	h.str(`" viewBox="0 0 `).num(h.width).str(" ").num(h.height).str(`">` + "\n<title>").text(title).str("</title>\n<desc>")
	h.text("When jobs are on which GPUs: " + text + ".").str("</desc>\n")
	h.style()
	h.str(`<rect class="page" width="100%" height="100%"/>` + "\n")
	h.label("h", margin, 28, title)
	h.label("s", margin, 48, text)
	for _, m := range timeMarks(in, h.horizon, 10) {
		x := h.px(m.at)
		h.str(`<path class="g" d="M`).num(x).str(" ").num(h.top - 6).str("V").num(h.bottom).str(`"/>` + "\n")
		h.label("d c", x, h.top-10, m.label)
	}
	for n := range in.Nodes {
		node := &in.Nodes[n]
		if node.GPUs == 0 || float64(node.GPUs)*h.row < 7 && n%8 != 0 {
			continue
		}
		h.label("d e", h.x0-8, h.y[node.FirstGPU]+min(float64(node.GPUs)*h.row/2+4, 10), fit(node.Name, 90, 11))
	}
	for g := range in.GPUs {
		for _, s := range h.lanes[g] {
			h.stay(instance.GPUID(g), s)
		}
	}
	h.labels()
	h.str("</svg>\n")
}

// stay draws a job on a GPU: pale while it is loaded.
func (h *hours) stay(g instance.GPUID, s stay) {
	height := h.row / float64(s.lanes)
	y := h.y[g] + height*float64(s.lane)
	gap := 0.0
	if height > 4 {
		gap = 1
	}
	part := func(from, to instance.Tick, shade int) {
		if to <= from {
			return
		}
		x := h.px(float64(from))
		h.rect(x, y, max(0.3, h.px(float64(to))-x-gap), height-gap)
		h.str(` class="`).str(className(h.colour[s.job], shade)).str(`"><title>`)
		job := &h.in.Jobs[s.job]
		h.text(fmt.Sprintf("%s: %s to %s", job.Name, seconds(h.in, float64(h.admitted(s.job))), seconds(h.in, float64(h.to[s.job])))).str("</title></rect>\n")
	}
	part(h.admitted(s.job), h.from[s.job], 0)
	part(h.from[s.job], h.to[s.job], shades-1)
}

// labels writes the names of jobs where there is room, on their first GPUs.
func (h *hours) labels() {
	for j, gpus := range h.plan.Residency {
		if len(gpus) == 0 {
			continue
		}
		rows := 1 // GPUs of the job next to one another
		for rows < len(gpus) && gpus[rows] == gpus[rows-1]+1 && h.in.GPUs[gpus[rows]].Node == h.in.GPUs[gpus[0]].Node {
			rows++
		}
		i := slices.IndexFunc(h.lanes[gpus[0]], func(s stay) bool { return int(s.job) == j })
		x, width := h.px(float64(h.from[j])), h.plot*float64(h.to[j]-h.from[j])/h.horizon
		name := h.in.Jobs[j].Name
		lanes := h.lanes[gpus[0]][i].lanes
		if lanes > 1 {
			rows = 1
		}
		height := float64(rows) * h.row / float64(lanes)
		if height < 11 || textWidth(name, 10)+8 > width {
			continue
		}
		y := h.y[gpus[0]] + h.row/float64(lanes)*float64(h.lanes[gpus[0]][i].lane) + height/2 + 4
		h.str(`<g class="`).str(className(h.colour[j], shades-1)).str(`">`)
		h.label("z", x+4, y, name)
		h.str("</g>\n")
	}
}
