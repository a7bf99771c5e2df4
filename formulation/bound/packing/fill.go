package packing

import (
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/packing"
	"slices"
)

// packedWorker is a worker in a content: the number of units of its tasks together, and the
// two depths they mix, numbered among those that the rule knows.
type packedWorker struct {
	class         int
	units         int64
	shallow, deep int
}

// configuration is a set of workers that share a GPU.
type configuration []packedWorker

// packLine is the value of a worker as a function of the units of its tasks in a range:
// the line between two depths that it mixes. The value of all mixes is concave, and the
// best lines are those of its hull.
type packLine struct {
	shallow, deep int
	from, to      int64
	worth, slope  int64 // at from, and per unit
}

// lines returns the value of a worker in a slot, at integer prices.
func (s search) lines(slot *packing.Slot, prices []int64) (lines []packLine) {
	c := &s.Classes[slot.Class]
	worth := c.Worth(prices)
	var hull []int
	for i := range worth {
		if slot.Ticks[i] == exact.Never {
			continue
		}
		for len(hull) > 0 && slot.Ticks[hull[len(hull)-1]] >= slot.Ticks[i] {
			hull = hull[:len(hull)-1] // deeper tasks also count as shallower ones
		}
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if slope(slot.Ticks[a], worth[a], slot.Ticks[b], worth[b]) > slope(slot.Ticks[b], worth[b], slot.Ticks[i], worth[i]) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for n, i := range hull[1:] {
		last := hull[n]
		rise := slope(slot.Ticks[last], worth[last], slot.Ticks[i], worth[i])
		from := slot.Ticks[last] / s.Unit
		lines = append(lines, packLine{
			last, i, from, slot.Ticks[i] / s.Unit,
			prices[c.At] + worth[last] + rise*(s.Unit*(from+1)-1-slot.Ticks[last]), rise * s.Unit,
		})
	}
	if len(hull) == 1 {
		at := slot.Ticks[hull[0]] / s.Unit
		lines = append(lines, packLine{hull[0], hull[0], at, at, prices[c.At] + worth[hull[0]], 0})
	}
	return lines
}

// slope is the slope of the line between two points, rounded up.
func slope(fromTicks, from, toTicks, to int64) int64 {
	return (to - from + toTicks - fromTicks - 1) / (toTicks - fromTicks)
}

// packFill is the knapsack recursion over the slots of a pool. Slots without value count, too:
// their tasks fill the waits of others.
type packFill struct {
	s      search
	pool   *packing.Pool
	fixed  *packPath    // of the slots of decided jobs; nil for none
	looked int64        // sets examined by best
	lines  [][]packLine // by slot
	// after[i][x] is the value of slots from i on in x units; with[i] the same with slot i,
	// which then takes took[i][x]. Fixed slots are left out.
	after, with [][]int64
	took        [][]int32
}

func (s search) fill(pool int, prices []int64) *packFill {
	p := &s.Pools[pool]
	n := len(p.Slots)
	f := &packFill{s: s, pool: p, after: make([][]int64, n+1), with: make([][]int64, n), took: make([][]int32, n)}
	for i := range p.Slots {
		f.lines = append(f.lines, s.lines(&p.Slots[i], prices))
	}
	f.after[n] = make([]int64, p.Room+1)
	for i := n - 1; i >= 0; i-- {
		if f.after[i] = f.after[i+1]; p.Slots[i].Fixed {
			continue
		}
		f.with[i], f.took[i] = join(f.after[i+1], f.lines[i])
		f.after[i] = slices.Clone(f.after[i+1])
		for x, worth := range f.with[i] {
			f.after[i][x] = max(f.after[i][x], worth)
		}
	}
	for _, i := range p.Fixed {
		f.fixed = f.add(f.fixed, i)
	}
	return f
}

// join adds a worker to the values of others by units, and says how many units it takes. For
// each line a sliding window finds the best of the others.
func join(others []int64, lines []packLine) (worth []int64, took []int32) {
	worth, took = make([]int64, len(others)), make([]int32, len(others))
	for x := range worth {
		worth[x] = exact.NoWorth
	}
	queue := make([]int32, len(others)) // y with falling others(y) - slope y
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
			if others[best] == exact.NoWorth {
				continue
			}
			if v := others[best] + line.worth + line.slope*(int64(x-best)-line.from); v > worth[x] {
				worth[x], took[x] = v, int32(x-best)
			}
		}
	}
	return worth, took
}

// worth is the value of the best content if only rooms limit what it takes.
func (f *packFill) worth() int64 {
	if f.fixed != nil {
		return f.hope(f.fixed, f.after[0])
	}
	worth := int64(0)
	for i, with := range f.with {
		worth = max(worth, with[f.pool.Slots[i].Room])
	}
	return worth
}

// sets returns, for each slot that is not fixed, the slots of the most valuable content
// with it if only rooms limit what it takes, as far as that exceeds the price of a GPU.
func (f *packFill) sets(price int64) (list [][]int) {
	room := int(f.pool.Room)
	// before[i][z] is the value of fixed slots and those before i if all but z units are left
	// for others.
	before, took := make([][]int64, len(f.lines)), make([][]int32, len(f.lines))
	last := make([]int64, room+1)
	for z := range last {
		if last[z] = exact.NoWorth; f.fixed != nil {
			last[z] = f.fixed.worth[z]
		}
	}
	for i := range f.lines {
		if f.pool.Slots[i].Fixed {
			before[i] = last
			continue
		}
		for z := f.start(i); z <= room; z++ {
			last[z] = max(last[z], 0)
		}
		before[i] = last
		best, at := price, -1
		for z := range last {
			if with := f.with[i][room-z]; with > exact.NoWorth && last[z] > exact.NoWorth && last[z]+with > best {
				best, at = last[z]+with, z
			}
		}
		if at >= 0 {
			list = append(list, f.trace(before, took, i, at))
		}
		if i+1 < len(f.lines) {
			var with []int64
			with, took[i] = join(last, f.lines[i])
			last = slices.Clone(last)
			for z, worth := range with {
				last[z] = max(last[z], worth)
			}
		}
	}
	return list
}

// start is the number of units lost to contents that begin with slot i.
func (f *packFill) start(i int) int {
	if f.fixed != nil {
		return int(f.pool.Room) + 1 // no content does
	}
	return int(f.pool.Room - f.pool.Slots[i].Room)
}

// trace returns a set with slot i, besides those fixed, before which all but z units are left.
func (f *packFill) trace(before [][]int64, took [][]int32, i, z int) []int {
	set := []int{i}
	room := int(f.pool.Room) - z - int(f.took[i][int(f.pool.Room)-z])
	for j := i + 1; j < len(f.lines); j++ {
		if f.after[j][room] != f.after[j+1][room] {
			set = append(set, j)
			room -= int(f.took[j][room])
		}
	}
	for worth := before[i][z]; i > 0 && (worth != 0 || z < f.start(i)); worth = before[i][z] {
		if i--; before[i][z] != worth {
			set = append(set, i)
			z -= int(took[i][z])
		}
	}
	slices.Sort(set)
	return set
}
