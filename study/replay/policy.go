package replay

import (
	"context"
	"math"
	"slices"
)

// Policy is a [Decider] or a [Planner].
type Policy interface {
	// Name of the policy in reports.
	Name() string
}

// Planner makes its own plans of when and where every job runs.
type Planner interface {
	Policy
	// Replay returns the outcome of its plans. It knows of a job from the first end of a round at or
	// after the arrival; if ctx ends, the timetable is cut. Observe in the configuration is not called.
	Replay(ctx context.Context, w *Workload, config Config) (*Timetable, error)
}

// Decider decides which jobs run, in the model of this package.
type Decider interface {
	Policy
	// Decide is called at every decision.
	Decide(*State) Decision
	// Periods returns the seconds of an iteration of each job of a group on GPUs of the
	// given type, before [Workload.Slowdown]. It depends only on the classes of the
	// jobs.
	Periods(w *Workload, jobs []int, kind int) []float64
}

// Sharer is a policy that makes groups of several jobs; the others run every job
// on GPUs of its own.
type Sharer interface{ Shares() bool }

// Rounded is a policy that can only decide in rounds.
type Rounded interface{ NeedsRounds() bool }

// AnyType lets a group live on the type on which its first job is fastest, among
// those that suit all its jobs. A group without such a type never runs.
const AnyType = -1

// Group is a set of jobs that share GPUs, all with the same number of GPUs.
type Group struct {
	Jobs []int
	// Type of the GPUs, or [AnyType].
	Type int
}

// Decision says which groups run from now on.
type Decision struct {
	// Groups in order of urgency: the first ones that fit will run. They are
	// retained, and must not be changed afterwards.
	Groups []Group
	// Keep leaves running groups where they are, and adds groups to them. Otherwise
	// running groups that are not listed are stopped.
	Keep bool
	// Strict stops at the first group that does not fit: none is skipped.
	Strict bool
	// Again is when the policy wants to be asked again even if no job comes or goes,
	// in seconds; +Inf for never.
	Again float64
}

// Never is the value of Again for no further call.
func Never() float64 { return math.Inf(1) }

// State is the policy's view. It must not be changed.
type State struct {
	*Workload
	Cluster *Cluster
	// Now in seconds, and the length of a round, 0 for none.
	Now, Round float64
	// Active jobs, by arrival.
	Active []int

	runs []run    // by job
	fits [][]bool // by class and type: whether it fits the empty nodes
}

// Suits reports whether all of these jobs may run on GPUs of a type, and fit its empty
// nodes.
func (s *State) Suits(kind int, jobs ...int) bool {
	return !slices.ContainsFunc(jobs, func(i int) bool {
		return s.ClassOf(i).Iteration[kind] == 0 || !s.fits[s.Jobs[i].Class][kind]
	})
}

// Running reports whether job i holds GPUs, and of which type.
func (s *State) Running(i int) (kind int, running bool) {
	if g := s.runs[i].group; g != nil {
		return g.kind, true
	}
	return 0, false
}

// Done returns the iterations that job i has done, including the fraction of a
// running one.
func (s *State) Done(i int) float64 { return s.runs[i].at(s.Now) }

// Remaining returns the seconds that job i still needs on GPUs of its own, of its
// fastest type.
func (s *State) Remaining(i int) float64 {
	return max(0, float64(s.Jobs[i].Iterations)-s.Done(i)) * s.ClassOf(i).Fastest()
}

// Served returns for how many seconds job i has held GPUs.
func (s *State) Served(i int) float64 {
	r := &s.runs[i]
	if r.group != nil {
		return r.served + s.Now - r.since
	}
	return r.served
}
