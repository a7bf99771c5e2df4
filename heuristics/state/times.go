package state

import "jigsaw/formulation/instance"

// Times says when the tasks and synchronisations of a schedule run, numbered as in a layout.
type Times struct {
	Start              []instance.Tick // per task
	Depth              []uint8         // per task
	SyncStart, SyncEnd []instance.Tick
	Level              []uint8 // per synchronisation: index into Instance.RateLevels
}

// Schedule returns the schedule with these times and residencies, in canonical order if residencies are ascending.
func (t *Times) Schedule(in *instance.Instance, l *Layout, residency [][]instance.GPUID) *instance.Schedule {
	s := &instance.Schedule{Residency: residency, Tasks: make([]instance.Task, 0, l.Tasks), Syncs: make([]instance.Sync, 0, l.Syncs)}
	for j, gpus := range residency {
		job, id := &in.Jobs[j], instance.JobID(j)
		for i := range job.Iterations {
			at := l.TaskAt[j] + i*job.Workers
			for n, g := range gpus {
				s.Tasks = append(s.Tasks, in.Task(id, i+1, g, int(t.Depth[at+n]), t.Start[at+n]))
			}
			if job.HasSync() {
				y := l.SyncAt[j] + i
				s.Syncs = append(s.Syncs, instance.Sync{Job: id, Iteration: i + 1, Start: t.SyncStart[y], End: t.SyncEnd[y], Rate: in.RateLevels[t.Level[y]]})
			}
		}
	}
	return s
}
