package formulation

import "slices"

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

// mostPackSets is how many sets of slots are looked at for the best content.
const mostPackSets = 2000

// best returns the best content if it is worth more than so much, and a limit on what any is
// worth: sets are extended slot by slot, as long as the knapsack leaves hope.
func (f *packFill) best(known int64) (content packContent, worth int64) {
	left := mostPackSets
	var best *packPath
	worth = known
	var extend func(set *packPath)
	extend = func(set *packPath) {
		first := 0
		if set != nil {
			first = set.slots[len(set.slots)-1] + 1
		}
		for i := first; i < len(f.lines) && left > 0; i++ {
			if i > first && f.pool.slots[i].class == f.pool.slots[i-1].class {
				continue // as its twin before
			}
			if f.hope(set, i) <= worth {
				continue
			}
			next := f.add(set, i)
			left--
			if room := f.limit(next); room >= 0 {
				if next.worth[room] > worth {
					best, worth = next, next.worth[room]
				}
				extend(next)
			}
		}
	}
	extend(nil)
	if left == 0 {
		return nil, f.worth()
	}
	if best != nil {
		content, _ = f.content(best)
	}
	return content, worth
}

// hope is what a set with slot i and later ones is worth at the most.
func (f *packFill) hope(set *packPath, i int) int64 {
	if set == nil {
		return f.with[i][f.pool.slots[i].room]
	}
	room := int(f.pool.slots[set.slots[0]].room)
	most := int64(noWorth)
	for x, worth := range set.worth[:room+1] {
		if with := f.with[i][room-x]; with > noWorth && worth > noWorth {
			most = max(most, worth+with)
		}
	}
	return most
}
