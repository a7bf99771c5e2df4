package view

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"jigsaw/formulation/instance"
)

// GanttOptions are the settings of [Gantt]; the zero value serves.
type GanttOptions struct {
	// Title above the picture; empty means the instance's name.
	Title string
	// Bound is a proven bound on the objective, in the units of
	// [instance.Instance.Value]; 0 means none is known. The gap follows from it.
	Bound float64
	// Certified says that the bound was checked in integer arithmetic.
	Certified bool
	// Begin is when time 0 is, by the clock; zero: not known. Axes of minutes and hours, and [Hours], then tell times of the clock.
	Begin time.Time
	// Width of the picture in pixels; 0 chooses by what there is to show.
	Width int
	// Block of a plan in blocks that [Hours] draws close up, from 1: 0 chooses the one with the most
	// work, -1 leaves it out.
	Block int
}

// limits are the sizes above which a chart leaves things out. They keep the
// file of 200,000 tasks below about 10 MB.
type limits struct {
	tooltips int // shapes with their own label and tooltip
	linkRows int
	jobs     int // entries of the legend
}

var defaultLimits = limits{tooltips: 20_000, linkRows: 72, jobs: 60}

// Gantt writes the schedule as one self-contained SVG: a row for each GPU, by
// rack and node, with the tasks; below a row for each link that carries
// traffic, with the syncs, whose height is the share of the capacity they use.
// A node's or rack's two directions share a row where their loads are alike.
//
// Jobs have colours; where there are more jobs than colours, identical jobs
// share one and the label tells them apart. Depth is the shade of a task, and
// the height of the bar at its left edge. A periodic plan is drawn folded into
// one period, with the beginning of the next one faint behind it; what crosses
// the boundary has an arrow there.
//
// Large charts say what they left out: above 20,000 shapes labels and
// tooltips, above 72 rows single links. What is larger still is planned in
// blocks, and drawn by [Hours].
//
// The picture follows the viewer's preference for light or dark colours, and
// needs no scripts, fonts or other files.
func Gantt(w io.Writer, in *instance.Instance, s *instance.Schedule, opt GanttOptions) error {
	return gantt(w, in, s, opt, defaultLimits)
}

func gantt(w io.Writer, in *instance.Instance, s *instance.Schedule, opt GanttOptions, lim limits) error {
	p, err := newPlan(in, s)
	if err != nil {
		return err
	}
	c := &chart{svg: svg{w: w}, plan: p, opt: opt, lim: lim, use: p.usage(), byGPU: p.tasksByGPU()}
	c.layout()
	c.draw()
	return c.flush()
}

// chart is one picture: measured by layout, then written by draw.
type chart struct {
	svg
	*plan
	opt   GanttOptions
	lim   limits
	use   *Usage
	byGPU [][]int32

	names  []string     // of each job, clean and of a length to repeat often
	colour []int        // of each job
	legend []legendItem // with places
	head   []textLine
	notes  []string

	x0, plot float64 // left edge and width of the time range
	width    float64
	y        float64 // of the picture in another one
	horizon  float64 // ticks in the time range
	marks    []jobMark

	rows   []gpuRow
	groups []rowGroup
	racks  []rackHead
	links  []linkRow
	bars   int // syncs on links, as drawn

	plain                bool // no labels and tooltips
	area                 bool // links show their load only, not the syncs
	top, bottom, linkTop float64
	height               float64
}

type textLine struct {
	class, text string
	x, y        float64
}

const (
	maxName  = 28.0 // length of a job's name, in font sizes
	margin   = 18.0
	shareCol = 50.0 // right column: busy share
)

// px returns the place of a time.
func (c *chart) px(t float64) float64 { return c.x0 + c.plot*t/c.horizon }

// echo is the part of the next period that is shown.
const echo = 0.2

func (c *chart) layout() {
	if c.colour == nil {
		c.colour = jobColours(c.in)
	}
	for j := range c.in.Jobs {
		c.names = append(c.names, fit(c.in.Jobs[j].Name, maxName, 1))
	}
	c.plain = len(c.tasks) > c.lim.tooltips

	c.layoutTime()
	// What has to be said above the rows depends on them: place them first.
	c.linkTop = c.layoutRows(0)
	c.bottom = c.layoutLinks(c.linkTop)
	c.collectNotes()

	y := c.layoutHead(margin)
	y = c.layoutLegend(y + 8)
	y += 20 // makespan label
	if len(c.marks) > 0 {
		y += 12
	}
	c.move(math.Ceil(y + 18))
	c.height = math.Ceil(c.bottom + 22 + margin)
}

// move shifts all rows down.
func (c *chart) move(dy float64) {
	for i := range c.rows {
		c.rows[i].y += dy
	}
	for i := range c.groups {
		c.groups[i].y += dy
	}
	for i := range c.racks {
		c.racks[i].y += dy
	}
	for i := range c.links {
		c.links[i].y += dy
	}
	c.top, c.linkTop, c.bottom = dy, c.linkTop+dy, c.bottom+dy
}

// layoutTime chooses the widths and the time range.
func (c *chart) layoutTime() {
	gutter := 112.0 // the heading of the links fits
	for i := range c.in.Nodes {
		n := &c.in.Nodes[i]
		gutter = max(gutter, 30+textWidth(n.Name, 11), 30+textWidth(c.nodeType(n), 9))
	}
	for i := range c.in.Links {
		if c.use.Links[i].Bytes > 0 {
			gutter = max(gutter, 16+textWidth(linkLabel(&c.in.Links[i], true), 10))
		}
	}
	c.x0 = margin + min(gutter, 190)
	most := 0
	for _, tasks := range c.byGPU {
		most = max(most, len(tasks))
	}
	c.plot = min(max(float64(most)*46, 820), 1800)
	if c.opt.Width > 0 {
		c.plot = max(float64(c.opt.Width)-c.x0-shareCol-margin, 200)
	}
	c.width = math.Ceil(c.x0 + c.plot + shareCol + margin)

	c.horizon = max(1, float64(c.span))
	if c.period > 0 {
		c.horizon *= 1 + echo
		return
	}
	c.marks = c.jobMarks()
	for _, m := range c.marks {
		// A little beyond the makespan a deadline is still worth showing.
		if t := float64(m.at); t <= 1.25*float64(c.span) {
			c.horizon = max(c.horizon, t)
		}
	}
	c.marks = slices.DeleteFunc(c.marks, func(m jobMark) bool { return float64(m.at) > c.horizon })
}

func (c *chart) nodeType(n *instance.Node) string {
	return fmt.Sprintf("%d × %s", n.GPUs, c.in.Types[n.Type].Name)
}

// title returns the heading.
func (c *chart) title() string {
	switch {
	case c.opt.Title != "":
		return c.opt.Title
	case c.in.Name != "":
		return c.in.Name
	}
	return "Schedule"
}

// summary returns what the picture amounts to, most important first.
func (c *chart) summary() []string {
	in := c.in
	var parts []string
	value := 0.0
	if c.period > 0 {
		parts = append(parts, fmt.Sprintf("period %s ticks (%s)", integer(c.period), seconds(in, float64(c.period))))
	}
	if len(in.Jobs) > 0 && (c.period > 0 || !in.Objective.Periodic()) {
		value, _ = in.Value(c.s).Float64()
		if in.Objective != instance.Makespan {
			parts = append(parts, in.Objective.Words()+" "+c.value(value))
		}
	}
	if c.period == 0 {
		parts = append(parts, fmt.Sprintf("makespan %s ticks (%s)", integer(c.span), seconds(in, float64(c.span))))
	}
	parts = append(parts, "efficiency "+percent(c.s.Efficiency(in)))
	parts = append(parts, c.against(value, c.value(c.opt.Bound))...)
	return append(parts, "GPUs busy "+percent(c.use.MeanGPU()))
}

// hasBound reports whether a usable bound is given.
func (c *chart) hasBound() bool { return c.opt.Bound > 0 && !math.IsInf(c.opt.Bound, 0) }

// against says what bound a value has and how far it is from that, where a usable one is given.
func (c *chart) against(value float64, bound string) []string {
	if !c.hasBound() {
		return nil
	}
	name := "bound "
	if c.opt.Certified {
		name = "certified bound "
	}
	return []string{name + bound, "gap " + percent(math.Abs(value-c.opt.Bound)/max(math.Abs(value), 1e-9))}
}

// inventory says what is in the picture.
func (c *chart) inventory() []string {
	in := c.in
	places := Count(len(in.GPUs), "GPU") + " on " + Count(len(in.Nodes), "node")
	if len(in.Racks) > 1 {
		places += " in " + Count(len(in.Racks), "rack")
	}
	return []string{places, Count(len(in.Jobs), "job"), Count(len(c.tasks), "task"), Count(len(c.syncs), "sync"),
		fmt.Sprintf("1 tick = %s", seconds(in, 1))}
}

// value writes a value of the objective with its unit.
func (c *chart) value(v float64) string {
	switch c.in.Objective {
	case instance.WeightedCompletion:
		return significant(v*float64(c.in.TickUS)/1e6) + " s × weight"
	case instance.Throughput:
		return significant(v*1e6/float64(c.in.TickUS)) + " it/s"
	case instance.MaxMinThroughput:
		return percent(v) + " of full-depth speed"
	}
	return significant(v) + " ticks"
}

// layoutHead places title and figures, and returns the end.
func (c *chart) layoutHead(y float64) float64 {
	wide := c.width - 2*margin
	c.head = append(c.head, textLine{"h", fit(c.title(), wide, 17), margin, y + 14})
	y += 34
	for _, part := range []struct {
		class string
		words []string
	}{{"s", c.summary()}, {"i d", c.inventory()}} {
		line := ""
		for _, word := range part.words {
			if line != "" && textWidth(line+"  ·  "+word, 12) > wide {
				c.head = append(c.head, textLine{part.class, line, margin, y})
				y, line = y+17, ""
			}
			if line != "" {
				line += "  ·  "
			}
			line += word
		}
		c.head = append(c.head, textLine{part.class, line, margin, y})
		y += 17
	}
	for _, n := range c.notes {
		c.head = append(c.head, textLine{"w", n, margin, y})
		y += 17
	}
	return y - 8
}

// collectNotes says what was left out, and what is wrong.
func (c *chart) collectNotes() {
	note := func(format string, args ...any) { c.notes = append(c.notes, fmt.Sprintf(format, args...)) }
	if len(c.tasks) == 0 {
		note("The schedule is empty.")
	}
	if c.plain {
		note("Thinned: with %s, tasks have no labels and tooltips.", Count(len(c.tasks), "task"))
	}
	if len(c.links) > 0 && c.links[0].merged {
		n := 0
		for i := range c.use.Links {
			if c.use.Links[i].Bytes > 0 {
				n++
			}
		}
		note("Thinned: %s with traffic are drawn as %s; the height is their mean load.", Count(n, "link"), Count(len(c.links), "row"))
	} else if c.area {
		note("Thinned: links show their load, not single syncs.")
	}
	lost := 0
	for _, y := range c.syncs {
		if !c.routes[y.Job].ok {
			lost++
		}
	}
	if lost > 0 {
		note("%s cannot be drawn: failed links leave no route.", Count(lost, "sync"))
	}
	for j, end := range c.s.Completion(c.in) {
		if d := c.in.Jobs[j].Deadline; d > 0 && end > d && c.period == 0 && len(c.notes) < 8 {
			note("Late: %s ends %s ticks after its deadline.", fit(c.in.Jobs[j].Name, 200, 12), integer(end-d))
		}
	}
}

// open begins the picture.
func (c *chart) open(title, description string) {
	c.str(`<svg xmlns="http://www.w3.org/2000/svg" class="jigsaw" role="img"`)
	if c.y > 0 {
		c.str(` y="`).num(c.y).str(`"`)
	}
	c.str(` width="`).num(c.width).str(`" height="`).num(c.height)
	c.str(`" viewBox="0 0 `).num(c.width).str(" ").num(c.height).str(`">` + "\n")
	c.str("<title>").text(title).str("</title>\n<desc>").text(description).str("</desc>\n")
	c.style()
	c.str(`<rect class="page" width="100%" height="100%"/>` + "\n")
}

func (c *chart) draw() {
	description := "Gantt chart of a schedule: " + strings.Join(append(c.summary(), c.inventory()...), "; ") + "."
	c.open(c.title(), strings.Join(append([]string{description}, c.notes...), " "))
	for _, l := range c.head {
		c.label(l.class, l.x, l.y, l.text)
	}
	c.drawLegend()
	c.drawTracks()
	c.drawAxis()
	c.drawTasks()
	c.drawLinks()
	c.drawLines()
	c.str("</svg>\n")
}
