package formulation

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// shape is a set of classes with the same costs, workers, rule and modes, and
// the columns that say how they live and work. Slices by mode.
type shape struct {
	id      string
	classes []int
	d       *demand // of the first class
	// jobs and iterations are the sums over the classes, fewest and most the
	// extremes of R; release is the earliest.
	jobs, iterations, fewest, most int64
	release                        int64

	live []int   // jobs that live in the mode; nil where no memory row needs it
	home [][]int // by pool of the mode if it has several: resident workers; else nil
	// In iterations, of all jobs and all R, or per period for rates:
	does []int   // iterations done in the mode
	busy [][]int // by pool of the mode if it has several: tasks
	node [][]int // likewise: nodes that take part in the synchronisations
	rack [][]int // by rackList if that has several: racks that take part
	// tasks[pool][depth], of the workers in modes of several pools.
	tasks map[int][]int
}

// fewClasses is the number of classes up to which each is a shape of its own.
const fewClasses = 200

// runs reports whether jobs of the class can run at all.
func (d *demand) runs() bool { return !d.short && !d.unplaced }

// shape groups the classes. heads are the releases that get rows of their own;
// classes whose chain is longer than half the known bound stay alone, because
// the chain may then depend on where they live.
func (f *fluid) shape(heads []int64, half *big.Int) {
	index := map[string]int{}
	for c := range f.m.demands {
		d := &f.m.demands[c]
		n, r := d.count(), int64(d.job.Iterations)
		if f.m.in.Objective.Periodic() {
			if !d.runs() {
				continue
			}
			r = 1
		}
		key := fmt.Sprint(c)
		if len(f.m.demands) > f.m.few && (half == nil || d.chain(d.iteration).Cmp(half) < 0) {
			bucket := 0
			for bucket < len(heads) && heads[bucket] <= int64(d.job.Release) {
				bucket++
			}
			j := *d.job
			j.Name, j.Iterations, j.Weight, j.Release, j.On = "", 0, 0, 0, nil
			costs := make([]instance.Costs, len(d.job.On))
			for t, o := range d.job.On {
				if o != nil {
					costs[t] = *o
				}
			}
			key = fmt.Sprintf("%v %+v %+v %+v", bucket, j, costs, d.modes)
		}
		at, ok := index[key]
		if !ok {
			at = len(f.shapes)
			index[key] = at
			f.shapes = append(f.shapes, shape{
				id: fmt.Sprintf("s%d", at), d: d, fewest: r, most: r, release: int64(d.job.Release),
			})
		}
		s := &f.shapes[at]
		s.classes = append(s.classes, c)
		s.jobs += n
		s.iterations += n * r
		s.fewest, s.most = min(s.fewest, r), max(s.most, r)
		s.release = min(s.release, int64(d.job.Release))
	}
	if len(f.shapes) < len(f.m.demands) && len(f.m.demands) > f.m.few {
		f.note = fmt.Sprintf("%d classes of jobs taken together as %d", len(f.m.demands), len(f.shapes))
	}
	f.tight = f.tightPools()
}

// tightPools returns the pools whose memory cannot hold all the jobs that may
// live there.
func (f *fluid) tightPools() []int {
	var tight []int
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		most := new(big.Int)
		for i := range f.shapes {
			if s := &f.shapes[i]; s.d.usable(at.gpuType) {
				kept := mul(int64(s.d.job.On[at.gpuType].Persistent), s.jobs)
				most.Add(most, kept.Mul(kept, big.NewInt(int64(s.d.job.Workers))))
			}
		}
		if most.Cmp(mul(f.freeMemory(p), at.size())) > 0 {
			tight = append(tight, p)
		}
	}
	return tight
}

// freeMemory is what the smallest task of a pool leaves of a GPU's memory.
func (f *fluid) freeMemory(p int) int64 {
	at := &f.m.network.pools[p]
	smallest := instance.Bytes(-1)
	for i := range f.shapes {
		d := f.shapes[i].d
		for depth, ok := range d.fits[at.gpuType] {
			if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 || !ok {
				continue
			}
			if e := d.job.On[at.gpuType].Ephemeral[depth]; smallest < 0 || e < smallest {
				smallest = e
			}
		}
	}
	return max(0, int64(at.memory-max(0, smallest)))
}

// rackList returns the rack classes of the pools of a mode, ascending.
func (f *fluid) rackList(o *mode) []int {
	var racks []int
	for _, p := range o.pools {
		if r := f.m.network.pools[p].rack; !slices.Contains(racks, r) {
			racks = append(racks, r)
		}
	}
	slices.Sort(racks)
	return racks
}

// id names a mode in row and column names.
func (o *mode) id() string {
	switch o.kind {
	case lone, inNode:
		return fmt.Sprintf("node.p%d", o.pools[0])
	case inRack:
		return fmt.Sprintf("rack.k%d", o.rack)
	}
	return "spread"
}
