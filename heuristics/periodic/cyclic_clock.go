package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// periodClock finds the least period of a cyclic sequence. With all orders fixed, what
// remains are differences between starts x:
//
//	x[to] + laps·P >= x[from] + length
//
// where laps is 0 if from is before to in the list, and 1 if it is not. The
// least P for which they have a solution is a maximum cycle ratio, rounded up.
// For a given P they are solved by longest paths: a sweep along the list meets
// all of laps 0, then those of laps 1 are looked at, until nothing changes or
// operations wait for each other in a circle. That circle gives a greater lower
// bound on P, which is tried next (Newton's method, in integers).
type periodClock struct {
	in *instance.Instance
	// memory may be short on some GPU type.
	memory bool

	place []int32         // of every operation in the list
	x     []instance.Tick // start, by place
	good  []instance.Tick // x for the shortest period found
	first []int32         // edges of place p are edges[first[p]:first[p+1]]
	edges []clockEdge
	wraps []wrapEdge // of laps 1
	cause []int32    // by place: the edge, or ^ the wrap, that it waits for
	seen  []int32    // scratch, by place
	loop  []int32    // places of a cycle that allows no shorter period, each waiting for the one before

	before     []int32           // per first operation: last of the iteration before
	opens      []int32           // per GPU: place of its first task, -1: none
	closes     []int32           // per GPU: place of its last
	tail       []instance.Tick   // per GPU: length of its last task
	load       []instance.Tick   // per GPU
	persistent []instance.Bytes  // per GPU
	ephemeral  []instance.Bytes  // per GPU: the greatest
	links      [][]share         // per link: its capacity by who has it
	taken      [][]share         // per link: capacity taken in this period that was free at its start
	asked      []instance.Rate   // per link: what all its jobs ask for at most
	busy       []instance.LinkID // links that jobs may have to wait for

	work int // edges looked at
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

// share is part of a link's capacity: with the synchronisation at a place,
// which gives it back some time.
type share struct {
	place  int32 // -1: free since the period began
	rate   instance.Rate
	length instance.Tick // of the synchronisation
	end    instance.Tick // about when it ends
}

func newPeriodClock(in *instance.Instance) *periodClock {
	c := &periodClock{in: in, opens: make([]int32, len(in.GPUs)), closes: make([]int32, len(in.GPUs)),
		tail: make([]instance.Tick, len(in.GPUs)), load: make([]instance.Tick, len(in.GPUs)),
		persistent: make([]instance.Bytes, len(in.GPUs)), ephemeral: make([]instance.Bytes, len(in.GPUs)),
		links: make([][]share, len(in.Links)), taken: make([][]share, len(in.Links)), asked: make([]instance.Rate, len(in.Links))}
	for t := range in.Types {
		all, most := instance.Bytes(0), instance.Bytes(0)
		for j := range in.Jobs {
			if costs := in.Jobs[j].On[t]; costs != nil {
				all += costs.Persistent
				most = max(most, slices.Max(costs.Ephemeral))
			}
		}
		c.memory = c.memory || all+most > in.Types[t].Memory
	}
	return c
}

// least brings the starts of r up to date with the shortest period that its
// orders admit. It reports false, with r as it was, where that exceeds limit or
// the sequence is not valid, or empty.
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

// build works out the edges, and a lower bound on the period.
func (c *periodClock) build(r *cyclicSequence, limit instance.Tick) (low instance.Tick, ok bool) {
	n := len(r.list)
	if n == 0 {
		return 0, false
	}
	c.work += 4 * n
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
	if c.memory && !c.fits(r) {
		return 0, false
	}
	clear(c.asked)
	for _, residency := range r.residency {
		if residency != nil {
			for _, u := range residency.uses {
				c.asked[u.Link] += residency.rate[0] * instance.Rate(u.Times)
			}
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

// chains tells whether the iterations of every job come round in turn, once in
// a period, and returns the longest chain.
func (c *periodClock) chains(r *cyclicSequence) (longest instance.Tick, ok bool) {
	for j, chain := range r.chain {
		if len(chain) == 0 {
			continue
		}
		job := &c.in.Jobs[j]
		tasks := int32(job.Workers)
		if job.Gang {
			tasks = 1
		}
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
				for t := range tasks {
					// Tasks are between the ends of the two iterations.
					p := c.place[b+t]
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

// fits tells whether memory suffices.
func (c *periodClock) fits(r *cyclicSequence) bool {
	clear(c.persistent)
	clear(c.ephemeral)
	for j, residency := range r.residency {
		if residency == nil {
			continue
		}
		job := &c.in.Jobs[j]
		for w, g := range residency.gpus {
			costs := job.On[c.in.GPUs[g].Type]
			c.persistent[g] += costs.Persistent
			for _, b := range r.chain[j] {
				c.ephemeral[g] = max(c.ephemeral[g], costs.Ephemeral[r.depth[int(b)+w]])
			}
		}
	}
	for g := range c.persistent {
		if c.persistent[g]+c.ephemeral[g] > c.in.Types[c.in.GPUs[g].Type].Memory {
			return false
		}
	}
	return true
}

// wait makes a place wait for an operation.
func (c *periodClock) wait(p int32, op int32, length instance.Tick) {
	if from := c.place[op]; from < p {
		c.edges = append(c.edges, clockEdge{from, length})
	} else {
		c.wraps = append(c.wraps, wrapEdge{from, p, length})
	}
}

// operation adds what an operation waits for.
func (c *periodClock) operation(r *cyclicSequence, p int32, op int32) {
	j, slot := r.owner[op], r.slot[op]
	job, residency := &c.in.Jobs[j], r.residency[j]
	b := op - slot
	tasks := int32(job.Workers)
	if slot == tasks { // a synchronisation
		for t := range tasks {
			if job.Gang {
				c.wait(p, b, r.longest(b))
				break
			}
			c.wait(p, b+t, r.ticks[b+t])
		}
		for _, u := range residency.uses {
			if c.asked[u.Link] > c.in.Capacity(u.Link) && r.ticks[op] > 0 {
				c.take(u.Link, p, residency.rate[r.depth[op]]*instance.Rate(u.Times), r.ticks[op], r.at[op]+r.ticks[op])
			}
		}
		return
	}
	before := c.before[b]
	c.wait(p, before, r.ticks[before])
	if job.Gang {
		for w := range job.Workers {
			c.occupy(p, residency.gpus[w], r.ticks[int(b)+w])
		}
	} else {
		c.occupy(p, residency.gpus[slot], r.ticks[op])
	}
}

// occupy makes a task wait for the one before on its GPU.
func (c *periodClock) occupy(p int32, g instance.GPUID, length instance.Tick) {
	if c.opens[g] < 0 {
		c.opens[g] = p
	} else {
		c.edges = append(c.edges, clockEdge{c.closes[g], c.tail[g]})
	}
	c.closes[g], c.tail[g] = p, length
	c.load[g] += length
}
