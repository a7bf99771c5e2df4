package view

import (
	"cmp"
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// Cause says why a task or a sync did not start sooner.
type Cause string

// The causes. After TaskBefore, SyncBefore, TaskOfIteration, LinkBusy, Gang and Memory the
// chain goes on with what is in the way, after Slack with the last thing that had
// to come before, if there is one.
const (
	// TaskBefore: the GPU was busy with another task.
	TaskBefore Cause = "task_before"
	// SyncBefore: the iteration before was still being synchronised.
	SyncBefore Cause = "sync_before"
	// TaskOfIteration: the last task of the iteration had just ended.
	TaskOfIteration Cause = "task_of_iteration"
	// LinkBusy: a link on the way had no room beside other syncs.
	LinkBusy Cause = "link_busy"
	// Gang: the tasks of the iteration start together, and another one could not.
	Gang Cause = "gang"
	// Memory: another job had left memory just then, or as long before as it takes to load this one.
	Memory Cause = "memory"
	// Load: the job was being loaded, from its release or the beginning on.
	Load Cause = "load"
	// Release: the job was released just then.
	Release Cause = "release"
	// Start: the plan began.
	Start Cause = "start"
	// Slack: nothing was in the way.
	Slack Cause = "slack"
)

// ChainLink is one element of a critical chain.
type ChainLink struct {
	// Sync tells whether Index is a position in the syncs of the schedule or in
	// its tasks, each in canonical order.
	Sync  bool
	Index int
	// Because of what it did not start sooner, and the same as a clause.
	Because Cause
	Text    string
}

// Chain returns why a job ends when it does, or for [instance.NoJob] why the
// schedule does: its last task or sync, what that had to wait for, what that had
// to wait for in turn, and so on back to a release or the beginning. The schedule
// must be valid. Periodic plans, which do not end, and jobs without iterations
// have no chain.
func Chain(in *instance.Instance, s *instance.Schedule, job instance.JobID) ([]ChainLink, error) {
	c, err := newChain(in, s, job)
	if err != nil {
		return nil, err
	}
	return c.links, nil
}

func newChain(in *instance.Instance, s *instance.Schedule, job instance.JobID) (*chain, error) {
	p, err := newPlan(in, s)
	if err != nil {
		return nil, err
	}
	if job < instance.NoJob || int(job) >= len(in.Jobs) {
		return nil, fmt.Errorf("view: there is no job %d", job)
	}
	c := &chain{plan: p}
	if p.period > 0 {
		return c, nil
	}
	c.byGPU, c.loading = p.tasksByGPU(), p.loads()
	if in.Queues() {
		c.inMemory = p.stays()
	}
	at, ok := c.last(job)
	for ok {
		var why ChainLink
		why, at, ok = c.why(at)
		c.links = append(c.links, why)
	}
	return c, nil
}

// chain walks back through a schedule.
type chain struct {
	*plan
	byGPU    [][]int32   // tasks of every GPU by start
	loading  [][]jobLoad // jobs that use each link
	inMemory [][]stay    // in the memory of every GPU, where jobs hold it only while they run
	links    []ChainLink
}

// element is a task or a sync.
type element struct {
	sync  bool
	index int
}

func (c *chain) start(e element) instance.Tick {
	if e.sync {
		return c.syncs[e.index].Start
	}
	return c.tasks[e.index].Start
}

func (c *chain) end(e element) instance.Tick {
	if e.sync {
		return c.syncs[e.index].End
	}
	return c.tasks[e.index].End
}

func (c *chain) job(e element) instance.JobID {
	if e.sync {
		return c.syncs[e.index].Job
	}
	return c.tasks[e.index].Job
}

// last returns the element that a job, or the schedule, ends with.
func (c *chain) last(job instance.JobID) (last element, ok bool) {
	consider := func(e element) {
		if job != instance.NoJob && c.job(e) != job {
			return
		}
		// Of equal ends the sync is the later element.
		if !ok || c.end(e) > c.end(last) || c.end(e) == c.end(last) && e.sync && !last.sync {
			last, ok = e, true
		}
	}
	for i := range c.tasks {
		consider(element{false, i})
	}
	for i := range c.syncs {
		consider(element{true, i})
	}
	return last, ok
}

// why returns why an element did not start sooner, and the element that the chain
// goes on with.
func (c *chain) why(e element) (link ChainLink, next element, ok bool) {
	if e.sync {
		return c.whySync(e.index)
	}
	return c.whyTask(e.index)
}

// whyTask prefers what the job itself had to wait for to what others did to it.
func (c *chain) whyTask(i int) (link ChainLink, next element, ok bool) {
	link = ChainLink{Index: i}
	t := &c.tasks[i]
	own, busy, released := c.before(i)
	job := &c.in.Jobs[t.Job]
	switch {
	case own.index >= 0 && c.end(own) == t.Start:
		link.Because, link.Text = SyncBefore, fmt.Sprintf("iteration %d is synchronised until %s", t.Iteration-1, c.at(t.Start))
		return link, own, true
	case busy.index >= 0 && c.end(busy) == t.Start:
		b := &c.tasks[busy.index]
		link.Because, link.Text = TaskBefore, fmt.Sprintf("%s runs iteration %d of %s until %s", c.gpu(t.GPU), b.Iteration, c.name(b.Job), c.at(t.Start))
		return link, busy, true
	case released && t.Start == job.Release && t.Start > 0:
		link.Because, link.Text = Release, fmt.Sprintf("the job is released at %s", c.at(t.Start))
		return link, next, false
	case t.Start == 0:
		link.Because, link.Text = Start, "the plan begins"
		return link, next, false
	}
	if released && c.inMemory != nil && job.Resident == nil {
		admitted := t.Start - job.Load
		if before := c.leaves(i, admitted); before != instance.NoJob {
			link.Because, link.Text = Memory, fmt.Sprintf("%s is in memory until %s", c.name(before), c.at(admitted))
			next, ok = c.last(before)
			return link, next, ok
		}
		if admitted == job.Release {
			link.Because, link.Text = Load, fmt.Sprintf("the job is loaded from %s on", c.at(admitted))
			return link, next, false
		}
	}
	if job.Gang {
		for o := range c.tasksOf(t.Job, t.Iteration) {
			if busy := c.previous(o); o != i && busy.index >= 0 && c.end(busy) == t.Start {
				link.Because = Gang
				link.Text = fmt.Sprintf("the tasks of the iteration start together, and %s is busy until %s", c.gpu(c.tasks[o].GPU), c.at(t.Start))
				return link, element{false, o}, true
			}
		}
	}
	if next = own; own.index < 0 || busy.index >= 0 && c.end(busy) > c.end(own) {
		next = busy
	}
	if next.index < 0 {
		return c.slack(link, t.Start, job.Release), next, false
	}
	return c.slack(link, t.Start, max(c.end(next), job.Release)), next, true
}

// leaves returns the job that left memory when the job of task i came into it, if there was no room for both; else NoJob.
func (c *chain) leaves(i int, admitted instance.Tick) instance.JobID {
	t := &c.tasks[i]
	for _, g := range c.s.Residency[t.Job] {
		before, need, ephemeral := instance.NoJob, instance.Bytes(0), instance.Bytes(0)
		for _, s := range c.inMemory[g] {
			switch {
			case s.job == t.Job && s.from != admitted:
				return instance.NoJob // another task of it is the first
			case s.job != t.Job && (s.from >= admitted || s.to < admitted):
				continue
			case s.to == admitted:
				before = s.job
			}
			need, ephemeral = need+s.persistent, max(ephemeral, s.ephemeral)
		}
		if before != instance.NoJob && need+ephemeral > c.in.Types[c.in.GPUs[g].Type].Memory {
			return before
		}
	}
	return instance.NoJob
}

// before returns what a task had to wait for: the end of its job's iteration
// before, and the task before it on its GPU; released tells that it is one of the
// first of its job, which wait for the release. An element with index -1 is none.
func (c *chain) before(i int) (own, busy element, released bool) {
	t := &c.tasks[i]
	own, busy = element{true, -1}, c.previous(i)
	if t.Iteration > 1 {
		own.index = c.syncOf(t.Job, t.Iteration-1)
	}
	return own, busy, t.Iteration == 1
}

// previous returns the task before task i on its GPU.
func (c *chain) previous(i int) element {
	t := &c.tasks[i]
	list := c.byGPU[t.GPU]
	at, _ := slices.BinarySearchFunc(list, t.Start, func(o int32, start instance.Tick) int {
		return cmp.Compare(c.tasks[o].Start, start)
	})
	if at == 0 {
		return element{false, -1}
	}
	return element{false, int(list[at-1])}
}

// syncOf returns the sync of an iteration, -1 where there is none.
func (c *chain) syncOf(j instance.JobID, iteration int) int {
	first, end := c.syncsOf(j)
	if i := first + iteration - 1; i < end && c.syncs[i].Iteration == iteration {
		return i
	}
	return -1
}

func (c *chain) whySync(i int) (link ChainLink, next element, ok bool) {
	link = ChainLink{Sync: true, Index: i}
	y := &c.syncs[i]
	next = element{false, -1}
	for o := range c.tasksOf(y.Job, y.Iteration) {
		if next.index < 0 || c.tasks[o].End > c.tasks[next.index].End {
			next.index = o
		}
	}
	if next.index < 0 {
		return c.slack(link, y.Start, 0), next, false
	}
	last := &c.tasks[next.index]
	if last.End == y.Start {
		link.Because, link.Text = TaskOfIteration, fmt.Sprintf("the iteration's last task, on %s, ends at %s", c.gpu(last.GPU), c.at(y.Start))
		return link, next, true
	}
	if l, o := c.inTheWay(i); o >= 0 {
		b := &c.syncs[o]
		link.Because, link.Text = LinkBusy, fmt.Sprintf("%s carries iteration %d of %s until %s", clean(c.in.Links[l].Name), b.Iteration, c.name(b.Job), c.at(y.Start))
		return link, element{true, o}, true
	}
	return c.slack(link, y.Start, last.End), next, true
}

// inTheWay returns a link that had no room for sync i a tick sooner, and a sync on
// it that ended just when i started; -1 if there is none.
func (c *chain) inTheWay(i int) (instance.LinkID, int) {
	y := &c.syncs[i]
	for _, u := range c.routes[y.Job].Uses {
		used, ended := c.moves[i].rate*instance.Rate(u.Times), -1
		for _, load := range c.loading[u.Link] {
			if load.job == y.Job {
				continue
			}
			o := c.running(load.job, y.Start)
			if o < 0 {
				continue
			}
			used += c.moves[o].rate * instance.Rate(load.times)
			if c.syncs[o].End == y.Start {
				ended = o
			}
		}
		if ended >= 0 && used > c.in.Capacity(u.Link) {
			return u.Link, ended
		}
	}
	return 0, -1
}

// running returns the job's sync that runs in the tick before a time, or -1.
func (c *chain) running(j instance.JobID, before instance.Tick) int {
	first, end := c.syncsOf(j)
	n, _ := slices.BinarySearchFunc(c.syncs[first:end], before, func(y instance.Sync, t instance.Tick) int {
		return cmp.Compare(y.Start, t)
	})
	// Syncs of a job follow each other, so that only the last to start may run.
	if i := first + n - 1; n > 0 && c.syncs[i].End >= before {
		return i
	}
	return -1
}

// slack is a start that nothing forced; possible is when it could have been.
func (c *chain) slack(link ChainLink, start, possible instance.Tick) ChainLink {
	link.Because = Slack
	link.Text = fmt.Sprintf("the plan has slack: it could have started %s sooner, at %s", seconds(c.in, float64(start-possible)), c.at(possible))
	return link
}

func (c *chain) at(t instance.Tick) string { return seconds(c.in, float64(t)) }

func (c *chain) name(j instance.JobID) string {
	return fmt.Sprintf("%q", clean(c.in.Jobs[j].Name))
}

// gpu names a GPU as the checker does: "r0n1.gpu2" is the third of node r0n1.
func (c *chain) gpu(g instance.GPUID) string {
	n := &c.in.Nodes[c.in.GPUs[g].Node]
	return instance.NameGPU(clean(n.Name), n.Place(g))
}
