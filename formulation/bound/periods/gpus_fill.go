package periods

import (
	"cmp"
	"slices"

	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/periods"
)

// gpuFill looks for the most valuable contents of a GPU of a pool at some prices.
type gpuFill struct {
	m    *gpuMaster
	pool int
	look *periods.GPUExaminer
	list []periods.Configuration // each better than the one before
}

// Limits on the number of examined contents: in all, at first, and how often there may be
// more.
const (
	mostGPULooks  = 500_000
	quickGPULooks = 3_000
	mostCrowded   = 8
)

func (m *gpuMaster) fill(pool int, prices []int64) *gpuFill {
	f := &gpuFill{m: m, pool: pool, look: m.Look(pool, prices)}
	if f.look != nil {
		f.look.Loose = m.crowded[pool] > mostCrowded
	}
	return f
}

// worth is the value of the best content; or an upper limit on it if that is far above the
// price of a GPU, or if too many contents have to be examined. If that happens repeatedly,
// gaps are ignored.
func (f *gpuFill) worth(price int64) int64 {
	if f.look == nil {
		return exact.MostWorth
	}
	value, _ := f.best(0, quickGPULooks)
	if value > price+price/4 {
		return f.look.Knapsack()
	}
	value, all := f.best(value, mostGPULooks)
	if !all {
		f.m.crowded[f.pool]++
		return f.look.Knapsack()
	}
	return value
}

// best looks for contents with a higher value, records them, and returns the value of the best;
// all says that there is no better one.
func (f *gpuFill) best(worth int64, looks int) (value int64, all bool) {
	value, f.look.Looks = worth, looks
	f.look.Better = func(content periods.Configuration, worth int64) {
		kept := make(periods.Configuration, len(content))
		for i, w := range content {
			kept[i] = periods.WorkerTasks{Class: w.Class, Counts: slices.Clone(w.Counts)}
		}
		slices.SortStableFunc(kept, func(a, b periods.WorkerTasks) int { return cmp.Compare(a.Class, b.Class) })
		f.list, value = append(f.list, kept), worth
	}
	all = !f.look.Exceeds(worth)
	return value, all
}
