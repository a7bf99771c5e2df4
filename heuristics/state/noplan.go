package state

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// NoPlan is the error of a heuristic that found no schedule. It is no proof
// that there is none: heuristics do not search everywhere.
type NoPlan struct {
	// Job that could not be served, by index and name.
	Job  instance.JobID
	Name string
	// Reason in words: what the job lacked.
	Reason string
}

func (e *NoPlan) Error() string {
	return fmt.Sprintf("heuristics: no schedule found: jobs[%d] %q %s (this does not prove that none exists)", e.Job, e.Name, e.Reason)
}

// NewNoPlan says why job j was not served, in words that follow its name.
func NewNoPlan(in *instance.Instance, j instance.JobID, format string, args ...any) *NoPlan {
	return &NoPlan{Job: j, Name: in.Jobs[j].Name, Reason: fmt.Sprintf(format, args...)}
}
