package exchange

import (
	"math/rand/v2"
	"slices"
)

const (
	// So many sets are listed, in so many steps.
	setChoices, setSteps = 300, 20_000
	// Where there are more they are drawn from about so many of the jobs.
	setJobs = 20
)

// fillings lists sets of areas, as ascending indices, that hold the first and add up to
// no more than room, and to less than it by no more than idle: those of the fewest first.
// Areas are in descending order. Where there are too many, and rng is not nil, it lists
// those of areas drawn at random. It also returns the number of steps taken.
func fillings(areas []float64, room, idle float64, rng *rand.Rand) (list [][]int, steps int) {
	all := make([]int, len(areas))
	for n := range all {
		all[n] = n
	}
	f := &filler{areas: areas, from: all, room: room, idle: idle}
	f.list()
	if (f.steps < setSteps && len(f.found) < setChoices) || rng == nil || len(all) <= setJobs {
		return f.found, f.steps
	}
	drawn := &filler{areas: areas, from: all[:1:1], room: room, idle: idle}
	for _, n := range all[1:] {
		if rng.IntN(len(all)) < setJobs {
			drawn.from = append(drawn.from, n)
		}
	}
	drawn.list()
	return drawn.found, f.steps + drawn.steps
}

// filler lists sets of areas.
type filler struct {
	areas      []float64
	from       []int // indices of the areas to choose from
	room, idle float64
	sums       []float64 // of the first areas to choose from
	chosen     []int
	found      [][]int
	steps      int
}

func (f *filler) list() {
	f.sums = make([]float64, len(f.from)+1)
	for n, at := range f.from {
		f.sums[n+1] = f.sums[n] + f.areas[at]
	}
	f.chosen = []int{f.from[0]}
	for k := range f.from {
		f.add(1, k, f.areas[f.from[0]])
	}
}

// add chooses k more areas, from the given one on; those chosen have the given sum.
func (f *filler) add(from, k int, sum float64) {
	if f.steps++; f.steps >= setSteps || len(f.found) >= setChoices {
		return
	}
	if k == 0 {
		if sum <= f.room && sum >= f.room-f.idle {
			f.found = append(f.found, slices.Clone(f.chosen))
		}
		return
	}
	n := len(f.from)
	for at := from; at+k <= n; at++ {
		if sum+f.sums[at+k]-f.sums[at] < f.room-f.idle {
			return // the k largest that are left are too little
		}
		area := f.areas[f.from[at]]
		if sum+area+f.sums[n]-f.sums[n-k+1] > f.room {
			continue // with the smallest it is too much
		}
		f.chosen = append(f.chosen, f.from[at])
		f.add(at+1, k-1, sum+area)
		f.chosen = f.chosen[:len(f.chosen)-1]
	}
}
