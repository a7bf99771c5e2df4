package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// periodClock finds the least period of a cyclic sequence. With all orders
// fixed, what remains are difference constraints between starts x:
//
//	x[to] + laps·P >= x[from] + length
//
// where laps is 0 if from is before to in the list, and 1 if it is not. The
// least P for which they have a solution is a maximum cycle ratio, rounded up.
// For a given P they are solved by longest paths: a sweep along the list
// satisfies all with laps 0, then those with laps 1 are checked, until nothing
// changes or operations wait for each other in a cycle. That cycle gives a
// larger lower bound on P, which is tried next (Newton's method, in integers).
type periodClock struct {
	in    *instance.Instance
	place []int32         // per operation: its place in the list
	x     []instance.Tick // start, by place
	good  []instance.Tick // x for the shortest period found
	first []int32         // edges of place p are edges[first[p]:first[p+1]]
	edges []clockEdge
	wraps []wrapEdge // with laps 1
	cause []int32    // by place: the edge, or ^ the wrap, it waits for
	seen  []int32    // scratch, by place
	loop  []int32    // places of a cycle that allows no shorter period, each waiting for the one before

	before []int32           // per first operation: last one of the previous iteration
	opens  []int32           // per GPU: place of its first task, -1: none
	closes []int32           // per GPU: place of its last
	tail   []instance.Tick   // per GPU: length of its last task
	load   []instance.Tick   // per GPU
	links  [][]share         // per link: its capacity by current holder
	taken  [][]share         // per link: capacity used in this period that was free at its start
	asked  []instance.Rate   // per link: largest total demand of its jobs
	busy   []instance.LinkID // links that jobs may have to wait for

}

// clockEdge makes its place wait for another.
type clockEdge struct {
	from   int32
	length instance.Tick
}

// wrapEdge makes place to wait for place from of the period before.
type wrapEdge struct {
	from, to int32
	length   instance.Tick
}

// share is part of a link's capacity, held by the synchronisation at a place,
// which returns it at some time.
type share struct {
	place  int32 // -1: free since the start of the period
	rate   instance.Rate
	length instance.Tick // of the synchronisation
	end    instance.Tick // about when it ends
}

func newPeriodClock(in *instance.Instance) *periodClock {
	c := &periodClock{in: in, opens: make([]int32, len(in.GPUs)), closes: make([]int32, len(in.GPUs)),
		tail: make([]instance.Tick, len(in.GPUs)), load: make([]instance.Tick, len(in.GPUs)),
		links: make([][]share, len(in.Links)), taken: make([][]share, len(in.Links)), asked: make([]instance.Rate, len(in.Links))}
	return c
}

// least updates the starts of r to the shortest period that its orders permit.
// It reports false, with r unchanged, if that exceeds limit or the sequence is
// not valid, or empty.
func (c *periodClock) least(r *cyclicSequence, limit instance.Tick) bool {
	low, ok := c.build(r, limit)
	if !ok || !c.sweep(limit) {
		return false
	}
	c.good = append(c.good[:0], c.x...)
	for low < limit {
		if c.sweep(low) {
			limit = low
			c.good, c.x = c.x, c.good
			break
		}
		low = max(low+1, c.ratio())
		copy(c.x, c.good)
	}
	r.period = limit
	for p, op := range r.list {
		r.at[op] = c.good[p]
	}
	return true
}

// build computes the edges, and a lower bound on the period.
func (c *periodClock) build(r *cyclicSequence, limit instance.Tick) (low instance.Tick, ok bool) {
	n := len(r.list)
	if n == 0 {
		return 0, false
	}
	if len(c.place) < len(r.owner) {
		c.place = make([]int32, 2*len(r.owner))
		c.before = make([]int32, 2*len(r.owner))
	}
	for p, op := range r.list {
		c.place[op] = int32(p)
	}
	low, ok = c.chains(r)
	if !ok || low > limit {
		return 0, false
	}
	clear(c.asked)
	for _, span := range r.spans {
		for _, u := range span.Uses {
			c.asked[u.Link] += span.Slowest * instance.Rate(u.Times)
		}
	}
	c.busy = c.busy[:0]
	for l, asked := range c.asked {
		if capacity := c.in.Capacity(instance.LinkID(l)); asked > capacity {
			c.busy = append(c.busy, instance.LinkID(l))
			c.links[l] = append(c.links[l][:0], share{place: -1, rate: capacity})
			c.taken[l] = c.taken[l][:0]
		}
	}
	for g := range c.opens {
		c.opens[g], c.load[g] = -1, 0
	}
	c.first, c.edges, c.wraps = append(c.first[:0], 0), c.edges[:0], c.wraps[:0]
	for p, op := range r.list {
		c.operation(r, int32(p), op)
		c.first = append(c.first, int32(len(c.edges)))
	}
	for g, p := range c.opens {
		if p >= 0 {
			c.wraps = append(c.wraps, wrapEdge{c.closes[g], p, c.tail[g]})
			low = max(low, c.load[g])
		}
	}
	for _, l := range c.busy {
		c.close(l)
	}
	c.x, c.cause = c.x[:0], c.cause[:0]
	for _, op := range r.list {
		c.x, c.cause = append(c.x, r.at[op]), append(c.cause, noCause)
	}
	return low, low <= limit
}

// chains reports whether the iterations of every job follow each other, once in
// a period, and returns the longest chain.
func (c *periodClock) chains(r *cyclicSequence) (longest instance.Tick, ok bool) {
	for j, chain := range r.chain {
		if len(chain) == 0 {
			continue
		}
		job := &c.in.Jobs[j]
		rounds, sum := 0, instance.Tick(0)
		before := chain[len(chain)-1]
		for _, b := range chain {
			c.before[b] = r.last(before)
			from := c.place[c.before[b]]
			to := c.place[r.last(b)]
			wrap := from >= to
			if wrap {
				rounds++
			}
			sum += r.longest(b)
			if y := r.sync(b); y >= 0 {
				sum += r.ticks[y]
				for op, step := b, together(job); op < b+int32(job.Workers); op += step {
					// Tasks lie between the ends of the two iterations.
					p := c.place[op]
					if after, ahead := p > from, p < to; wrap && !after && !ahead || !wrap && (!after || !ahead) {
						return 0, false
					}
				}
			}
			before = b
		}
		if rounds != 1 {
			return 0, false
		}
		longest = max(longest, sum)
	}
	return longest, true
}

// wait makes a place wait for an operation.
func (c *periodClock) wait(p int32, op int32, length instance.Tick) {
	if from := c.place[op]; from < p {
		c.edges = append(c.edges, clockEdge{from, length})
	} else {
		c.wraps = append(c.wraps, wrapEdge{from, p, length})
	}
}

// operation adds the constraints of an operation.
func (c *periodClock) operation(r *cyclicSequence, p int32, op int32) {
	j, slot := r.owner[op], r.slot[op]
	b, step := op-slot, together(&c.in.Jobs[j])
	if op == r.sync(b) {
		for t := b; t < op; t += step {
			c.wait(p, t, slices.Max(r.ticks[t:t+step]))
		}
		for _, u := range r.spans[j].Uses {
			if c.asked[u.Link] > c.in.Capacity(u.Link) && r.ticks[op] > 0 {
				c.take(u.Link, p, r.spans[j].Rate(r.level[op])*instance.Rate(u.Times), r.ticks[op], r.at[op]+r.ticks[op])
			}
		}
		return
	}
	before := c.before[b]
	c.wait(p, before, r.ticks[before])
	for i := range step {
		c.occupy(p, r.residency[j][slot+i], r.ticks[op+i])
	}
}

// occupy makes a task wait for the previous one on its GPU.
func (c *periodClock) occupy(p int32, g instance.GPUID, length instance.Tick) {
	if c.opens[g] < 0 {
		c.opens[g] = p
	} else {
		c.edges = append(c.edges, clockEdge{c.closes[g], c.tail[g]})
	}
	c.closes[g], c.tail[g] = p, length
	c.load[g] += length
}

// On a link the order of the list does not determine who waits for whom, since
// several synchronisations may run at once. Therefore capacity is passed on:
// each one takes, in the order of the list, the capacity that others return
// first, and waits for those. The sum of the rates then never exceeds the
// capacity, whatever the starts are; and with the starts from which the list
// was made, nothing waits unnecessarily.

// take assigns capacity of a link to the synchronisation at place p until about
// the given time: the capacity that others return first.
func (c *periodClock) take(l instance.LinkID, p int32, rate instance.Rate, length, end instance.Tick) {
	free := c.links[l]
	used, left := 0, rate
	for ; left > 0; used++ {
		s := &free[used]
		part := min(left, s.rate)
		if s.place < 0 {
			c.taken[l] = append(c.taken[l], share{place: p, rate: part})
		} else {
			c.edges = append(c.edges, clockEdge{s.place, s.length})
		}
		if left -= part; part < s.rate {
			s.rate -= part
			break
		}
	}
	free = slices.Delete(free, 0, used)
	at, _ := slices.BinarySearchFunc(free, end, func(s share, end instance.Tick) int {
		if s.place < 0 || s.end <= end {
			return -1
		}
		return 1
	})
	c.links[l] = slices.Insert(free, at, share{p, rate, length, end})
}

// close makes those that used capacity free since the start of the period wait
// for those that hold it at the end of the previous period, the first for the
// first.
func (c *periodClock) close(l instance.LinkID) {
	taken := c.taken[l]
	for _, s := range c.links[l] {
		for s.place >= 0 && s.rate > 0 {
			part := min(s.rate, taken[0].rate)
			c.wraps = append(c.wraps, wrapEdge{s.place, taken[0].place, s.length})
			s.rate -= part
			if taken[0].rate -= part; taken[0].rate == 0 {
				taken = taken[1:]
			}
		}
	}
}

// sweep finds starts for a period, none before those in x, and reports whether
// there are any. If not, loop is a cycle of places that does not fit in it.
func (c *periodClock) sweep(period instance.Tick) bool {
	for p := range c.cause {
		c.cause[p] = noCause
	}
	for n := 1; ; n++ {
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

// from returns the place that last delayed place p.
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

// cycle looks for places that wait for each other in a cycle: their starts
// would grow without end.
func (c *periodClock) cycle() bool {
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

// ratio is the least period that the loop permits.
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
