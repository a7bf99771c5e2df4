package state

import (
	"jigsaw/formulation/instance"
)

// Operations numbers everything a schedule places in time: first the tasks, as
// in a record, then the synchronisations.
type Operations struct {
	In *instance.Instance
	*Layout
	Job       []int32 // per operation
	Iteration []int32 // per operation, from 0
	Slot      []int32 // per task: its worker
	// Least[j] is a lower bound on the length of an iteration of job j.
	Least []instance.Tick
}

// NewOperations numbers the operations of an instance.
func NewOperations(in *instance.Instance) *Operations {
	o := &Operations{
		In: in, Layout: NewLayout(in), Least: make([]instance.Tick, len(in.Jobs)),
	}
	o.Job, o.Iteration, o.Slot = make([]int32, o.Tasks+o.Syncs), make([]int32, o.Tasks+o.Syncs), make([]int32, o.Tasks)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for i := range job.Iterations {
			for n := range job.Workers {
				t := o.TaskAt[j] + i*job.Workers + n
				o.Job[t], o.Iteration[t], o.Slot[t] = int32(j), int32(i), int32(o.SlotAt[j]+n)
			}
			if job.HasSync() {
				y := o.Tasks + o.SyncAt[j] + i
				o.Job[y], o.Iteration[y] = int32(j), int32(i)
			}
		}
		o.Least[j] = instance.Tick(LeastOverTypes(job, func(t instance.TypeID) int64 { return int64(job.On[t].Time[job.Full()]) }))
		if job.HasSync() {
			o.Least[j] += in.Latency
		}
	}
	return o
}

// TasksOf returns the tasks of iteration i of job j: from first on, before end.
func (o *Operations) TasksOf(j, i int32) (first, end int32) {
	k := int32(o.In.Jobs[j].Workers)
	first = int32(o.TaskAt[j]) + i*k
	return first, first + k
}

// After returns the operation that must end before iteration i >= 0 of job j
// starts; -1: none.
func (o *Operations) After(j, i int32) int32 {
	switch {
	case i == 0:
		return -1
	case o.In.Jobs[j].HasSync():
		return int32(o.Tasks+o.SyncAt[j]) + i - 1
	}
	return int32(o.TaskAt[j]) + i - 1
}
