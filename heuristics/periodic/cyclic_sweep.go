package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// sweep finds starts for a period, none before those in x, and reports whether
// there are any. If not, loop is a cycle of places that has no time for them.
func (c *periodClock) sweep(period instance.Tick) bool {
	for p := range c.cause {
		c.cause[p] = noCause
	}
	for n := 1; ; n++ {
		c.work += len(c.edges) + len(c.wraps)
		e := c.first[0]
		for p := range c.x {
			t, cause := c.x[p], c.cause[p]
			for end := c.first[p+1]; e < end; e++ {
				if v := c.x[c.edges[e].from] + c.edges[e].length; v > t {
					t, cause = v, e
				}
			}
			c.x[p], c.cause[p] = t, cause
		}
		settled := true
		for n := range c.wraps {
			w := &c.wraps[n]
			if t := c.x[w.from] + w.length - period; t > c.x[w.to] {
				c.x[w.to], c.cause[w.to] = t, ^int32(n)
				settled = false
			}
		}
		if settled {
			return true
		}
		if n&(n-1) == 0 && n > 1 && c.cycle() {
			return false
		}
	}
}

const noCause = int32(1<<31 - 1)

// from returns the place that last made place p wait.
func (c *periodClock) from(p int32) int32 {
	switch e := c.cause[p]; {
	case e == noCause:
		return -1
	case e >= 0:
		return c.edges[e].from
	default:
		return c.wraps[^e].from
	}
}

// cycle looks for places that wait for each other in a circle: their starts
// would grow for ever.
func (c *periodClock) cycle() bool {
	c.work += len(c.x)
	c.seen = append(c.seen[:0], make([]int32, len(c.x))...)
	for first := range int32(len(c.x)) {
		p := first
		for p >= 0 && c.seen[p] == 0 {
			c.seen[p] = first + 1
			p = c.from(p)
		}
		if p < 0 || c.seen[p] != first+1 {
			continue
		}
		c.loop = c.loop[:0]
		for q := p; ; {
			c.loop = append(c.loop, q)
			if q = c.from(q); q == p {
				break
			}
		}
		slices.Reverse(c.loop)
		return true
	}
	return false
}

// ratio is the least period that the loop admits.
func (c *periodClock) ratio() instance.Tick {
	length, laps := instance.Tick(0), instance.Tick(0)
	for _, p := range c.loop {
		if e := c.cause[p]; e >= 0 {
			length += c.edges[e].length
		} else {
			length += c.wraps[^e].length
			laps++
		}
	}
	return (length + laps - 1) / laps
}

// critical appends operations that allow no shorter period than r has, each
// waiting for the one before, and the first for the last.
func (c *periodClock) critical(r *cyclicSequence, list []int32) []int32 {
	if _, ok := c.build(r, r.period); !ok || c.sweep(r.period-1) {
		return list
	}
	for _, p := range c.loop {
		list = append(list, r.list[p])
	}
	return list
}
