package check

import (
	"math"

	"jigsaw/formulation/instance"
)

// jobCheck walks the iterations of one job in order.
type jobCheck struct {
	*checker
	id       instance.JobID
	job      *instance.Job
	resident []instance.GPUID
	ring     *checkedRing

	// ready is when the tasks of the next iteration may start: the end of the
	// iteration before, or the release and the load.
	ready instance.Tick
	// earliest is the first start of a task of iteration 1.
	earliest instance.Tick
	// completion is the greatest end so far, and lastly its iteration.
	completion instance.Tick
	lastly     int
	// counts[d] of tasks at depth d in the current iteration.
	counts []int
	length syncLength
}

// job tests rules 2 to 5, 9 and 10 on the tasks and syncs of one job, which
// are in order of iteration, and the tasks of an iteration in order of GPU.
func (c *checker) job(id instance.JobID, tasks []instance.Task, syncs []instance.Sync) {
	w := c.walk(id)
	job := w.job
	next := 1 // the iteration that comes next
	eachIteration(tasks, syncs, func(i int, tasks []instance.Task, syncs []instance.Sync) {
		if c.period == 0 && i > job.Iterations {
			c.report(2, id, i, -1, "the job has only %d iterations", job.Iterations)
			return
		}
		if i > next {
			c.report(2, id, next, -1, "iterations %d to %d have no tasks", next, i-1)
		}
		w.iteration(i, tasks, syncs)
		next = i + 1
	})
	if c.period == 0 && next <= job.Iterations {
		c.report(2, id, next, -1, "iterations %d to %d have no tasks", next, job.Iterations)
	}
	if c.period > 0 && w.earliest >= 0 && w.ready-w.earliest > c.period {
		c.report(4, id, 1, w.earliest, "iteration 1 starts again after the period of %d ticks, before the last iteration ends at tick %d",
			c.period, w.ready)
	}
	if c.period == 0 && job.Deadline > 0 && w.completion > job.Deadline {
		c.report(10, id, w.lastly, w.completion, "it ends after its deadline at tick %d", job.Deadline)
	}
}

// walk begins before the first iteration of a job.
func (c *checker) walk(id instance.JobID) *jobCheck {
	job := &c.in.Jobs[id]
	return &jobCheck{
		checker: c, id: id, job: job, resident: c.resident[id], ring: c.rings[id],
		ready: job.Release + job.Load, earliest: -1, counts: make([]int, len(job.Depths)),
	}
}

// eachIteration tells visit of the tasks and syncs of every iteration that has some, in order.
func eachIteration(tasks []instance.Task, syncs []instance.Sync, visit func(i int, tasks []instance.Task, syncs []instance.Sync)) {
	for len(tasks) > 0 || len(syncs) > 0 {
		i, t, y := math.MaxInt, 0, 0
		if len(tasks) > 0 {
			i = tasks[0].Iteration
		}
		if len(syncs) > 0 {
			i = min(i, syncs[0].Iteration)
		}
		for t < len(tasks) && tasks[t].Iteration == i {
			t++
		}
		for y < len(syncs) && syncs[y].Iteration == i {
			y++
		}
		visit(i, tasks[:t], syncs[:y])
		tasks, syncs = tasks[t:], syncs[y:]
	}
}

// iteration tests rules 2 to 5 and 9 on iteration i.
func (w *jobCheck) iteration(i int, tasks []instance.Task, syncs []instance.Sync) {
	complete := w.tasks(i, tasks)
	if complete {
		clear(w.counts)
		for n := range tasks {
			w.counts[tasks[n].Depth]++
		}
		w.depths(i)
	}

	end := w.ready // of the iteration's tasks
	for n := range tasks {
		t := &tasks[n]
		if t.Start < w.ready {
			if i == 1 {
				w.report(4, w.id, i, t.Start, "the task on %s starts before %s at tick %d", w.gpu(t.GPU), w.opening(), w.ready)
			} else {
				w.report(4, w.id, i, t.Start, "the task on %s starts before the iteration before ends at tick %d", w.gpu(t.GPU), w.ready)
			}
		}
		if w.job.Gang && t.Start != tasks[0].Start {
			w.report(4, w.id, i, t.Start, "the task on %s does not start at tick %d with the others of its gang", w.gpu(t.GPU), tasks[0].Start)
		}
		if i == 1 && (w.earliest < 0 || t.Start < w.earliest) {
			w.earliest = t.Start
		}
		if n == 0 || t.End > end {
			end = t.End
		}
	}
	w.ends(i, end)

	switch {
	case w.job.Workers <= 1:
		for n := range syncs {
			w.report(5, w.id, i, syncs[n].Start, "a lone worker has no synchronisations")
		}
		w.ready = end
		return
	case len(syncs) == 0:
		w.report(5, w.id, i, -1, "the iteration has no synchronisation")
		w.ready = end
		return
	case len(syncs) > 1:
		w.report(5, w.id, i, syncs[1].Start, "the iteration has %d synchronisations", len(syncs))
	}
	w.ready = syncs[0].End
	for n := range syncs {
		y := &syncs[n]
		if len(tasks) > 0 && y.Start < end {
			w.report(5, w.id, i, y.Start, "the synchronisation starts before the tasks end at tick %d", end)
		}
		w.ends(i, y.End)
		w.ready = max(w.ready, y.End)
		if complete && w.ring != nil && w.ring.slowest > 0 {
			volume := syncVolume(w.job, w.counts, w.ring.parties)
			if want := w.length.ticks(w.in, volume, w.ring.slowest, y.Rate); !want.IsInt64() || want.Int64() != int64(y.End-y.Start) {
				w.report(9, w.id, i, y.Start, "the synchronisation of %d bytes at level %v of %d bit/s takes %d ticks; it should take %v",
					volume, y.Rate, w.ring.slowest, y.End-y.Start, want)
			}
		}
	}
}

// opening says in words what the first iteration waits for.
func (w *jobCheck) opening() string {
	if w.job.Load > 0 {
		return "the job can have been loaded"
	}
	return "the release"
}

// ends notes an end within iteration i.
func (w *jobCheck) ends(i int, end instance.Tick) {
	if end > w.completion {
		w.completion, w.lastly = end, i
	}
}

// tasks tests rule 2 on iteration i, whose tasks are in order of GPU. It
// returns whether there is one task on each resident GPU of k workers, of all of a worker alike.
func (w *jobCheck) tasks(i int, tasks []instance.Task) bool {
	complete := len(tasks) == w.job.Workers && len(w.resident) == w.job.Workers
	r := 0 // resident GPUs that were passed
	for n := range tasks {
		t := &tasks[n]
		if costs := w.job.On[w.in.GPUs[t.GPU].Type]; costs != nil && t.End-t.Start != costs.Time[t.Depth] {
			w.report(2, w.id, i, t.Start, "the task on %s at depth %d takes %d ticks; it should take %d",
				w.gpu(t.GPU), w.job.Depths[t.Depth].Layers, t.End-t.Start, costs.Time[t.Depth])
		}
		if n > 0 && t.GPU == tasks[n-1].GPU {
			w.report(2, w.id, i, t.Start, "there is another task on %s", w.gpu(t.GPU))
			complete = false
			continue
		}
		for r < len(w.resident) && w.resident[r] < t.GPU {
			w.missing(i, w.resident[r])
			complete = false
			r++
		}
		if r == len(w.resident) || w.resident[r] != t.GPU {
			w.report(2, w.id, i, t.Start, "it runs a task on %s but does not live there", w.gpu(t.GPU))
			complete = false
			continue
		}
		r++
	}
	for ; r < len(w.resident); r++ {
		w.missing(i, w.resident[r])
		complete = false
	}
	of := group(w.job)
	for n := range tasks {
		if t, first := &tasks[n], &tasks[n-n%of]; complete && (t.Depth != first.Depth || t.Start != first.Start) {
			w.report(2, w.id, i, t.Start, "the task on %s is not of one depth and start with that on %s, which is of the same worker", w.gpu(t.GPU), w.gpu(first.GPU))
			return false
		}
	}
	return complete
}

func (w *jobCheck) missing(i int, g instance.GPUID) {
	w.report(2, w.id, i, -1, "there is no task on %s", w.gpu(g))
}

// depths tests rule 3 on the counts of iteration i.
func (w *jobCheck) depths(i int) {
	rule, of := &w.job.Rule, group(w.job)
	if rule.Fixed != nil {
		for d, n := range w.counts {
			if n != rule.Fixed[d] {
				w.report(3, w.id, i, -1, "%d workers are at depth %d; the rule asks for %d", n/of, w.job.Depths[d].Layers, rule.Fixed[d]/of)
				return
			}
		}
		return
	}
	full := len(w.counts) - 1
	if w.counts[full] < rule.MinFull {
		w.report(3, w.id, i, -1, "%d workers are at full depth; the rule asks for at least %d", w.counts[full]/of, rule.MinFull/of)
	}
	share := int64(0) // at most 2^53
	for d, n := range w.counts {
		share += int64(n) * w.job.Depths[d].Share
	}
	if share < rule.MinShare {
		whole := w.job.Depths[full].Share
		w.report(3, w.id, i, -1, "the depth-fractions add up to %d/%d; the rule asks for at least %d/%d", share, whole, rule.MinShare, whole)
	}
}
