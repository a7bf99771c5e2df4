package state

import (
	"jigsaw/formulation/instance"
)

// Layout is where a record keeps what; it depends on the instance only.
type Layout struct {
	SlotAt              []int // per job: its first worker among all workers of all jobs
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
