package formulation

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// sequenceExaminer looks through a [sequencing] anew. Like [sequenceSearch] it
// appends tasks in the order of their starts and drops dominated states, for that is
// why it ends; it shares no other code with it.
type sequenceExaminer struct {
	ctx context.Context
	*sequencing
	most   int64 // sum w C of the jobs, at most; where only ends count, the dues do
	steps  int   // steps that may still be taken, as the search counts them
	layers []map[string][]*sequenceState
	ends   []int64 // scratch: by job when it may end, at the earliest
}

// sequenceState is what is done, and when all may go on.
type sequenceState struct {
	done  []int64 // by job: iterations
	dealt []int64 // by job, depth: workers that have begun the one at hand
	begun []int64 // by GPU: residents that have, as bits
	ready []int64 // by job: when it may begin
	over  []int64 // by job: when its tasks begun are over
	free  []int64 // by GPU
	cost  int64   // sum w C of the jobs that have ended
	times []int64 // by which it is compared with others
}

func (e *sequenceExaminer) newState() *sequenceState {
	jobs, gpus, depths := len(e.jobs), len(e.residents), 0
	for j := range e.jobs {
		depths += len(e.jobs[j].job.Depths)
	}
	all := make([]int64, 3*jobs+2*gpus+depths)
	take := func(n int) []int64 {
		list := all[:n:n]
		all = all[n:]
		return list
	}
	return &sequenceState{done: take(jobs), dealt: take(depths), begun: take(gpus), ready: take(jobs), over: take(jobs), free: take(gpus)}
}

func (e *sequenceExaminer) clone(x *sequenceState) *sequenceState {
	y := e.newState()
	for _, list := range [][2][]int64{{y.done, x.done}, {y.dealt, x.dealt}, {y.begun, x.begun}, {y.ready, x.ready}, {y.over, x.over}, {y.free, x.free}} {
		copy(list[0], list[1])
	}
	y.cost = x.cost
	return y
}

// examine returns the least sum w C, or 0 where only ends count, of all ways to end
// in time; noPrice where there is none. ok is false where that takes too many steps.
func (e *sequenceExaminer) examine() (least int64, ok bool) {
	start, tasks := e.newState(), 0
	for j := range e.jobs {
		job := &e.jobs[j]
		if job.earliest() > job.due {
			return noPrice, true
		}
		start.ready[j] = int64(job.job.Release)
		tasks += len(job.gpus) * job.job.Iterations
	}
	e.layers, e.ends = make([]map[string][]*sequenceState, tasks+1), make([]int64, len(e.jobs))
	e.keep(0, start)
	for at := range tasks {
		for _, list := range e.layers[at] {
			for _, x := range list {
				if e.steps--; e.steps < 0 || e.ctx.Err() != nil {
					return 0, false
				}
				e.extend(at, x)
			}
		}
		e.layers[at] = nil
	}
	if e.steps < 0 {
		return 0, false
	}
	least = noPrice
	for _, list := range e.layers[tasks] {
		for _, x := range list {
			least = min(least, x.cost)
		}
	}
	return least, true
}

func (e *sequenceExaminer) finished(x *sequenceState, j int) bool {
	return x.done[j] == int64(e.jobs[j].job.Iterations)
}

// waits reports whether worker w of a job has yet to begin the iteration at hand.
func (e *sequenceExaminer) waits(x *sequenceState, j, w int) bool {
	job := &e.jobs[j]
	return !e.finished(x, j) && x.begun[job.gpus[w]]>>job.place[w]&1 == 0
}

// of returns the part of a list by job and depth that is about a job.
func (e *sequenceExaminer) of(list []int64, j int) []int64 {
	for o := range j {
		list = list[len(e.jobs[o].job.Depths):]
	}
	return list[:len(e.jobs[j].job.Depths)]
}

// extend makes the states that follow one: a task more, or a gang.
func (e *sequenceExaminer) extend(at int, x *sequenceState) {
	over := int64(math.MaxInt64) // when some task could be over, however deep
	for j := range e.jobs {
		for w, g := range e.jobs[j].gpus {
			if e.waits(x, j, w) && !e.jobs[j].job.Gang {
				over = min(over, max(x.ready[j], x.free[g])+slices.Max(e.jobs[j].time[w]))
			}
		}
	}
	for j := range e.jobs {
		job := &e.jobs[j]
		if e.finished(x, j) {
			continue
		}
		if job.job.Gang {
			start := x.ready[j]
			for _, g := range job.gpus {
				start = max(start, x.free[g])
			}
			for d := range job.dishes {
				if start < over {
					e.gang(at, x, j, job.dishes[d].counts, nil, start)
				}
			}
			continue
		}
		for w, g := range job.gpus {
			start := max(x.ready[j], x.free[g])
			if t := job.twin[w]; !e.waits(x, j, w) || start >= over || t >= 0 && x.begun[g] == x.begun[job.gpus[t]] && x.free[g] == x.free[job.gpus[t]] {
				continue
			}
			for d := range job.time[w] {
				if job.depths[w]>>d&1 == 1 && e.permitted(x, j, d) {
					y := e.clone(x)
					e.task(y, j, w, d, start)
					e.settle(at+1, y, j, start)
				}
			}
		}
	}
}

// permitted reports whether the rule permits one more worker of the depth.
func (e *sequenceExaminer) permitted(x *sequenceState, j, depth int) bool {
	dealt := e.of(x.dealt, j)
	return slices.ContainsFunc(e.jobs[j].dishes, func(o homeDish) bool {
		for d, n := range o.counts {
			if dealt[d] > int64(n) || d == depth && dealt[d] == int64(n) {
				return false
			}
		}
		return true
	})
}

// gang deals a dish to the workers of a gang, of whom those before have theirs.
// Alike GPUs on which the same has begun take depths in order.
func (e *sequenceExaminer) gang(at int, x *sequenceState, j int, counts, deal []int, start int64) {
	job, w := &e.jobs[j], len(deal)
	if e.steps--; e.steps < 0 {
		return
	}
	if w == len(job.gpus) {
		y := e.clone(x)
		for w, d := range deal {
			e.task(y, j, w, d, start)
		}
		e.settle(at+w, y, j, start)
		return
	}
	for d, n := range counts {
		t := job.twin[w]
		if n == 0 || job.depths[w]>>d&1 == 0 || t >= 0 && d < deal[t] && x.begun[job.gpus[w]] == x.begun[job.gpus[t]] || e.tooLong(x, j, w, start+job.time[w][d]) {
			continue
		}
		rest := slices.Clone(counts)
		rest[d]--
		e.gang(at, x, j, rest, append(deal[:w:w], d), start)
	}
}

// tooLong reports whether the GPU of a worker cannot end in time once its next task
// is over.
func (e *sequenceExaminer) tooLong(x *sequenceState, j, w int, over int64) bool {
	latest := int64(0)
	for _, r := range e.residents[e.jobs[j].gpus[w]] {
		if job, left := &e.jobs[r.job], e.left(x, r); left > 0 {
			over += left * job.least[r.worker]
			latest = max(latest, job.due-job.pauses)
		}
	}
	return over-e.jobs[j].least[w] > latest
}

// left is how many tasks a worker has yet to begin.
func (e *sequenceExaminer) left(x *sequenceState, r resident) int64 {
	n := int64(e.jobs[r.job].job.Iterations) - x.done[r.job]
	if n > 0 && !e.waits(x, r.job, r.worker) {
		n--
	}
	return n
}

// task runs a task.
func (e *sequenceExaminer) task(x *sequenceState, j, w, depth int, start int64) {
	job := &e.jobs[j]
	g := job.gpus[w]
	e.of(x.dealt, j)[depth]++
	x.begun[g] |= 1 << job.place[w]
	x.free[g] = start + job.time[w][depth]
	x.over[j] = max(x.over[j], x.free[g])
}

// settle ends the iteration of the job that was appended to, where all its tasks have
// begun, and keeps the state.
func (e *sequenceExaminer) settle(to int, x *sequenceState, j int, start int64) {
	job, dealt, workers := &e.jobs[j], e.of(x.dealt, j), int64(0)
	for g := range x.free {
		x.free[g] = max(x.free[g], start)
	}
	for _, n := range dealt {
		workers += n
	}
	if workers == int64(len(job.gpus)) {
		end := int64(noPrice)
		for d := range job.dishes {
			if slices.EqualFunc(job.dishes[d].counts, dealt, func(a int, b int64) bool { return int64(a) == b }) {
				end = x.over[j] + job.pause[d]
			}
		}
		window := job.limits.ends[x.done[j]]
		if end = max(end, window.from); end > window.to || end > job.due {
			return
		}
		x.done[j]++
		x.ready[j], x.over[j] = end, 0
		clear(dealt)
		for w, g := range job.gpus {
			x.begun[g] &^= 1 << job.place[w]
		}
		if e.finished(x, j) {
			x.ready[j] = 0
			if e.weighted {
				x.cost += job.job.Weight * end
			}
		}
	}
	if e.steps--; e.steps >= 0 && e.possible(x) {
		e.keep(to, x)
	}
}

// possible reports whether nothing simple shows that no end in time follows.
func (e *sequenceExaminer) possible(x *sequenceState) bool {
	cost := x.cost
	for j := range e.jobs {
		if e.finished(x, j) {
			continue
		}
		job, first, fresh := &e.jobs[j], int64(math.MaxInt64), true
		over := x.over[j]
		for w, g := range job.gpus {
			if !e.waits(x, j, w) {
				fresh = false
				continue
			}
			start := max(x.ready[j], x.free[g])
			first, over = min(first, start), max(over, start+job.least[w])
		}
		x.ready[j] = first
		end := over + job.pauses
		if fresh {
			end = max(end, first+job.iteration)
		} else {
			x.over[j] = over
		}
		window := job.limits.ends[x.done[j]]
		end = max(end, window.from)
		e.ends[j] = end + (int64(job.job.Iterations)-x.done[j]-1)*job.iteration
		if end > window.to || e.ends[j] > job.due {
			return false
		}
		cost += job.job.Weight * e.ends[j]
	}
	if e.weighted && cost > e.most {
		return false
	}
	var all []int
	for g := range e.residents {
		all = append(all, g)
		if !e.room(x, all[g:]) || e.weighted && cost+e.inTurn(x, g, e.busy(x, g)) > e.most {
			return false
		}
	}
	for j := range e.jobs {
		if !e.room(x, e.jobs[j].gpus) {
			return false
		}
	}
	return e.room(x, all)
}

// room reports whether some GPUs have the time for what is left to do there.
func (e *sequenceExaminer) room(x *sequenceState, gpus []int) bool {
	room := int64(0)
	for _, g := range gpus {
		first, latest := int64(math.MaxInt64), int64(0)
		for _, r := range e.residents[g] {
			left, job := e.left(x, r), &e.jobs[r.job]
			if left == 0 {
				continue
			}
			room -= left * job.least[r.worker]
			latest = max(latest, job.due-job.pauses)
			if e.waits(x, r.job, r.worker) {
				first = min(first, max(x.ready[r.job], x.free[g]))
			} else { // only once the iteration at hand is over
				first = min(first, e.ends[r.job]-(int64(job.job.Iterations)-x.done[r.job]-1)*job.iteration)
			}
		}
		if latest > 0 {
			x.free[g] = max(x.free[g], first)
			room += latest - x.free[g]
		} else {
			x.free[g] = 0
		}
	}
	for j := range e.jobs { // which do not all run their shortest tasks
		job := &e.jobs[j]
		if len(gpus) < len(job.gpus) || e.finished(x, j) || slices.ContainsFunc(job.gpus, func(g int) bool { return !slices.Contains(gpus, g) }) {
			continue
		}
		for w := range job.gpus {
			room += e.left(x, resident{j, w}) * job.least[w]
		}
		room -= e.work(x, j)
	}
	return room >= 0
}

// work is the least ticks of the tasks that a job has yet to begin.
func (e *sequenceExaminer) work(x *sequenceState, j int) int64 {
	job, dealt, least := &e.jobs[j], e.of(x.dealt, j), int64(math.MaxInt64)
	for _, dish := range job.dishes {
		sum, fits := int64(0), true
		for d, n := range dish.counts {
			fits = fits && int64(n) >= dealt[d]
			sum += (int64(n) - dealt[d]) * job.fastest[d]
		}
		if fits {
			least = min(least, sum)
		}
	}
	return least + (int64(job.job.Iterations)-x.done[j]-1)*job.work
}

// busy lists those that have something left to do on a GPU, or the first of them.
func (e *sequenceExaminer) busy(x *sequenceState, g int) (list []resident) {
	for _, r := range e.residents[g] {
		if e.left(x, r) > 0 && len(list) < mostTogether {
			list = append(list, r)
		}
	}
	return list
}

// inTurn is by how much the sum w C of some jobs on a GPU exceeds what it is if each
// ends as soon as alone: whichever runs the last task there waits for the others.
func (e *sequenceExaminer) inTurn(x *sequenceState, g int, list []resident) int64 {
	if len(list) == 0 {
		return 0
	}
	over, best := x.free[g], int64(math.MaxInt64)
	for _, r := range list {
		over += e.left(x, r) * e.jobs[r.job].least[r.worker]
	}
	for i, r := range list {
		job := &e.jobs[r.job]
		more := job.job.Weight * max(0, min(job.due+1, over+job.pauses)-e.ends[r.job])
		best = min(best, more+e.inTurn(x, g, slices.Concat(list[:i], list[i+1:])))
	}
	return best
}

// keep adds a state to a layer unless another there is as good.
func (e *sequenceExaminer) keep(to int, x *sequenceState) {
	var key []byte
	for _, list := range [][]int64{x.done, x.dealt} {
		for _, n := range list {
			key = binary.AppendUvarint(key, uint64(n))
		}
	}
	x.times = append(append(append(x.times, x.cost), x.ready...), x.over...)
	for _, alike := range e.alike {
		order := slices.Clone(alike)
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(x.begun[a], x.begun[b]), cmp.Compare(x.free[a], x.free[b]))
		})
		for _, g := range order {
			key = binary.AppendUvarint(key, uint64(x.begun[g]))
			x.times = append(x.times, x.free[g])
		}
	}
	if e.layers[to] == nil {
		e.layers[to] = map[string][]*sequenceState{}
	}
	list := e.layers[to][string(key)]
	e.steps -= len(list) / comparisons
	dominates := func(a, b *sequenceState) bool {
		for i, t := range a.times {
			if t > b.times[i] {
				return false
			}
		}
		return true
	}
	if !slices.ContainsFunc(list, func(o *sequenceState) bool { return dominates(o, x) }) {
		list = slices.DeleteFunc(list, func(o *sequenceState) bool { return dominates(x, o) })
		e.layers[to][string(key)] = append(list, x)
	}
}
