package formulation

import (
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// branchNode is a node of the tree of branch-and-price: for every job, what
// its plans are limited to. Nodes share the jobs that they do not change.
type branchNode struct {
	jobs []*branchJob
	// single: every GPU has rows of its own. Else GPUs of a node where the same
	// decided jobs live share theirs, which permits as much on average.
	single bool
}

// branchJob limits the plans of a job. A job without a home lives on pools.
type branchJob struct {
	home  []instance.GPUID // nil: not decided
	ends  []interval       // of the synchronisation, by iteration
	tasks [][]taskLimit    // by iteration, worker in order of home; nil: none
	syncs []syncLimit      // by iteration; nil: none
}

// interval is the ticks from and to, both included.
type interval struct{ from, to int64 }

func (i interval) holds(t int64) bool { return i.from <= t && t <= i.to }

// anyTime is no limit.
var anyTime = interval{0, math.MaxInt64 / 4}

// taskLimit and syncLimit limit starts, and depths or rate levels as sets of
// bits.
type taskLimit struct {
	start  interval
	depths uint64
}

type syncLimit struct {
	start  interval
	levels uint64
}

// split is how a node is divided. Its children cover the node:
//
//	end     synchronisation Iteration ends by At | later; with the first one
//	        go those of identical jobs, see order
//	home    the job lives on a first set of GPUs | on a second | ..., one for
//	        each set that symmetry leaves
//	start   the task of Iteration on GPU Worker of the home starts by At | later
//	depth   it has depth At | another
//	sync    synchronisation Iteration starts by At | later
//	level   it has rate level At | another
//	single  every GPU gets rows of its own (one child)
type split struct {
	Kind      splitKind
	Job       int
	Iteration int // from 0
	Worker    int // from 0
	At        int64
}

type splitKind string

const (
	splitEnd   splitKind = "end"
	splitHome  splitKind = "home"
	splitStart splitKind = "start"
	splitDepth splitKind = "depth"
	splitSync  splitKind = "sync"
	splitLevel splitKind = "level"

	splitSingle splitKind = "single"
)

// rootNode is the node without limits.
func rootNode(in *instance.Instance) *branchNode {
	n := &branchNode{}
	for j := range in.Jobs {
		ends := make([]interval, in.Jobs[j].Iterations)
		for i := range ends {
			ends[i] = anyTime
		}
		n.jobs = append(n.jobs, &branchJob{ends: ends})
	}
	return n
}

// fits reports whether the split makes sense at the node.
func (n *branchNode) fits(in *instance.Instance, s split) bool {
	if s.Job < 0 || s.Job >= len(n.jobs) {
		return false
	}
	job, limits := &in.Jobs[s.Job], n.jobs[s.Job]
	inside := s.Iteration >= 0 && s.Iteration < job.Iterations && s.At >= 0 && s.At < maxHorizon
	switch s.Kind {
	case splitEnd:
		return inside
	case splitSingle:
		return !n.single
	case splitHome:
		return limits.home == nil
	case splitStart, splitDepth:
		return inside && limits.home != nil && s.Worker >= 0 && s.Worker < job.Workers &&
			(s.Kind == splitStart || s.At < int64(len(job.Depths)))
	case splitSync, splitLevel:
		return inside && limits.home != nil && job.HasSync() && (s.Kind == splitSync || s.At < int64(len(in.RateLevels)))
	}
	return false
}

// children divides the node, into so many at the most. ok is false where there would be
// more, or it took too long to list them.
func (n *branchNode) children(in *instance.Instance, s split, most int) (list []*branchNode, ok bool) {
	if s.Kind == splitHome {
		homes, ok := n.homes(in, s.Job, mostHomes)
		if len(homes) > most {
			return nil, false
		}
		for _, home := range homes {
			list = append(list, n.with(s.Job, func(b *branchJob) { b.home = home }))
		}
		return list, ok
	}
	if s.Kind == splitSingle {
		return []*branchNode{{n.jobs, true}}, true
	}
	if most < 2 {
		return nil, false
	}
	for _, after := range []bool{false, true} {
		child := n.with(s.Job, func(b *branchJob) { b.narrow(in, s, after) })
		if s.Kind == splitEnd && s.Iteration == 0 {
			child.order(in, s.Job)
		}
		list = append(list, child)
	}
	return list, true
}

// order narrows the first ends of the jobs that are identical to one: of all
// schedules that differ in the names of identical jobs only, the tree covers
// one whose first synchronisations end in the order of the jobs.
func (n *branchNode) order(in *instance.Instance, job int) {
	same := alike(in, job)
	limit := func(j instance.JobID, end interval) {
		if end == n.jobs[j].ends[0] {
			return
		}
		b := *n.jobs[j]
		b.ends = slices.Clone(b.ends)
		b.ends[0] = end
		n.jobs[j] = &b
	}
	for i := 1; i < len(same); i++ {
		end := n.jobs[same[i]].ends[0]
		end.from = max(end.from, n.jobs[same[i-1]].ends[0].from)
		limit(same[i], end)
	}
	for i := len(same) - 2; i >= 0; i-- {
		end := n.jobs[same[i]].ends[0]
		end.to = min(end.to, n.jobs[same[i+1]].ends[0].to)
		limit(same[i], end)
	}
}

// alike lists the jobs that are identical to one, itself too.
func alike(in *instance.Instance, job int) []instance.JobID {
	for _, class := range in.Classes() {
		if slices.Contains(class, instance.JobID(job)) {
			return class
		}
	}
	return nil
}

// with returns the node with one job changed.
func (n *branchNode) with(job int, change func(*branchJob)) *branchNode {
	made := &branchNode{slices.Clone(n.jobs), n.single}
	b := *n.jobs[job]
	change(&b)
	made.jobs[job] = &b
	return made
}

// narrow applies one side of a split of two.
func (b *branchJob) narrow(in *instance.Instance, s split, after bool) {
	side := func(i interval) interval {
		if after {
			i.from = max(i.from, s.At+1)
		} else {
			i.to = min(i.to, s.At)
		}
		return i
	}
	chosen := func(set uint64) uint64 {
		if after {
			return set &^ (1 << s.At)
		}
		return set & (1 << s.At)
	}
	job := &in.Jobs[s.Job]
	switch s.Kind {
	case splitEnd:
		b.ends = slices.Clone(b.ends)
		b.ends[s.Iteration] = side(b.ends[s.Iteration])
	case splitStart, splitDepth:
		tasks := make([][]taskLimit, job.Iterations)
		for i := range tasks {
			if b.tasks != nil {
				tasks[i] = slices.Clone(b.tasks[i])
				continue
			}
			for range job.Workers {
				tasks[i] = append(tasks[i], taskLimit{anyTime, 1<<len(job.Depths) - 1})
			}
		}
		b.tasks = tasks
		limit := &tasks[s.Iteration][s.Worker]
		if s.Kind == splitStart {
			limit.start = side(limit.start)
		} else {
			limit.depths = chosen(limit.depths)
		}
	case splitSync, splitLevel:
		syncs := slices.Clone(b.syncs)
		for len(syncs) < job.Iterations {
			syncs = append(syncs, syncLimit{anyTime, 1<<len(in.RateLevels) - 1})
		}
		b.syncs = syncs
		limit := &syncs[s.Iteration]
		if s.Kind == splitSync {
			limit.start = side(limit.start)
		} else {
			limit.levels = chosen(limit.levels)
		}
	}
}

// Limits on what the tree can hold.
const (
	mostHomes   = 100_000 // sets of GPUs looked at for a job
	mostCounted = 20_000  // and only to see how many there are
	mostBits    = 63      // depths of a job, and rate levels
	mostDeals   = 1 << 18 // states of the dealers of a job
	mostDepths  = 1 << 15 // workers of a job, times depths
)

// divisible reports whether trees can have the class: what its jobs choose from is listed, and
// fits the sets of bits that limits are.
func (m *model) divisible(d *demand) bool {
	states := 0
	for _, counts := range m.multisets(d) {
		states += dealStates(counts)
	}
	return states <= mostDeals && !d.relaxedRule() && !d.short && !d.unplaced && len(d.job.Depths) <= mostBits && len(m.in.RateLevels) <= mostBits &&
		d.job.Iterations <= mostNodeTicks && d.job.Workers*len(d.job.Depths) <= mostDepths
}

// childSize is about how many numbers of its own a child of a split has.
func (n *branchNode) childSize(in *instance.Instance, s split) int {
	job, size := &in.Jobs[s.Job], len(n.jobs)
	switch s.Kind {
	case splitHome:
		size += job.Workers
	case splitStart, splitDepth:
		size += job.Iterations * job.Workers
	case splitSync, splitLevel:
		size += job.Iterations
	case splitEnd:
		size += job.Iterations
		if s.Iteration == 0 {
			size += job.Iterations * len(alike(in, s.Job))
		}
	}
	return size
}

// allows reports whether a plan of the job meets the limits of the node.
func (b *branchJob) allows(p *plan) bool {
	if !slices.Equal(b.home, p.home) {
		return false
	}
	for i, end := range p.ends {
		if !b.ends[i].holds(end) {
			return false
		}
	}
	for i := range b.tasks {
		for w, limit := range b.tasks[i] {
			if t := p.tasks[i][w]; !limit.start.holds(t.start) || limit.depths>>t.depth&1 == 0 {
				return false
			}
		}
	}
	for i, limit := range b.syncs {
		if y := p.syncs[i]; !limit.start.holds(y.start) || limit.levels>>y.level&1 == 0 {
			return false
		}
	}
	return true
}

// decided reports whether all jobs have homes.
func (n *branchNode) decided() bool {
	return !slices.ContainsFunc(n.jobs, func(b *branchJob) bool { return b.home == nil })
}

// settled reports whether all jobs have homes, and no other limits.
func (n *branchNode) settled() bool {
	return n.decided() && !n.single && !slices.ContainsFunc(n.jobs, func(b *branchJob) bool {
		return b.tasks != nil || b.syncs != nil || slices.ContainsFunc(b.ends, func(i interval) bool { return i != anyTime })
	})
}
