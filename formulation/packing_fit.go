package formulation

import (
	"slices"
	"sort"
)

// packPath is a set of slots with what it is worth by units.
type packPath struct {
	slots []int
	worth []int64
	took  [][]int32 // by slot of the set
}

// add returns the set with a later slot.
func (f *packFill) add(set *packPath, i int) *packPath {
	worth := make([]int64, f.pool.room+1)
	if set != nil {
		worth = set.worth
	}
	worth, took := join(worth, f.lines[i])
	if set == nil {
		return &packPath{[]int{i}, worth, [][]int32{took}}
	}
	return &packPath{append(slices.Clip(set.slots), i), worth, append(slices.Clip(set.took), took)}
}

// limit returns how many units the set takes at the most; below 0 where it cannot be.
func (f *packFill) limit(set *packPath) int64 {
	return min(f.pool.room, f.s.limit(f.pool, set.slots))
}

// fit returns the best content of a set of slots, nil where there is none.
func (f *packFill) fit(slots []int) (packContent, int64) {
	var set *packPath
	for _, i := range slots {
		set = f.add(set, i)
	}
	return f.content(set)
}

func (f *packFill) content(set *packPath) (packContent, int64) {
	room := f.limit(set)
	if room < 0 || set.worth[room] <= noWorth {
		return nil, noWorth
	}
	worth := set.worth[room]
	content := make(packContent, len(set.slots))
	for n := len(set.slots) - 1; n >= 0; n-- {
		content[n] = f.worker(set.slots[n], int64(set.took[n][room]))
		room -= content[n].units
	}
	return content, worth
}

// worker returns the worker in a slot that takes so many units.
func (f *packFill) worker(i int, units int64) packWorker {
	w := packWorker{class: f.pool.slots[i].class, units: units}
	best := int64(noWorth)
	for _, line := range f.lines[i] {
		if v := line.worth + line.slope*(units-line.from); line.from <= units && units <= line.to && v > best {
			w.shallow, w.deep, best = line.shallow, line.deep, v
		}
	}
	return w
}

// mostPackCells bounds the sets that are looked at for the best content, times units.
const mostPackCells = 2 << 20

// best returns contents that are worth more than so much, the best last, and a limit on what
// any is worth: sets are extended slot by slot, as long as the knapsack leaves hope.
func (f *packFill) best(known int64) (contents []packContent, worth int64) {
	left := mostPackCells / (f.pool.room + 1)
	worth = known
	var extend func(set *packPath)
	extend = func(set *packPath) {
		first := 0
		if set != nil {
			first = set.slots[len(set.slots)-1] + 1
		}
		last := first + sort.Search(len(f.lines)-first, func(n int) bool {
			return f.hope(set, f.after[first+n]) <= known+(worth-known)/2
		})
		for i := first; i < last && left > 0; i++ {
			if i > first && f.pool.slots[i].class == f.pool.slots[i-1].class {
				continue // as its twin before
			}
			if f.hope(set, f.with[i]) <= known+(worth-known)/2 { // sets half as good give columns, too
				continue
			}
			next := f.add(set, i)
			left--
			if room := f.limit(next); room >= 0 {
				if next.worth[room] > known+(worth-known)/2 {
					content, _ := f.content(next)
					contents = append(contents, content)
				}
				worth = max(worth, next.worth[room])
				extend(next)
			}
		}
	}
	extend(nil)
	f.looked = mostPackCells/(f.pool.room+1) - left
	if left == 0 {
		worth = max(worth, f.worth())
	}
	return contents, worth
}

// hope is what a set with others is worth at the most, these being worth so much by units.
func (f *packFill) hope(set *packPath, others []int64) int64 {
	if set == nil {
		return others[f.pool.room]
	}
	room := int(f.pool.slots[set.slots[0]].room)
	most := int64(noWorth)
	for x, worth := range set.worth[:room+1] {
		if with := others[room-x]; with > noWorth && worth > noWorth {
			most = max(most, worth+with)
		}
	}
	return most
}
