package exchange

import "slices"

// fillings lists at most mostFillings sets, in at most fillingSteps steps.
const mostFillings, fillingSteps = 300, 20_000

// fillings lists sets of areas, as ascending indices, that contain the first and add up to
// at most room and at least room less idle: the smallest sets first.
// Areas are in descending order. It also returns the number of steps taken.
func fillings(areas []float64, room, idle float64) (list [][]int, steps int) {
	f := &filler{areas: areas, room: room, idle: idle, sums: make([]float64, len(areas)+1), chosen: []int{0}}
	for n, a := range areas {
		f.sums[n+1] = f.sums[n] + a
	}
	for k := range areas {
		f.add(1, k, areas[0])
	}
	return f.found, f.steps
}

// filler is a search for sets of areas.
type filler struct {
	areas      []float64
	room, idle float64
	sums       []float64 // of the first areas
	chosen     []int
	found      [][]int
	steps      int
}

// add chooses k more areas, from the given one on; those chosen have the given sum.
func (f *filler) add(from, k int, sum float64) {
	if f.steps++; f.steps >= fillingSteps || len(f.found) >= mostFillings {
		return
	}
	if k == 0 {
		if sum <= f.room && sum >= f.room-f.idle {
			f.found = append(f.found, slices.Clone(f.chosen))
		}
		return
	}
	n := len(f.areas)
	for at := from; at+k <= n; at++ {
		if sum+f.sums[at+k]-f.sums[at] < f.room-f.idle {
			return // the k largest that are left are too little
		}
		if sum+f.areas[at]+f.sums[n]-f.sums[n-k+1] > f.room {
			continue // with the smallest it is too much
		}
		f.chosen = append(f.chosen, at)
		f.add(at+1, k-1, sum+f.areas[at])
		f.chosen = f.chosen[:len(f.chosen)-1]
	}
}
