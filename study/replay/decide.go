package replay

import (
	"cmp"
	"math"
	"slices"
)

// wish is a group requested by the policy.
type wish struct {
	*group
	old    *group // the group whose GPUs it would keep, nil if none
	rank   int
	placed bool
}

// decide asks the policy and carries out its decision. It returns when the
// policy wants to be asked again.
func (s *sim) decide() float64 {
	d := s.policy.Decide(&s.State)
	s.result.Decisions++
	before := make(map[*group]bool, len(s.groups))
	for _, g := range s.groups {
		before[g] = true
	}
	if d.Keep {
		s.add(d)
	} else {
		s.replace(d)
	}
	if s.config.RestartAll {
		for _, g := range s.groups {
			if before[g] {
				restarting := map[int]bool{}
				for _, i := range g.jobs {
					s.runs[i].done = s.runs[i].at(s.Now)
					s.restart(i, restarting)
				}
				s.pace(g, restarting)
			}
		}
	}
	if s.config.Observe != nil {
		s.observe()
	}
	return d.Again
}

// kindFor returns the GPU type for a group of jobs: the requested one, or, among
// those that suit all its jobs and have enough free GPUs, the fastest for the first
// job; -1 if none.
func (s *sim) kindFor(g Group, free []int) int {
	class := s.ClassOf(g.Jobs[0])
	best := -1
	for t, length := range class.Iteration {
		if s.Suits(t, g.Jobs...) && (g.Type == AnyType || g.Type == t) && free[t] >= class.GPUs &&
			(best < 0 || length < class.Iteration[best]) {
			best = t
		}
	}
	return best
}

// add starts groups beside the running ones.
func (s *sim) add(d Decision) {
	for _, want := range d.Groups {
		gpus := s.ClassOf(want.Jobs[0]).GPUs
		var place []slot
		kind := s.kindFor(want, s.placer.total)
		if kind >= 0 {
			place = s.placer.find(gpus, kind)
		}
		if place == nil {
			if d.Strict {
				return
			}
			continue
		}
		s.begin(&group{jobs: want.Jobs, kind: kind, gpus: gpus, place: place}, nil)
	}
}

// replace runs the requested groups, as far as they fit, in place of the running
// ones. Groups stay where they are if possible; larger ones are placed first,
// since a small one fits where a large one does not.
func (s *sim) replace(d Decision) {
	wishes, rest := s.choose(d)
	kept := map[*group]bool{}
	for k := range wishes {
		w := &wishes[k]
		for _, i := range w.jobs {
			if old := s.runs[i].group; old != nil && old.kind == w.kind && old.gpus == w.gpus && !kept[old] {
				w.old, kept[old] = old, true
				break
			}
		}
	}
	s.placer.clear()
	order := make([]*wish, len(wishes))
	for k := range wishes {
		order[k] = &wishes[k]
		if w := order[k]; w.old != nil {
			s.placer.claims(w.old.place, 1)
		}
	}
	stay := func(w *wish) int {
		if w.old != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b *wish) int {
		return cmp.Or(cmp.Compare(b.gpus, a.gpus), cmp.Compare(stay(a), stay(b)), cmp.Compare(a.rank, b.rank))
	})
	for _, w := range order {
		if w.old != nil {
			s.placer.claims(w.old.place, -1)
		}
		if w.old != nil && s.placer.fits(w.old.place) {
			w.place = w.old.place
		} else {
			w.place = s.placer.find(w.gpus, w.kind)
		}
		s.placer.take(w.place)
		w.placed = w.place != nil
	}
	// Groups that were skipped, or did not fit beside the others, fill the gaps.
	for k := range wishes {
		if !wishes[k].placed {
			rest = append(rest, Group{wishes[k].jobs, wishes[k].kind})
		}
	}
	wishes = slices.DeleteFunc(wishes, func(w wish) bool { return !w.placed })
	if !d.Strict {
		for _, g := range rest {
			gpus := s.ClassOf(g.Jobs[0]).GPUs
			kind := s.kindFor(g, s.placer.total)
			if kind < 0 {
				continue
			}
			if place := s.placer.find(gpus, kind); place != nil {
				s.placer.take(place)
				wishes = append(wishes, wish{group: &group{jobs: g.Jobs, kind: kind, gpus: gpus, place: place}})
			}
		}
	}
	s.swap(wishes)
}

// choose takes groups in order of urgency while there are GPUs for them,
// regardless of location, and returns the others separately.
func (s *sim) choose(d Decision) (wishes []wish, rest []Group) {
	free := s.Cluster.GPUs()
	for rank, g := range d.Groups {
		kind := s.kindFor(g, free)
		if kind < 0 {
			if d.Strict {
				break
			}
			rest = append(rest, g)
			continue
		}
		gpus := s.ClassOf(g.Jobs[0]).GPUs
		free[kind] -= gpus
		wishes = append(wishes, wish{group: &group{jobs: g.Jobs, kind: kind, gpus: gpus}, rank: rank})
	}
	return wishes, rest
}

// swap stops running groups that are not wished for, and starts those that are.
func (s *sim) swap(wishes []wish) {
	// A group that is wished for unchanged continues as if nothing had happened.
	same := map[*group]bool{}
	for k := range wishes {
		w := &wishes[k]
		if w.old != nil && slices.Equal(w.jobs, w.old.jobs) && slices.Equal(w.place, w.old.place) {
			same[w.old] = true
			w.group = w.old
		}
	}
	where := map[int][]slot{} // previous places of running jobs
	stopped := s.groups
	s.groups, s.held = nil, 0
	s.placer.clear()
	for _, g := range stopped {
		if same[g] {
			s.put(g)
			continue
		}
		for _, i := range g.jobs {
			where[i] = g.place
			r := &s.runs[i]
			r.done, r.from = r.at(s.Now), max(r.from, s.Now)
			r.group = nil
			r.served += s.Now - r.since
			r.version++
		}
	}
	for k := range wishes {
		if w := &wishes[k]; !same[w.group] {
			s.begin(w.group, where)
		}
	}
	for _, g := range stopped {
		for _, i := range g.jobs {
			if s.runs[i].group == nil {
				s.truncate(i)
			}
		}
	}
}

// truncate removes the current iteration of job i, which stops or moves.
func (s *sim) truncate(i int) {
	r := &s.runs[i]
	done := math.Floor(r.done + whole)
	s.result.Lost += max(0, r.done-done) * r.period * float64(s.ClassOf(i).GPUs)
	r.done = done
}

// begin runs a group. where gives the previous places of its jobs.
func (s *sim) begin(g *group, where map[int][]slot) {
	s.put(g)
	restarting := map[int]bool{}
	for _, i := range g.jobs {
		r := &s.runs[i]
		place, ran := where[i]
		if !ran || !slices.Equal(place, g.place) || s.config.RestartAll {
			s.restart(i, restarting)
		}
		r.group, r.since = g, s.Now
	}
	s.pace(g, restarting)
}

// restart counts a start of job i and, if it has a cost, adds the job to
// restarting.
func (s *sim) restart(i int, restarting map[int]bool) {
	r := &s.runs[i]
	s.truncate(i)
	r.from = s.Now
	r.starts++
	if r.starts > 1 || s.config.RestartAll {
		restarting[i] = true
	}
	if s.result.Start[i] < 0 {
		s.result.Start[i] = s.Now
	}
}

// observe calls the observer with the running groups.
func (s *sim) observe() {
	holdings := make([]Holding, 0, len(s.groups))
	for _, g := range s.groups {
		h := Holding{Jobs: slices.Clone(g.jobs), GPUs: map[int]int{}}
		for _, part := range g.place {
			h.GPUs[part.node] += part.gpus
		}
		holdings = append(holdings, h)
	}
	s.config.Observe(s.Now, holdings)
}
