package state

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// NoPlan is the error of a heuristic that found no schedule. It does not prove that there
// is none: heuristics do not search everywhere.
type NoPlan struct {
	// Job that could not be served, by index and name; without a name the error is about no
	// single job.
	Job  instance.JobID
	Name string
	// Reason in words: what the job lacked.
	Reason string
}

func (e *NoPlan) Error() string {
	reason := e.Reason
	if e.Name != "" {
		reason = fmt.Sprintf("jobs[%d] %q %s", e.Job, e.Name, e.Reason)
	}
	return "heuristics: no schedule found: " + reason + " (this does not prove that none exists)"
}

// NewNoPlan says why job j was not served; the text follows the job's name.
func NewNoPlan(in *instance.Instance, j instance.JobID, format string, args ...any) *NoPlan {
	return &NoPlan{Job: j, Name: in.Jobs[j].Name, Reason: fmt.Sprintf(format, args...)}
}

// Missed is the error of the first job that ends after its deadline; the text follows the
// amount; nil if none does.
func Missed(in *instance.Instance, ends []instance.Tick, when string) error {
	j := in.Late(ends)
	if j == instance.NoJob {
		return nil
	}
	due := in.Jobs[j].Deadline
	return NewNoPlan(in, j, "would miss its deadline, %v, by %v%s", in.Duration(due), in.Duration(ends[j]-due), when)
}

// Tardiness is by how much jobs with these ends miss their deadlines, in total.
func Tardiness(in *instance.Instance, ends []instance.Tick) (sum instance.Tick) {
	for j, end := range ends {
		if due := in.Jobs[j].Deadline; due > 0 {
			sum += max(0, end-due)
		}
	}
	return sum
}

// Refusal says that job j found no GPUs: of those it may use it counts those with enough
// memory beside the other jobs, as fits reports.
func Refusal(in *instance.Instance, j instance.JobID, fits func(instance.GPUID) bool) *NoPlan {
	job := &in.Jobs[j]
	runs, rooms := 0, 0
	for g := range in.GPUs {
		if job.Runs(in.GPUs[g].Type) {
			runs++
			if fits(instance.GPUID(g)) {
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
		return NewNoPlan(in, j, "found no %d GPUs%s joined by working links with memory to spare beside the other jobs; %d single GPUs had room",
			job.Workers, where, rooms)
	}
	return NewNoPlan(in, j, "needs %s%s with memory for it beside the other jobs; %d of the %d it may use had room left",
		instance.GPUCount(job.Workers), where, rooms, runs)
}
