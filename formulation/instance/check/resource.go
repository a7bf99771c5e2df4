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
	var list []stretch
	for g := range in.GPUs {
		here := order[first[g]:first[g+1]]
		list = list[:0]
		for _, n := range here {
			list = fold(list, n, tasks[n].Start, tasks[n].End, c.period)
		}
		c.exclusive(instance.GPUID(g), list)
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

func (l load) plus(x uint64) load {
	lo, carry := bits.Add64(l.lo, x, 0)
	return load{l.hi + carry, lo}
}

func (l load) minus(x uint64) load {
	lo, borrow := bits.Sub64(l.lo, x, 0)
	return load{l.hi - borrow, lo}
}

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

// demand is what a stretch of a sync asks of one link.
type demand struct {
	stretch int // index into the list of stretches
	speed   uint64
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

// links tests rule 8: it sweeps each link over the starts and ends of the
// syncs that use it. An overload is reported where it begins, with the sync
// that begins it.
func (c *checker) links() {
	in, syncs := c.in, c.s.Syncs
	var list []stretch
	told := make([]bool, len(in.Jobs)) // of having no route
	for n := range syncs {
		y := &syncs[n]
		switch ring := c.rings[y.Job]; {
		case ring == nil:
		case ring.slowest == 0:
			if !told[y.Job] {
				told[y.Job] = true
				c.report(8, y.Job, y.Iteration, y.Start, "%s", ring.broken)
			}
		default:
			list = fold(list, n, y.Start, y.End, c.period)
		}
	}
	// Sorted once here, the demands on every link are in order as well.
	unit := c.fractions()
	starts := c.demands(list, unit, func(s *stretch) instance.Tick { return s.from })
	ends := c.demands(list, unit, func(s *stretch) instance.Tick { return s.to })
	for l := range in.Links {
		capacity := uint64(int64(in.Links[l].Capacity) / unit.common * unit.parts)
		var now load
		e, over := 0, false
		for _, d := range starts[l] {
			from := list[d.stretch].from
			for e < len(ends[l]) && list[ends[l][e].stretch].to <= from {
				now = now.minus(ends[l][e].speed)
				e++
			}
			over = over && now.exceeds(capacity)
			now = now.plus(d.speed)
			if !over && now.exceeds(capacity) {
				over = true
				y := &syncs[list[d.stretch].index]
				c.report(8, y.Job, y.Iteration, from, "link %s is asked for %d bit/s but has %d",
					in.Links[l].Name, now.over(uint64(unit.parts/unit.common)), in.Links[l].Capacity)
			}
		}
	}
}

// demands returns for every link what the stretches ask of it, by ascending at.
func (c *checker) demands(list []stretch, unit fractions, at func(*stretch) instance.Tick) [][]demand {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at(&list[a]), at(&list[b])), cmp.Compare(a, b)) })
	total := make([]int, len(c.in.Links))
	for i := range list {
		for _, u := range c.rings[c.s.Syncs[list[i].index].Job].uses {
			total[u.link]++
		}
	}
	by := make([][]demand, len(total))
	for l, n := range total {
		by[l] = make([]demand, 0, n)
	}
	for _, i := range order {
		y := &c.s.Syncs[list[i].index]
		ring := c.rings[y.Job]
		speed := uint64(ring.slowest / unit.common * (unit.parts / int64(y.Rate)))
		for _, u := range ring.uses {
			// One lap fits the link; so many laps that they overflow do not.
			hi, lo := bits.Mul64(speed*uint64(u.times), list[i].layers)
			if hi > 0 {
				lo = math.MaxUint64
			}
			by[u.link] = append(by[u.link], demand{i, lo})
		}
	}
	return by
}
