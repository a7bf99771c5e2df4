package packing

import (
	"jigsaw/formulation/relax/exact"
	"slices"
	"sort"
)

// packPath is a set of slots with its value by units.
type packPath struct {
	slots []int
	worth []int64
	took  [][]int32 // by slot of the set
}

// add returns the set with a later slot.
func (f *packFill) add(set *packPath, i int) *packPath {
	worth := make([]int64, f.pool.Room+1)
	if set != nil {
		worth = set.worth
	}
	worth, took := join(worth, f.lines[i])
	if set == nil {
		return &packPath{[]int{i}, worth, [][]int32{took}}
	}
	return &packPath{append(slices.Clip(set.slots), i), worth, append(slices.Clip(set.took), took)}
}

// limit returns the most units the set takes; below 0 if the set is impossible.
func (f *packFill) limit(set *packPath) int64 {
	return min(f.pool.Room, f.s.Limit(f.pool, set.slots))
}

// fit returns the best content of the fixed slots and a set of slots, nil if there is
// none.
func (f *packFill) fit(slots []int) (configuration, int64) {
	set := f.fixed
	for _, i := range slots {
		set = f.add(set, i)
	}
	return f.content(set)
}

func (f *packFill) content(set *packPath) (configuration, int64) {
	if set == nil {
		return configuration{}, 0
	}
	room := f.limit(set)
	if room < 0 || set.worth[room] <= exact.NoWorth {
		return nil, exact.NoWorth
	}
	worth := set.worth[room]
	content := make(configuration, len(set.slots))
	for n := len(set.slots) - 1; n >= 0; n-- {
		content[n] = f.worker(set.slots[n], int64(set.took[n][room]))
		room -= content[n].units
	}
	return content, worth
}

// worker returns the worker in a slot that takes the given number of units.
func (f *packFill) worker(i int, units int64) packedWorker {
	w := packedWorker{class: f.pool.Slots[i].Class, units: units}
	best := int64(exact.NoWorth)
	for _, line := range f.lines[i] {
		if v := line.worth + line.slope*(units-line.from); line.from <= units && units <= line.to && v > best {
			w.shallow, w.deep, best = line.shallow, line.deep, v
		}
	}
	return w
}

// mostPackCells bounds the sets examined for the best content, times units.
const mostPackCells = 2 << 20

// best returns contents with a value above known, the best last, and an upper limit on the
// value of any: sets are extended slot by slot as long as the knapsack bound permits an
// improvement.
func (f *packFill) best(known int64) (contents []configuration, worth int64) {
	left := mostPackCells / (f.pool.Room + 1)
	worth = known
	enough := func() int64 { return known + (worth-known)/2 } // contents with half the gain give columns, too
	var extend func(set *packPath, first int)
	look := func(set *packPath, first int) {
		left--
		if room := f.limit(set); room >= 0 {
			if set.worth[room] > enough() {
				content, _ := f.content(set)
				contents = append(contents, content)
			}
			worth = max(worth, set.worth[room])
			extend(set, first)
		}
	}
	extend = func(set *packPath, first int) {
		last := first + sort.Search(len(f.lines)-first, func(n int) bool {
			return f.hope(set, f.after[first+n]) <= enough()
		})
		for i := first; i < last && left > 0; i++ {
			if f.pool.Slots[i].Fixed || i > first && f.pool.Slots[i].Class == f.pool.Slots[i-1].Class {
				continue // same as the identical slot before
			}
			if f.hope(set, f.with[i]) > enough() {
				look(f.add(set, i), i+1)
			}
		}
	}
	if f.fixed != nil {
		look(f.fixed, 0)
	} else {
		worth = max(worth, 0)
		extend(nil, 0)
	}
	f.looked = mostPackCells/(f.pool.Room+1) - left
	if left <= 0 {
		worth = max(worth, f.worth())
	}
	return contents, worth
}

// hope is an upper limit on the value of a set together with others in the room there is, given
// the value of these by units.
func (f *packFill) hope(set *packPath, others []int64) int64 {
	if set == nil {
		return others[f.pool.Room]
	}
	room := f.pool.Slots[set.slots[0]].Room
	if f.fixed != nil {
		room = f.pool.Room
	}
	most := int64(exact.NoWorth)
	for x := int64(0); x <= room; x++ {
		if set.worth[x] > exact.NoWorth && others[room-x] > exact.NoWorth {
			most = max(most, set.worth[x]+others[room-x])
		}
	}
	return most
}
