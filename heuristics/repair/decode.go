package repair

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// operation is a task or a synchronisation of the old schedule.
type operation struct {
	start     instance.Tick // planned start, or the start that determines its position
	job       instance.JobID
	iteration int
	sync      bool
	at        int // in Tasks or Syncs
}

// decode starts everything as early as possible in the order of the old schedule: on each GPU
// after what came before, on links when there is room. shift moves the positions of all
// operations of each job later, or earlier; nil: no shift.
func (r *repairer) decode(shift []instance.Tick) *instance.Schedule {
	in := r.in
	d := &decoder{
		repairer: r,
		s:        &instance.Schedule{Residency: r.homes, Tasks: make([]instance.Task, 0, len(r.old.Tasks)), Syncs: make([]instance.Sync, 0, len(r.old.Syncs))},
		free:     make([]instance.Tick, len(in.GPUs)),
		ready:    make([]instance.Tick, len(in.Jobs)),
		ends:     make([]instance.Tick, len(in.Jobs)),
		counts:   make([][]int, len(in.Jobs)),
		left:     make([]int, len(in.Jobs)),
		started:  make([]int, len(in.Jobs)),
		links:    make(state.Links, len(in.Links)),
	}
	for j := range in.Jobs {
		d.ready[j], d.left[j] = in.Jobs[j].Release+in.Jobs[j].Load, in.Jobs[j].Workers
		d.counts[j] = make([]int, len(in.Jobs[j].Depths))
	}
	for _, o := range r.operations(shift) {
		if o.sync {
			d.synchronise(o)
		} else {
			d.start(o)
		}
	}
	d.s.Sort()
	return d.s
}

// operations lists those of the old schedule in the order in which they are decoded.
func (r *repairer) operations(shift []instance.Tick) []operation {
	turn := func(j instance.JobID, start instance.Tick) instance.Tick {
		if shift == nil || start < r.damage.Now {
			return start
		}
		return max(r.damage.Now, start+shift[j])
	}
	order := make([]operation, 0, len(r.old.Tasks)+len(r.old.Syncs))
	for i, t := range r.old.Tasks {
		order = append(order, operation{turn(t.Job, t.Start), t.Job, t.Iteration, false, i})
	}
	for i, y := range r.old.Syncs {
		order = append(order, operation{turn(y.Job, y.Start), y.Job, y.Iteration, true, i})
	}
	slices.SortFunc(order, func(a, b operation) int {
		switch {
		case a.start != b.start:
			return cmp.Compare(a.start, b.start)
		case a.iteration != b.iteration: // one of no length comes before the next one of its job
			return cmp.Compare(a.iteration, b.iteration)
		case a.sync != b.sync && b.sync:
			return -1
		case a.sync != b.sync:
			return 1
		}
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.at, b.at))
	})
	return order
}

// decoder makes a schedule, operation by operation.
type decoder struct {
	*repairer
	s       *instance.Schedule
	free    []instance.Tick // by GPU
	ready   []instance.Tick // when the job's next iteration may start
	ends    []instance.Tick // of the tasks of the current iteration, by job
	counts  [][]int         // their depths
	left    []int           // by job: tasks of the current iteration still to come
	started []int           // by gang: its last iteration that has started
	links   state.Links
}

// synchronise appends a synchronisation.
func (d *decoder) synchronise(o operation) {
	old, span := d.old.Syncs[o.at], d.spans[o.job]
	rate := span.Rate(old.Rate)
	length := d.in.SyncTicks(d.in.Jobs[o.job].Volume(d.counts[o.job], span.Parties), rate)
	start := old.Start
	if o.start >= d.damage.Now { // otherwise it has already happened
		start = d.links.Earliest(d.in, span.Uses, rate, max(d.damage.Now, d.ends[o.job]), length)
	}
	d.links.Add(span.Uses, rate, start, start+length)
	if len(d.s.Syncs)%forget == forget-1 {
		d.links.Forget(slices.Min(d.ready))
	}
	d.s.Syncs = append(d.s.Syncs, instance.Sync{Job: o.job, Iteration: o.iteration, Start: start, End: start + length, Rate: old.Rate})
	d.next(o, start+length)
}

// start appends a task, and those that start with it.
func (d *decoder) start(o operation) {
	job, tasks := &d.in.Jobs[o.job], d.old.Tasks[o.at:o.at+1]
	if job.Gang { // the first of the iteration includes the others
		if tasks = d.iteration(o.at); d.started[o.job] == o.iteration {
			return
		}
		d.started[o.job] = o.iteration
	} else if group := job.Group(); group > 1 { // the first of the worker
		if at, _ := slices.BinarySearch(d.old.Residency[o.job], tasks[0].GPU); at%group > 0 {
			return
		}
		tasks = d.old.Tasks[o.at : o.at+group]
	}
	start := max(d.damage.Now, d.ready[o.job])
	for _, t := range tasks {
		start = max(start, d.free[d.gpuOf(t)])
	}
	if o.start < d.damage.Now { // they have already happened
		start = tasks[0].Start
	}
	for _, t := range tasks {
		g := d.gpuOf(t)
		d.free[g] = start + job.On[d.in.GPUs[g].Type].Time[t.Depth]
		d.ends[o.job] = max(d.ends[o.job], d.free[g])
		d.counts[o.job][t.Depth]++
		d.s.Tasks = append(d.s.Tasks, instance.Task{Job: o.job, Iteration: o.iteration, GPU: g, Depth: t.Depth, Start: start, End: d.free[g]})
	}
	if d.left[o.job] -= len(tasks); d.left[o.job] == 0 && !job.HasSync() {
		d.next(o, d.ends[o.job])
	}
}

// next begins the job's next iteration, if there is one.
func (d *decoder) next(o operation, at instance.Tick) {
	j := o.job
	if d.ready[j], d.ends[j] = at, 0; o.iteration == d.in.Jobs[j].Iterations {
		d.ready[j] = math.MaxInt64
	}
	clear(d.counts[j])
	d.left[j] = d.in.Jobs[j].Workers
}

// forget is the number of synchronisations after which the past is dropped from all
// links: everything still to come starts after it.
const forget = 256

// iteration returns the tasks of the iteration of a task of the old schedule.
func (r *repairer) iteration(at int) []instance.Task {
	t := r.old.Tasks
	same := func(i int) bool { return t[i].Job == t[at].Job && t[i].Iteration == t[at].Iteration }
	first, last := at, at+1
	for first > 0 && same(first-1) {
		first--
	}
	for last < len(t) && same(last) {
		last++
	}
	return t[first:last]
}
