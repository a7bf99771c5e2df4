package view

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// jobColours gives every job a colour: its own while there are enough,
// otherwise one for each class of identical jobs. It depends on the instance
// only, so that pictures of several plans agree.
func jobColours(in *instance.Instance) []int {
	colour := make([]int, len(in.Jobs))
	for j := range colour {
		colour[j] = j % len(colours)
	}
	if len(in.Jobs) <= len(colours) {
		return colour
	}
	for j, class := range in.ClassOf() {
		colour[j] = class % len(colours)
	}
	return colour
}

// legendItem is a job, or a class of identical ones, with its place.
type legendItem struct {
	colour    int
	name, dim string
	x, y      float64
}

// layoutLegend places an entry for every job, or every class of identical
// jobs where those share colours, and returns the end.
func (c *chart) layoutLegend(y float64) float64 {
	entries := make([][]instance.JobID, 0, len(c.in.Jobs))
	if len(c.in.Jobs) > len(colours) {
		entries = append(entries, c.in.Classes()...)
	}
	if len(entries) == 0 {
		for j := range c.in.Jobs {
			entries = append(entries, []instance.JobID{instance.JobID(j)})
		}
	}
	wide := 0.0
	for n, jobs := range entries {
		if n == c.lim.jobs {
			c.legend = append(c.legend, legendItem{-1, fmt.Sprintf("and %s more", integer(len(entries)-n)), "", 0, 0})
			break
		}
		job := &c.in.Jobs[jobs[0]]
		name := fit(job.Name, 150, 11)
		if len(jobs) > 1 {
			name = fmt.Sprintf("%s and %s like it", fit(job.Name, 110, 11), integer(len(jobs)-1))
		}
		workers, iterations := fmt.Sprint(job.Parties(job.Workers)), job.Iterations
		if job.Group() > 1 {
			workers += fmt.Sprintf(" of %d GPUs", job.Group())
		}
		if c.period > 0 {
			iterations = c.s.Iterations(c.in)[jobs[0]]
		}
		dim := fmt.Sprintf("%s × %s", workers, integer(iterations))
		c.legend = append(c.legend, legendItem{c.colour[jobs[0]], name, dim, 0, 0})
		wide = max(wide, 36+textWidth(name+"  "+dim, 11))
	}
	columns := max(1, int((c.width-2*margin)/max(wide, 60)))
	for i := range c.legend {
		c.legend[i].x = margin + float64(i%columns)*wide
		c.legend[i].y = y + 17*float64(i/columns)
	}
	y += 17 * float64((len(c.legend)+columns-1)/columns)
	return y + 20 // the key to shades
}

func (c *chart) drawLegend() {
	end := c.drawItems()

	// The key to shades: what a task of growing depth looks like.
	gauges := !c.plain && len(c.rows) > 0 && c.rows[0].h >= minGauge
	y := end + 5
	x := margin
	say := func(text string) {
		c.label("d", x, y+9.5, text)
		x += textWidth(text, 11) + 6
	}
	say("depth: shallow")
	for shade := range shades {
		k := className(0, shade)
		share := float64(shade+1) / shades
		c.str(`<g class="`).str(k).str(`"><path d="`).box(x, y, 22, 12).str(`"/>`)
		if gauges {
			c.str(`<path class="m" d="`).box(x+0.4, y+12*(1-share), gaugeWidth, 12*share).str(`"/>`)
		}
		c.str("</g>\n")
		x += 26
	}
	x += 3
	unit := "workers × iterations"
	if c.period > 0 {
		unit = "workers × iterations in a period"
	}
	text := "full"
	if gauges {
		text += "; bar at the left edge: part of the backward pass  ·  label: job·iteration"
	}
	if more := text + "  ·  above: " + unit; x+textWidth(more, 11) < c.width-margin {
		text = more
	}
	if more := text + "  ·  flags: release (pointing right), deadline (left)"; len(c.marks) > 0 && x+textWidth(more, 11) < c.width-margin {
		text = more
	}
	say(text)
}

// drawItems draws the entries of the legend, and returns the end.
func (c *chart) drawItems() float64 {
	c.str("<g>\n")
	end := 0.0
	for _, item := range c.legend {
		x := item.x
		if item.colour >= 0 {
			c.str(`<rect class="`).str(className(item.colour, shades-1)).str(`" x="`).num(x).str(`" y="`).num(item.y).str(`" width="14" height="11" rx="2"/>`)
			x += 20
		}
		c.str(`<text x="`).num(x).str(`" y="`).num(item.y + 9.5).str(`">`).text(item.name)
		c.str(` <tspan class="d">`).text(" " + item.dim).str("</tspan></text>\n")
		end = item.y + 17
	}
	c.str("</g>\n")
	return end
}
