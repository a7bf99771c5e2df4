package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// Violation is one breach of the rules of a valid schedule (docs/problem.md section 3).
type Violation struct {
	// Rule broken, from 1 to 10; 0 for a schedule that is malformed, such as
	// one with an index out of range.
	Rule int
	// Job at fault, and its name; [instance.NoJob] where there is none.
	Job  instance.JobID
	Name string
	// Iteration at fault, from 1; 0 where the fault is not in one.
	Iteration int
	// Tick where the fault shows, modulo the period for rules 6 and 8; -1
	// where it is not tied to a time.
	Tick instance.Tick
	// Message says what is wrong, with the GPU or link by name.
	Message string
}

// Numbers of the rules that callers of a check name.
const (
	SyncAfterTasks = 5
	LinkCapacity   = 8
	SyncLength     = 9
	Deadline       = 10
)

// rules is the number of rules of a valid schedule.
const rules = 10

var ruleTitles = [rules + 1]string{
	"well-formed schedule", "residency", "tasks", "depths", "order of iterations", "sync after tasks",
	"one task per GPU", "memory", "link capacity", "sync length", "deadline",
}

// String returns the violation in one line:
//
//	rule 6 (one task per GPU): job 2 "bert", iteration 3, tick 17: r0n1.gpu2 is busy ...
func (v Violation) String() string {
	var where []string
	if v.Job >= 0 {
		where = append(where, "job "+strconv.Itoa(int(v.Job))+" "+strconv.Quote(instance.Clip(v.Name)))
	}
	if v.Iteration > 0 {
		where = append(where, "iteration "+strconv.Itoa(v.Iteration))
	}
	if v.Tick >= 0 {
		where = append(where, "tick "+strconv.FormatInt(int64(v.Tick), 10))
	}
	s := fmt.Sprintf("rule %d (%s): ", v.Rule, v.Title())
	if len(where) > 0 {
		s += strings.Join(where, ", ") + ": "
	}
	return s + v.Message
}

// Title names the rule broken in a few words: "one task per GPU".
func (v Violation) Title() string {
	if v.Rule < 0 || v.Rule > rules {
		return "unknown"
	}
	return ruleTitles[v.Rule]
}

// maxViolations is how many violations of each rule are reported; the last
// one says how many there are beyond it. The limit is per rule so that a rule
// broken everywhere does not hide another.
const maxViolations = 20

// Schedule tests the ten rules of a valid schedule and returns what breaks them,
// by ascending rule; nil means the schedule is valid. It takes any schedule
// whatsoever and shares no code with what makes schedules: it knows only the
// integers of the instance and its tree of routes.
//
// A malformed schedule (rule 0) is not tested further, for its indices cannot
// be followed. A fault is reported under the first rule that it breaks by
// itself, so an iteration that lacks a task (rule 2) is not also tested for
// its depths (rule 3) or the length of its synchronisation (rule 9). A
// synchronisation that is missing, repeated, or that a lone worker has, is
// reported under rule 5. Where failed links leave a job no route for its
// synchronisations, even for empty ones, that is rule 8.
//
// It takes O(n log n) time for n tasks, synchronisations and uses of links.
func Schedule(in *instance.Instance, s *instance.Schedule) []Violation {
	c := checker{in: in, s: s}
	if c.wellFormed() {
		c.blocks = []instance.Block{{Period: c.period, Repeats: 1}}
		c.residencies()
		c.stays()
		c.jobs()
		c.gpus()
		c.links()
	}
	return c.violations()
}

// checker carries one check.
type checker struct {
	in *instance.Instance
	s  *instance.Schedule
	// period of a periodic plan, 0 for one that runs once.
	period instance.Tick
	// blocks that s is the first repeats of; one with the period where it is no plan in blocks.
	blocks []instance.Block
	// taskBlock and syncBlock are the blocks of the tasks and syncs of s, ascending.
	taskBlock, syncBlock blocksOf
	// resident[j] are the distinct GPUs of job j, ascending.
	resident [][]instance.GPUID
	// rings[j] is what the synchronisations of job j use; nil where its
	// residency is so wrong that there is no telling.
	rings []*checkedRing
	// admitted[j] and left[j] are when job j comes into memory and when it goes, where jobs
	// hold it only while they run.
	admitted, left []instance.Tick
	// occupants[g] are the jobs that live on GPU g at some time, then.
	occupants [][]instance.JobID

	found [rules + 1][]Violation // at most maxViolations each
	count [rules + 1]int
}

// blocksOf are blocks by number of a task or sync; nil: all are of the first.
type blocksOf []int

func (b blocksOf) of(n int) int {
	if b == nil {
		return 0
	}
	return b[n]
}

// report notes a violation. iteration 0 and tick -1 mean none.
func (c *checker) report(rule int, job instance.JobID, iteration int, tick instance.Tick, format string, args ...any) {
	if c.count[rule]++; c.count[rule] > maxViolations {
		return
	}
	v := Violation{Rule: rule, Job: job, Iteration: iteration, Tick: tick, Message: fmt.Sprintf(format, args...)}
	if job >= 0 {
		v.Name = c.in.Jobs[job].Name
	}
	c.found[rule] = append(c.found[rule], v)
}

// violations gathers what was reported.
func (c *checker) violations() []Violation {
	var all []Violation
	for rule, found := range c.found {
		if more := c.count[rule] - len(found); more > 0 {
			found[len(found)-1].Message += fmt.Sprintf(" (and %d more violations of rule %d)", more, rule)
		}
		all = append(all, found...)
	}
	return all
}

// wellFormed tests rule 0 and reports whether every index can be followed and
// no sum or difference of two times overflows.
func (c *checker) wellFormed() bool {
	in, s := c.in, c.s
	if s == nil {
		c.report(0, instance.NoJob, 0, -1, "there is no schedule")
		return false
	}
	ok := true
	bad := func(format string, args ...any) {
		c.report(0, instance.NoJob, 0, -1, format, args...)
		ok = false
	}
	switch {
	case !in.Objective.Periodic():
		if s.Period != 0 {
			bad("the period is %d, but a plan for %s runs once and has period 0", s.Period, in.Objective)
		}
	case s.Period < 1:
		bad("the period is %d, but a plan for %s needs one of at least a tick", s.Period, in.Objective)
	default:
		c.period = s.Period
		if in.MaxPeriod > 0 && s.Period > in.MaxPeriod {
			// Nothing else depends on the bound, so the check goes on.
			c.report(0, instance.NoJob, 0, -1, "the period of %d ticks exceeds the greatest of %d", s.Period, in.MaxPeriod)
		}
	}

	if len(s.Residency) != len(in.Jobs) {
		bad("there are residencies for %d jobs, but the instance has %d", len(s.Residency), len(in.Jobs))
	}
	for j, gpus := range s.Residency {
		for _, g := range gpus {
			if g < 0 || int(g) >= len(in.GPUs) {
				bad("the residency of job %d names GPU %d of %d", j, g, len(in.GPUs))
			}
		}
	}
	for n := range s.Tasks {
		switch t := &s.Tasks[n]; {
		case t.Job < 0 || int(t.Job) >= len(in.Jobs):
			bad("tasks[%d] names job %d of %d", n, t.Job, len(in.Jobs))
		case t.GPU < 0 || int(t.GPU) >= len(in.GPUs):
			bad("tasks[%d] of job %d names GPU %d of %d", n, t.Job, t.GPU, len(in.GPUs))
		case t.Depth < 0 || t.Depth >= len(in.Jobs[t.Job].Depths):
			bad("tasks[%d] of job %d names depth %d of %d", n, t.Job, t.Depth, len(in.Jobs[t.Job].Depths))
		case t.Iteration < 1:
			bad("tasks[%d] of job %d is of iteration %d; they count from 1", n, t.Job, t.Iteration)
		case t.Start < 0 || t.End < t.Start:
			bad("tasks[%d] of job %d runs from tick %d to %d", n, t.Job, t.Start, t.End)
		}
	}
	for n := range s.Syncs {
		switch y := &s.Syncs[n]; {
		case y.Job < 0 || int(y.Job) >= len(in.Jobs):
			bad("syncs[%d] names job %d of %d", n, y.Job, len(in.Jobs))
		case y.Iteration < 1:
			bad("syncs[%d] of job %d is of iteration %d; they count from 1", n, y.Job, y.Iteration)
		case !slices.Contains(in.RateLevels, y.Rate):
			bad("syncs[%d] of job %d has rate level %v, which is not one of %v", n, y.Job, y.Rate, in.RateLevels)
		case y.Start < 0 || y.End < y.Start:
			bad("syncs[%d] of job %d runs from tick %d to %d", n, y.Job, y.Start, y.End)
		}
	}
	return ok
}

// residencies tests rule 1.
func (c *checker) residencies() {
	in := c.in
	has := make([]bool, len(in.Jobs)) // whether the job has iterations
	for n := range c.s.Tasks {
		has[c.s.Tasks[n].Job] = true
	}
	for n := range c.s.Syncs {
		has[c.s.Syncs[n].Job] = true
	}
	c.resident = make([][]instance.GPUID, len(in.Jobs))
	c.rings = make([]*checkedRing, len(in.Jobs))
	for j := range in.Jobs {
		id, job := instance.JobID(j), &in.Jobs[j]
		gpus := slices.Clone(c.s.Residency[j])
		slices.Sort(gpus)
		for i, g := range gpus {
			if i > 0 && g == gpus[i-1] {
				c.report(1, id, 0, -1, "%s is listed twice", c.gpu(g))
			}
		}
		gpus = slices.Compact(gpus)
		c.resident[j] = gpus
		if c.period > 0 && !has[j] {
			if len(gpus) > 0 {
				c.report(1, id, 0, -1, "it lives on %d GPUs but has no iterations", len(gpus))
			}
			continue
		}
		if of := group(job); len(gpus) != job.Workers {
			c.report(1, id, 0, -1, "it lives on %d GPUs but has %d workers%s", len(gpus), job.Workers/of, each(of))
		} else {
			for i, g := range gpus {
				if first := gpus[i-i%of]; in.GPUs[g].Node != in.GPUs[first].Node {
					c.report(1, id, 0, -1, "%s and %s are of one worker but not of one node", c.gpu(first), c.gpu(g))
				}
			}
		}
		for _, g := range gpus {
			if t := in.GPUs[g].Type; job.On[t] == nil {
				c.report(1, id, 0, -1, "%s is of type %q, which it may not run on", c.gpu(g), instance.Clip(in.Types[t].Name))
			}
			if job.Within != instance.WithinCluster && !c.together(job.Within, gpus[0], g) {
				c.report(1, id, 0, -1, "%s and %s are not within one %s", c.gpu(gpus[0]), c.gpu(g),
					map[instance.Within]string{instance.WithinNode: "node", instance.WithinRack: "rack"}[job.Within])
			}
		}
		if job.Resident != nil && !slices.Equal(gpus, job.Resident) {
			c.report(1, id, 0, -1, "it does not live on the GPUs that it is in memory on when the plan begins")
		}
		if len(gpus) == job.Workers && len(gpus) > 1 {
			c.rings[j] = c.ring(job, gpus)
		}
	}
}

// group returns how many GPUs a worker of the job has: as many of the ascending GPUs that the job
// lives on, one after the other.
func group(job *instance.Job) int { return max(1, job.GPUsPerWorker) }

func each(of int) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf(" of %d", of)
}

// together reports whether two GPUs share a node or rack.
func (c *checker) together(within instance.Within, a, b instance.GPUID) bool {
	m, n := c.in.GPUs[a].Node, c.in.GPUs[b].Node
	return m == n || within == instance.WithinRack && c.in.Nodes[m].Rack == c.in.Nodes[n].Rack
}

// gpu names a GPU: "r0n1.gpu2" is the third of node r0n1.
func (c *checker) gpu(g instance.GPUID) string {
	n := &c.in.Nodes[c.in.GPUs[g].Node]
	return instance.NameGPU(n.Name, n.Place(g))
}

// jobs tests rules 2 to 5, 9 and 10 job by job.
func (c *checker) jobs() {
	tasks := sorted(c.s.Tasks, func(a, b instance.Task) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.GPU, b.GPU))
	})
	syncs := sorted(c.s.Syncs, func(a, b instance.Sync) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Iteration, b.Iteration))
	})
	for j := range c.in.Jobs {
		id := instance.JobID(j)
		t, y := 0, 0
		for t < len(tasks) && tasks[t].Job == id {
			t++
		}
		for y < len(syncs) && syncs[y].Job == id {
			y++
		}
		c.job(id, tasks[:t], syncs[:y])
		tasks, syncs = tasks[t:], syncs[y:]
	}
}

// sorted returns the elements in order, without a copy where they already are.
func sorted[E any](s []E, order func(a, b E) int) []E {
	if slices.IsSortedFunc(s, order) {
		return s
	}
	s = slices.Clone(s)
	slices.SortStableFunc(s, order)
	return s
}
