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

// Planner makes plans of its own, which say when and where every job runs.
type Planner interface {
	Policy
	// Replay returns what its plans come to. It knows of a job from the first end of a round on at or after the
	// arrival; when ctx ends, the timetable is cut. Of the configuration, Observe is not told.
	Replay(ctx context.Context, w *Workload, config Config) (*Timetable, error)
}

// Decider decides who runs, on the model of this package.
type Decider interface {
	Policy
	// Decide is asked at every decision.
	Decide(*State) Decision
	// Periods returns the seconds an iteration takes for each job of a group that
	// lives on GPUs of the given type, before [Workload.Slowdown]. It depends on nothing
	// but the classes of the jobs.
	Periods(w *Workload, jobs []int, kind int) []float64
}

// Sharer is a policy that makes groups of several jobs; the others run every job
// on GPUs of its own.
type Sharer interface{ Shares() bool }

// Rounded is a policy that can only decide in rounds.
type Rounded interface{ NeedsRounds() bool }

// AnyType lets a group live on the type that its first job is fastest on, of those
// that suit all its jobs. A group without such a type never runs.
const AnyType = -1

// Group is jobs that share GPUs, all of the same number of GPUs.
type Group struct {
	Jobs []int
	// Type of the GPUs, or [AnyType].
	Type int
}

// Decision says which groups run from now on.
type Decision struct {
	// Groups in order of urgency: the first that fit will run. They are kept, and
	// must not be changed afterwards.
	Groups []Group
	// Keep leaves all that runs where it is, and adds groups to it. Otherwise what
	// is not among the groups is stopped.
	Keep bool
	// Strict ends at the first group that does not fit: none is passed by.
	Strict bool
	// Again is when the policy wants to be asked again even if no job comes or
	// goes, in seconds; +Inf for never.
	Again float64
}

// Never is no time at which to be asked again.
func Never() float64 { return math.Inf(1) }

// State is what a policy sees. It must not be changed.
type State struct {
	*Workload
	Cluster *Cluster
	// Now in seconds, and the length of a round, 0 for none.
	Now, Round float64
	// Active jobs, by arrival.
	Active []int

	runs []run    // by job
	fits [][]bool // by class and type: on its nodes, when they are empty
}

// Suits reports whether all of these jobs may run on GPUs of a type, and fit its nodes
// when they are empty.
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

// Done returns the iterations that job i has done, in part where it is running.
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
