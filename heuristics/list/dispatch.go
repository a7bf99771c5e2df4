package list

import (
	"context"
	"errors"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Dispatcher is the event-driven decoder: it moves through time and, whenever a
// GPU is idle, starts the waiting task with the best key there; see doc.go.
type Dispatcher struct {
	in     *instance.Instance
	layout *state.Layout
	gang   bool // some job is a gang

	d   *Decision
	out *Record
	now instance.Tick
	// events is a min-heap of future events by time.
	events []event

	jobs []jobState
	// Per worker slot.
	gpu     []int32         // where it lives
	limit   []uint8         // deepest depth allowed there
	mean    []instance.Tick // of its tasks
	waiting []bool          // its task of the current iteration has not started
	// Per GPU.
	residents [][]resident
	queued    []int32         // waiting residents
	free      []instance.Tick // end of its task
	remaining []instance.Tick // mean ticks of tasks not yet started
	wake      []instance.Tick // when to examine it again
	isDirty   []bool
	dirty     []int32 // idle GPUs to examine now
	// Per link.
	traffic state.Traffic
	queue   [][]waitingSync // syncs that wait for capacity
	users   [][]int32       // jobs whose syncs take more than half of it, if the decision has a lead
	stale   []int32         // links to foresee now
	claim   []claim
	syncs   []int32 // jobs whose sync is to be examined now
	inSync  []bool  // per job: in syncs
	order   []int32 // scratch
	seen    []bool  // scratch, per job

	stays *stays        // nil: memory holds all jobs at once
	until instance.Tick // when to stop; 0: at the end
}

// resident is a worker on its GPU.
type resident struct {
	job  int32
	slot int32
}

// jobState is the progress of a job. Lengths of its synchronisations and tasks
// are fixed by its placement and multiset.
type jobState struct {
	key       int64
	slot      int32 // its first worker
	k         int32
	iteration int32 // counts from 0
	total     int32
	left      int32         // tasks of this iteration not yet started
	ends      instance.Tick // latest end of the tasks started so far
	// postponed is the time until which its tasks yield to those of others.
	postponed instance.Tick
	longest   instance.Tick // its full-depth task
	syncing   bool
	// next is the time from which the next iteration may start: a lower estimate
	// until the synchronisation has started; -1 if unknown.
	next   instance.Tick
	waits  bool // its synchronisation waits for capacity
	even   bool // its depths are assigned by the work left on its GPUs
	gang   bool
	counts []int32 // per depth: tasks of this iteration not yet started
	uses   []instance.LinkUse
	// syncs are the rate levels the job may use, from that with index fastest on.
	syncs   []state.SyncLevel
	fastest int
}

type event struct {
	at   instance.Tick
	kind eventKind
	id   int32
}

type eventKind uint8

const (
	gpuFree   eventKind = iota
	arrival             // a job is released, and may enter memory
	ready               // an iteration may start
	syncReady           // all tasks of an iteration have ended
	syncEnd
)

// NewDispatcher returns a decoder for one goroutine.
func NewDispatcher(in *instance.Instance, l *state.Layout) *Dispatcher {
	s := &Dispatcher{
		in: in, layout: l,
		jobs: make([]jobState, len(in.Jobs)), inSync: make([]bool, len(in.Jobs)), seen: make([]bool, len(in.Jobs)),
		gpu: make([]int32, l.Slots), limit: make([]uint8, l.Slots), mean: make([]instance.Tick, l.Slots), waiting: make([]bool, l.Slots),
		residents: make([][]resident, len(in.GPUs)),
		queued:    make([]int32, len(in.GPUs)), free: make([]instance.Tick, len(in.GPUs)),
		remaining: make([]instance.Tick, len(in.GPUs)), wake: make([]instance.Tick, len(in.GPUs)),
		isDirty: make([]bool, len(in.GPUs)),
		traffic: state.NewTraffic(in),
		queue:   make([][]waitingSync, len(in.Links)), claim: make([]claim, len(in.Links)), users: make([][]int32, len(in.Links)),
	}
	for j := range in.Jobs {
		s.gang = s.gang || in.Jobs[j].Gang && in.Jobs[j].Workers > 1
		s.jobs[j].counts = make([]int32, len(in.Jobs[j].Depths))
		s.jobs[j].syncs = make([]state.SyncLevel, 0, len(in.RateLevels))
	}
	return s
}

// reset prepares the state for a decision.
func (s *Dispatcher) reset(d *Decision, out *Record) {
	s.d, s.out, s.now = d, out, 0
	out.where = d.Where
	s.events, s.dirty, s.syncs, s.stale = s.events[:0], s.dirty[:0], s.syncs[:0], s.stale[:0]
	clear(s.queued)
	clear(s.free)
	clear(s.remaining)
	clear(s.isDirty)
	clear(s.inSync)
	s.traffic.Clear()
	clear(s.waiting)
	if s.stays != nil {
		s.stays.clear()
	}
	for g := range s.wake {
		s.wake[g] = -1
		s.residents[g] = s.residents[g][:0]
	}
	for l := range s.claim {
		s.claim[l].job = -1
		s.queue[l], s.users[l] = s.queue[l][:0], s.users[l][:0]
	}
}

// admit enters job j on its GPUs, which must be set in the decision.
func (s *Dispatcher) admit(j int) {
	in, d := s.in, s.d
	job, js := &in.Jobs[j], &s.jobs[j]
	*js = jobState{
		slot: int32(s.layout.SlotAt[j]), k: int32(job.Workers), total: int32(job.Iterations), next: job.Release,
		gang: job.Gang && job.Workers > 1, iteration: -1, key: d.key(int32(j), 0),
		counts: js.counts, uses: d.Where.Span[j].Uses, syncs: d.syncs(js.syncs[:0], in, j), fastest: d.fastest(j),
	}
	for n, g := range d.Where.GPUs[j] {
		slot := s.layout.SlotAt[j] + n
		s.gpu[slot], s.limit[slot] = int32(g), uint8(d.Where.Limit[j][n])
		s.residents[g] = append(s.residents[g], resident{int32(j), int32(slot)})
		s.mean[slot] = state.MeanTime(job, in.GPUs[g].Type, d.Counts[j])
		s.remaining[g] += instance.Tick(job.Iterations) * s.mean[slot]
		js.longest = max(js.longest, job.On[in.GPUs[g].Type].Time[job.Full()])
	}
	if d.lead > 0 && len(js.syncs) > 0 {
		for _, u := range js.uses {
			if 2*js.syncs[0].Rate*instance.Rate(u.Times) > in.Capacity(u.Link) {
				s.users[u.Link] = append(s.users[u.Link], int32(j))
			}
		}
	}
	js.even = d.Even && !slices.ContainsFunc(d.Where.Limit[j], func(limit int) bool { return limit < job.Full() })
}

// Decode implements [decoder]. It gives up with [ErrHopeless] once the makespan
// appears to exceed d.Latest.
func (s *Dispatcher) Decode(ctx context.Context, d *Decision, out *Record) error {
	s.reset(d, out)
	for j := range s.in.Jobs {
		if s.in.Jobs[j].Iterations == 0 { // it only holds memory
			continue
		}
		s.admit(j)
		if s.stays == nil {
			s.push(event{s.in.Jobs[j].Release, ready, int32(j)})
		} else {
			s.jobs[j].next = -1
			s.push(event{s.in.Jobs[j].Release, arrival, int32(j)})
		}
	}
	return s.run(ctx)
}

// run processes events until there are none.
func (s *Dispatcher) run(ctx context.Context) error {
	for rounds := 0; len(s.events) > 0; rounds++ {
		if rounds&0x3ff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.d.Latest > 0 && rounds&0x3f == 0 && s.hopeless() {
			return ErrHopeless
		}
		if s.now = s.events[0].at; s.until > 0 && s.now > s.until {
			return nil
		}
		for len(s.events) > 0 && s.events[0].at == s.now {
			s.happen(s.pop())
		}
		if s.stays != nil && s.stays.changed {
			s.enter()
		}
		if len(s.syncs) > 0 {
			s.startSyncs()
		}
		if len(s.stale) > 0 {
			s.foresee()
		}
		if len(s.dirty) > 0 {
			if s.gang {
				s.startInOrder()
			} else {
				s.startTasks()
			}
		}
	}
	return nil
}

// ErrHopeless ends a decoding whose schedule would end too late.
var ErrHopeless = errors.New("heuristics: the schedule would end too late")

// hopeless reports whether the remaining work, with mean task times, ends after
// the latest end permitted.
func (s *Dispatcher) hopeless() bool {
	sum := instance.Tick(0)
	for g, work := range s.remaining {
		sum += max(s.now, s.free[g]) + work
	}
	return sum > s.d.Latest*instance.Tick(len(s.remaining)) || s.now > s.d.Latest
}

// happen applies one event to the state. Nothing starts before all events of a
// tick have happened.
func (s *Dispatcher) happen(e event) {
	switch e.kind {
	case gpuFree:
		s.touch(e.id)
	case arrival:
		s.arrive(e.id)
	case ready:
		s.begin(e.id)
	case syncReady:
		s.look(e.id)
	case syncEnd:
		job := &s.jobs[e.id]
		s.traffic.End(e.id, job.uses)
		for _, u := range job.uses {
			// Drop waiting entries that have started since, examine the others.
			kept := s.queue[u.Link][:0]
			for _, w := range s.queue[u.Link] {
				if o := &s.jobs[w.job]; o.waits && o.iteration == w.iteration {
					kept = append(kept, w)
					s.look(w.job)
				}
			}
			s.queue[u.Link] = kept
		}
		s.begin(e.id)
	}
}

// begin makes the next iteration of job j ready, or ends the job.
func (s *Dispatcher) begin(j int32) {
	job := &s.jobs[j]
	job.iteration++
	job.next = -1
	if job.iteration == job.total {
		s.out.Completion[j] = s.now
		s.leave(j)
		if s.stays != nil {
			s.depart(j)
		}
		return
	}
	job.key = s.d.key(j, job.iteration)
	job.left, job.ends, job.postponed, job.syncing = job.k, 0, 0, false
	s.change(job)
	for d, n := range s.d.Counts[j] {
		job.counts[d] = int32(n)
	}
	for slot := job.slot; slot < job.slot+job.k; slot++ {
		s.waiting[slot] = true
		g := s.gpu[slot]
		s.queued[g]++
		s.touch(g)
	}
}

// leave removes a finished job from its GPUs' lists, to shorten the searches
// there.
func (s *Dispatcher) leave(j int32) {
	job := &s.jobs[j]
	for slot := job.slot; slot < job.slot+job.k; slot++ {
		list := s.residents[s.gpu[slot]]
		for i := range list {
			if list[i].job == j {
				list[i] = list[len(list)-1]
				s.residents[s.gpu[slot]] = list[:len(list)-1]
				break
			}
		}
	}
}

// touch marks an idle GPU to be examined.
func (s *Dispatcher) touch(g int32) {
	if !s.isDirty[g] && s.queued[g] > 0 && s.free[g] <= s.now {
		s.isDirty[g] = true
		s.dirty = append(s.dirty, g)
	}
}

// look marks a synchronisation to be examined.
func (s *Dispatcher) look(j int32) {
	if !s.inSync[j] {
		s.inSync[j] = true
		s.syncs = append(s.syncs, j)
	}
}

// push adds an event to the heap.
func (s *Dispatcher) push(e event) {
	h := append(s.events, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if h[parent].at <= e.at {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	s.events = h
}

// pop removes the earliest event.
func (s *Dispatcher) pop() event {
	h := s.events
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	s.events = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		least := c
		for n := c + 1; n < min(c+4, len(h)); n++ {
			if h[n].at < h[least].at {
				least = n
			}
		}
		if last.at <= h[least].at {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}
