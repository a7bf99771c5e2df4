package solver

import "fmt"

// Status says why a solve stopped. The zero value belongs to a model that was
// never solved.
type Status int

const (
	// Unsolved is the status of a solution nobody computed.
	Unsolved Status = iota
	// Optimal means: primal, duals and basis are present and passed [Check].
	Optimal
	// Infeasible means: no point meets (1) and (2). Engines with Caps.Farkas give the
	// Farkas ray that proves it, with one entry for each row.
	Infeasible
	// Unbounded means: there is a feasible point and a direction that improves it
	// without limit. Engines with Caps.Farkas give that direction, with one entry for
	// each column.
	Unbounded
	// IterationLimit means: Limits.Iterations was reached first.
	IterationLimit
	// TimeLimit means: Limits.Time was reached first.
	TimeLimit
	// Numerical means: the engine gave up by itself, without a proof of anything.
	Numerical
)

var statusNames = [...]string{
	Unsolved:       "unsolved",
	Optimal:        "optimal",
	Infeasible:     "infeasible",
	Unbounded:      "unbounded",
	IterationLimit: "iteration limit",
	TimeLimit:      "time limit",
	Numerical:      "numerical trouble",
}

// String returns the status in words.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("status %d", int(s))
	}
	return statusNames[s]
}
