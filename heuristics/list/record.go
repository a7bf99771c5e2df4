package list

import (
	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Record holds the times of one schedule, flat. The tasks of job j, iteration
// i = 0.., resident n are at TaskAt[j] + i*k + n; its syncs at SyncAt[j] + i.
type Record struct {
	start     []instance.Tick
	depth     []uint8
	syncStart []instance.Tick
	level     []uint8 // index into Instance.RateLevels
	// Completion per job.
	Completion []instance.Tick
	where      *placement.Placement
	counts     [][]int
}

// NewRecord returns an empty record for the given number of jobs.
func NewRecord(l *state.Layout, jobs int) *Record {
	return &Record{
		start: make([]instance.Tick, l.Tasks), depth: make([]uint8, l.Tasks),
		syncStart: make([]instance.Tick, l.Syncs), level: make([]uint8, l.Syncs),
		Completion: make([]instance.Tick, jobs),
	}
}

// Schedule returns the record as a schedule in canonical order.
func (r *Record) Schedule(in *instance.Instance, l *state.Layout) *instance.Schedule {
	s := &instance.Schedule{
		Residency: make([][]instance.GPUID, len(in.Jobs)),
		Tasks:     make([]instance.Task, 0, l.Tasks),
		Syncs:     make([]instance.Sync, 0, l.Syncs),
	}
	for j := range in.Jobs {
		job, id := &in.Jobs[j], instance.JobID(j)
		gpus, span := r.where.GPUs[j], r.where.Span[j]
		s.Residency[j] = append([]instance.GPUID(nil), gpus...)
		volume := instance.Bytes(0)
		if job.HasSync() {
			volume = job.Volume(r.counts[j], span.Parties)
		}
		at := l.TaskAt[j]
		for i := range job.Iterations {
			for n, g := range gpus {
				s.Tasks = append(s.Tasks, in.Task(id, i+1, g, int(r.depth[at+n]), r.start[at+n]))
			}
			at += job.Workers
			if job.HasSync() {
				start, rate := r.syncStart[l.SyncAt[j]+i], in.RateLevels[r.level[l.SyncAt[j]+i]]
				s.Syncs = append(s.Syncs, instance.Sync{
					Job: id, Iteration: i + 1, Start: start, End: start + in.SyncTicks(volume, span.Rate(rate)), Rate: rate,
				})
			}
		}
	}
	return s
}
