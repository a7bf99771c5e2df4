package baseline

import (
	"cmp"
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// policy decides when and where jobs start. It is notified of each event, and then
// asked.
type policy interface {
	arrive(j instance.JobID)
	end(j instance.JobID)
	// admit starts the jobs that are to start now.
	admit(s *simulator)
}

// simulator runs whole jobs on GPUs of their own, event by event: the tasks of an
// iteration start together, its synchronisation when they have ended and its links have
// room, and the next iteration when that has ended.
type simulator struct {
	*problem
	policy policy
	rank   []int // per job: priority of its synchronisations
	now    instance.Tick
	events []event // heap
	jobs   []progress
	asking []instance.JobID // jobs whose synchronisations may start now

	traffic state.Traffic
	waiting [][]instance.JobID // per link: jobs that wait for it; some may have started since
	left    int                // jobs that have not ended
	// completed is when each job ended.
	completed []instance.Tick
}

// progress of a job.
type progress struct {
	site
	depths    []int // per GPU of the site
	task      instance.Tick
	levels    []state.SyncLevel
	ready     bool // the tasks of the iteration have ended, its synchronisation has not begun
	iteration int
	// Per iteration: the starts of its tasks and its synchronisation, and the latter's
	// level.
	starts, syncs []instance.Tick
	rates         []uint8
}

type eventKind uint8

const (
	arrival eventKind = iota
	computed
	synchronised
)

type event struct {
	at   instance.Tick
	job  instance.JobID
	kind eventKind
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.job < o.job }

// simulate runs the jobs under a policy. rank is the priority of synchronisations. The
// error is that of the context. Jobs that the policy never starts do not end.
func simulate(ctx context.Context, p *problem, rank []int, by policy) (*simulator, error) {
	s := &simulator{
		problem: p, policy: by, rank: rank, jobs: make([]progress, len(p.in.Jobs)), left: len(p.in.Jobs), completed: make([]instance.Tick, len(p.in.Jobs)),
		traffic: state.NewTraffic(p.in), waiting: make([][]instance.JobID, len(p.in.Links)),
	}
	for j := range p.in.Jobs {
		s.events = append(s.events, event{p.in.Jobs[j].Release, instance.JobID(j), arrival})
	}
	state.Heapify(s.events, event.before)
	for rounds := 0; len(s.events) > 0; rounds++ {
		if rounds&0xff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.now = s.events[0].at
		// Jobs that end free their GPUs before others start at the same tick.
		for len(s.events) > 0 && s.events[0].at == s.now {
			s.happen(state.Pop(&s.events, event.before))
		}
		by.admit(s)
		s.synchronise()
	}
	return s, nil
}

func (s *simulator) happen(e event) {
	switch e.kind {
	case arrival:
		s.policy.arrive(e.job)
	case computed:
		s.jobs[e.job].ready = true
		s.asking = append(s.asking, e.job)
	case synchronised:
		job := &s.jobs[e.job]
		s.traffic.End(int32(e.job), job.span.Uses)
		for _, u := range job.span.Uses {
			s.asking = append(s.asking, s.waiting[u.Link]...)
			s.waiting[u.Link] = s.waiting[u.Link][:0]
		}
		s.next(e.job)
	}
}

// start runs job j at the site from now on.
func (s *simulator) start(j instance.JobID, at site) {
	job, spec := &s.jobs[j], &s.in.Jobs[j]
	job.site, job.iteration, job.depths = at, -1, s.deal(j, at.gpus)
	for n, g := range at.gpus {
		job.task = max(job.task, spec.On[s.in.GPUs[g].Type].Time[job.depths[n]])
	}
	job.starts = make([]instance.Tick, 0, spec.Iterations)
	if spec.HasSync() {
		job.syncs, job.rates = make([]instance.Tick, 0, spec.Iterations), make([]uint8, 0, spec.Iterations)
		job.levels = state.AppendSyncLevels(job.levels, s.in, spec, s.counts[j], &at.span, 0)
	}
	s.next(j)
}

// next begins the next iteration of job j, or ends it.
func (s *simulator) next(j instance.JobID) {
	job, spec := &s.jobs[j], &s.in.Jobs[j]
	job.iteration++
	at := s.now
	if !spec.HasSync() || job.levels[0].Length == 0 {
		// Nothing has to wait: simulate the iterations without events.
		for ; job.iteration < spec.Iterations; job.iteration++ {
			job.starts = append(job.starts, at)
			at += job.task
			if spec.HasSync() {
				job.syncs, job.rates = append(job.syncs, at), append(job.rates, 0)
			}
		}
		if at > s.now {
			job.iteration--
			state.Push(&s.events, event{at, j, synchronised}, event.before)
			job.levels = append(job.levels[:0], state.SyncLevel{})
			return
		}
	}
	if job.iteration == spec.Iterations {
		s.completed[j] = s.now
		s.left--
		s.policy.end(j)
		return
	}
	job.starts = append(job.starts, s.now)
	state.Push(&s.events, event{s.now + job.task, j, computed}, event.before)
}

// synchronise starts as many as possible of the synchronisations that may start.
func (s *simulator) synchronise() {
	if len(s.asking) == 0 {
		return
	}
	slices.SortFunc(s.asking, func(a, b instance.JobID) int { return cmp.Compare(s.rank[a], s.rank[b]) })
	s.asking = slices.Compact(s.asking)
	for _, j := range s.asking {
		if s.jobs[j].ready { // otherwise it has started since
			s.trySync(j)
		}
	}
	s.asking = s.asking[:0]
}

// trySync starts the synchronisation of job j at the level that ends it first, or leaves
// it waiting.
func (s *simulator) trySync(j instance.JobID) {
	job := &s.jobs[j]
	at := slices.IndexFunc(job.levels, func(l state.SyncLevel) bool { return s.room(job, l.Rate) })
	// Waiting for full speed may end sooner.
	if at < 0 || at > 0 && s.traffic.RoomAt(s.now, job.span.Uses, job.levels[0].Rate)+job.levels[0].Length < s.now+job.levels[at].Length {
		for _, u := range job.span.Uses {
			s.waiting[u.Link] = append(s.waiting[u.Link], j)
		}
		return
	}
	end := s.now + job.levels[at].Length
	job.ready = false
	job.syncs, job.rates = append(job.syncs, s.now), append(job.rates, uint8(at))
	s.traffic.Begin(int32(j), job.span.Uses, job.levels[at].Rate, end)
	state.Push(&s.events, event{end, j, synchronised}, event.before)
}

func (s *simulator) room(job *progress, rate instance.Rate) bool {
	return !slices.ContainsFunc(job.span.Uses, func(u instance.LinkUse) bool {
		return s.traffic.Load[u.Link]+rate*instance.Rate(u.Times) > s.in.Capacity(u.Link)
	})
}

// schedule returns the simulated schedule. All jobs must have ended.
func (s *simulator) schedule() *instance.Schedule {
	in := s.in
	out := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for j := range in.Jobs {
		job, spec, id := &s.jobs[j], &in.Jobs[j], instance.JobID(j)
		out.Residency[j] = job.gpus
		volume := instance.Bytes(0)
		if spec.HasSync() {
			volume = spec.Volume(s.counts[j], job.span.Parties)
		}
		for i, start := range job.starts {
			for n, g := range job.gpus {
				out.Tasks = append(out.Tasks, in.Task(id, i+1, g, job.depths[n], start))
			}
			if spec.HasSync() {
				rate := in.RateLevels[job.rates[i]]
				out.Syncs = append(out.Syncs, instance.Sync{
					Job: id, Iteration: i + 1, Start: job.syncs[i], End: job.syncs[i] + in.SyncTicks(volume, job.span.Rate(rate)), Rate: rate,
				})
			}
		}
	}
	return out
}
