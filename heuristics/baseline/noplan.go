package baseline

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// NoPlan is the error of a baseline that found no schedule. It is no proof that there is
// none.
type NoPlan struct {
	// Job that could not be served, by index and name.
	Job  instance.JobID
	Name string
	// Reason in words: what the job lacked.
	Reason string
}

func (e *NoPlan) Error() string {
	return fmt.Sprintf("baseline: no schedule found: jobs[%d] %q %s (this does not prove that none exists)", e.Job, e.Name, e.Reason)
}

func noPlan(in *instance.Instance, j instance.JobID, format string, args ...any) *NoPlan {
	return &NoPlan{Job: j, Name: in.Jobs[j].Name, Reason: fmt.Sprintf(format, args...)}
}

// refusal explains why job j found no GPUs even when no other job ran.
func (q *queue) refusal(j instance.JobID) *NoPlan {
	job := &q.in.Jobs[j]
	runs, rooms := 0, 0
	for g := range q.in.GPUs {
		if job.Runs(q.in.GPUs[g].Type) {
			runs++
			if q.memory.fits(j, instance.GPUID(g)) {
				rooms++
			}
		}
	}
	where := ""
	switch job.Within {
	case instance.WithinNode:
		where = " of one node"
	case instance.WithinRack:
		where = " of one rack"
	}
	if rooms >= job.Workers {
		return noPlan(q.in, j, "found no %d GPUs%s joined by working links with memory to spare beside the other jobs; %d single GPUs had room",
			job.Workers, where, rooms)
	}
	return noPlan(q.in, j, "needs %d GPUs%s with memory for it beside the other jobs, whose parameters stay in memory for the whole plan; %d of the %d it may use had room left",
		job.Workers, where, rooms, runs)
}
