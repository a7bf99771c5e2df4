package fluid

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// Shape is a set of classes with the same costs, workers, rule and modes, and
// the columns of how they live and work. Slices are by mode.
type Shape struct {
	ID      string
	Classes []int
	Class   *relax.Class // of the first class
	// Jobs and iterations are the sums over the classes, fewest and most the
	// extremes of R; release is the earliest.
	Jobs, iterations, fewest, most int64
	Release                        int64

	live []int   // jobs that live in the mode; nil if no memory row needs it
	home [][]int // by pool of the mode if it has several: resident workers; else nil
	// In iterations, of all jobs and all R, or per period for rates:
	does []int   // iterations done in the mode
	busy [][]int // by pool of the mode if it has several: tasks
	node [][]int // likewise: nodes that take part in the synchronisations
	rack [][]int // by class of racks if that has several: racks that take part
	// tasks[pool][depth], of the workers in modes of several pools.
	tasks map[int][]int
}

// Does are the columns of the iterations done, by mode.
func (s *Shape) Does() []int { return s.does }

// FewClasses is the number of classes up to which each is a shape of its own.
const FewClasses = 200

// shape groups the classes. heads are the releases that get rows of their own.
// Classes whose chain is longer than half the known bound stay alone, because
// the chain may then depend on where they live.
func (f *Program) shape(heads []int64, half *big.Int) {
	index := map[string]int{}
	for c := range f.Model.Classes {
		d := &f.Model.Classes[c]
		n, r := d.Count(), int64(d.Job.Iterations)
		if f.Model.Instance.Objective.Periodic() {
			if !d.Runs() {
				continue
			}
			r = 1
		}
		key := fmt.Sprint(c)
		if len(f.Model.Classes) > f.ClassesApart && (half == nil || d.Chain(d.Iteration).Cmp(half) < 0) {
			bucket := 0
			for bucket < len(heads) && heads[bucket] <= int64(d.Job.Release) {
				bucket++
			}
			j := *d.Job
			j.Name, j.Iterations, j.Weight, j.Release, j.On = "", 0, 0, 0, nil
			costs := make([]instance.Costs, len(d.Job.On))
			for t, o := range d.Job.On {
				if o != nil {
					costs[t] = *o
				}
			}
			key = fmt.Sprintf("%v %+v %+v %+v", bucket, j, costs, d.Modes)
		}
		at, ok := index[key]
		if !ok {
			at = len(f.Shapes)
			index[key] = at
			f.Shapes = append(f.Shapes, Shape{
				ID: fmt.Sprintf("s%d", at), Class: d, fewest: r, most: r, Release: int64(d.Job.Release),
			})
		}
		s := &f.Shapes[at]
		s.Classes = append(s.Classes, c)
		s.Jobs += n
		s.iterations += n * r
		s.fewest, s.most = min(s.fewest, r), max(s.most, r)
		s.Release = min(s.Release, int64(d.Job.Release))
	}
	f.tight = f.tightPools()
}

// tightPools returns the pools whose memory cannot hold all the jobs that may
// live there.
func (f *Program) tightPools() []int {
	var tight []int
	for p := range f.Model.Network.Pools {
		at := &f.Model.Network.Pools[p]
		most := new(big.Int)
		for i := range f.Shapes {
			if s := &f.Shapes[i]; s.Class.Usable(at.GPUType) {
				kept := exact.Mul(int64(s.Class.Job.On[at.GPUType].Persistent), s.Jobs)
				most.Add(most, kept.Mul(kept, big.NewInt(int64(s.Class.Job.Workers))))
			}
		}
		if most.Cmp(exact.Mul(f.freeMemory(p), at.Size())) > 0 {
			tight = append(tight, p)
		}
	}
	return tight
}

// freeMemory is the memory of a GPU of a pool that its smallest task leaves
// free.
func (f *Program) freeMemory(p int) int64 {
	at := &f.Model.Network.Pools[p]
	smallest := instance.Bytes(-1)
	for i := range f.Shapes {
		d := f.Shapes[i].Class
		for depth, ok := range d.Fits[at.GPUType] {
			if e := d.Job.On[at.GPUType]; ok && d.Knows(depth) && (smallest < 0 || e.Ephemeral[depth] < smallest) {
				smallest = e.Ephemeral[depth]
			}
		}
	}
	return max(0, int64(at.Memory-max(0, smallest)))
}
