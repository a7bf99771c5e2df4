package orders

import (
	"math"
	"slices"
)

// gpuSet is a set of GPUs and their residents.
type gpuSet struct {
	gpus    []int
	jobs    []int
	workers [][]int // by number of the job here
}

// jobLoad is the work a job has left on the GPUs of a gpuSet.
type jobLoad struct {
	job                    int
	now, each              int64 // ticks in the current iteration, and in each later one
	later, by, period, all int64
}

// gpuSet adds a set of GPUs, if it is new.
func (e *Examiner) gpuSet(gpus []int) {
	if slices.ContainsFunc(e.gpuSets, func(c gpuSet) bool { return slices.Equal(c.gpus, gpus) }) {
		return
	}
	c := gpuSet{gpus: gpus}
	for j := range e.Jobs {
		var here []int
		for w, g := range e.Jobs[j].GPUs {
			if slices.Contains(gpus, g) {
				here = append(here, w)
			}
		}
		if here != nil {
			c.jobs, c.workers = append(c.jobs, j), append(c.workers, here)
		}
	}
	e.gpuSets = append(e.gpuSets, c)
}

// following is the earliest end of the current iteration of a job, with the deepest tasks
// starting first. If it has begun, this also raises the end of its tasks.
func (e *Examiner) following(x *examinedState, j int) int64 {
	job := &e.Jobs[j]
	window := job.Limits.Ends[x.done[j]]
	e.remainders[j] = e.remainder(j, e.dealt(x, j))
	if job.Job.Gang {
		return max(window.From, e.start(x, j, job.GPUs[0])+job.Iteration)
	}
	e.starts = e.starts[:0]
	for w, g := range job.GPUs {
		if e.waits(x, j, w) {
			e.starts = append(e.starts, e.start(x, j, g))
		}
	}
	slices.Sort(e.starts)
	next, over := int64(math.MaxInt64), int64(math.MaxInt64)
	for i, left := range e.remainders[j].left {
		last, at := x.over[j], 0
		for d := len(left) - 1; d >= 0; d-- {
			if left[d] > 0 { // the latest start among that many workers
				at += int(left[d])
				last = max(last, e.starts[at-1]+job.Fastest[d])
			}
		}
		over, next = min(over, last), min(next, last+e.remainders[j].pause[i])
	}
	if len(e.starts) < len(job.GPUs) {
		x.over[j] = over
	} else {
		next = max(next, e.starts[0]+job.Iteration)
	}
	return max(window.From, next)
}

// promises raises the times of a state, and reports whether simple bounds permit an end in
// time.
func (e *Examiner) promises(x *examinedState) bool {
	cost := x.cost
	for j := range e.Jobs {
		if e.finished(x, j) {
			continue
		}
		job := &e.Jobs[j]
		e.next[j] = e.following(x, j)
		e.ends[j] = e.next[j] + (int64(job.Job.Iterations)-x.done[j]-1)*job.Iteration
		if e.next[j] > job.Limits.Ends[x.done[j]].To || e.ends[j] > job.Due {
			return false
		}
		cost += job.Job.Weight * e.ends[j]
		soonest := int64(math.MaxInt64)
		for w, g := range job.GPUs {
			if e.waits(x, j, w) {
				soonest = min(soonest, e.start(x, j, g))
			}
		}
		if x.ready[j] = soonest; soonest == math.MaxInt64 {
			x.ready[j] = 0
		}
	}
	if e.Weighted && cost > e.Most {
		return false
	}
	for g, list := range e.Residents {
		soonest := int64(math.MaxInt64)
		for _, r := range list {
			switch {
			case e.left(x, r) == 0:
			case e.waits(x, r.Job, r.Worker):
				soonest = min(soonest, e.start(x, r.Job, g))
			default: // only once the current iteration is over
				soonest = min(soonest, e.next[r.Job])
			}
		}
		if x.free[g] = max(x.free[g], soonest); soonest == math.MaxInt64 {
			x.free[g] = 0
		}
		e.pauses[g] = e.unfilled(x, list)
	}
	for j := range e.Jobs {
		if e.dues[j] = e.Jobs[j].Due; e.Weighted {
			e.dues[j] = min(e.dues[j], e.ends[j]+(e.Most-cost)/e.Jobs[j].Job.Weight)
		}
	}
	x.score = cost
	for i := range e.gpuSets {
		c := &e.gpuSets[i]
		if len(c.gpus) == 1 && e.repeats(x, c.gpus[0]) {
			continue // same as the previous GPU
		}
		e.assign(x, c)
		free, idle := e.free[:0], int64(0)
		for _, g := range c.gpus {
			free = append(free, x.free[g])
			idle += e.pauses[g]
		}
		e.free = free
		if !e.room(free, idle) {
			return false
		}
	}
	if !e.Weighted { // remaining work, and when everything is free
		x.score = 0
		for _, d := range e.jobLoads { // of all GPUs: the last set
			x.score += d.all + e.ends[d.job]
		}
		for _, from := range e.free {
			x.score += from
		}
	}
	return true
}

// repeats reports whether a GPU is in the same state as the one before it among identical
// ones.
func (e *Examiner) repeats(x *examinedState, g int) bool {
	o := e.Twins[g]
	return o >= 0 && x.begun[g] == x.begun[o] && x.free[g] == x.free[o]
}

// assign lists the jobLoads of a gpuSet.
func (e *Examiner) assign(x *examinedState, c *gpuSet) {
	e.jobLoads = e.jobLoads[:0]
	for i, j := range c.jobs {
		if e.finished(x, j) {
			continue
		}
		job, waiting := &e.Jobs[j], 0
		for _, w := range c.workers[i] {
			if e.waits(x, j, w) {
				waiting++
			}
		}
		d := jobLoad{
			job: j, now: e.remainders[j].now[waiting], each: e.orders[j].each[len(c.workers[i])],
			later: int64(job.Job.Iterations) - x.done[j] - 1, period: job.Iteration,
		}
		d.by, d.all = e.dues[j]-job.Pauses-d.later*d.period, d.now+d.later*d.each
		if d.all > 0 {
			e.jobLoads = append(e.jobLoads, d)
		}
	}
}

// until is the total time of GPUs that are free from these ticks on, until a tick.
func until(free []int64, tick int64) (sum int64) {
	for _, from := range free {
		sum += max(0, tick-from)
	}
	return sum
}

// unfilled is a lower limit on how long a GPU is idle until all tasks of its residents have run:
// the tasks of a job wait for its synchronisations, and each task of another job lies between at
// most two of them.
func (e *Examiner) unfilled(x *examinedState, list []Resident) (idle int64) {
	tasks := int64(0)
	for _, r := range list {
		tasks += e.left(x, r)
	}
	for _, r := range list {
		own := e.left(x, r)
		idle = max(idle, (own-1-(tasks-own))*e.Jobs[r.Job].Pauses)
	}
	return idle
}

// room reports whether GPUs that are free from the given ticks on have the time for the work due
// by the end of any iteration; with all work, idle time is added.
func (e *Examiner) room(free []int64, idle int64) bool {
	all, soonest := int64(0), int64(math.MaxInt64) // all work, and when the first of it is due
	for _, d := range e.jobLoads {
		if all += d.all; d.now == 0 {
			soonest = min(soonest, d.by+d.period)
		} else {
			soonest = min(soonest, d.by)
		}
	}
	if all+idle <= until(free, soonest) {
		return true
	}
	for _, d := range e.jobLoads {
		for by := d.by; by <= d.by+d.later*d.period; by += d.period {
			ticks := int64(0)
			for _, o := range e.jobLoads {
				if over := by - o.by; over >= 0 {
					ticks += o.now + o.each*min(o.later, over/o.period)
				}
			}
			if ticks == all {
				ticks += idle
			}
			if ticks > until(free, by) {
				return false
			}
		}
	}
	return true
}
