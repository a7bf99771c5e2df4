package list

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// before reports whether job a goes first.
func (s *Dispatcher) before(a, b int32) bool {
	return s.jobs[a].key < s.jobs[b].key || s.jobs[a].key == s.jobs[b].key && a < b
}

// compare orders jobs like before.
func (s *Dispatcher) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(s.jobs[a].key, s.jobs[b].key), cmp.Compare(a, b))
}

// sooner reports whether a task of job a goes before one of b.
func (s *Dispatcher) sooner(a, b int32) bool {
	x, y := s.jobs[a].postponed > s.now, s.jobs[b].postponed > s.now
	return !x && y || x == y && s.before(a, b)
}

// startTasks examines every marked GPU separately. GPUs with the least work left
// go first: the first to start an iteration take its deepest tasks.
func (s *Dispatcher) startTasks() {
	if len(s.dirty) > 1 {
		slices.SortFunc(s.dirty, func(a, b int32) int {
			if s.remaining[a] != s.remaining[b] {
				return cmp.Compare(s.remaining[a], s.remaining[b])
			}
			return int(a - b)
		})
	}
	for _, g := range s.dirty {
		s.isDirty[g] = false
		s.serve(g)
	}
	s.dirty = s.dirty[:0]
}

// serve starts the waiting task with the best key on idle GPU g, unless it is
// worth waiting for a better one.
func (s *Dispatcher) serve(g int32) {
	best, slot := int32(-1), int32(0)
	for _, r := range s.residents[g] {
		if s.waiting[r.slot] && (best < 0 || s.sooner(r.job, best)) {
			best, slot = r.job, r.slot
		}
	}
	if best < 0 {
		return
	}
	if s.d.Patience > 0 {
		d := s.depth(best, slot)
		length := s.in.Jobs[best].On[s.in.GPUs[g].Type].Time[d]
		if until := s.expected(g, best, s.now+length*instance.Tick(s.d.Patience)/4); until < state.Never {
			s.fillUntil(g, until)
			return
		}
	}
	s.start(best, slot)
}

// expected returns when a job with a better key than that of job than comes
// back to GPU g, if that is before limit; otherwise never.
func (s *Dispatcher) expected(g, than int32, limit instance.Tick) instance.Tick {
	until := state.Never
	for _, r := range s.residents[g] {
		if next := s.jobs[r.job].next; next > s.now && next < limit && next < until && s.sooner(r.job, than) {
			until = next
		}
	}
	return until
}

// fillUntil starts the best task on GPU g that ends in time, or none.
func (s *Dispatcher) fillUntil(g int32, until instance.Tick) {
	best, slot := int32(-1), int32(0)
	for _, r := range s.residents[g] {
		if s.waiting[r.slot] && (best < 0 || s.sooner(r.job, best)) &&
			s.now+s.in.Jobs[r.job].On[s.in.GPUs[g].Type].Time[s.depth(r.job, r.slot)] <= until {
			best, slot = r.job, r.slot
		}
	}
	if best >= 0 {
		s.start(best, slot)
		return
	}
	// The estimate may change: examine it again then.
	if s.wake[g] != until {
		s.wake[g] = until
		s.push(event{until, gpuFree, g})
	}
}

// depth returns the depth that a waiting task would take: the deepest one left
// in its iteration for which the GPU has memory. So the first to start finish
// the long tasks early and the last fill in the short ones. If depths are
// assigned evenly, the deeper ones are left to the GPUs with less work left.
func (s *Dispatcher) depth(j, slot int32) int {
	job := &s.jobs[j]
	skip := int32(0)
	if job.even {
		work := s.remaining[s.gpu[slot]]
		for o := job.slot; o < job.slot+job.k; o++ {
			if s.waiting[o] && s.remaining[s.gpu[o]] < work {
				skip++
			}
		}
	}
	for d := int(s.limit[slot]); d >= 0; d-- {
		if skip -= job.counts[d]; skip < 0 {
			return d
		}
	}
	panic("heuristics: a worker has no depth left that its memory allows")
}

// start runs the waiting task of a worker now.
func (s *Dispatcher) start(j, slot int32) {
	job := &s.jobs[j]
	g, d := s.gpu[slot], s.depth(j, slot)
	costs := s.in.Jobs[j].On[s.in.GPUs[g].Type]
	end := s.now + costs.Time[d]
	at := s.layout.TaskAt[j] + int(job.iteration)*int(job.k) + int(slot-job.slot)
	s.out.times.Start[at], s.out.times.Depth[at] = s.now, uint8(d)
	s.waiting[slot] = false
	s.queued[g]--
	s.free[g] = end
	s.remaining[g] -= s.mean[slot]
	s.push(event{end, gpuFree, g})
	job.counts[d]--
	job.ends = max(job.ends, end)
	if job.left--; job.left > 0 {
		return
	}
	if len(job.syncs) == 0 {
		job.next = job.ends
		s.push(event{job.ends, ready, j})
		return
	}
	job.next = job.ends + job.syncs[0].Length
	s.push(event{job.ends, syncReady, j})
	if s.d.eager {
		for _, u := range job.uses {
			if c := &s.claim[u.Link]; c.job < 0 || s.before(j, c.job) {
				*c = claim{j, job.ends, job.syncs[0].Rate * instance.Rate(u.Times)}
			}
		}
	}
}

// startInOrder is startTasks for instances with gangs: jobs take GPUs in the
// order of their keys. A gang that cannot start keeps its idle GPUs from jobs
// with worse keys, except for tasks that end before it could start.
func (s *Dispatcher) startInOrder() {
	s.order = s.order[:0]
	add := func(g int32) {
		for _, r := range s.residents[g] {
			if s.waiting[r.slot] && !s.seen[r.job] {
				s.seen[r.job] = true
				s.order = append(s.order, r.job)
			}
		}
	}
	slices.Sort(s.dirty)
	for n := 0; n < len(s.dirty); n++ { //nolint:intrange // the list grows on the way
		g := s.dirty[n]
		from := len(s.order)
		add(g)
		// A gang blocked elsewhere may have kept GPUs that are free again.
		for _, j := range s.order[from:] {
			if s.jobs[j].gang {
				for slot := s.jobs[j].slot; slot < s.jobs[j].slot+s.jobs[j].k; slot++ {
					s.touch(s.gpu[slot])
				}
			}
		}
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		if s.sooner(a, b) {
			return -1
		}
		return 1
	})
	// wake[g] > now means here: kept until then for a gang.
	for _, g := range s.dirty {
		s.wake[g] = -1
	}
	for _, j := range s.order {
		s.seen[j] = false
		job := &s.jobs[j]
		slots := s.order[len(s.order):]
		for slot := job.slot; slot < job.slot+job.k; slot++ {
			if g := s.gpu[slot]; s.waiting[slot] && s.free[g] <= s.now {
				slots = append(slots, slot)
			}
		}
		if len(slots) > 1 {
			slices.SortFunc(slots, func(a, b int32) int {
				ga, gb := s.gpu[a], s.gpu[b]
				return cmp.Or(cmp.Compare(s.remaining[ga], s.remaining[gb]), cmp.Compare(ga, gb))
			})
		}
		if job.gang {
			s.startGang(j, slots)
			continue
		}
		for _, slot := range slots {
			g := s.gpu[slot]
			if !s.isDirty[g] {
				continue // idle on purpose; nothing changed there
			}
			length := s.in.Jobs[j].On[s.in.GPUs[g].Type].Time[s.depth(j, slot)]
			until := s.wake[g]
			if until < 0 && s.d.Patience > 0 {
				if until = s.expected(g, j, s.now+length*instance.Tick(s.d.Patience)/4); until == state.Never {
					until = -1
				}
			}
			if until < 0 || s.now+length <= until {
				s.start(j, slot)
			} else if s.wake[g] != until {
				s.wake[g] = until
				s.push(event{until, gpuFree, g})
			}
		}
	}
	for _, g := range s.dirty {
		s.isDirty[g] = false
	}
	s.dirty = s.dirty[:0]
}

// startGang starts all tasks of a gang at once, or keeps the idle GPUs, on
// which the given slots are, until the others are expected to be free.
func (s *Dispatcher) startGang(j int32, slots []int32) {
	job := &s.jobs[j]
	start := s.now
	for slot := job.slot; slot < job.slot+job.k; slot++ {
		g := s.gpu[slot]
		start = max(start, s.free[g])
		if s.free[g] <= s.now && s.wake[g] > s.now {
			// Kept for a gang with a better key: this one must end before.
			if s.now+s.in.Jobs[j].On[s.in.GPUs[g].Type].Time[s.limit[slot]] > s.wake[g] {
				start = max(start, s.wake[g])
			}
		}
	}
	if start == s.now {
		for _, slot := range slots {
			s.start(j, slot)
		}
		return
	}
	for _, slot := range slots {
		if g := s.gpu[slot]; s.wake[g] < 0 || start < s.wake[g] {
			s.wake[g] = start
		}
	}
}
