package formulation

import (
	"math"
	"slices"
)

// sequenceCrew is some GPUs, and who lives on them.
// A link has the jobs that synchronise over it.
type sequenceCrew struct {
	gpus    []int
	jobs    []int
	workers [][]int // by number of the job here
	link    bool
	first   int // share of a link, and how many
	shares  int
	tolls   [][]int64 // by number of the job here, dish: ticks of shares, at the least
}

// sequenceDuty is what a job has left to do on the GPUs of a crew.
type sequenceDuty struct {
	job                    int
	now, each              int64 // ticks in the iteration at hand, and in each later
	tail                   int64 // ticks of an iteration after them, at the least
	later, by, period, all int64
}

func (e *sequenceExaminer) crew(gpus []int) {
	c := sequenceCrew{gpus: gpus}
	for j := range e.jobs {
		var here []int
		for w, g := range e.jobs[j].gpus {
			if slices.Contains(gpus, g) {
				here = append(here, w)
			}
		}
		if here != nil {
			c.jobs, c.workers = append(c.jobs, j), append(c.workers, here)
		}
	}
	e.crews = append(e.crews, c)
}

// following is when the iteration at hand of a job is over, at the earliest, the deepest
// tasks starting first. If it has begun, this raises when its tasks are.
func (e *sequenceExaminer) following(x *sequenceState, j int) int64 {
	job := &e.jobs[j]
	window := job.limits.ends[x.done[j]]
	e.menus[j] = e.menu(j, e.dealt(x, j))
	switch {
	case e.pausing(x, j):
		e.last[j] = x.over[j]
		return max(window.from, e.crossed(x, j, e.menus[j].dish[0], x.over[j]))
	case job.job.Gang:
		start := e.start(x, j, job.gpus[0])
		e.last[j] = max(x.over[j], start+e.orders[j].deepest)
		return max(window.from, start+job.iteration)
	}
	e.starts = e.starts[:0]
	for w, g := range job.gpus {
		if e.waits(x, j, w) {
			e.starts = append(e.starts, e.start(x, j, g))
		}
	}
	slices.Sort(e.starts)
	next, over := int64(math.MaxInt64), int64(math.MaxInt64)
	for i, left := range e.menus[j].left {
		last, at := x.over[j], 0
		for d := len(left) - 1; d >= 0; d-- {
			if left[d] > 0 { // the latest of as many
				at += int(left[d])
				last = max(last, e.starts[at-1]+job.fastest[d])
			}
		}
		over, next = min(over, last), min(next, e.crossed(x, j, e.menus[j].dish[i], last))
	}
	e.last[j] = over
	switch {
	case len(e.starts) < len(job.gpus):
		x.over[j] = over
	case job.apart == 0: // else the deepest task may start before, on a GPU that is left out
		next = max(next, e.starts[0]+job.iteration)
	}
	return max(window.from, next)
}

// promises raises the times of a state and reports whether nothing simple shows that no
// end in time follows.
func (e *sequenceExaminer) promises(x *sequenceState) bool {
	cost := x.cost
	for j := range e.jobs {
		if e.finished(x, j) {
			continue
		}
		job := &e.jobs[j]
		e.next[j] = e.following(x, j)
		e.ends[j] = e.next[j] + (int64(job.job.Iterations)-x.done[j]-1)*job.iteration
		if e.next[j] > job.limits.ends[x.done[j]].to || e.ends[j] > job.due {
			return false
		}
		cost += job.job.Weight * e.ends[j]
		soonest := int64(math.MaxInt64)
		for w, g := range job.gpus {
			if e.waits(x, j, w) {
				soonest = min(soonest, e.start(x, j, g))
			}
		}
		if x.ready[j] = soonest; soonest == math.MaxInt64 {
			x.ready[j] = 0
		}
	}
	if e.weighted && cost > e.most {
		return false
	}
	for g, list := range e.residents {
		soonest := int64(math.MaxInt64)
		for _, r := range list {
			switch {
			case e.left(x, r) == 0:
			case e.waits(x, r.job, r.worker):
				soonest = min(soonest, e.start(x, r.job, g))
			default: // only once the iteration at hand is over
				soonest = min(soonest, e.next[r.job])
			}
		}
		if x.free[g] = max(x.free[g], soonest); soonest == math.MaxInt64 {
			x.free[g] = 0
		}
	}
	e.idle(x)
	for j := range e.jobs {
		if e.dues[j] = e.jobs[j].due; e.weighted {
			e.dues[j] = min(e.dues[j], e.ends[j]+(e.most-cost)/e.jobs[j].job.Weight)
		}
	}
	for i := range e.crews {
		c := &e.crews[i]
		e.assign(x, c)
		free := e.times(x, c)
		if !e.room(free) || e.weighted && cost+e.inTurn(free) > e.most {
			return false
		}
	}
	return true
}

// assign lists the duties of a crew.
func (e *sequenceExaminer) assign(x *sequenceState, c *sequenceCrew) {
	e.duties = e.duties[:0]
	for i, j := range c.jobs {
		if e.finished(x, j) {
			continue
		}
		if c.link {
			e.charge(x, c, i)
			continue
		}
		job, waiting := &e.jobs[j], 0
		for _, w := range c.workers[i] {
			if e.waits(x, j, w) {
				waiting++
			}
		}
		d := sequenceDuty{
			job: j, now: e.menus[j].now[waiting], each: e.orders[j].each[len(c.workers[i])],
			later: int64(job.job.Iterations) - x.done[j] - 1, period: job.iteration, tail: job.pauses,
		}
		d.by, d.all = e.dues[j]-job.pauses-d.later*d.period, d.now+d.later*d.each
		if d.all > 0 {
			e.duties = append(e.duties, d)
		}
	}
}

// until is how much time is left until a tick where there is some from these ticks on.
func until(free []int64, tick int64) (sum int64) {
	for _, from := range free {
		sum += max(0, tick-from)
	}
	return sum
}

// room reports whether GPUs, or the shares of a link, that are free from some ticks on have the time for what is to be done by the end of any
// iteration.
func (e *sequenceExaminer) room(free []int64) bool {
	for _, d := range e.duties {
		for by := d.by; by <= d.by+d.later*d.period; by += d.period {
			ticks := int64(0)
			for _, o := range e.duties {
				if over := by - o.by; over >= 0 {
					ticks += o.now + o.each*min(o.later, over/o.period)
				}
			}
			if ticks > until(free, by) {
				return false
			}
		}
	}
	return true
}

// inTurn is by how much the sum w C of some jobs exceeds what it is if each ends as soon
// as alone: whichever runs the last task on some GPUs, or is the last on a link, waits for the
// others there.
func (e *sequenceExaminer) inTurn(free []int64) int64 {
	jobs := e.duties[:min(len(e.duties), mostTogether)]
	var known [1 << mostTogether]int64 // by set: what it exceeds by, and 1; 0: not known
	var exceed func(set int) int64
	exceed = func(set int) int64 {
		if set == 0 || known[set] > 0 {
			return max(0, known[set]-1)
		}
		ticks, over, best := int64(0), int64(math.MaxInt64), int64(math.MaxInt64)
		for i := range jobs {
			if set>>i&1 == 1 {
				ticks += jobs[i].all
			}
		}
		for _, from := range free {
			over = min(over, from)
		}
		for room := int64(0); room < ticks; room = until(free, over) {
			over += (ticks - room + int64(len(free)) - 1) / int64(len(free))
		}
		for i := range jobs {
			if set>>i&1 == 1 {
				job, j := &e.jobs[jobs[i].job], jobs[i].job
				more := job.job.Weight * max(0, min(job.due+1, over+jobs[i].tail)-e.ends[j])
				best = min(best, more+exceed(set&^(1<<i)))
			}
		}
		known[set] = best + 1
		return best
	}
	return exceed(1<<len(jobs) - 1)
}
