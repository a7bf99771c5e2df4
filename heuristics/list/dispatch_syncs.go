package list

import (
	"slices"

	"jigsaw/formulation/instance"
)

type waitingSync struct {
	job, iteration int32
}

// claim reserves capacity of a link for a waiting sync from a time on, against
// those with worse keys.
type claim struct {
	job  int32 // -1: none
	at   instance.Tick
	rate instance.Rate
}

// startSyncs starts those of the marked synchronisations that fit, best key
// first.
func (s *Dispatcher) startSyncs() {
	if len(s.syncs) > 1 {
		slices.SortFunc(s.syncs, s.compare)
	}
	for _, j := range s.syncs {
		s.inSync[j] = false
		s.trySync(j)
	}
	s.syncs = s.syncs[:0]
}

// trySync starts the synchronisation of job j at the level that ends it
// first, or leaves it waiting with a claim on its links.
func (s *Dispatcher) trySync(j int32) {
	job := &s.jobs[j]
	level := -1
	for n := range job.syncs {
		if s.fits(j, n) {
			level = n
			break
		}
	}
	if level != 0 {
		// Waiting for full speed may still end sooner.
		at := s.traffic.RoomAt(s.now, job.uses, job.syncs[0].Rate)
		if level < 0 || at+job.syncs[0].Length < s.now+job.syncs[level].Length {
			s.wait(j, at)
			return
		}
	}
	job.next = s.now + job.syncs[level].Length
	y := s.layout.SyncAt[j] + int(job.iteration)
	s.out.times.SyncStart[y], s.out.times.SyncEnd[y], s.out.times.Level[y] = s.now, job.next, uint8(job.fastest+level)
	s.traffic.Begin(j, job.uses, job.syncs[level].Rate, job.next)
	for _, u := range job.uses {
		if s.claim[u.Link].job == j {
			s.claim[u.Link].job = -1
		}
	}
	job.waits, job.syncing = false, true
	s.change(job)
	s.push(event{job.next, syncEnd, j})
}

// fits reports whether the sync of job j can start now at rate level n without
// delaying one with a better key that has a claim.
func (s *Dispatcher) fits(j int32, n int) bool {
	job := &s.jobs[j]
	end := s.now + job.syncs[n].Length
	if end == s.now {
		return true
	}
	for _, u := range job.uses {
		need := s.traffic.Load[u.Link] + job.syncs[n].Rate*instance.Rate(u.Times)
		capacity := s.in.Capacity(u.Link)
		if need > capacity {
			return false
		}
		if c := &s.claim[u.Link]; c.job >= 0 && c.job != j && end > c.at && need+c.rate > capacity && s.before(c.job, j) {
			return false
		}
	}
	return true
}

// wait leaves the sync of job j waiting for its links, with claims from tick at on.
func (s *Dispatcher) wait(j int32, at instance.Tick) {
	job := &s.jobs[j]
	job.next = max(job.next, at+job.syncs[0].Length)
	for _, u := range job.uses {
		c := &s.claim[u.Link]
		if c.job < 0 || c.job == j || s.before(j, c.job) {
			*c = claim{j, at, job.syncs[0].Rate * instance.Rate(u.Times)}
		}
		if !job.waits {
			s.queue[u.Link] = append(s.queue[u.Link], waitingSync{j, job.iteration})
		}
	}
	job.waits = true
}

// change marks the links of a job to be foreseen.
func (s *Dispatcher) change(job *jobState) {
	if s.d.lead == 0 || len(job.syncs) == 0 {
		return
	}
	for _, u := range job.uses {
		if len(s.users[u.Link]) > 1 && !slices.Contains(s.stale, int32(u.Link)) {
			s.stale = append(s.stale, int32(u.Link))
		}
	}
}

// foresee postpones tasks on the marked links, which serve one synchronisation at a time, in the order of keys. A task that is
// done long before its synchronisation can start has only kept others from the GPU.
func (s *Dispatcher) foresee() {
	for _, l := range s.stale {
		users, turn := s.users[l], max(s.now, s.traffic.Last(instance.LinkID(l)))
		slices.SortFunc(users, s.compare)
		for _, j := range users {
			if job := &s.jobs[j]; !job.syncing && job.iteration >= 0 && job.iteration < job.total {
				job.postponed = max(job.postponed, turn-job.longest*instance.Tick(s.d.lead)/4)
				turn += job.syncs[0].Length
			}
		}
	}
	s.stale = s.stale[:0]
}
