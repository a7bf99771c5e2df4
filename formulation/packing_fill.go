package formulation

import (
	"math"
	"slices"
)

// packWorker is a worker in a content: its tasks take so many units together and mix two
// depths, numbered among those that the rule knows.
type packWorker struct {
	class         int
	units         int64
	shallow, deep int
}

// packContent are workers that share a GPU.
type packContent []packWorker

// packLine is what a worker is worth if its tasks take from so many units to so many: the
// line between two depths that it mixes. The worth of all mixes is concave, and the best
// lines are those of its hull.
type packLine struct {
	shallow, deep int
	from, to      int64
	worth, slope  int64 // at from, and per unit
}

// lines returns what a worker in a slot is worth, at integer prices.
func (s *packing) lines(slot *packSlot, prices []int64) (lines []packLine) {
	c := &s.classes[slot.class]
	worth := c.worth(prices)
	var hull []int
	for i := range worth {
		if slot.ticks[i] == never {
			continue
		}
		for len(hull) > 0 && slot.ticks[hull[len(hull)-1]] >= slot.ticks[i] {
			hull = hull[:len(hull)-1] // deeper tasks stand for shallower ones, too
		}
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if slope(slot.ticks[a], worth[a], slot.ticks[b], worth[b]) > slope(slot.ticks[b], worth[b], slot.ticks[i], worth[i]) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for n, i := range hull[1:] {
		last := hull[n]
		rise := slope(slot.ticks[last], worth[last], slot.ticks[i], worth[i])
		from := slot.ticks[last] / s.unit
		lines = append(lines, packLine{
			last, i, from, slot.ticks[i] / s.unit,
			prices[c.at] + worth[last] + rise*(s.unit*(from+1)-1-slot.ticks[last]), rise * s.unit,
		})
	}
	if len(hull) == 1 {
		at := slot.ticks[hull[0]] / s.unit
		lines = append(lines, packLine{hull[0], hull[0], at, at, prices[c.at] + worth[hull[0]], 0})
	}
	return lines
}

// slope is that of the line between two points, rounded up.
func slope(fromTicks, from, toTicks, to int64) int64 {
	return (to - from + toTicks - fromTicks - 1) / (toTicks - fromTicks)
}

// noWorth is of rooms in which something does not fit.
const noWorth = math.MinInt64 / 4

// packFill is the knapsack recursion over the slots of a pool that are worth anything.
type packFill struct {
	pool  *packPool
	slots []int
	lines [][]packLine
	// after[i][x] is what slots from i on are worth in x units; with[i] the same with slot
	// i, which then takes took[i][x].
	after, with [][]int64
	took        [][]int32
}

func (s *packing) fill(pool int, prices []int64) *packFill {
	p := &s.pools[pool]
	f := &packFill{pool: p}
	for i := range p.slots {
		lines := s.lines(&p.slots[i], prices)
		if last := lines[len(lines)-1]; last.worth+last.slope*(last.to-last.from) > 0 {
			f.slots, f.lines = append(f.slots, i), append(f.lines, lines)
		}
	}
	n := len(f.slots)
	f.after, f.with, f.took = make([][]int64, n+1), make([][]int64, n), make([][]int32, n)
	f.after[n] = make([]int64, p.room+1)
	for i := n - 1; i >= 0; i-- {
		f.with[i], f.took[i] = join(f.after[i+1], f.lines[i])
		room := p.slots[f.slots[i]].room
		for x := room + 1; x <= p.room; x++ {
			f.with[i][x], f.took[i][x] = f.with[i][room], f.took[i][room]
		}
		f.after[i] = slices.Clone(f.after[i+1])
		for x, worth := range f.with[i] {
			f.after[i][x] = max(f.after[i][x], worth)
		}
	}
	return f
}

// join adds a worker to what others are worth by units, and says what it takes. On each line
// the best of the others slides along.
func join(others []int64, lines []packLine) (worth []int64, took []int32) {
	worth, took = make([]int64, len(others)), make([]int32, len(others))
	for x := range worth {
		worth[x] = noWorth
	}
	queue := make([]int32, len(others)) // y of falling others(y) - slope y
	for _, line := range lines {
		head, tail := 0, 0
		for x := int(line.from); x < len(others); x++ {
			y := x - int(line.from)
			for tail > head && others[queue[tail-1]]-line.slope*int64(queue[tail-1]) <= others[y]-line.slope*int64(y) {
				tail--
			}
			queue[tail] = int32(y)
			tail++
			for int64(queue[head]) < int64(x)-line.to {
				head++
			}
			best := int(queue[head])
			if others[best] == noWorth {
				continue
			}
			if v := others[best] + line.worth + line.slope*(int64(x-best)-line.from); v > worth[x] {
				worth[x], took[x] = v, int32(x-best)
			}
		}
	}
	return worth, took
}

// worth is that of the best content.
func (f *packFill) worth() int64 { return f.after[0][f.pool.room] }

// contents returns, for each slot, the best content with it that is worth more than a GPU costs.
func (f *packFill) contents(price int64) (list []packContent) {
	room := int(f.pool.room)
	// before[i][z] is what slots before i are worth if all but z units are left for others.
	before := make([][]int64, len(f.slots))
	took := make([][]int32, len(f.slots))
	last := make([]int64, room+1)
	for z := range last {
		last[z] = noWorth
	}
	for i := range f.slots {
		start := f.start(i)
		for z := range last {
			if z >= start {
				last[z] = max(last[z], 0)
			}
		}
		before[i] = last
		best, at := price, -1
		masked := slices.Clone(last)
		for z := range masked {
			if z < start {
				masked[z] = noWorth
			} else if v := masked[z] + f.with[i][room-z]; f.with[i][room-z] > noWorth && v > best {
				best, at = v, z
			}
		}
		if at >= 0 {
			content := f.trace(before, took, i, at)
			list = append(list, f.traceAfter(content, i, room-at))
		}
		if i+1 < len(f.slots) {
			var with []int64
			with, took[i] = join(masked, f.lines[i])
			last = slices.Clone(last)
			for z, worth := range with {
				last[z] = max(last[z], worth)
			}
		}
	}
	return list
}

// trace returns the content before slot i that leaves all but z units.
func (f *packFill) trace(before [][]int64, took [][]int32, i, z int) (content packContent) {
	for worth := before[i][z]; worth != 0 || z < f.start(i); worth = before[i][z] {
		if i--; before[i][z] != worth {
			content = append(content, f.worker(i, int64(took[i][z])))
			z -= int(took[i][z])
		}
	}
	slices.Reverse(content)
	return content
}

// start is how many units are lost to contents that begin with slot i.
func (f *packFill) start(i int) int { return int(f.pool.room - f.pool.slots[f.slots[i]].room) }

// traceAfter appends slot i and what follows it in so much room.
func (f *packFill) traceAfter(content packContent, i, room int) packContent {
	for with := true; i < len(f.slots); i, with = i+1, false {
		if !with && f.after[i][room] == f.after[i+1][room] {
			continue
		}
		units := int(f.took[i][room])
		content = append(content, f.worker(i, int64(units)))
		room = min(room, int(f.pool.slots[f.slots[i]].room)) - units
	}
	return content
}

// worker returns the worker in a slot that takes so many units.
func (f *packFill) worker(i int, units int64) packWorker {
	w := packWorker{class: f.pool.slots[f.slots[i]].class, units: units}
	best := int64(noWorth)
	for _, line := range f.lines[i] {
		if v := line.worth + line.slope*(units-line.from); line.from <= units && units <= line.to && v > best {
			w.shallow, w.deep, best = line.shallow, line.deep, v
		}
	}
	return w
}
