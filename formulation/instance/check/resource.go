package check

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// stretch is a run of ticks [from, to) during which a task or sync, index in
// the schedule, occupies its resources layers times.
type stretch struct {
	index    int
	from, to instance.Tick
	layers   uint64
}

// fold appends the ticks [start, end) as stretches, modulo the period if there
// is one. Where they are longer than the period they lie on themselves.
func fold(list []stretch, index int, start, end, period instance.Tick) []stretch {
	if period == 0 {
		if end > start {
			list = append(list, stretch{index, start, end, 1})
		}
		return list
	}
	length := end - start
	if laps := length / period; laps > 0 {
		list = append(list, stretch{index, 0, period, uint64(laps)})
	}
	if rest := length % period; rest > 0 {
		from := start % period
		if room := period - from; rest <= room {
			list = append(list, stretch{index, from, from + rest, 1})
		} else {
			list = append(list, stretch{index, from, period, 1}, stretch{index, 0, rest - room, 1})
		}
	}
	return list
}

// buckets sorts the numbers 0..n-1 by key, stably: those of key k are
// order[first[k]:first[k+1]].
func buckets(n, keys int, key func(int) int) (order, first []int) {
	first = make([]int, keys+1)
	for i := range n {
		first[key(i)+1]++
	}
	for k := range keys {
		first[k+1] += first[k]
	}
	order = make([]int, n)
	fill := slices.Clone(first)
	for i := range n {
		k := key(i)
		order[fill[k]] = i
		fill[k]++
	}
	return order, first
}

// gpus tests rules 6 and 7 GPU by GPU.
func (c *checker) gpus() {
	in, tasks := c.in, c.s.Tasks
	order, first := buckets(len(tasks), len(in.GPUs), func(n int) int { return int(tasks[n].GPU) })
	persistent := make([]instance.Bytes, len(in.GPUs)) // saturating
	for j, gpus := range c.resident {
		for _, g := range gpus {
			if costs := in.Jobs[j].On[in.GPUs[g].Type]; costs != nil {
				persistent[g] = addBytes(persistent[g], costs.Persistent)
			}
		}
	}
	var list, hulls []stretch
	for g := range in.GPUs {
		here := order[first[g]:first[g+1]]
		hulls = hulls[:0]
		for from := 0; from < len(here); {
			block, to := c.taskBlock.of(here[from]), from
			b := &c.blocks[block]
			hull := stretch{index: here[from], from: tasks[here[from]].Start, layers: 1}
			list = list[:0]
			for ; to < len(here) && c.taskBlock.of(here[to]) == block; to++ {
				t := &tasks[here[to]]
				list = fold(list, here[to], t.Start-b.Start, t.End-b.Start, b.Period)
				if t.Start < hull.from {
					hull.index, hull.from = here[to], t.Start
				}
				hull.to = max(hull.to, t.End+b.LastStart())
			}
			for n := range list {
				list[n].from, list[n].to = list[n].from+b.Start, list[n].to+b.Start
			}
			c.exclusive(instance.GPUID(g), list)
			hulls = append(hulls, hull)
			from = to
		}
		c.exclusive(instance.GPUID(g), hulls)
		if in.Queues() {
			c.memoryInTime(instance.GPUID(g), here)
		} else {
			c.memory(instance.GPUID(g), here, persistent[g])
		}
	}
}

// exclusive tests rule 6: the stretches of a GPU's tasks do not overlap.
func (c *checker) exclusive(g instance.GPUID, list []stretch) {
	slices.SortFunc(list, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.index, b.index))
	})
	last := -1 // of the stretches so far, the one that ends last
	for n := range list {
		here := &list[n]
		t := &c.s.Tasks[here.index]
		if last >= 0 && here.from < list[last].to || here.layers > 1 {
			other := here
			if here.layers == 1 {
				other = &list[last]
			}
			o := &c.s.Tasks[other.index]
			c.report(6, t.Job, t.Iteration, here.from, "%s is busy with job %q, iteration %d, until tick %d",
				c.gpu(g), c.in.Jobs[o.Job].Name, o.Iteration, other.to)
		}
		if last < 0 || here.to > list[last].to {
			last = n
		}
	}
}

// memory tests rule 7 on one GPU and the tasks placed there. The violation
// names the task that needs most.
func (c *checker) memory(g instance.GPUID, here []int, persistent instance.Bytes) {
	kind := c.in.GPUs[g].Type
	worst, ephemeral := -1, instance.Bytes(0)
	for _, n := range here {
		t := &c.s.Tasks[n]
		if costs := c.in.Jobs[t.Job].On[kind]; costs != nil && (worst < 0 || costs.Ephemeral[t.Depth] > ephemeral) {
			worst, ephemeral = n, costs.Ephemeral[t.Depth]
		}
	}
	memory := c.in.Types[kind].Memory
	if addBytes(persistent, ephemeral) <= memory {
		return
	}
	job, iteration, tick := instance.NoJob, 0, instance.Tick(-1)
	if worst >= 0 {
		t := &c.s.Tasks[worst]
		job, iteration, tick = t.Job, t.Iteration, t.Start
	}
	c.report(7, job, iteration, tick, "%s needs %d bytes for its residents and %d for its largest task, but has %d",
		c.gpu(g), persistent, ephemeral, memory)
}

// addBytes adds non-negative sizes, saturating.
func addBytes(a, b instance.Bytes) instance.Bytes {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// load is a sum of speeds, in 128 bits.
type load struct{ hi, lo uint64 }

func (l load) and(x load) load {
	lo, carry := bits.Add64(l.lo, x.lo, 0)
	hi, _ := bits.Add64(l.hi, x.hi, carry)
	return load{hi, lo}
}

func (l load) less(x load) load {
	lo, borrow := bits.Sub64(l.lo, x.lo, 0)
	hi, _ := bits.Sub64(l.hi, x.hi, borrow)
	return load{hi, lo}
}

func (l load) above(x load) bool { return l.hi > x.hi || l.hi == x.hi && l.lo > x.lo }

func (l load) exceeds(capacity uint64) bool { return l.hi > 0 || l.lo > capacity }

// over returns the sum divided by parts, rounded up, or the largest integer in its stead.
func (l load) over(parts uint64) uint64 {
	if l.hi >= parts {
		return math.MaxUint64
	}
	quotient, rest := bits.Div64(l.hi, l.lo, parts)
	if rest > 0 {
		quotient++
	}
	return quotient
}

// fractions are the units that speeds are exact in, at every rate level: common x
// parts of them are common bit/s.
type fractions struct{ common, parts int64 }

// fractions takes the least common multiple of the levels for parts, and what
// divides it and all speeds for common.
func (c *checker) fractions() fractions {
	greatest := func(a, b int64) int64 {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	u := fractions{parts: 1}
	for _, level := range c.in.RateLevels {
		u.parts *= int64(level) / greatest(u.parts, int64(level))
	}
	u.common = u.parts
	for l := range c.in.Links {
		u.common = greatest(u.common, int64(c.in.Links[l].Capacity))
	}
	for _, ring := range c.rings {
		if ring != nil {
			u.common = greatest(u.common, ring.slowest)
		}
	}
	return u
}

// use is what a sync or, after its peaks are taken, a block asks of a link during [from, to).
type use struct {
	from, to instance.Tick
	speed    load
	sync     int // the one that begins it
}

// links tests rule 8: it sweeps each link over the starts and ends of what uses it. An overload is
// reported where it begins, with the sync that begins it.
func (c *checker) links() {
	uses := make([][]use, len(c.in.Links)) // in order of blocks
	unit := c.fractions()
	told := make([]bool, len(c.in.Jobs)) // of having no route
	var pieces []stretch
	for n := range c.s.Syncs {
		y, b := &c.s.Syncs[n], &c.blocks[c.syncBlock.of(n)]
		ring := c.rings[y.Job]
		if ring == nil {
			continue
		}
		if ring.slowest == 0 {
			if !told[y.Job] {
				told[y.Job] = true
				c.report(8, y.Job, y.Iteration, y.Start, "%s", ring.broken)
			}
			continue
		}
		speed := uint64(ring.slowest / unit.common * (unit.parts / int64(y.Rate)))
		pieces = fold(pieces[:0], n, y.Start-b.Start, y.End-b.Start, b.Period)
		for _, u := range ring.uses {
			for _, p := range pieces {
				hi, lo := bits.Mul64(speed*uint64(u.times), p.layers)
				uses[u.link] = append(uses[u.link], use{p.from, p.to, load{hi, lo}, n})
			}
		}
	}
	var scratch []use
	for l := range uses {
		scratch = c.link(&c.in.Links[l], uses[l], unit, scratch[:0])
	}
}

// link tests rule 8 on one link. all is room for its uses at their times in the plan, which it returns.
func (c *checker) link(l *instance.Link, uses []use, unit fractions, all []use) []use {
	for from := 0; from < len(uses); {
		block, to := c.syncBlock.of(uses[from].sync), from
		for to < len(uses) && c.syncBlock.of(uses[to].sync) == block {
			to++
		}
		b := &c.blocks[block]
		if b.Repeats == 1 {
			for _, u := range uses[from:to] {
				u.from, u.to = u.from+b.Start, u.to+b.Start
				all = append(all, u)
			}
		} else {
			hull := use{from: -1}
			peak(uses[from:to], func(u *use, _, sum load) {
				if sum.above(hull.speed) {
					hull.speed, hull.sync = sum, u.sync
				}
			})
			for _, u := range uses[from:to] {
				y := &c.s.Syncs[u.sync]
				if hull.from < 0 || y.Start < hull.from {
					hull.from = y.Start
				}
				hull.to = max(hull.to, y.End+b.LastStart())
			}
			all = append(all, hull)
		}
		from = to
	}
	capacity := uint64(int64(l.Capacity) / unit.common * unit.parts)
	over := false
	peak(all, func(u *use, before, sum load) {
		over = over && before.exceeds(capacity)
		if !over && sum.exceeds(capacity) {
			over = true
			y := &c.s.Syncs[u.sync]
			c.report(8, y.Job, y.Iteration, u.from, "link %s would carry %d bit/s but has %d",
				l.Name, sum.over(uint64(unit.parts/unit.common)), l.Capacity)
		}
	})
	return all
}

// peak goes through uses in the order of their starts, and tells visit of the sums of speeds before and after each.
func peak(uses []use, visit func(u *use, before, sum load)) {
	byStart, byEnd := instance.UpTo[int](len(uses)), instance.UpTo[int](len(uses))
	slices.SortFunc(byStart, func(a, b int) int {
		return cmp.Or(cmp.Compare(uses[a].from, uses[b].from), cmp.Compare(uses[a].sync, uses[b].sync))
	})
	slices.SortFunc(byEnd, func(a, b int) int { return cmp.Compare(uses[a].to, uses[b].to) })
	var sum load
	e := 0
	for _, i := range byStart {
		for ; uses[byEnd[e]].to <= uses[i].from; e++ {
			sum = sum.less(uses[byEnd[e]].speed)
		}
		before := sum
		sum = sum.and(uses[i].speed)
		visit(&uses[i], before, sum)
	}
}
