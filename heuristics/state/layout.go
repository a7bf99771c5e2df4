package state

import (
	"jigsaw/formulation/instance"
)

// Layout numbers the entries of a record; it depends on the instance only.
type Layout struct {
	Owner               []int32 // per worker: its job
	Depths              int     // the most of any job
	SlotAt              []int   // per job: its first worker among all workers of all jobs
	TaskAt              []int
	SyncAt              []int
	Slots, Tasks, Syncs int
}

// NewLayout numbers the workers, tasks and synchronisations of all jobs, job by job.
func NewLayout(in *instance.Instance) *Layout {
	l := &Layout{
		SlotAt: make([]int, len(in.Jobs)+1), TaskAt: make([]int, len(in.Jobs)+1), SyncAt: make([]int, len(in.Jobs)+1),
	}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for range job.Workers {
			l.Owner = append(l.Owner, int32(j))
		}
		l.Depths = max(l.Depths, len(job.Depths))
		l.SlotAt[j], l.TaskAt[j], l.SyncAt[j] = l.Slots, l.Tasks, l.Syncs
		l.Slots += job.Workers
		l.Tasks += job.Workers * job.Iterations
		if job.HasSync() {
			l.Syncs += job.Iterations
		}
	}
	l.SlotAt[len(in.Jobs)], l.TaskAt[len(in.Jobs)], l.SyncAt[len(in.Jobs)] = l.Slots, l.Tasks, l.Syncs
	return l
}
