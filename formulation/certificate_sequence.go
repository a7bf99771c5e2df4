package formulation

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sort"
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
	crews  [][]int // GPUs whose time is looked at together
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
	var all []int
	for g := range e.residents {
		e.crews, all = append(e.crews, []int{g}), append(all, g)
	}
	for j := range e.jobs {
		e.crews = append(e.crews, e.jobs[j].gpus)
	}
	e.crews = append(e.crews, all)
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

// extend makes the states that follow one: a task more, or a gang, among rivals.
func (e *sequenceExaminer) extend(at int, x *sequenceState) {
	rivals, over := e.rivals(x)
	for j := range e.jobs {
		job := &e.jobs[j]
		if e.finished(x, j) {
			continue
		}
		if start := e.gangStart(x, j); job.job.Gang {
			for d := range job.dishes {
				if start < over && rivals[job.gpus[0]] {
					e.gang(at, x, j, job.dishes[d].counts, nil, start, rivals)
				}
			}
			continue
		}
		for w, g := range job.gpus {
			start := max(x.ready[j], x.free[g])
			if t := job.twin[w]; !rivals[g] || !e.waits(x, j, w) || start >= over || t >= 0 && rivals[job.gpus[t]] && x.begun[g] == x.begun[job.gpus[t]] && x.free[g] == x.free[job.gpus[t]] {
				continue
			}
			for d := range job.time[w] {
				if job.depths[w]>>d&1 == 1 && e.permitted(x, j, d) {
					y := e.clone(x)
					e.task(y, j, w, d, start)
					e.settle(at+1, y, j, g, start, rivals)
				}
			}
		}
	}
}

// rivals returns GPUs on one of which a task may be appended next, without loss, and
// before when it starts: once that task could be over which is over first, with its
// longest depth, no other of its GPU is delayed by it. So those matter that could
// start there before, and what these wait for.
func (e *sequenceExaminer) rivals(x *sequenceState) (rivals []bool, over int64) {
	rivals, over = make([]bool, len(e.residents)), math.MaxInt64
	at := -1
	for g, list := range e.residents {
		for _, r := range list {
			job := &e.jobs[r.job]
			if !e.waits(x, r.job, r.worker) {
				continue
			}
			end := max(x.ready[r.job], x.free[g]) + slices.Max(job.time[r.worker])
			if job.job.Gang {
				end = e.gangStart(x, r.job)
				longest := int64(0)
				for w := range job.time {
					longest = max(longest, slices.Max(job.time[w]))
				}
				end += longest
			}
			if end < over {
				over, at = end, g
			}
		}
	}
	rivals[at] = true
	for more := true; more; {
		more = false
		for j := range e.jobs {
			job := &e.jobs[j]
			in := func(w int) bool { return rivals[job.gpus[w]] && (job.job.Gang || !e.waits(x, j, w)) }
			if e.finished(x, j) || !slices.ContainsFunc(e.workers(j), in) {
				continue
			}
			if job.job.Gang && e.gangStart(x, j) >= over || !job.job.Gang && e.following(x, j) >= over {
				continue
			}
			for w, g := range job.gpus {
				if !rivals[g] && e.waits(x, j, w) {
					rivals[g], more = true, true
				}
			}
		}
	}
	return rivals, over
}

func (e *sequenceExaminer) workers(j int) (list []int) {
	for w := range e.jobs[j].gpus {
		list = append(list, w)
	}
	return list
}

// gangStart is when the tasks of a gang could start.
func (e *sequenceExaminer) gangStart(x *sequenceState, j int) int64 {
	start := x.ready[j]
	for _, g := range e.jobs[j].gpus {
		start = max(start, x.free[g])
	}
	return start
}

// following is when the iteration at hand of a job is over, at the earliest. If it has
// begun, this raises when its tasks are.
func (e *sequenceExaminer) following(x *sequenceState, j int) int64 {
	job, best, over := &e.jobs[j], int64(math.MaxInt64), int64(math.MaxInt64)
	if job.job.Gang {
		return max(e.gangStart(x, j)+job.iteration, job.limits.ends[x.done[j]].from)
	}
	var starts []int64
	for w, g := range job.gpus {
		if e.waits(x, j, w) {
			starts = append(starts, max(x.ready[j], x.free[g]))
		}
	}
	slices.Sort(starts)
	for d := range job.dishes {
		if left := e.undealt(x, j, d); left != nil {
			end := e.bottleneck(job, x.over[j], starts, left)
			over, best = min(over, end), min(best, end+job.pause[d])
		}
	}
	if len(starts) == len(job.gpus) {
		best = max(best, starts[0]+job.iteration)
	} else {
		x.over[j] = over
	}
	return max(best, job.limits.ends[x.done[j]].from)
}

// bottleneck is when the last task is over if the deepest start first.
func (e *sequenceExaminer) bottleneck(job *sequenced, over int64, starts, left []int64) int64 {
	at := 0
	for d := len(left) - 1; d >= 0; d-- {
		for range left[d] {
			over = max(over, starts[at]+job.fastest[d])
			at++
		}
	}
	return over
}

// undealt is how many tasks of each depth of a dish are left; nil where the job has
// begun others.
func (e *sequenceExaminer) undealt(x *sequenceState, j, dish int) []int64 {
	dealt := e.of(x.dealt, j)
	left := make([]int64, len(dealt))
	for d, n := range e.jobs[j].dishes[dish].counts {
		if left[d] = int64(n) - dealt[d]; left[d] < 0 {
			return nil
		}
	}
	return left
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
func (e *sequenceExaminer) gang(at int, x *sequenceState, j int, counts, deal []int, start int64, rivals []bool) {
	job, w := &e.jobs[j], len(deal)
	if e.steps--; e.steps < 0 {
		return
	}
	if w == len(job.gpus) {
		y := e.clone(x)
		for w, d := range deal {
			e.task(y, j, w, d, start)
		}
		e.settle(at+w, y, j, 0, start, rivals)
		return
	}
	for d, n := range counts {
		t := job.twin[w]
		if n == 0 || job.depths[w]>>d&1 == 0 || t >= 0 && d < deal[t] && x.begun[job.gpus[w]] == x.begun[job.gpus[t]] || e.tooLong(x, j, w, start+job.time[w][d]) {
			continue
		}
		rest := slices.Clone(counts)
		rest[d]--
		e.gang(at, x, j, rest, append(deal[:w:w], d), start, rivals)
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
func (e *sequenceExaminer) settle(to int, x *sequenceState, j, later int, start int64, rivals []bool) {
	job, dealt, workers := &e.jobs[j], e.of(x.dealt, j), int64(0)
	for g := range x.free {
		if rivals[g] && g < later { // what starts together is in the order of GPUs, gangs first
			x.free[g] = max(x.free[g], start+1)
		} else if rivals[g] {
			x.free[g] = max(x.free[g], start)
		}
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
		job := &e.jobs[j]
		next := e.following(x, j)
		e.ends[j] = next + (int64(job.job.Iterations)-x.done[j]-1)*job.iteration
		if next > job.limits.ends[x.done[j]].to || e.ends[j] > job.due {
			return false
		}
		cost += job.job.Weight * e.ends[j]
		x.ready[j] = e.soonest(x, j)
	}
	if e.weighted && cost > e.most {
		return false
	}
	for g, list := range e.residents {
		first, idle := int64(math.MaxInt64), true
		for _, r := range list {
			switch {
			case e.left(x, r) == 0:
			case e.waits(x, r.job, r.worker):
				first, idle = min(first, max(x.ready[r.job], x.free[g])), false
			default: // only once the iteration at hand is over
				first, idle = min(first, e.following(x, r.job)), false
			}
		}
		if x.free[g] = max(x.free[g], first); idle {
			x.free[g] = 0
		}
	}
	for _, gpus := range e.crews {
		tasks := e.duties(x, gpus, cost)
		if !e.room(x, gpus, tasks) || e.weighted && cost+e.inTurn(x, gpus, tasks) > e.most {
			return false
		}
	}
	return true
}

// soonest is when a job can begin one of the tasks of the iteration at hand.
func (e *sequenceExaminer) soonest(x *sequenceState, j int) int64 {
	job, first := &e.jobs[j], int64(math.MaxInt64)
	if job.job.Gang {
		return e.gangStart(x, j)
	}
	for w, g := range job.gpus {
		if e.waits(x, j, w) {
			first = min(first, max(x.ready[j], x.free[g]))
		}
	}
	return first
}

// duty is what tasks of an iteration take of some GPUs, at the least, and by when they
// must be over.
type duty struct {
	job       int
	ticks, by int64
}

// duties lists what some GPUs have to do, in the order of when it must be over.
func (e *sequenceExaminer) duties(x *sequenceState, gpus []int, cost int64) (list []duty) {
	for j := range e.jobs {
		if e.finished(x, j) {
			continue
		}
		job, waiting, all := &e.jobs[j], 0, 0
		for w, g := range job.gpus {
			if slices.Contains(gpus, g) {
				all++
				if e.waits(x, j, w) {
					waiting++
				}
			}
		}
		due := job.due
		if e.weighted {
			due = min(due, e.ends[j]+(e.most-cost)/job.job.Weight)
		}
		now, each := int64(math.MaxInt64), int64(math.MaxInt64)
		for d := range job.dishes {
			if left := e.undealt(x, j, d); left != nil {
				now = min(now, shallowest(job, left, waiting))
			}
			whole := make([]int64, len(job.fastest))
			for depth, n := range job.dishes[d].counts {
				whole[depth] = int64(n)
			}
			each = min(each, shallowest(job, whole, all))
		}
		for i := x.done[j]; i < int64(job.job.Iterations); i++ {
			ticks := each
			if i == x.done[j] {
				ticks = now
			}
			if ticks > 0 {
				list = append(list, duty{j, ticks, due - job.pauses - (int64(job.job.Iterations)-1-i)*job.iteration})
			}
		}
	}
	slices.SortFunc(list, func(a, b duty) int { return cmp.Compare(a.by, b.by) })
	return list
}

// shallowest is the ticks of so many of the shallowest tasks.
func shallowest(job *sequenced, counts []int64, workers int) (sum int64) {
	left := int64(workers)
	for d, n := range counts {
		n = min(n, left)
		sum += n * job.fastest[d]
		left -= n
	}
	return sum
}

// until is how much time some GPUs have until a tick.
func (e *sequenceExaminer) until(x *sequenceState, gpus []int, tick int64) (sum int64) {
	for _, g := range gpus {
		sum += max(0, tick-x.free[g])
	}
	return sum
}

// room reports whether some GPUs have the time for what they must do, by when they must.
func (e *sequenceExaminer) room(x *sequenceState, gpus []int, list []duty) bool {
	sum := int64(0)
	for i, d := range list {
		sum += d.ticks
		if (i+1 == len(list) || list[i+1].by > d.by) && sum > e.until(x, gpus, d.by) {
			return false
		}
	}
	return true
}

// inTurn is by how much the sum w C of some jobs exceeds what it is if each ends as soon
// as alone: whichever runs the last task on some GPUs waits for the others there.
func (e *sequenceExaminer) inTurn(x *sequenceState, gpus []int, list []duty) int64 {
	ticks := map[int]int64{}
	var jobs []int
	for j := range e.jobs {
		for _, d := range list {
			if d.job == j {
				ticks[j] += d.ticks
			}
		}
		if ticks[j] > 0 && len(jobs) < mostTogether {
			jobs = append(jobs, j)
		}
	}
	var exceed func(jobs []int) int64
	exceed = func(jobs []int) int64 {
		if len(jobs) == 0 {
			return 0
		}
		sum, last, best := int64(0), int64(0), int64(math.MaxInt64)
		for _, j := range jobs {
			sum, last = sum+ticks[j], max(last, e.jobs[j].due)
		}
		over := int64(sort.Search(int(last)+1, func(t int) bool { return e.until(x, gpus, int64(t)) >= sum }))
		for i, j := range jobs {
			job := &e.jobs[j]
			more := job.job.Weight * max(0, min(job.due+1, over+job.pauses)-e.ends[j])
			best = min(best, more+exceed(slices.Concat(jobs[:i], jobs[i+1:])))
		}
		return best
	}
	return exceed(jobs)
}

// keep adds a state to a layer unless another there is as good.
func (e *sequenceExaminer) keep(to int, x *sequenceState) {
	var key []byte
	for _, n := range x.done {
		key = binary.AppendUvarint(key, uint64(n))
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
		for j := range e.jobs {
			if !e.dealtDeeper(j, e.of(a.dealt, j), e.of(b.dealt, j)) {
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

// dealtDeeper reports whether workers have begun tasks so deep, compared with as many
// others, that whatever is left of a dish for these, no less is for those: each of the
// rest is as shallow.
func (e *sequenceExaminer) dealtDeeper(j int, a, b []int64) bool {
	job := &e.jobs[j]
	if slices.Equal(a, b) {
		return true
	}
	for w := range job.time {
		for d := 1; d < len(job.time[w]); d++ {
			if job.time[w][d] < job.time[w][d-1] || job.depths[w]>>d&1 > job.depths[w]>>(d-1)&1 {
				return false
			}
		}
	}
	for y := range job.dishes {
		found := !within(b, job.dishes[y].counts)
		for x := 0; x < len(job.dishes) && !found; x++ {
			found = job.pause[x] <= job.pause[y] && within(a, job.dishes[x].counts)
			more := int64(0) // of the rest that are at least as deep
			for d := len(a) - 1; d >= 0 && found; d-- {
				more += int64(job.dishes[x].counts[d]) - a[d] - int64(job.dishes[y].counts[d]) + b[d]
				found = more <= 0
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// within reports whether a dish has as many of each depth.
func within(dealt []int64, counts []int) bool {
	for d, n := range counts {
		if dealt[d] > int64(n) {
			return false
		}
	}
	return true
}
