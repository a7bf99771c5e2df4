package repair

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// operation is a task or a synchronisation of the old schedule.
type operation struct {
	start     instance.Tick
	job       instance.JobID
	iteration int
	sync      bool
	at        int // in Tasks or Syncs
}

// busy is a rate on a link for some time.
type busy struct {
	from, to instance.Tick
	rate     instance.Rate
}

// decode starts everything as early as it can in the order of the old schedule: on each GPU
// after what came before, on links where there is room.
func (r *repairer) decode() *instance.Schedule {
	in := r.in
	var order []operation
	for i, t := range r.old.Tasks {
		order = append(order, operation{t.Start, t.Job, t.Iteration, false, i})
	}
	for i, y := range r.old.Syncs {
		order = append(order, operation{y.Start, y.Job, y.Iteration, true, i})
	}
	slices.SortFunc(order, func(a, b operation) int {
		late := func(o operation) int {
			if o.sync {
				return 1
			}
			return 0
		}
		// An iteration that takes no time is before the next one of its job.
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.iteration, b.iteration), late(a)-late(b), cmp.Compare(a.job, b.job), cmp.Compare(a.at, b.at))
	})

	s := &instance.Schedule{Residency: r.homes}
	free := make([]instance.Tick, len(in.GPUs))
	ready := make([]instance.Tick, len(in.Jobs)) // when the job's next iteration may start
	ends := make([]instance.Tick, len(in.Jobs))  // of the tasks of the current iteration
	counts := make([][]int, len(in.Jobs))        // their depths
	left := make([]int, len(in.Jobs))            // tasks of the current iteration to come
	for j := range in.Jobs {
		ready[j], left[j] = in.Jobs[j].Release, in.Jobs[j].Workers
		counts[j] = make([]int, len(in.Jobs[j].Depths))
	}
	started := make([]int, len(in.Jobs)) // the last iteration of a gang that was
	links := make([][]busy, len(in.Links))
	for _, o := range order {
		job := &in.Jobs[o.job]
		if o.sync {
			old := r.old.Syncs[o.at]
			span := r.spans[o.job]
			length := in.SyncTicks(job.Volume(counts[o.job], span.Parties), span.Rate(old.Rate))
			start := r.room(links, span, span.Rate(old.Rate), ends[o.job], length)
			s.Syncs = append(s.Syncs, instance.Sync{Job: o.job, Iteration: o.iteration, Start: start, End: start + length, Rate: old.Rate})
			r.next(o.job, start+length, ready, ends, counts[o.job], left)
			continue
		}
		tasks, start := r.old.Tasks[o.at:o.at+1], ready[o.job]
		if job.Gang { // the first of the iteration brings the others
			if tasks = r.iteration(o.at); started[o.job] == o.iteration {
				continue
			}
			started[o.job] = o.iteration
		}
		for _, t := range tasks {
			start = max(start, free[r.gpuOf(t)])
		}
		for _, t := range tasks {
			g := r.gpuOf(t)
			free[g] = start + job.On[in.GPUs[g].Type].Time[t.Depth]
			ends[o.job] = max(ends[o.job], free[g])
			counts[o.job][t.Depth]++
			s.Tasks = append(s.Tasks, instance.Task{Job: o.job, Iteration: o.iteration, GPU: g, Depth: t.Depth, Start: start, End: free[g]})
		}
		if left[o.job] -= len(tasks); left[o.job] == 0 && !job.HasSync() {
			r.next(o.job, ends[o.job], ready, ends, counts[o.job], left)
		}
	}
	s.Sort()
	return s
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

// next begins the job's next iteration.
func (r *repairer) next(j instance.JobID, at instance.Tick, ready, ends []instance.Tick, counts, left []int) {
	ready[j], ends[j] = at, 0
	clear(counts)
	left[j] = r.in.Jobs[j].Workers
}

// room finds the first time from which the links of a span carry a rate for so long, and
// takes it.
func (r *repairer) room(links [][]busy, span instance.Span, rate instance.Rate, from, length instance.Tick) instance.Tick {
	start := from
	for length > 0 {
		later := start
		for _, u := range span.Uses {
			later = max(later, full(links[u.Link], start, start+length, r.in.Capacity(u.Link)-rate*instance.Rate(u.Times)))
		}
		if later == start {
			break
		}
		start = later
	}
	if length > 0 {
		for _, u := range span.Uses {
			links[u.Link] = append(links[u.Link], busy{start, start + length, rate * instance.Rate(u.Times)})
		}
	}
	return start
}

// full returns when the first use ends that makes a link carry more than most between two
// times; the first time where none does.
func full(uses []busy, from, to instance.Tick, most instance.Rate) instance.Tick {
	var within []busy
	for _, u := range uses {
		if u.from < to && from < u.to {
			within = append(within, u)
		}
	}
	for _, at := range within {
		// The load is greatest where a use begins, or at first.
		moment, load, ends := max(at.from, from), instance.Rate(0), to
		for _, u := range within {
			if u.from <= moment && moment < u.to {
				load += u.rate
				ends = min(ends, u.to)
			}
		}
		if load > most {
			return ends
		}
	}
	return from
}
