package orders

import (
	"cmp"
	"context"
	"encoding/binary"
	"jigsaw/formulation/relax/exact"
	"math"
	"slices"
)

// Examiner enumerates the states of a [Problem], layer by layer: in the states of a layer the
// same number of tasks have been appended. Only states of a layer that no other dominates are
// expanded.
type Examiner struct {
	Ctx context.Context
	*Problem
	Most  int64 // upper limit on sum w C of the jobs; if only ends count, the dues limit them
	Steps int   // steps that may still be taken: states expanded or kept; below 0: none
	// Width is how many states of a layer are expanded, the most promising ones; 0: all, which is
	// required for a proof that there is no way.
	Width   int
	Way     []Placed // the tasks of the best way found, if Trace asks for them
	Trace   bool
	held    int // memory in states, in numbers
	layers  []examinedLayer
	orders  []examinedJob // by job
	gpuSets []gpuSet
	spare   []*examinedState
	// Scratch: by job the earliest end of the current and of the last iteration, when the last has
	// to end, and what may be assigned; by GPU whether the next task may be there, how long that
	// may wait, and how long the GPU is idle until all has run.
	next, ends, dues []int64
	remainders       []*remainder
	rivals           []bool
	slack, pauses    []int64
	free             []int64
	starts           []int64
	jobLoads         []jobLoad
	key              []byte
	polled, handed   int // steps, and depths assigned to workers of gangs
}

// examinedJob holds the requirements of the rule of a job.
type examinedJob struct {
	first      int // depth among those of all jobs
	longest    int64
	monotone   bool // shallower tasks are no longer, and fit wherever deeper ones do
	remainders map[string]*remainder
	deeper     map[[2]*remainder]bool
	each       []int64 // by number of workers: lower limit on the ticks of their tasks in an iteration
}

// remainder is what a job may continue with: the remaining parts of its multisets.
type remainder struct {
	left  [][]int64 // by possible multiset, depth
	pause []int64   // by possible multiset
	now   []int64   // by number of tasks: lower limit on the ticks of so many remaining tasks
}

func (e *Examiner) prepare() (tasks int) {
	depths := 0
	for j := range e.Jobs {
		job := &e.Jobs[j]
		o := examinedJob{first: depths, monotone: slices.IsSorted(job.Fastest), remainders: map[string]*remainder{}, deeper: map[[2]*remainder]bool{}}
		for w := range job.Time {
			o.longest = max(o.longest, slices.Max(job.Time[w]))
			for d := 1; d < len(job.Time[w]); d++ {
				o.monotone = o.monotone && job.Time[w][d-1] <= job.Time[w][d] && job.Depths[w]>>(d-1)&1 >= job.Depths[w]>>d&1
			}
		}
		depths += len(job.Job.Depths)
		e.orders = append(e.orders, o)
		e.orders[j].each = e.remainder(j, make([]int64, len(job.Job.Depths))).now
		tasks += len(job.GPUs) * job.Job.Iterations
	}
	var all []int
	for g := range e.Residents {
		all = append(all, g)
		e.gpuSet([]int{g})
	}
	for j := range e.Jobs {
		if n := len(e.Jobs[j].GPUs); n > 1 && n < len(all) {
			e.gpuSet(slices.Sorted(slices.Values(e.Jobs[j].GPUs)))
		}
	}
	if len(all) > 1 {
		e.gpuSet(all)
	}
	e.layers = make([]examinedLayer, tasks+1)
	e.next, e.ends, e.dues = make([]int64, len(e.Jobs)), make([]int64, len(e.Jobs)), make([]int64, len(e.Jobs))
	e.remainders, e.rivals = make([]*remainder, len(e.Jobs)), make([]bool, len(e.Residents))
	e.slack, e.pauses = make([]int64, len(e.Residents)), make([]int64, len(e.Residents))
	return tasks
}

// remainder returns what a job may continue with when workers have begun with these
// depths.
func (e *Examiner) remainder(j int, dealt []int64) *remainder {
	job, o := &e.Jobs[j], &e.orders[j]
	e.key = e.key[:0]
	for _, n := range dealt {
		e.key = binary.LittleEndian.AppendUint32(e.key, uint32(n))
	}
	if m := o.remainders[string(e.key)]; m != nil {
		return m
	}
	m := &remainder{}
	for i := range job.Multisets {
		left, workers, possible := make([]int64, len(dealt)), 0, true
		for d, n := range job.Multisets[i].Counts {
			left[d] = int64(n) - dealt[d]
			possible = possible && left[d] >= 0
			workers += int(left[d])
		}
		if !possible {
			continue
		}
		if m.now == nil {
			m.now = slices.Repeat([]int64{math.MaxInt64}, workers+1)
		}
		for n := range m.now {
			sum, more := int64(0), int64(n)
			for d := range left {
				sum += min(more, left[d]) * job.Fastest[d]
				more -= min(more, left[d])
			}
			m.now[n] = min(m.now[n], sum)
		}
		m.left, m.pause = append(m.left, left), append(m.pause, job.Pause[i])
	}
	o.remainders[string(e.key)] = m
	return m
}

// Placed is a task of a way to do all tasks in time, on a GPU as numbered in the problem.
type Placed struct {
	Job, Iteration, GPU, Depth int
	Start                      int64
}

// trail is the history of a state: tasks appended to another trail.
type trail struct {
	before *trail
	tasks  []Placed
}

// Examine returns the least sum w C, or 0 if only ends count, of the examined ways to end in time;
// exact.NoPrice if there is none. ok is false if not all ways were examined.
func (e *Examiner) Examine() (least int64, ok bool) {
	for j := range e.Jobs {
		if e.Jobs[j].Earliest() > e.Jobs[j].Due {
			return exact.NoPrice, true
		}
	}
	tasks := e.prepare()
	start := e.state()
	for g := range start.stands {
		start.stands[g] = g
	}
	for j := range e.Jobs {
		e.begin(start, j, int64(e.Jobs[j].Job.Release))
	}
	e.keep(0, start)
	ok = true
	for at := range tasks {
		states := e.layers[at].states
		if alive := slices.DeleteFunc(slices.Clone(states), func(x *examinedState) bool { return x.dead }); e.Width > 0 && len(alive) > e.Width {
			slices.SortStableFunc(alive, func(a, b *examinedState) int { return cmp.Compare(a.score, b.score) })
			for _, x := range alive[e.Width:] {
				x.dead = true
			}
			ok = false
		}
		for _, x := range states {
			if !x.dead {
				if !e.step() {
					return 0, false
				}
				e.extend(at, x)
			}
			e.spare = append(e.spare, x)
		}
		e.layers[at] = examinedLayer{}
	}
	if e.Steps < 0 {
		return 0, false
	}
	least = exact.NoPrice
	for _, x := range e.layers[tasks].states {
		if x.cost < least {
			least, e.Way = x.cost, nil
			for t := x.trail; t != nil; t = t.before {
				e.Way = append(slices.Clone(t.tasks), e.Way...)
			}
		}
	}
	return least, ok
}

// step takes a step, and reports whether there was one left.
func (e *Examiner) step() bool {
	e.Steps--
	if e.polled++; e.polled%1024 == 0 && e.Ctx.Err() != nil {
		e.Steps = -1
	}
	return e.Steps >= 0
}

func (e *Examiner) finished(x *examinedState, j int) bool {
	return x.done[j] == int64(e.Jobs[j].Job.Iterations)
}

// waits reports whether worker w of a job has yet to begin the current iteration.
func (e *Examiner) waits(x *examinedState, j, w int) bool {
	job := &e.Jobs[j]
	return !e.finished(x, j) && x.begun[job.GPUs[w]]>>job.Place[w]&1 == 0
}

// dealt returns the workers of a job that have begun, by depth.
func (e *Examiner) dealt(x *examinedState, j int) []int64 {
	first := e.orders[j].first
	return x.dealt[first : first+len(e.Jobs[j].Job.Depths)]
}

// left is how many tasks a worker has yet to begin.
func (e *Examiner) left(x *examinedState, r Resident) int64 {
	n := int64(e.Jobs[r.Job].Job.Iterations) - x.done[r.Job]
	if n > 0 && !e.waits(x, r.Job, r.Worker) {
		n--
	}
	return n
}

// start is when a job may begin a task on a GPU; for a gang, on all of its GPUs.
func (e *Examiner) start(x *examinedState, j, g int) int64 {
	at := max(x.ready[j], x.free[g])
	if job := &e.Jobs[j]; job.Job.Gang {
		for _, o := range job.GPUs {
			at = max(at, x.free[o])
		}
	}
	return at
}

// compete finds a set of GPUs such that appending the next task on one of them
// loses nothing, and the tick before which that task starts. Take the task that can
// be over first, with the job's longest depth: no other task of its GPU is delayed
// by it. So only those matter that could start there before, and the tasks that
// these wait for.
func (e *Examiner) compete(x *examinedState) (before int64) {
	before = math.MaxInt64
	at := 0
	for j := range e.Jobs {
		if job := &e.Jobs[j]; !e.finished(x, j) {
			e.next[j] = e.following(x, j)
			for w, g := range job.GPUs {
				longest := e.orders[j].longest
				if !job.Job.Gang {
					longest = slices.Max(job.Time[w])
				}
				if end := e.start(x, j, g) + longest; e.waits(x, j, w) && end < before {
					before, at = end, g
				}
			}
		}
	}
	clear(e.rivals)
	e.rivals[at] = true
	for more := true; more; {
		more = false
		for j := range e.Jobs {
			job := &e.Jobs[j]
			if e.finished(x, j) {
				continue
			}
			soon := e.next[j] < before
			if job.Job.Gang {
				soon = e.start(x, j, job.GPUs[0]) < before
			}
			touched := false
			for w, g := range job.GPUs {
				touched = touched || soon && e.rivals[g] && (job.Job.Gang || !e.waits(x, j, w))
			}
			for w, g := range job.GPUs {
				if touched && !e.rivals[g] && e.waits(x, j, w) { // the job has to continue there
					e.rivals[g], more = true, true
				}
			}
		}
	}
	return before
}

// extend makes the successors of a state: one more task, or a gang.
func (e *Examiner) extend(at int, x *examinedState) {
	before := e.compete(x)
	for g, list := range e.Residents {
		latest, rest := int64(0), int64(0)
		for _, r := range list {
			if job, left := &e.Jobs[r.Job], e.left(x, r); left > 0 {
				rest += left * job.Least[r.Worker]
				latest = max(latest, job.Due-job.Pauses)
			}
		}
		e.slack[g] = latest - rest
	}
	for j := range e.Jobs {
		job := &e.Jobs[j]
		if e.finished(x, j) {
			continue
		}
		if job.Job.Gang {
			if start := e.start(x, j, job.GPUs[0]); start < before && e.rivals[job.GPUs[0]] {
				for d := range job.Multisets {
					e.gang(at, x, j, slices.Clone(job.Multisets[d].Counts), make([]int, 0, len(job.GPUs)), start)
				}
			}
			continue
		}
		for w, g := range job.GPUs {
			start := e.start(x, j, g)
			if !e.waits(x, j, w) || !e.rivals[g] || start >= before || e.repeats(x, g) && e.rivals[e.Twins[g]] {
				continue
			}
			for d := range job.Time[w] {
				if e.possible(j, w, d, start) && e.permitted(x, j, d) {
					y := e.clone(x)
					e.task(y, j, w, d, start)
					e.settle(at+1, y, j, g, start)
				}
			}
		}
	}
}

// possible reports whether a task fits on its GPU, and leaves time for all others
// after it.
func (e *Examiner) possible(j, w, depth int, start int64) bool {
	job := &e.Jobs[j]
	return job.Depths[w]>>depth&1 == 1 && start+job.Time[w][depth]-job.Least[w] <= e.slack[job.GPUs[w]]
}

// permitted reports whether the rule permits one more worker of the depth.
func (e *Examiner) permitted(x *examinedState, j, depth int) bool {
	for _, left := range e.remainder(j, e.dealt(x, j)).left {
		if left[depth] > 0 {
			return true
		}
	}
	return false
}

// gang assigns a multiset to the workers of a gang, of which the previous ones have
// their depths. Identical GPUs on which the same has begun take depths in order.
func (e *Examiner) gang(at int, x *examinedState, j int, counts, deal []int, start int64) {
	job, w := &e.Jobs[j], len(deal)
	if e.handed++; e.handed%comparisons == 0 && !e.step() {
		return
	}
	if w == len(job.GPUs) {
		y := e.clone(x)
		for w, d := range deal {
			e.task(y, j, w, d, start)
		}
		e.settle(at+w, y, j, 0, start)
		return
	}
	for d := range counts {
		t := job.Twin[w]
		if counts[d] == 0 || !e.possible(j, w, d, start) || t >= 0 && d < deal[t] && x.begun[job.GPUs[w]] == x.begun[job.GPUs[t]] {
			continue
		}
		counts[d]--
		e.gang(at, x, j, counts, append(deal, d), start)
		counts[d]++
	}
}

// task runs a task.
func (e *Examiner) task(x *examinedState, j, w, depth int, start int64) {
	job := &e.Jobs[j]
	g := job.GPUs[w]
	if e.Trace {
		x.tasks = append(x.tasks, Placed{j, int(x.done[j]), x.stands[g], depth, start})
	}
	e.dealt(x, j)[depth]++
	x.begun[g] |= 1 << job.Place[w]
	x.free[g] = start + job.Time[w][depth]
	x.over[j] = max(x.over[j], x.free[g])
}

// settle ends the iteration of the job that was appended to if all its tasks have
// begun, and keeps the state. Tasks with the same start on competing GPUs are appended
// in the order of the GPUs, after gangs: those on earlier GPUs start later.
func (e *Examiner) settle(to int, x *examinedState, j, gpu int, start int64) {
	for g := range x.free {
		if e.rivals[g] && g < gpu {
			x.free[g] = max(x.free[g], start+1)
		} else if e.rivals[g] {
			x.free[g] = max(x.free[g], start)
		}
	}
	if e.advance(x, j) && e.promises(x) && e.step() {
		e.keep(to, x)
	} else {
		e.spare = append(e.spare, x)
	}
}

// advance ends an iteration whose tasks have all begun; it reports whether that is in
// time.
func (e *Examiner) advance(x *examinedState, j int) bool {
	job := &e.Jobs[j]
	for w := range job.GPUs {
		if e.waits(x, j, w) {
			return true
		}
	}
	dealt, end := e.dealt(x, j), int64(exact.NoPrice)
	for d := range job.Multisets {
		if slices.EqualFunc(job.Multisets[d].Counts, dealt, func(a int, b int64) bool { return int64(a) == b }) {
			end = x.over[j] + job.Pause[d]
		}
	}
	return e.conclude(x, j, max(end, job.Limits.Ends[x.done[j]].From))
}

// conclude ends an iteration; it reports whether that is in time.
func (e *Examiner) conclude(x *examinedState, j int, end int64) bool {
	job := &e.Jobs[j]
	if end > job.Limits.Ends[x.done[j]].To || end > job.Due {
		return false
	}
	x.done[j]++
	e.begin(x, j, end)
	clear(e.dealt(x, j))
	for w, g := range job.GPUs {
		x.begun[g] &^= 1 << job.Place[w]
	}
	if e.finished(x, j) {
		x.ready[j], x.over[j] = 0, 0
		if e.Weighted {
			x.cost += job.Job.Weight * end
		}
	}
	return true
}

// begin lets a job begin an iteration at a tick, and its tasks elsewhere with it.
func (e *Examiner) begin(x *examinedState, j int, at int64) {
	x.ready[j], x.over[j] = at, 0
}
