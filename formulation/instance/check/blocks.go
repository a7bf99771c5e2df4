package check

import (
	"slices"

	"jigsaw/formulation/instance"
)

// Blocks tests whether a plan in blocks is valid, without writing its repeats out: in
// O(n log n) time for the n tasks, synchronisations and uses of links that its patterns
// have. It shares no code with what makes plans, and reports by the rules of [Schedule],
// of which it keeps the numbers; ticks are those of the first repeat.
//
// Valid means:
//
//	(a) a job's k tasks and its synchronisation in every iteration of a pattern keep rules
//	    1, 2, 3, 5 and 9, and its iterations times the repeats, over all blocks, are R;
//	(b) in a pattern its iterations follow one another (4); in a block with repeats the last
//	    ends at most a period after the first begins; its first task in a block starts at or
//	    after its end in the block before, or its release and load;
//	(c) on a GPU the tasks of a pattern with repeats do not meet modulo its period, those of one
//	    without do not meet; and the hulls of different blocks there, each from its first
//	    start in the first repeat to its last end in the last, do not overlap (6);
//	(d) on a link a block with repeats counts, from its first start there in the first
//	    repeat to its last end in the last, with the greatest sum of rates in its period,
//	    and one without counts as it is; together they keep within the capacity (8);
//	(e) memory and deadlines hold for jobs that stay from their load to the end of the last
//	    repeat (7, 10).
//
// Then the expansion is valid. Rules 1, 2, 3, 5 and 9 speak of single iterations, of which
// all repeats are shifted copies; numbers add up by (a). Rule 4: within a repeat by the
// pattern; from repeat m to m + 1 of a block, since the last end in m is at most the first start in m plus
// P, which is the first start in m + 1; from block to block by (b), since the last repeat ends
// last. Rule 6: two tasks of a block that met at tick t would, shifted by
// whole periods, meet modulo P at t mod P; tasks of different blocks lie in their hulls.
// Rule 8: at tick t in its hull, the syncs of a block at work are among those at work at t mod P
// modulo P, so their rates are at most the greatest sum; outside it they are none. Rules 7 and
// 10: the same stays, tasks and ends. The converse fails only where a pattern repeats so seldom that
// it does not meet itself, where a hull has holes that others fill, or where syncs of two blocks
// avoid one another's peaks; such plans are written as patterns without repeats.
func Blocks(in *instance.Instance, s *instance.BlockSchedule) []Violation {
	c := blocksCheck{checker{in: in, s: &instance.Schedule{}}, s}
	if c.flatten() && c.wellFormed() {
		c.residencies()
		c.stays()
		c.leave()
		c.jobs()
		c.gpus()
		c.links()
	}
	return c.violations()
}

// Plan is [Schedule] or [Blocks], depending on the form of the plan.
func Plan(in *instance.Instance, p instance.Plan) []Violation {
	if s, ok := p.(*instance.Schedule); ok {
		return Schedule(in, s)
	}
	return Blocks(in, p.(*instance.BlockSchedule))
}

// blocksCheck carries one check of a plan in blocks. The schedule of its checker is the
// first repeat of every block, at its time and with its numbers of iterations.
type blocksCheck struct {
	checker
	plan *instance.BlockSchedule
}

// flatten writes the first repeats out, and reports whether the blocks are well-formed.
func (c *blocksCheck) flatten() bool {
	before := c.count[0]
	bad := func(format string, args ...any) { c.report(0, instance.NoJob, 0, -1, format, args...) }
	if c.plan == nil {
		bad("there is no schedule")
		return false
	}
	if c.in.Objective.Periodic() {
		bad("a plan for %s is one pattern that repeats for ever, not a list of blocks", c.in.Objective)
		return false
	}
	c.s.Residency, c.blocks = c.plan.Residency, c.plan.Blocks
	done := make([]int64, len(c.in.Jobs)) // iterations, by job
	for i := range c.plan.Blocks {
		b := &c.plan.Blocks[i]
		switch {
		case b.Start < 0 || b.Start > instance.MaxTime:
			bad("blocks[%d] starts at tick %d", i, b.Start)
		case b.Repeats < 1 || b.Repeats > instance.MaxIterations:
			bad("blocks[%d] repeats %d times; choose 1 to %d", i, b.Repeats, instance.MaxIterations)
		case b.Repeats == 1 && b.Period != 0:
			bad("blocks[%d] has a period of %d ticks, but is done once", i, b.Period)
		case b.Repeats > 1 && (b.Period < 1 || b.Period > instance.MaxTime/instance.Tick(b.Repeats)):
			bad("blocks[%d] repeats %d times with a period of %d ticks", i, b.Repeats, b.Period)
		}
		if c.count[0] > before {
			return false
		}
		per := b.IterationsOf()
		for n, t := range b.Tasks {
			if t.Start < 0 || t.Start > instance.MaxTime || t.End < 0 || t.End > instance.MaxTime || t.Iteration > instance.MaxIterations {
				bad("tasks[%d] of blocks[%d] is of iteration %d and runs from tick %d to %d", n, i, t.Iteration, t.Start, t.End)
				return false
			}
			t.Start, t.End = t.Start+b.Start, t.End+b.Start
			if t.Job >= 0 && int(t.Job) < len(done) && t.Iteration > 0 {
				t.Iteration += int(done[t.Job])
			}
			c.s.Tasks, c.taskBlock = append(c.s.Tasks, t), append(c.taskBlock, i)
		}
		for n, y := range b.Syncs {
			if y.Start < 0 || y.Start > instance.MaxTime || y.End < 0 || y.End > instance.MaxTime || y.Iteration > instance.MaxIterations {
				bad("syncs[%d] of blocks[%d] is of iteration %d and runs from tick %d to %d", n, i, y.Iteration, y.Start, y.End)
				return false
			}
			y.Start, y.End = y.Start+b.Start, y.End+b.Start
			if y.Job >= 0 && int(y.Job) < len(done) && y.Iteration > 0 {
				y.Iteration += int(done[y.Job])
			}
			c.s.Syncs, c.syncBlock = append(c.s.Syncs, y), append(c.syncBlock, i)
		}
		for j, n := range per {
			if j >= 0 && int(j) < len(done) {
				// Beyond a job's iterations it is wrong by any number.
				done[j] = min(done[j]+int64(n)*b.Repeats, 2*instance.MaxIterations)
			}
		}
	}
	return true
}

// leave moves the end of each job's stay to the last repeats.
func (c *blocksCheck) leave() {
	if c.left == nil {
		return
	}
	for n, i := range c.taskBlock {
		t := &c.s.Tasks[n]
		c.left[t.Job] = max(c.left[t.Job], t.End+c.plan.Blocks[i].LastStart())
	}
	for n, i := range c.syncBlock {
		y := &c.s.Syncs[n]
		c.left[y.Job] = max(c.left[y.Job], y.End+c.plan.Blocks[i].LastStart())
	}
}

// jobs tests rules 2 to 5, 9 and 10 job by job, and block by block.
func (c *blocksCheck) jobs() {
	tasks, firstTask := buckets(len(c.s.Tasks), len(c.in.Jobs), func(n int) int { return int(c.s.Tasks[n].Job) })
	syncs, firstSync := buckets(len(c.s.Syncs), len(c.in.Jobs), func(n int) int { return int(c.s.Syncs[n].Job) })
	for j := range c.in.Jobs {
		c.job(instance.JobID(j), tasks[firstTask[j]:firstTask[j+1]], syncs[firstSync[j]:firstSync[j+1]])
	}
}

// job tests the tasks and syncs of one job, by number, which are in order of blocks.
func (c *blocksCheck) job(id instance.JobID, tasks, syncs []int) {
	w := c.walk(id)
	job := w.job
	done := 0
	for len(tasks) > 0 || len(syncs) > 0 {
		block := len(c.plan.Blocks)
		if len(tasks) > 0 {
			block = c.taskBlock[tasks[0]]
		}
		if len(syncs) > 0 {
			block = min(block, c.syncBlock[syncs[0]])
		}
		b := &c.plan.Blocks[block]
		var here []instance.Task
		var joins []instance.Sync
		for len(tasks) > 0 && c.taskBlock[tasks[0]] == block {
			here, tasks = append(here, c.s.Tasks[tasks[0]]), tasks[1:]
		}
		for len(syncs) > 0 && c.syncBlock[syncs[0]] == block {
			joins, syncs = append(joins, c.s.Syncs[syncs[0]]), syncs[1:]
		}
		per := w.pattern(done, b, here, joins)
		if done += per * int(b.Repeats); done > job.Iterations {
			c.report(2, id, job.Iterations+1, -1, "the job has only %d iterations; with blocks[%d] there are %d", job.Iterations, block, done)
			return
		}
	}
	if done < job.Iterations {
		c.report(2, id, done+1, -1, "iterations %d to %d have no tasks", done+1, job.Iterations)
	}
	if job.Deadline > 0 && w.completion > job.Deadline {
		c.report(10, id, w.lastly, w.completion, "it ends after its deadline at tick %d", job.Deadline)
	}
}

// pattern walks the iterations that a job has in a pattern, after so many in blocks before. It
// returns their number, and leaves the walk at the end of the last repeat.
func (w *jobCheck) pattern(done int, b *instance.Block, tasks []instance.Task, syncs []instance.Sync) (per int) {
	slices.SortStableFunc(tasks, instance.Task.Compare)
	slices.SortStableFunc(syncs, instance.Sync.Compare)
	first := instance.Tick(-1) // start of a task
	eachIteration(tasks, syncs, func(i int, tasks []instance.Task, syncs []instance.Sync) {
		for n := range tasks {
			if first < 0 || tasks[n].Start < first {
				first = tasks[n].Start
			}
		}
		if i > done+per+1 {
			w.report(2, w.id, done+per+1, -1, "iterations %d to %d have no tasks", done+per+1, i-1)
		}
		w.iteration(i, tasks, syncs)
		per = i - done
	})
	if b.Repeats > 1 {
		if first >= 0 && w.ready-first > b.Period {
			w.report(4, w.id, done+1, first, "its iterations in the block begin again after the period of %d ticks, before the last of them ends at tick %d",
				b.Period, w.ready)
		}
		w.ready += b.LastStart()
		if first >= 0 {
			w.ends(done+per*int(b.Repeats), w.ready)
		}
	}
	return per
}
