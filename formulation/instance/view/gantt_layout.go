package view

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// gpuRow is a row for a GPU.
type gpuRow struct {
	gpu  instance.GPUID
	y, h float64
}

// rowGroup is a block of rows with a common label: a node's GPUs.
type rowGroup struct {
	name, sub string
	y, h      float64
}

// rackHead is the line above a rack's first node.
type rackHead struct {
	name string
	y    float64
}

// rowHeight is the height of one of n GPU rows: generous while they are few,
// then what keeps the picture below some three thousand pixels.
func rowHeight(n int) float64 {
	for _, step := range []struct {
		rows   int
		height float64
	}{{16, 22}, {32, 19}, {80, 15}, {160, 11}, {320, 7}, {640, 4}, {1280, 2.5}} {
		if n <= step.rows {
			return step.height
		}
	}
	return 1.5
}

// layoutRows places the GPU rows from y and returns the end.
func (c *chart) layoutRows(y float64) float64 {
	in := c.in
	h := rowHeight(len(in.GPUs))
	nodeGap, rackGap := min(6, h/2+0.5), 0.0
	if h < 4 {
		nodeGap = 1
	}
	if len(in.Racks) > 1 {
		if rackGap = 16; h < 4 {
			rackGap = 13
		}
	}
	for r := range in.Racks {
		rack := &in.Racks[r]
		if rackGap > 0 {
			c.racks = append(c.racks, rackHead{"rack " + rack.Name, y})
			y += rackGap
		}
		for _, n := range rack.Nodes {
			node, from := &in.Nodes[n], y
			for g := range node.GPUs {
				c.rows = append(c.rows, gpuRow{node.FirstGPU + instance.GPUID(g), y, h})
				y += h
			}
			c.groups = append(c.groups, rowGroup{node.Name, c.nodeType(node), from, y - from})
			y += nodeGap
		}
		y += 2
	}
	return y
}

// drawTracks draws what is behind the tasks: tracks, which show as idle time,
// labels on the left, busy shares on the right.
func (c *chart) drawTracks() {
	x1 := c.x0 + c.plot
	c.str(`<path class="track" d="`)
	for _, g := range c.groups {
		c.box(c.x0, g.y, c.plot, g.h)
	}
	for _, l := range c.links {
		c.box(c.x0, l.y, c.plot, l.h)
	}
	c.str(`"/>` + "\n")
	// Hairlines between the GPUs of a node.
	if len(c.rows) > 0 && c.rows[0].h >= 7 {
		c.str(`<path class="g" d="`)
		for i := 1; i < len(c.rows); i++ {
			if r := &c.rows[i]; r.y == c.rows[i-1].y+c.rows[i-1].h {
				c.str("M").num(c.x0).str(" ").num(r.y).str("H").num(x1)
			}
		}
		c.str(`"/>` + "\n")
	}
	if len(c.racks) > 0 {
		c.str(`<path class="r" d="`)
		for _, r := range c.racks {
			c.box(margin, r.y+1.5, c.width-2*margin, 1)
		}
		c.str(`"/>` + "\n")
		for _, r := range c.racks {
			c.label("z d", margin, r.y+10.5, fit(r.name, c.x0-margin, 9))
		}
	}
	last := -100.0
	for _, g := range c.groups {
		if g.y-last < 9 {
			continue // there is no room for this label
		}
		last = g.y
		room := c.x0 - margin - 26
		switch {
		case g.h >= 21:
			pad := min(3, (g.h-21)/2)
			c.label("n", margin, g.y+pad+9.5, fit(g.name, room, 11.5))
			c.label("z d", margin, g.y+pad+20, fit(g.sub, room, 9))
		default:
			size, class := 11.5, "n"
			if g.h < 13 {
				size, class = 9, "z"
			}
			c.label(class, margin, g.y+min(g.h/2+4, 10), fit(g.name, room, size))
		}
	}
	for i := range c.rows {
		r := &c.rows[i]
		if r.h < 9 {
			break
		}
		node := &c.in.Nodes[c.in.GPUs[r.gpu].Node]
		c.label("z d e", c.x0-5, r.y+r.h/2+3, fmt.Sprint(node.Place(r.gpu)))
		c.label("z d e", x1+shareCol-4, r.y+r.h/2+3, percent(c.use.GPUs[r.gpu].Share))
	}
	if len(c.rows) > 0 && c.rows[0].h >= 9 {
		c.label("z d e", x1+shareCol-4, c.top-6, "busy")
	}
}

// drawAxis draws the times above and the ticks below the rows, and the grid.
func (c *chart) drawAxis() {
	n := int(max(2, c.plot/95))
	times := momentMarks(c.in, c.opt.Begin, c.horizon, n)
	c.str(`<path class="g" d="`)
	for _, m := range times {
		c.str("M").num(c.px(m.at)).str(" ").num(c.top - 3).str("V").num(c.bottom)
	}
	c.str(`"/>` + "\n")
	for _, m := range times {
		c.label("z d c", c.px(m.at), c.top-6, m.label)
	}
	for i, m := range tickMarks(c.horizon, n) {
		text := m.label
		if i == 0 {
			text = "tick 0"
		}
		c.label("z d c", c.px(m.at), c.bottom+13, text)
	}
}

// drawLines draws makespan, bound, period, and the releases and deadlines.
func (c *chart) drawLines() {
	line := func(class string, at, above float64) {
		c.str(`<path class="`).str(class).str(`" d="M`).num(c.px(at)).str(" ").num(c.top - above).str("V").num(c.bottom + 2).str(`"/>` + "\n")
	}
	c.drawMarks()
	if c.period > 0 {
		line("l", 0, 3)
		line("l", float64(c.period), 28)
		c.label("z", c.px(float64(c.period))+5, c.top-18, "the next period")
		return
	}
	end := float64(c.span)
	name := "makespan " + integer(c.span)
	if c.in.Objective == instance.Makespan && c.hasBound() && c.opt.Bound <= c.horizon {
		line("l b", c.opt.Bound, 16)
		bound := "bound " + significant(c.opt.Bound)
		if c.px(end)-textWidth(name, 9) < c.px(c.opt.Bound)+8 {
			bound += "  |  " + name // the labels would collide
			name = ""
			c.label("z e", c.px(end), c.top-19, bound)
		} else {
			c.label("z e", c.px(c.opt.Bound), c.top-19, bound)
		}
	}
	line("l", end, 16)
	if name != "" {
		c.label("z e", c.px(end), c.top-19, name)
	}
}

// jobMark is a release or deadline.
type jobMark struct {
	job      instance.JobID
	at       instance.Tick
	deadline bool
	late     bool
}

// maxMarks keeps the strip of releases and deadlines legible.
const maxMarks = 400

func (c *chart) jobMarks() []jobMark {
	var list []jobMark
	end := c.s.Completion(c.in)
	for j := range c.in.Jobs {
		job := &c.in.Jobs[j]
		if job.Release > 0 {
			list = append(list, jobMark{instance.JobID(j), job.Release, false, false})
		}
		if job.Deadline > 0 {
			list = append(list, jobMark{instance.JobID(j), job.Deadline, true, end[j] > job.Deadline})
		}
	}
	return list[:min(len(list), maxMarks)]
}

// drawMarks draws a flag for each release, pointing to the time that is
// allowed, and each deadline, pointing back; and a line on the job's rows.
func (c *chart) drawMarks() {
	rowOf := map[instance.GPUID]*gpuRow{}
	if len(c.marks) > 0 {
		for i := range c.rows {
			rowOf[c.rows[i].gpu] = &c.rows[i]
		}
	}
	for _, m := range c.marks {
		x, y, dir, word := c.px(float64(m.at)), c.top-40, 7.0, "release"
		if m.deadline {
			dir, word = -7, "deadline"
		}
		class := className(c.colour[m.job], shades-1)
		if m.late {
			class = "w"
		}
		c.str(`<path class="`).str(class).str(`" d="M`).num(x).str(" ").num(y).str("l").num(dir).str(" 4l").num(-dir).str(" 4z")
		c.box(x-0.6, y, 1.2, 12)
		for _, g := range c.s.Residency[m.job] {
			if r := rowOf[g]; r != nil {
				c.box(x-0.8, r.y, 1.6, r.h)
			}
		}
		c.str(`"><title>`).text(fmt.Sprintf("%s: %s at tick %s (%s)", c.names[m.job], word, integer(m.at), seconds(c.in, float64(m.at))))
		c.str("</title></path>\n")
	}
}
