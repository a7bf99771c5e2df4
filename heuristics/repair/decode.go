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
	start     instance.Tick // when it was planned, or is to have its turn
	job       instance.JobID
	iteration int
	sync      bool
	at        int // in Tasks or Syncs
}

// decode starts everything as early as it can in the order of the old schedule: on each GPU
// after what came before, on links where there is room. Of each job all turns come so much later,
// or earlier, as shift says; nil: none.
func (r *repairer) decode(shift []instance.Tick) *instance.Schedule {
	in, now := r.in, r.damage.Now
	order := make([]operation, 0, len(r.old.Tasks)+len(r.old.Syncs))
	turn := func(j instance.JobID, start instance.Tick) instance.Tick {
		if shift == nil || start < now {
			return start
		}
		return max(now, start+shift[j])
	}
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
		case a.iteration != b.iteration: // one that takes no time is before the next one of its job
			return cmp.Compare(a.iteration, b.iteration)
		case a.sync != b.sync && b.sync:
			return -1
		case a.sync != b.sync:
			return 1
		}
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.at, b.at))
	})

	s := &instance.Schedule{Residency: r.homes, Tasks: make([]instance.Task, 0, len(r.old.Tasks)), Syncs: make([]instance.Sync, 0, len(r.old.Syncs))}
	free := make([]instance.Tick, len(in.GPUs))
	ready := make([]instance.Tick, len(in.Jobs)) // when the job's next iteration may start
	ends := make([]instance.Tick, len(in.Jobs))  // of the tasks of the current iteration
	counts := make([][]int, len(in.Jobs))        // their depths
	left := make([]int, len(in.Jobs))            // tasks of the current iteration to come
	for j := range in.Jobs {
		ready[j], left[j] = in.Jobs[j].Release+in.Jobs[j].Load, in.Jobs[j].Workers
		counts[j] = make([]int, len(in.Jobs[j].Depths))
	}
	started := make([]int, len(in.Jobs)) // the last iteration of a gang that was
	links := make([]state.LinkTimeline, len(in.Links))
	for _, o := range order {
		job := &in.Jobs[o.job]
		happened := o.start < now
		if o.sync {
			old := r.old.Syncs[o.at]
			span := r.spans[o.job]
			length := in.SyncTicks(job.Volume(counts[o.job], span.Parties), span.Rate(old.Rate))
			start := old.Start
			if happened {
				occupy(links, span, span.Rate(old.Rate), start, length)
			} else {
				start = r.room(links, span, span.Rate(old.Rate), max(now, ends[o.job]), length)
			}
			if len(s.Syncs)%forget == forget-1 {
				past(links, slices.Min(ready))
			}
			s.Syncs = append(s.Syncs, instance.Sync{Job: o.job, Iteration: o.iteration, Start: start, End: start + length, Rate: old.Rate})
			r.next(o, start+length, ready, ends, counts[o.job], left)
			continue
		}
		tasks, start := r.old.Tasks[o.at:o.at+1], max(now, ready[o.job])
		if job.Gang { // the first of the iteration brings the others
			if tasks = r.iteration(o.at); started[o.job] == o.iteration {
				continue
			}
			started[o.job] = o.iteration
		} else if group := job.Group(); group > 1 { // the first of the worker
			if at, _ := slices.BinarySearch(r.old.Residency[o.job], tasks[0].GPU); at%group > 0 {
				continue
			}
			tasks = r.old.Tasks[o.at : o.at+group]
		}
		for _, t := range tasks {
			start = max(start, free[r.gpuOf(t)])
		}
		if happened {
			start = tasks[0].Start
		}
		for _, t := range tasks {
			g := r.gpuOf(t)
			free[g] = start + job.On[in.GPUs[g].Type].Time[t.Depth]
			ends[o.job] = max(ends[o.job], free[g])
			counts[o.job][t.Depth]++
			s.Tasks = append(s.Tasks, instance.Task{Job: o.job, Iteration: o.iteration, GPU: g, Depth: t.Depth, Start: start, End: free[g]})
		}
		if left[o.job] -= len(tasks); left[o.job] == 0 && !job.HasSync() {
			r.next(o, ends[o.job], ready, ends, counts[o.job], left)
		}
	}
	s.Sort()
	return s
}

// forget is after how many synchronisations what is over on all links is forgotten.
const forget = 256

// past forgets what ended before a time, after which all that is still to come starts.
func past(links []state.LinkTimeline, before instance.Tick) {
	for l := range links {
		links[l].Forget(before)
	}
}

// iteration is the tasks of the iteration that one of the old schedule belongs to.
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

// next begins the job's next iteration, if there is one.
func (r *repairer) next(o operation, at instance.Tick, ready, ends []instance.Tick, counts, left []int) {
	j := o.job
	if ready[j], ends[j] = at, 0; o.iteration == r.in.Jobs[j].Iterations {
		ready[j] = math.MaxInt64
	}
	clear(counts)
	left[j] = r.in.Jobs[j].Workers
}

// room finds the first time from which the links of a span carry a rate for so long, and
// takes it.
func (r *repairer) room(links []state.LinkTimeline, span instance.Span, rate instance.Rate, start, length instance.Tick) instance.Tick {
	if length == 0 {
		return start
	}
	for later := start; ; start = later {
		for _, u := range span.Uses {
			later = links[u.Link].Earliest(later, length, r.in.Capacity(u.Link)-rate*instance.Rate(u.Times))
		}
		if later == start {
			break
		}
	}
	occupy(links, span, rate, start, length)
	return start
}

// occupy notes what a synchronisation takes of its links.
func occupy(links []state.LinkTimeline, span instance.Span, rate instance.Rate, start, length instance.Tick) {
	for _, u := range span.Uses {
		if length > 0 {
			links[u.Link].Add(start, start+length, rate*instance.Rate(u.Times))
		}
	}
}
