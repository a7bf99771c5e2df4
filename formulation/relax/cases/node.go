package cases

import (
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Node is a node of the tree of branch-and-price: the limits on the plans of every job.
// Nodes share the jobs that they do not change.
type Node struct {
	Jobs []*JobLimits
	// Single says that every GPU has rows of its own. Otherwise GPUs of a node where the same
	// decided jobs live share rows, which permit as much on average.
	Single bool
}

// JobLimits limits the plans of a job. A job without a home lives on pools.
type JobLimits struct {
	Assignment []instance.GPUID // nil: not decided
	Ends       []relax.Interval // of the synchronisation, by iteration
	// Starts of tasks, by iteration and worker in order of home, and of synchronisations, by iteration; nil: no limits.
	Tasks [][]relax.Interval
	Syncs []relax.Interval
}

// AnyTime is no limit.
var AnyTime = relax.Interval{From: 0, To: math.MaxInt64 / 4}

// Split is a division of a node. Its children cover the node:
//
//	end     synchronisation Iteration ends by At | later; with the first one
//	        go those of identical jobs, see order
//	home    the job lives on a first set of GPUs | on a second | ..., one for
//	        each set that symmetry leaves
//	start   the task of Iteration on GPU Worker of the home starts by At | later
//	sync    synchronisation Iteration starts by At | later
//	single  every GPU gets rows of its own (one child)
type Split struct {
	Kind      SplitKind
	Job       int
	Iteration int // from 0
	Worker    int // from 0
	At        int64
}

// SplitKind says what a split decides.
type SplitKind string

// The kinds of splits, see [Split].
const (
	SplitEnd        SplitKind = "end"
	SplitAssignment SplitKind = "home"
	SplitStart      SplitKind = "start"
	SplitSync       SplitKind = "sync"
	SplitSingle     SplitKind = "single"
)

// Root is the node without limits.
func Root(in *instance.Instance) *Node {
	n := &Node{}
	for j := range in.Jobs {
		ends := make([]relax.Interval, in.Jobs[j].Iterations)
		for i := range ends {
			ends[i] = AnyTime
		}
		n.Jobs = append(n.Jobs, &JobLimits{Ends: ends})
	}
	return n
}

// Fits reports whether the split is valid at the node.
func (n *Node) Fits(in *instance.Instance, s Split) bool {
	if s.Job < 0 || s.Job >= len(n.Jobs) {
		return false
	}
	job, limits := &in.Jobs[s.Job], n.Jobs[s.Job]
	inside := s.Iteration >= 0 && s.Iteration < job.Iterations && s.At >= 0 && s.At < relax.MaxHorizon
	switch s.Kind {
	case SplitEnd:
		return inside
	case SplitSingle:
		return !n.Single
	case SplitAssignment:
		return limits.Assignment == nil
	case SplitStart:
		return inside && limits.Assignment != nil && s.Worker >= 0 && s.Worker < job.Workers
	case SplitSync:
		return inside && limits.Assignment != nil && job.HasSync()
	}
	return false
}

// Children divides the node, into at most the given number of children. ok is false if
// there would be more, or if listing them takes too long.
func (n *Node) Children(in *instance.Instance, s Split, most int) (list []*Node, ok bool) {
	if s.Kind == SplitAssignment {
		homes, ok := n.Assignments(in, s.Job, MostAssignments)
		if len(homes) > most {
			return nil, false
		}
		for _, home := range homes {
			list = append(list, n.With(s.Job, func(b *JobLimits) { b.Assignment = home }))
		}
		return list, ok
	}
	if s.Kind == SplitSingle {
		return []*Node{{n.Jobs, true}}, true
	}
	if most < 2 {
		return nil, false
	}
	for _, after := range []bool{false, true} {
		child := n.With(s.Job, func(b *JobLimits) { b.narrow(in, s, after) })
		if s.Kind == SplitEnd && s.Iteration == 0 {
			child.order(in, s.Job)
		}
		list = append(list, child)
	}
	return list, true
}

// order narrows the first ends of the jobs that are identical to one job: of
// all schedules that differ only in the names of identical jobs, the tree
// covers one in which the first synchronisations end in the order of the jobs.
func (n *Node) order(in *instance.Instance, job int) {
	same := alike(in, job)
	limit := func(j instance.JobID, end relax.Interval) {
		if end == n.Jobs[j].Ends[0] {
			return
		}
		b := *n.Jobs[j]
		b.Ends = slices.Clone(b.Ends)
		b.Ends[0] = end
		n.Jobs[j] = &b
	}
	for i := 1; i < len(same); i++ {
		end := n.Jobs[same[i]].Ends[0]
		end.From = max(end.From, n.Jobs[same[i-1]].Ends[0].From)
		limit(same[i], end)
	}
	for i := len(same) - 2; i >= 0; i-- {
		end := n.Jobs[same[i]].Ends[0]
		end.To = min(end.To, n.Jobs[same[i+1]].Ends[0].To)
		limit(same[i], end)
	}
}

// alike lists the jobs that are identical to one, including itself.
func alike(in *instance.Instance, job int) []instance.JobID {
	for _, class := range in.Classes() {
		if slices.Contains(class, instance.JobID(job)) {
			return class
		}
	}
	return nil
}

// With returns the node with one job changed.
func (n *Node) With(job int, change func(*JobLimits)) *Node {
	made := &Node{slices.Clone(n.Jobs), n.Single}
	b := *n.Jobs[job]
	change(&b)
	made.Jobs[job] = &b
	return made
}

// narrow applies one side of a split of two.
func (b *JobLimits) narrow(in *instance.Instance, s Split, after bool) {
	side := func(i relax.Interval) relax.Interval {
		if after {
			i.From = max(i.From, s.At+1)
		} else {
			i.To = min(i.To, s.At)
		}
		return i
	}
	job := &in.Jobs[s.Job]
	switch s.Kind {
	case SplitEnd:
		b.Ends = slices.Clone(b.Ends)
		b.Ends[s.Iteration] = side(b.Ends[s.Iteration])
	case SplitStart:
		tasks := make([][]relax.Interval, job.Iterations)
		for i := range tasks {
			if tasks[i] = slices.Repeat([]relax.Interval{AnyTime}, job.Workers); b.Tasks != nil {
				copy(tasks[i], b.Tasks[i])
			}
		}
		b.Tasks = tasks
		tasks[s.Iteration][s.Worker] = side(tasks[s.Iteration][s.Worker])
	case SplitSync:
		if b.Syncs = slices.Clone(b.Syncs); b.Syncs == nil {
			b.Syncs = slices.Repeat([]relax.Interval{AnyTime}, job.Iterations)
		}
		b.Syncs[s.Iteration] = side(b.Syncs[s.Iteration])
	}
}

// Limits on the size of trees.
const (
	MostAssignments = 100_000 // sets of GPUs examined for a job
	mostBits        = 63      // depths of a job
	mostDeals       = 1 << 18 // states of the dealers of a job
	mostDepths      = 1 << 15 // workers of a job, times depths
)

// Residency returns the home of every job, nil if it is not decided.
func (n *Node) Residency() [][]instance.GPUID {
	homes := make([][]instance.GPUID, len(n.Jobs))
	for j, b := range n.Jobs {
		homes[j] = b.Assignment
	}
	return homes
}

// Divisible reports whether trees can handle the class: the choices of its jobs can be listed,
// and fit the bit sets of the limits.
func Divisible(m *relax.Model, d *relax.Class) bool {
	states := 0
	for _, counts := range m.Multisets(d) {
		states += DealStates(counts)
	}
	return states <= mostDeals && !d.RelaxedRule() && d.Runs() && len(d.Job.Depths) <= mostBits &&
		d.Job.Iterations <= MostNodeTicks && d.Job.Workers*len(d.Job.Depths) <= mostDepths
}

// ChildSize is about how many numbers a child of a split stores.
func (n *Node) ChildSize(in *instance.Instance, s Split) int {
	job, size := &in.Jobs[s.Job], len(n.Jobs)
	switch s.Kind {
	case SplitAssignment:
		size += job.Workers
	case SplitStart:
		size += job.Iterations * job.Workers
	case SplitSync:
		size += job.Iterations
	case SplitEnd:
		size += job.Iterations
		if s.Iteration == 0 {
			size += job.Iterations * len(alike(in, s.Job))
		}
	}
	return size
}

// Decided reports whether all jobs have homes.
func (n *Node) Decided() bool {
	return !slices.ContainsFunc(n.Jobs, func(b *JobLimits) bool { return b.Assignment == nil })
}
