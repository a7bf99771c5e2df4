package columns

import (
	"jigsaw/formulation/instance"
)

// TaskStart is where a task of a plan starts, and at which depth.
type TaskStart struct {
	Start int64
	Depth int
}

// SyncStart is where a synchronisation of a plan starts, and at which rate level.
type SyncStart struct {
	Start int64
	Level int
}

// Plan is a priced plan.
type Plan struct {
	Price      int64 // in all, weight and charges
	Completion int64 // tick
	Visits     []Visit
	Ends       []int64 // of its blocks; those after the horizon are left out
	// Only for a plan with a home: its tasks by iteration and worker, and its
	// synchronisations.
	Assignment []instance.GPUID
	Tasks      [][]TaskStart
	Syncs      []SyncStart
}

// LeastWeight is the least weight of a plan that counts.
const LeastWeight = 1e-6
