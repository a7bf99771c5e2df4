package instancetest

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// Status tells what [Optimum] found.
type Status int

const (
	// Optimal means: the value is the optimum and the schedule attains it.
	Optimal Status = iota
	// Infeasible means: there is no valid schedule, by exhaustion.
	Infeasible
	// Skipped means: the budget of nodes ran out. Nothing is known; a test must
	// count these instances and never take them for solved.
	Skipped
)

func (s Status) String() string {
	return [...]string{"optimal", "infeasible", "skipped"}[s]
}

// DefaultBudget is the number of search nodes after which [Optimum] gives up:
// a fraction of a second.
const DefaultBudget = 1_000_000

// Optimum solves a tiny instance exactly by brute force. The schedule is valid
// by [check.Schedule] and has the value; both are nil unless the status is
// [Optimal]. It panics where its own schedule is not valid.
//
// # Makespan and weighted completion
//
// Every residency is tried. For each, a depth-first search starts one activity
// after another; an activity is a task, all tasks of an iteration of a gang
// job, or a sync. Trying an activity tries all its modes as well: the depths of
// the iteration when its first task starts, and the rate level of a sync. An
// activity starts as early as its GPUs and links are free, given those started
// before, and activities start in order of time.
//
// This finds an optimum. Both objectives are regular: they grow with the
// completion times. Take an optimal schedule and move single activities
// earlier, everything else fixed, while that is possible. Releases, deadlines,
// precedence and capacities stay met, and depths, residencies and rates (hence
// SPB rules and memory) do not change; the sum of starts shrinks, so this ends
// with an optimal schedule S in which no single activity can move earlier (an
// active schedule). The search meets S when it starts the activities in
// S's order of start, ties by precedence: by induction all before activity a
// are where S has them, so a starts no later than in S. If it started earlier,
// at t, then a could move to t in S: the activities before it leave room there,
// and those after it start at or after a's start in S, where a occupied all
// ticks that it still occupies when moved. But S is active. The same argument
// says that a branch is not worth trying if the activity could have started
// before the one tried last. Among equal starts, activities that do not enable
// one another are tried in one order only.
//
// Where jobs hold memory only while they run, the first tasks of a job may also have to wait until another
// has gone. In an active schedule such a task starts just when the job is loaded after that: if its
// admission were not the end of a job's stay, the same jobs would be in memory one tick before.
//
// # Throughput
//
// All periods up to MaxPeriod (which must be set) and all numbers of
// iterations are tried in order of falling value until a combination has a
// valid schedule; for that, all residencies, depths, rates and starts are
// tried. See the comment of the periodic search for what is left out, all of
// it without loss.
func Optimum(in *instance.Instance) (*big.Rat, *instance.Schedule, Status) {
	return OptimumWithin(in, DefaultBudget)
}

// OptimumWithin is [Optimum] with a budget of search nodes.
func OptimumWithin(in *instance.Instance, budget int) (*big.Rat, *instance.Schedule, Status) {
	var s *instance.Schedule
	var ok bool
	if in.Objective.Periodic() {
		s, ok = searchPeriodic(in, &budget)
	} else {
		s, ok = searchFinite(in, &budget)
	}
	switch {
	case !ok:
		return nil, nil, Skipped
	case s == nil:
		return nil, nil, Infeasible
	}
	s.Sort()
	if violations := check.Schedule(in, s); len(violations) > 0 {
		panic(fmt.Sprintf("instancetest: the optimal schedule is not valid: %v", violations))
	}
	return in.Value(s), s, Optimal
}
