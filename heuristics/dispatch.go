package heuristics

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// dispatcher is the event-driven decoder: it moves through time and, whenever
// a GPU is idle, starts the waiting task of the best key there; see doc.go.
type dispatcher struct {
	in     *instance.Instance
	layout *layout
	gang   bool // some job is a gang

	d   *decision
	out *record
	now instance.Tick
	// events to come: a min-heap by time.
	events []event

	jobs []jobState
	// Per worker slot.
	gpu     []int32         // where it lives
	limit   []uint8         // deepest depth allowed there
	mean    []instance.Tick // of its tasks
	waiting []bool          // its task of the current iteration has not started
	// Per GPU.
	residents [][]resident
	queued    []int32         // residents that wait
	free      []instance.Tick // when its task ends
	remaining []instance.Tick // mean ticks of tasks not yet started
	wake      []instance.Tick // when it is to look again
	isDirty   []bool
	dirty     []int32 // idle GPUs to look at now
	// Per link.
	load   []instance.BitRate // rates of the running syncs
	active [][]activeSync     // running syncs, by ascending end
	queue  [][]waitingSync    // syncs that wait for capacity
	claim  []claim
	syncs  []int32 // jobs whose sync is to be looked at now
	inSync []bool  // per job: in syncs
	order  []int32 // scratch
	seen   []bool  // scratch, per job
}

// resident is a worker as its GPU sees it.
type resident struct {
	job  int32
	slot int32
}

// jobState is the progress of a job. Times of its synchronisations and tasks
// are fixed by its placement and multiset.
type jobState struct {
	key       int64
	slot      int32 // its first worker
	k         int32
	iteration int32 // counts from 0
	total     int32
	left      int32         // tasks of this iteration not yet started
	ends      instance.Tick // of the tasks started so far, the latest end
	// next is the time from which the next iteration may start: an estimate
	// from below until the synchronisation has started; -1 if unknown.
	next   instance.Tick
	waits  bool // its synchronisation waits for capacity
	even   bool // its depths are dealt by the work left on its GPUs
	gang   bool
	rate   instance.BitRate
	counts []int32 // per depth: tasks of this iteration not yet started
	uses   []instance.LinkUse
	// syncs are the speeds the job may use, from that with index fastest on.
	syncs   []syncLevel
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
	ready               // an iteration may start
	syncReady           // all tasks of an iteration have ended
	syncEnd
	arrival // of a job at a queue
)

type activeSync struct {
	end  instance.Tick
	rate instance.BitRate // on this link
	job  int32
}

type waitingSync struct {
	job, iteration int32
}

// claim keeps capacity of a link for a waiting sync from a time on, against
// those of worse keys.
type claim struct {
	job  int32 // -1: none
	at   instance.Tick
	rate instance.BitRate
}

// never is later than every event.
const never = instance.Tick(math.MaxInt64)

func newDispatcher(in *instance.Instance, l *layout) *dispatcher {
	s := &dispatcher{
		in: in, layout: l,
		jobs: make([]jobState, len(in.Jobs)), inSync: make([]bool, len(in.Jobs)), seen: make([]bool, len(in.Jobs)),
		gpu: make([]int32, l.slots), limit: make([]uint8, l.slots), mean: make([]instance.Tick, l.slots), waiting: make([]bool, l.slots),
		residents: make([][]resident, len(in.GPUs)),
		queued:    make([]int32, len(in.GPUs)), free: make([]instance.Tick, len(in.GPUs)),
		remaining: make([]instance.Tick, len(in.GPUs)), wake: make([]instance.Tick, len(in.GPUs)),
		isDirty: make([]bool, len(in.GPUs)),
		load:    make([]instance.BitRate, len(in.Links)), active: make([][]activeSync, len(in.Links)),
		queue: make([][]waitingSync, len(in.Links)), claim: make([]claim, len(in.Links)),
	}
	for j := range in.Jobs {
		s.gang = s.gang || in.Jobs[j].Gang && in.Jobs[j].Workers > 1
		s.jobs[j].counts = make([]int32, len(in.Jobs[j].Depths))
		s.jobs[j].syncs = make([]syncLevel, 0, len(in.RateLevels))
	}
	return s
}

// reset prepares the state for a decision.
func (s *dispatcher) reset(d *decision, out *record) {
	s.d, s.out, s.now = d, out, 0
	out.where, out.counts = d.where, d.counts
	s.events, s.dirty, s.syncs = s.events[:0], s.dirty[:0], s.syncs[:0]
	clear(s.queued)
	clear(s.free)
	clear(s.remaining)
	clear(s.isDirty)
	clear(s.inSync)
	clear(s.load)
	clear(s.waiting)
	for g := range s.wake {
		s.wake[g] = -1
		s.residents[g] = s.residents[g][:0]
	}
	for l := range s.claim {
		s.claim[l].job = -1
		s.active[l], s.queue[l] = s.active[l][:0], s.queue[l][:0]
	}
}

// admit makes job j known to its GPUs, which must be set in the decision.
func (s *dispatcher) admit(j int) {
	in, d := s.in, s.d
	job, state := &in.Jobs[j], &s.jobs[j]
	*state = jobState{
		slot: int32(s.layout.slotAt[j]), k: int32(job.Workers), total: int32(job.Iterations), next: job.Release,
		gang: job.Gang && job.Workers > 1, iteration: -1, key: d.key(int32(j), 0),
		counts: state.counts, uses: d.where.span[j].Uses, syncs: d.syncs(state.syncs[:0], in, j), fastest: d.fastest(j),
	}
	for n, g := range d.where.gpus[j] {
		slot := s.layout.slotAt[j] + n
		s.gpu[slot], s.limit[slot] = int32(g), uint8(d.where.limit[j][n])
		s.residents[g] = append(s.residents[g], resident{int32(j), int32(slot)})
		s.mean[slot] = meanTime(job, in.GPUs[g].Type, d.counts[j])
		s.remaining[g] += instance.Tick(job.Iterations) * s.mean[slot]
	}
	state.even = d.even && !slices.ContainsFunc(d.where.limit[j], func(limit int) bool { return limit < job.Full() })
}

// decode implements [decoder]. It gives up with errHopeless once the makespan looks
// like passing d.latest.
func (s *dispatcher) decode(ctx context.Context, d *decision, out *record) error {
	s.reset(d, out)
	for j := range s.in.Jobs {
		s.admit(j)
		s.push(event{s.in.Jobs[j].Release, ready, int32(j)})
	}
	return s.run(ctx, nil)
}

// run lets time pass until nothing happens any more. A queue decides when
// jobs start; without one they all may from their release on.
func (s *dispatcher) run(ctx context.Context, q *queue) error {
	for rounds := 0; len(s.events) > 0; rounds++ {
		if rounds&0x3ff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.d.latest > 0 && rounds&0x3f == 0 && s.hopeless() {
			return errHopeless
		}
		s.now = s.events[0].at
		for len(s.events) > 0 && s.events[0].at == s.now {
			s.happen(s.pop(), q)
		}
		if q != nil {
			q.admit(s)
		}
		if len(s.syncs) > 0 {
			s.startSyncs()
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

// errHopeless is why a decoding ends that would come out too late.
var errHopeless = errors.New("heuristics: the schedule would end too late")

// hopeless reports whether the work to come, at the mean of its depths, goes
// beyond the latest end asked for.
func (s *dispatcher) hopeless() bool {
	sum := instance.Tick(0)
	for g, work := range s.remaining {
		sum += max(s.now, s.free[g]) + work
	}
	return sum > s.d.latest*instance.Tick(len(s.remaining)) || s.now > s.d.latest
}

// happen applies one event to the state. Nothing starts before all events of
// a tick have happened.
func (s *dispatcher) happen(e event, q *queue) {
	switch e.kind {
	case arrival:
		q.arrive(instance.JobID(e.id))
	case gpuFree:
		s.touch(e.id)
	case ready:
		s.begin(e.id)
		if q != nil && s.jobs[e.id].iteration == s.jobs[e.id].total {
			q.end(instance.JobID(e.id))
		}
	case syncReady:
		s.look(e.id)
	case syncEnd:
		job := &s.jobs[e.id]
		for _, u := range job.uses {
			rate := job.rate * instance.BitRate(u.Times)
			s.load[u.Link] -= rate
			list := s.active[u.Link]
			for i := range list {
				if list[i].job == e.id {
					s.active[u.Link] = append(list[:i], list[i+1:]...)
					break
				}
			}
			// Forget waiting entries that have started since, look at the others.
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
		if q != nil && s.jobs[e.id].iteration == s.jobs[e.id].total {
			q.end(instance.JobID(e.id))
		}
	}
}

// begin makes the next iteration of job j ready, or ends the job.
func (s *dispatcher) begin(j int32) {
	job := &s.jobs[j]
	job.iteration++
	job.next = -1
	if job.iteration == job.total {
		s.out.completion[j] = s.now
		s.leave(j)
		return
	}
	job.key = s.d.key(j, job.iteration)
	job.left, job.ends = job.k, 0
	for d, n := range s.d.counts[j] {
		job.counts[d] = int32(n)
	}
	for slot := job.slot; slot < job.slot+job.k; slot++ {
		s.waiting[slot] = true
		g := s.gpu[slot]
		s.queued[g]++
		s.touch(g)
	}
}

// leave takes a finished job off its GPUs' lists, to shorten the searches there.
func (s *dispatcher) leave(j int32) {
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

// touch notes an idle GPU to look at.
func (s *dispatcher) touch(g int32) {
	if !s.isDirty[g] && s.queued[g] > 0 && s.free[g] <= s.now {
		s.isDirty[g] = true
		s.dirty = append(s.dirty, g)
	}
}

// look notes a synchronisation to look at.
func (s *dispatcher) look(j int32) {
	if !s.inSync[j] {
		s.inSync[j] = true
		s.syncs = append(s.syncs, j)
	}
}

// before reports whether job a goes first.
func (s *dispatcher) before(a, b int32) bool {
	return s.jobs[a].key < s.jobs[b].key || s.jobs[a].key == s.jobs[b].key && a < b
}

// startTasks looks at every touched GPU on its own. GPUs with the least work
// still to come go first: the first to start an iteration take its deepest tasks.
func (s *dispatcher) startTasks() {
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

// serve starts the task of the best key that waits on idle GPU g, unless it is
// worth waiting for a better one.
func (s *dispatcher) serve(g int32) {
	best, slot := int32(-1), int32(0)
	for _, r := range s.residents[g] {
		if s.waiting[r.slot] && (best < 0 || s.before(r.job, best)) {
			best, slot = r.job, r.slot
		}
	}
	if best < 0 {
		return
	}
	if s.d.patience > 0 {
		d := s.depth(best, slot)
		length := s.in.Jobs[best].On[s.in.GPUs[g].Type].Time[d]
		if until := s.expected(g, best, s.now+length*instance.Tick(s.d.patience)/4); until < never {
			s.fillUntil(g, until)
			return
		}
	}
	s.start(best, slot)
}

// expected returns when a job with a better key than that of job than comes
// back to GPU g, if that is before limit; else never.
func (s *dispatcher) expected(g, than int32, limit instance.Tick) instance.Tick {
	until := never
	for _, r := range s.residents[g] {
		if next := s.jobs[r.job].next; next > s.now && next < limit && next < until && s.before(r.job, than) {
			until = next
		}
	}
	return until
}

// fillUntil starts the best task on GPU g that ends in time, or none.
func (s *dispatcher) fillUntil(g int32, until instance.Tick) {
	best, slot := int32(-1), int32(0)
	for _, r := range s.residents[g] {
		if s.waiting[r.slot] && (best < 0 || s.before(r.job, best)) &&
			s.now+s.in.Jobs[r.job].On[s.in.GPUs[g].Type].Time[s.depth(r.job, r.slot)] <= until {
			best, slot = r.job, r.slot
		}
	}
	if best >= 0 {
		s.start(best, slot)
		return
	}
	// The estimate may slip: look again then.
	if s.wake[g] != until {
		s.wake[g] = until
		s.push(event{until, gpuFree, g})
	}
}

// depth returns the depth that a waiting task would take: the deepest left of
// its iteration that the GPU has memory for. So the first to start finishes
// the long tasks early and the last fills in the short ones. Where depths are
// dealt evenly the deeper ones are left to the GPUs with less work to come.
func (s *dispatcher) depth(j, slot int32) int {
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
func (s *dispatcher) start(j, slot int32) {
	job := &s.jobs[j]
	g, d := s.gpu[slot], s.depth(j, slot)
	costs := s.in.Jobs[j].On[s.in.GPUs[g].Type]
	end := s.now + costs.Time[d]
	at := s.layout.taskAt[j] + int(job.iteration)*int(job.k) + int(slot-job.slot)
	s.out.start[at], s.out.depth[at] = s.now, uint8(d)
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
	if job.k == 1 {
		job.next = job.ends
		s.push(event{job.ends, ready, j})
		return
	}
	job.next = job.ends + job.syncs[0].length
	s.push(event{job.ends, syncReady, j})
	if s.d.eager {
		for _, u := range job.uses {
			if c := &s.claim[u.Link]; c.job < 0 || s.before(j, c.job) {
				*c = claim{j, job.ends, job.syncs[0].rate * instance.BitRate(u.Times)}
			}
		}
	}
}

// startInOrder is startTasks where gangs are about: jobs take GPUs in the
// order of their keys. A gang that cannot start keeps its idle GPUs from
// worse jobs, save for tasks that end before it could.
func (s *dispatcher) startInOrder() {
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
		// A gang held up elsewhere may have kept GPUs that are free again.
		for _, j := range s.order[from:] {
			if s.jobs[j].gang {
				for slot := s.jobs[j].slot; slot < s.jobs[j].slot+s.jobs[j].k; slot++ {
					s.touch(s.gpu[slot])
				}
			}
		}
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.jobs[a].key, s.jobs[b].key), cmp.Compare(a, b))
	})
	// wake[g] > now here means: kept until then for a gang.
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
			if until < 0 && s.d.patience > 0 {
				if until = s.expected(g, j, s.now+length*instance.Tick(s.d.patience)/4); until == never {
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
// which the given slots are, for the time when the others are expected free.
func (s *dispatcher) startGang(j int32, slots []int32) {
	job := &s.jobs[j]
	start := s.now
	for slot := job.slot; slot < job.slot+job.k; slot++ {
		g := s.gpu[slot]
		start = max(start, s.free[g])
		if s.free[g] <= s.now && s.wake[g] > s.now {
			// Kept for a better gang: this one must end before.
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

// startSyncs starts what fits of the synchronisations to look at, best key first.
func (s *dispatcher) startSyncs() {
	if len(s.syncs) > 1 {
		slices.SortFunc(s.syncs, func(a, b int32) int {
			return cmp.Or(cmp.Compare(s.jobs[a].key, s.jobs[b].key), cmp.Compare(a, b))
		})
	}
	for _, j := range s.syncs {
		s.inSync[j] = false
		s.trySync(j)
	}
	s.syncs = s.syncs[:0]
}

// trySync starts the synchronisation of job j at the level that ends it
// first, or leaves it waiting with a claim on its links.
func (s *dispatcher) trySync(j int32) {
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
		at := s.fullSpeedAt(job)
		if level < 0 || at+job.syncs[0].length < s.now+job.syncs[level].length {
			s.wait(j, at)
			return
		}
	}
	job.rate, job.next = job.syncs[level].rate, s.now+job.syncs[level].length
	y := s.layout.syncAt[j] + int(job.iteration)
	s.out.syncStart[y], s.out.level[y] = s.now, uint8(job.fastest+level)
	for _, u := range job.uses {
		rate := job.rate * instance.BitRate(u.Times)
		s.load[u.Link] += rate
		list := append(s.active[u.Link], activeSync{})
		i := len(list) - 1
		for ; i > 0 && list[i-1].end > job.next; i-- {
			list[i] = list[i-1]
		}
		list[i] = activeSync{job.next, rate, j}
		s.active[u.Link] = list
		if s.claim[u.Link].job == j {
			s.claim[u.Link].job = -1
		}
	}
	job.waits = false
	s.push(event{job.next, syncEnd, j})
}

// fits reports whether the sync of job j can start now at rate level n,
// without delaying a better one that has a claim.
func (s *dispatcher) fits(j int32, n int) bool {
	job := &s.jobs[j]
	end := s.now + job.syncs[n].length
	if end == s.now {
		return true
	}
	for _, u := range job.uses {
		need := s.load[u.Link] + job.syncs[n].rate*instance.BitRate(u.Times)
		capacity := s.in.Links[u.Link].Capacity
		if need > capacity {
			return false
		}
		if c := &s.claim[u.Link]; c.job >= 0 && c.job != j && end > c.at && need+c.rate > capacity && s.before(c.job, j) {
			return false
		}
	}
	return true
}

// fullSpeedAt returns when the running syncs leave room for the job's sync at
// the highest rate.
func (s *dispatcher) fullSpeedAt(job *jobState) instance.Tick {
	at := s.now
	for _, u := range job.uses {
		lack := s.load[u.Link] + job.syncs[0].rate*instance.BitRate(u.Times) - s.in.Links[u.Link].Capacity
		for _, a := range s.active[u.Link] {
			if lack <= 0 {
				break
			}
			lack -= a.rate
			at = max(at, a.end)
		}
	}
	return at
}

// wait leaves the sync of job j waiting for its links, with claims from tick at on.
func (s *dispatcher) wait(j int32, at instance.Tick) {
	job := &s.jobs[j]
	job.next = max(job.next, at+job.syncs[0].length)
	for _, u := range job.uses {
		c := &s.claim[u.Link]
		if c.job < 0 || c.job == j || s.before(j, c.job) {
			*c = claim{j, at, job.syncs[0].rate * instance.BitRate(u.Times)}
		}
		if !job.waits {
			s.queue[u.Link] = append(s.queue[u.Link], waitingSync{j, job.iteration})
		}
	}
	job.waits = true
}

// push adds an event to the heap.
func (s *dispatcher) push(e event) {
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
func (s *dispatcher) pop() event {
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
