package list

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Record holds the times of one schedule.
type Record struct {
	times state.Times
	// Completion per job.
	Completion []instance.Tick
	where      *placement.Placement
}

// NewRecord returns an empty record for the given number of jobs.
func NewRecord(l *state.Layout, jobs int) *Record {
	return &Record{
		times: state.Times{
			Start: make([]instance.Tick, l.Tasks), Depth: make([]uint8, l.Tasks),
			SyncStart: make([]instance.Tick, l.Syncs), SyncEnd: make([]instance.Tick, l.Syncs), Level: make([]uint8, l.Syncs),
		},
		Completion: make([]instance.Tick, jobs),
	}
}

// Schedule returns the record as a schedule in canonical order.
func (r *Record) Schedule(in *instance.Instance, l *state.Layout) *instance.Schedule {
	residency := make([][]instance.GPUID, len(in.Jobs))
	for j, gpus := range r.where.GPUs {
		residency[j] = slices.Clone(gpus)
	}
	return r.times.Schedule(in, l, residency)
}
