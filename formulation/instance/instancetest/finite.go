package instancetest

import (
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// searchFinite returns an optimal schedule for a finite objective, nil if
// there is none; ok is false if the budget ran out. See [Optimum] for why it
// is exact.
func searchFinite(in *instance.Instance, budget *int) (s *instance.Schedule, ok bool) {
	if len(in.Jobs) > 8 || len(in.GPUs) > maxGPUs {
		return nil, false
	}
	queued := in
	in = in.Roomy() // memory in time is for the end of the search
	type candidate struct {
		homes []home
		bound int64
	}
	var candidates []candidate
	residencies(in, func(chosen []home) bool {
		*budget--
		f := newFinite(in, chosen, budget)
		candidates = append(candidates, candidate{chosen, f.bound()})
		return *budget > 0
	})
	// Promising residencies first: the sooner an optimum is met, the more is pruned.
	slices.SortStableFunc(candidates, func(a, b candidate) int { return int(min(1, max(-1, a.bound-b.bound))) })
	best := int64(math.MaxInt64)
	for _, c := range candidates {
		f := newFinite(in, c.homes, budget)
		f.best, f.queued = best, queued
		f.search()
		if f.found != nil {
			s, best = f.found, f.best
		}
		if *budget <= 0 {
			return nil, false
		}
	}
	return s, true
}

// maxGPUs is far beyond what the search can solve. State by GPU is in arrays,
// for the search copies it often.
const maxGPUs = 16

// finite is the search with given residencies.
type finite struct {
	in     *instance.Instance
	queued *instance.Instance // the same with memory, where jobs hold it only while they run
	homes  []home
	budget *int

	jobs []progress
	free [maxGPUs]instance.Tick // end of the GPU's last task
	// last activity tried: its start, job, and GPU (-1: a sync or a gang).
	last    instance.Tick
	lastJob instance.JobID
	lastGPU int
	depth   int // activities started

	tasks []instance.Task
	syncs []placedSync
	// left[g] is the least time of all tasks that did not start yet on g.
	left [maxGPUs]instance.Tick

	best  int64 // value to beat
	found *instance.Schedule
}

type placedSync struct {
	instance.Sync
	rate instance.Rate
}

// progress of a job.
type progress struct {
	iteration int           // current, from 1; R+1 when done
	ready     instance.Tick // of the current iteration's tasks
	mode      *mode         // nil until the iteration's first task starts
	started   int           // tasks, as bits by resident GPU
	end       instance.Tick // of the tasks that started
	done      instance.Tick // completion, once the job is done
	atLeast   instance.Tick // shortest iteration of any mode
	quickest  []instance.Tick
}

func newFinite(in *instance.Instance, homes []home, budget *int) *finite {
	f := &finite{in: in, homes: homes, budget: budget, best: math.MaxInt64}
	for j := range in.Jobs {
		p := progress{iteration: 1, ready: in.Jobs[j].Release, atLeast: math.MaxInt64}
		for n := range homes[j].gpus {
			quickest := instance.Tick(math.MaxInt64)
			for _, m := range homes[j].modes {
				quickest = min(quickest, m.times[n])
			}
			p.quickest = append(p.quickest, quickest)
			f.left[homes[j].gpus[n]] += quickest * instance.Tick(in.Jobs[j].Iterations)
		}
		for _, m := range homes[j].modes {
			p.atLeast = min(p.atLeast, m.atLeast)
		}
		f.jobs = append(f.jobs, p)
	}
	return f
}

// bound returns a value that no completion of the current state can go below,
// MaxInt64 if none can meet the deadlines. Activities yet to start cannot
// start before the last one did.
func (f *finite) bound() int64 {
	sum, most := int64(0), instance.Tick(0)
	for j := range f.jobs {
		p, job := &f.jobs[j], &f.in.Jobs[j]
		end := p.done
		if p.iteration <= job.Iterations {
			if p.mode == nil {
				end = max(p.ready, f.last) + p.atLeast
			} else {
				end = p.end
				for n, g := range f.homes[j].gpus {
					if p.started>>n&1 == 0 {
						end = max(end, max(p.ready, f.last, f.free[g])+p.mode.times[n])
					}
				}
				if job.HasSync() {
					end = max(end, f.last) + p.mode.shortest
				}
			}
			end += p.atLeast * instance.Tick(job.Iterations-p.iteration)
		}
		if job.Deadline > 0 && end > job.Deadline {
			return math.MaxInt64
		}
		most = max(most, end)
		sum += job.Weight * int64(end)
	}
	if f.in.Objective == instance.WeightedCompletion {
		return sum
	}
	for g, free := range f.free {
		if f.left[g] > 0 {
			most = max(most, max(free, f.last)+f.left[g])
		}
	}
	return int64(most)
}

// search starts every activity that can start next.
func (f *finite) search() {
	if *f.budget--; *f.budget <= 0 || f.bound() >= f.best {
		return
	}
	finished := true
	for j := range f.jobs {
		id, p, job := instance.JobID(j), &f.jobs[j], &f.in.Jobs[j]
		if p.iteration > job.Iterations {
			continue
		}
		finished = false
		h := &f.homes[j]
		switch {
		case p.mode == nil:
			for m := range h.modes {
				p.mode = &h.modes[m]
				f.startTasks(id)
				p.mode = nil
			}
		case p.started == 1<<len(h.gpus)-1:
			for _, y := range p.mode.syncs {
				f.startSync(id, y)
			}
		default:
			f.startTasks(id)
		}
	}
	if !finished {
		return
	}
	s := f.schedule()
	if f.queued.Queues() && len(check.Schedule(f.queued, s)) > 0 {
		return // too much memory at some time
	}
	f.best = f.bound() // of a complete schedule: its value
	f.found = s
}

// startTasks tries to start the tasks of each worker in the current iteration, or all of
// them for a gang.
func (f *finite) startTasks(id instance.JobID) {
	p, h := &f.jobs[id], &f.homes[id]
	if f.in.Jobs[id].Gang {
		start := p.ready
		for _, g := range h.gpus {
			start = max(start, f.free[g])
		}
		for _, start := range f.starts(id, start) {
			f.try(id, -1, start, func() {
				f.placeTasks(id, 1<<len(h.gpus)-1, start)
			})
		}
		return
	}
	of := f.in.Jobs[id].Group()
	for n := 0; n < len(h.gpus); n += of {
		if p.started>>n&1 == 0 {
			first := p.ready
			for _, g := range h.gpus[n : n+of] {
				first = max(first, f.free[g])
			}
			for _, start := range f.starts(id, first) {
				f.try(id, n, start, func() { f.placeTasks(id, (1<<of-1)<<n, start) })
			}
		}
	}
}

// starts lists when tasks may start that can as from some tick: then or, where jobs queue for memory,
// once they are loaded after another job has gone.
func (f *finite) starts(id instance.JobID, first instance.Tick) []instance.Tick {
	list := []instance.Tick{first}
	if !f.queued.Queues() || f.jobs[id].iteration > 1 {
		return list
	}
	for j := range f.jobs {
		if f.jobs[j].iteration <= f.in.Jobs[j].Iterations {
			continue
		}
		if start := f.jobs[j].done + f.queued.Jobs[id].Load; start > first && !slices.Contains(list, start) {
			list = append(list, start)
		}
	}
	return list
}

// try searches on after an activity of job id has started; gpu is the number
// of the task's GPU among the residents, -1 for a gang or a sync.
func (f *finite) try(id instance.JobID, gpu int, start instance.Tick, place func()) {
	if start < f.last {
		return // it could have started before the last activity
	}
	if f.depth > 0 && start == f.last && !f.queued.Queues() {
		// In the other order, too, unless the last one enabled this one.
		if id < f.lastJob || id == f.lastJob && gpu >= 0 && gpu < f.lastGPU {
			return
		}
	}
	last, lastJob, lastGPU, p := f.last, f.lastJob, f.lastGPU, f.jobs[id]
	tasks, syncs := len(f.tasks), len(f.syncs)
	free, left := f.free, f.left
	f.last, f.lastJob, f.lastGPU = start, id, gpu
	f.depth++
	place()
	f.search()
	f.depth--
	f.last, f.lastJob, f.lastGPU, f.jobs[id] = last, lastJob, lastGPU, p
	f.tasks, f.syncs, f.free, f.left = f.tasks[:tasks], f.syncs[:syncs], free, left
}

// placeTasks places the tasks of the current iteration whose bits are set.
func (f *finite) placeTasks(id instance.JobID, which int, start instance.Tick) {
	p, h := &f.jobs[id], &f.homes[id]
	for n, g := range h.gpus {
		if which>>n&1 == 0 {
			continue
		}
		end := start + p.mode.times[n]
		f.tasks = append(f.tasks, instance.Task{Job: id, Iteration: p.iteration, GPU: g, Depth: p.mode.depths[n], Start: start, End: end})
		f.free[g] = end
		f.left[g] -= p.quickest[n]
		p.end = max(p.end, end)
	}
	if p.started |= which; p.started == 1<<len(h.gpus)-1 && !f.in.Jobs[id].HasSync() {
		f.finish(id, p.end)
	}
}

// startSync tries to start the sync of the current iteration.
func (f *finite) startSync(id instance.JobID, y syncMode) {
	p := &f.jobs[id]
	start := p.end
	for !f.linksFree(id, y, start) {
		// Room appears only where a sync ends.
		next := instance.Tick(math.MaxInt64)
		for _, other := range f.syncs {
			if other.End > start {
				next = min(next, other.End)
			}
		}
		start = next
	}
	f.try(id, -1, start, func() {
		f.syncs = append(f.syncs, placedSync{instance.Sync{Job: id, Iteration: p.iteration, Start: start, End: start + y.length, Rate: y.level}, y.rate})
		f.finish(id, start+y.length)
	})
}

// linksFree reports whether a sync that starts at the given tick fits every
// link at every tick.
func (f *finite) linksFree(id instance.JobID, y syncMode, start instance.Tick) bool {
	for at := start; at < start+y.length; at++ {
		if !slices.ContainsFunc(f.syncs, func(o placedSync) bool { return o.Start <= at && at < o.End }) {
			continue // alone on its links, where every rate level fits
		}
		for _, use := range f.homes[id].span.Uses {
			load := y.rate * instance.Rate(use.Times)
			for _, other := range f.syncs {
				if other.Start <= at && at < other.End {
					load += other.rate * times(f.homes[other.Job].span.Uses, use.Link)
				}
			}
			if load > f.in.Capacity(use.Link) {
				return false
			}
		}
	}
	return true
}

func times(uses []instance.LinkUse, link instance.LinkID) instance.Rate {
	for _, u := range uses {
		if u.Link == link {
			return instance.Rate(u.Times)
		}
	}
	return 0
}

// finish ends the current iteration of a job.
func (f *finite) finish(id instance.JobID, end instance.Tick) {
	p := &f.jobs[id]
	p.iteration++
	p.ready, p.done, p.end, p.mode, p.started = end, end, 0, nil, 0
}

// schedule returns a copy of the current, complete schedule.
func (f *finite) schedule() *instance.Schedule {
	s := &instance.Schedule{Tasks: slices.Clone(f.tasks)}
	for _, y := range f.syncs {
		s.Syncs = append(s.Syncs, y.Sync)
	}
	for _, h := range f.homes {
		s.Residency = append(s.Residency, slices.Clone(h.gpus))
	}
	return s
}
