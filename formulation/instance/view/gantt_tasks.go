package view

import (
	"strconv"

	"jigsaw/formulation/instance"
)

// gaugeWidth is the width of the bar whose height tells the depth.
const gaugeWidth = 2.5

// minGauge is the least height of a task that has one, and labels.
const minGauge = 8

// shape is a rectangle that stands for a piece of a task.
type shape struct {
	task          int32
	x, y, w, h    float64
	before, after bool
}

// buckets sorts shapes by colour and shade, so that each needs one class.
type buckets [len(colours) * shades][]shape

func (c *chart) bucketOf(t *instance.Task) int {
	return c.colour[t.Job]*shades + shadeOf(t.Depth, c.in.Jobs[t.Job].Full())
}

// drawTasks draws the tasks.
func (c *chart) drawTasks() {
	if len(c.rows) == 0 || len(c.tasks) == 0 {
		return
	}
	var now, next buckets
	var pieces []piece
	for i := range c.rows {
		r := &c.rows[i]
		pad := 0.0
		if r.h >= 7 {
			pad = 1
		}
		for _, n := range c.byGPU[r.gpu] {
			t := &c.tasks[n]
			k := c.bucketOf(t)
			pieces = c.pieces(pieces[:0], t.Start, t.End)
			for _, part := range pieces {
				x := c.px(float64(part.from))
				s := shape{n, x, r.y + pad, c.px(float64(part.to)) - x, r.h - 2*pad, part.before, part.after}
				now[k] = append(now[k], s)
				if from := float64(part.from + c.period); c.period > 0 && from < c.horizon {
					s.x = c.px(from)
					s.w = c.px(min(float64(part.to+c.period), c.horizon)) - s.x
					next[k] = append(next[k], s)
				}
			}
		}
	}
	if c.period > 0 {
		c.str(`<g class="echo">` + "\n")
		c.drawPlain(&next)
		c.str("</g>\n")
	}
	// The gap between neighbours is a stroke, so that rectangles keep their size.
	width := "0.8"
	if c.rows[0].h < 7 {
		width = "0.3"
	}
	c.str(`<g class="tasks" stroke-width="`).str(width).str(`">` + "\n")
	if c.plain {
		c.drawPlain(&now)
	} else {
		c.drawDetailed(&now)
	}
	c.str("</g>\n")
}

// drawPlain draws shapes as one path for each class.
func (c *chart) drawPlain(b *buckets) {
	for k, shapes := range b {
		if len(shapes) == 0 {
			continue
		}
		c.str(`<path class="`).str(className(k/shades, k%shades)).str(`" d="`)
		for _, s := range shapes {
			c.box(s.x, s.y, s.w, s.h)
		}
		c.str(`"/>` + "\n")
	}
}

// drawDetailed draws shapes as rectangles with tooltip, gauge and label.
func (c *chart) drawDetailed(b *buckets) {
	size := float64(c.labelSize())
	for k, shapes := range b {
		if len(shapes) == 0 {
			continue
		}
		c.str(`<g class="`).str(className(k/shades, k%shades)).str(`">` + "\n")
		for _, s := range shapes {
			c.rect(s.x, s.y, s.w, s.h).str("><title>")
			c.taskTitle(&c.tasks[s.task])
			c.str("</title></rect>\n")
		}
		if shapes[0].h >= minGauge {
			c.str(`<path class="m" d="`)
			for _, s := range shapes {
				c.gauge(s)
			}
			c.str(`"/>` + "\n")
			for _, s := range shapes {
				c.taskLabel(s, size)
			}
		}
		c.str("</g>\n")
	}
}

// gauge draws the bar that tells the depth, and an arrow where the shape goes
// on beyond the period.
func (c *chart) gauge(s shape) {
	t := &c.tasks[s.task]
	if share := c.in.Jobs[t.Job].Fraction(t.Depth); s.w >= 5 && !s.before {
		c.box(s.x+0.4, s.y+s.h*(1-share), min(gaugeWidth, s.w/6), s.h*share)
	}
	if s.before && s.w >= 5 {
		c.tip(s.x+0.6, s.y+s.h/2)
	}
	if s.after && s.w >= 5 {
		c.tip(s.x+s.w-4.6, s.y+s.h/2)
	}
}

// taskLabel writes what fits: job and iteration, or the iteration.
func (c *chart) taskLabel(s shape, size float64) {
	if s.h < size+1 || s.w < size {
		return
	}
	t := &c.tasks[s.task]
	iteration := strconv.Itoa(t.Iteration)
	room := s.w - gaugeWidth - 3
	if s.after {
		room -= 4
	}
	for _, text := range []string{c.names[t.Job] + "·" + iteration, iteration} {
		if textWidth(text, size) <= room {
			c.label("", s.x+gaugeWidth+1.5+room/2, s.y+s.h/2+size*0.36, text)
			return
		}
	}
}

// taskTitle writes the tooltip of a task.
func (c *chart) taskTitle(t *instance.Task) {
	in := c.in
	job := &in.Jobs[t.Job]
	node := &in.Nodes[in.GPUs[t.GPU].Node]
	c.text(c.names[t.Job]).str(", iteration ").int(int64(t.Iteration))
	c.str("\ndepth ").int(int64(job.Depths[t.Depth].Layers)).str(" of ").int(int64(job.Depths[job.Full()].Layers)).str(" layers")
	c.str("\nGPU ").int(int64(node.Place(t.GPU))).str(" of ").text(node.Name)
	c.interval(t.Start, t.End)
}

// interval writes times for a tooltip.
func (c *chart) interval(start, end instance.Tick) {
	c.str("\nticks ").int(int64(start)).str("–").int(int64(end)).str(" (").int(int64(end - start)).str(")")
	c.str("\n").str(millis(c.in, start)).str("–").str(millis(c.in, end)).str(" ms")
}
