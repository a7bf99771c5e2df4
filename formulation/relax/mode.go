package relax

import (
	"fmt"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
	"math/big"
)

// Slowdown is the least GPU time that an iteration's worth of the work takes on
// type t: work times the least ratio of a task's time there to its time anywhere.
func (d *Class) Slowdown(t instance.TypeID) int64 {
	over, under := instance.Tick(0), instance.Tick(0) // the least ratio; 0/0: none
	for depth, ok := range d.Fits[t] {
		if here, least := d.Job.On[t].Time[depth], d.Shortest[depth]; ok && least > 0 {
			if under == 0 || exact.Mul(int64(here), int64(under)).Cmp(exact.Mul(int64(over), int64(least))) < 0 {
				over, under = here, least
			}
		}
	}
	if under == 0 {
		return d.Work
	}
	work := exact.Mul(d.Work, int64(over))
	return exact.Saturate(work.Quo(work, big.NewInt(int64(under))))
}

// WorkOn is the least work of an iteration whose tasks all run on type t.
func (d *Class) WorkOn(t instance.TypeID) int64 {
	least := make([]instance.Tick, len(d.Job.Depths))
	for depth, ok := range d.Fits[t] {
		least[depth] = -1
		if ok {
			least[depth] = d.Job.On[t].Time[depth]
		}
	}
	work, _ := LeastWork(d.Job, least)
	return work
}

// LinkUnit is how many parts of a tick link times are counted in.
const LinkUnit = 1000

// ID names a mode in row and column names.
func (o *Mode) ID() string {
	switch o.Kind {
	case Lone, InNode:
		return fmt.Sprintf("node.p%d", o.Pools[0])
	case InRack:
		return fmt.Sprintf("rack.k%d", o.Rack)
	}
	return "spread"
}
