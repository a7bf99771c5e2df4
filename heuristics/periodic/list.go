package periodic

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// resident is a job with a residency, in the modulo scheduler. Slices are by
// worker, in order of the residency, unless they say otherwise.
type resident struct {
	id     instance.JobID
	job    *instance.Job
	gpus   []instance.GPUID
	time   [][]instance.Tick // task time in ticks by depth
	counts []int             // workers by depth, in every iteration
	// deepest is the greatest depth for which each GPU has memory.
	deepest []int

	span  instance.Span
	syncs []state.SyncLevel // fastest first; empty for a lone worker
	// cycle is a lower bound on the ticks of an iteration.
	cycle instance.Tick
}

// iteration is the position of one iteration of a resident, in unrolled ticks.
type iteration struct {
	start []instance.Tick // by worker
	depth []uint8         // by worker
	sync  instance.Tick
	level int // index into resident.syncs
	end   instance.Tick
}

// begin returns the earliest start.
func (it *iteration) begin() instance.Tick { return slices.Min(it.start) }

// slack is the placement of a task that need not start at once because a deeper
// one ends later.
type slack int

const (
	slackEarly slack = iota // as early as possible
	slackSnug               // where it leaves the least unusable time
	slackLate               // as late as possible
)

// moduloScheduler places iterations one after another on GPUs and links with
// cyclic time, as modulo scheduling of loops does (Rau, Iterative modulo
// scheduling, MICRO 1994): the reservations are modulo the period, and a job's
// iterations form a chain that must close within a period. An iteration is
// placed as early as its predecessor, the GPUs and the links allow.
type moduloScheduler struct {
	in     *instance.Instance
	period instance.Tick
	gpus   []gpuCycle
	links  []linkCycle
	// chains[i] are the iterations of residents[i].
	residents []*resident
	chains    [][]iteration
	slack     slack
	rng       *rand.Rand // nil: none
	// tasks counts the tasks placed, as a measure of work.
	tasks int

	order  []int // scratch, by worker
	starts []instance.Tick
}

func newModuloScheduler(in *instance.Instance, residents []*resident, period instance.Tick) *moduloScheduler {
	m := &moduloScheduler{
		in: in, period: period, residents: residents,
		gpus: make([]gpuCycle, len(in.GPUs)), links: make([]linkCycle, len(in.Links)),
		chains: make([][]iteration, len(residents)),
	}
	for g := range m.gpus {
		m.gpus[g].period = period
	}
	for l := range m.links {
		m.links[l].period, m.links[l].capacity = period, in.Capacity(instance.LinkID(l))
	}
	return m
}

// turn is a resident waiting for its next iteration.
type turn struct {
	resident int
	due      instance.Tick // its end if it ran alone
}

// before orders the queue, earliest deadline first.
func (t turn) before(o turn) bool {
	return t.due < o.due || t.due == o.due && t.resident < o.resident
}

// fill adds iterations until no resident has room for another. Each proceeds at its pace
// alone, and the one whose next iteration would end first is next.
func (m *moduloScheduler) fill(ctx context.Context) error {
	queue := make([]turn, len(m.residents)) // a heap
	for i := range queue {
		queue[i] = turn{i, m.residents[i].cycle}
	}
	state.Heapify(queue, turn.before)
	for n := 0; len(queue) > 0; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i := queue[0].resident; m.append(i, 0) {
			queue[0].due += m.residents[i].cycle
			state.SiftDown(queue, 0, turn.before)
		} else {
			state.Pop(&queue, turn.before)
		}
	}
	return nil
}

// append adds an iteration to the end of resident i's chain; the first one
// begins at or after ready. It reports false, with nothing changed, if there is
// no room.
func (m *moduloScheduler) append(i int, ready instance.Tick) bool {
	chain := m.chains[i]
	var closing instance.Tick // the end of the chain's period; 0 before there is one
	if len(chain) > 0 {
		ready, closing = chain[len(chain)-1].end, chain[0].begin()+m.period
		if ready+m.residents[i].cycle > closing {
			return false
		}
	}
	var it iteration
	if !m.find(m.residents[i], ready, closing, &it) {
		return false
	}
	m.reserve(m.residents[i], &it)
	m.chains[i] = append(chain, it)
	return true
}

// find chooses starts, depths and synchronisation of an iteration that begins
// at or after ready and ends by closing or, if that is 0, within a period. It
// reuses the memory of the iteration.
func (m *moduloScheduler) find(l *resident, ready, closing instance.Tick, it *iteration) bool {
	k := len(l.gpus)
	m.tasks += k
	full := l.job.Full()
	if cap(m.starts) < k {
		m.starts, m.order = make([]instance.Tick, k), make([]int, k)
	}
	m.starts, m.order = m.starts[:k], m.order[:k]
	for w, g := range l.gpus {
		start, ok := m.gpus[g].first(ready, l.time[w][min(full, l.deepest[w])])
		if !ok {
			start = ready + m.period // there may be room for a shallower task
		}
		m.starts[w], m.order[w] = start, w
	}
	if cap(it.start) < k {
		it.start, it.depth = make([]instance.Tick, k), make([]uint8, k)
	}
	it.start, it.depth, it.level = it.start[:k], it.depth[:k], 0
	m.roles(l, it.depth)
	var end instance.Tick
	var ok bool
	if l.job.Gang {
		end, ok = m.together(l, ready, it)
	} else {
		end, ok = m.apart(l, ready, it)
	}
	if !ok {
		return false
	}
	if closing == 0 {
		closing = it.begin() + m.period
	}
	it.sync, it.end, ok = end, end, len(l.syncs) == 0
	for n, s := range l.syncs {
		if end+s.Length > closing || ok && end+s.Length > it.end {
			break // slower levels take even longer
		}
		start, found := m.syncStart(l, end, closing, s)
		if found && (!ok || start+s.Length <= it.end) { // slower, if it ends no later
			it.sync, it.end, it.level, ok = start, start+s.Length, n, true
		}
	}
	return ok && it.end <= closing
}

// roles assigns the deepest tasks to the GPUs that would end them first, and
// among equals to those with the most free time, as far as memory permits.
func (m *moduloScheduler) roles(l *resident, depth []uint8) {
	full := l.job.Full()
	if l.counts[full] == len(depth) {
		for w := range depth {
			depth[w] = uint8(full)
		}
		return
	}
	if m.rng != nil {
		m.rng.Shuffle(len(m.order), func(a, b int) { m.order[a], m.order[b] = m.order[b], m.order[a] })
	}
	for w := range m.starts {
		m.starts[w] += l.time[w][min(full, l.deepest[w])] // now the end
	}
	slices.SortStableFunc(m.order, func(a, b int) int {
		if m.starts[a] != m.starts[b] {
			return cmp.Compare(m.starts[a], m.starts[b])
		}
		return cmp.Compare(m.gpus[l.gpus[a]].load, m.gpus[l.gpus[b]].load)
	})
	rest := m.order
	for d := full; d >= 0; d-- {
		left := l.counts[d]
		kept := rest[:0]
		for _, w := range rest {
			if left > 0 && l.deepest[w] >= d {
				depth[w] = uint8(d)
				left--
			} else {
				kept = append(kept, w)
			}
		}
		rest = kept
	}
}

// apart starts every task separately and returns the end of the last. Tasks
// that end before that may move within their slack.
func (m *moduloScheduler) apart(l *resident, ready instance.Tick, it *iteration) (end instance.Tick, ok bool) {
	for w, g := range l.gpus {
		length := l.time[w][it.depth[w]]
		start, ok := m.gpus[g].first(ready, length)
		if !ok {
			return 0, false
		}
		it.start[w] = start
		end = max(end, start+length)
	}
	if m.slack == slackEarly {
		return end, true
	}
	for w, g := range l.gpus {
		length := l.time[w][it.depth[w]]
		if it.start[w]+length == end {
			continue
		}
		if start, ok := m.gpus[g].within(ready, end, length, m.slack == slackLate); ok {
			it.start[w] = start
		}
	}
	return end, true
}

// together finds the earliest common start.
func (m *moduloScheduler) together(l *resident, ready instance.Tick, it *iteration) (end instance.Tick, ok bool) {
	start := ready
	for agreed := 0; agreed < len(l.gpus); {
		for w, g := range l.gpus {
			s, ok := m.gpus[g].first(start, l.time[w][it.depth[w]])
			if !ok || s-ready > m.period {
				return 0, false
			}
			if s > start {
				start, agreed = s, 0
			}
			if agreed++; agreed >= len(l.gpus) {
				break
			}
		}
	}
	for w := range l.gpus {
		it.start[w] = start
		end = max(end, start+l.time[w][it.depth[w]])
	}
	return end, true
}

// syncStart returns the earliest start from ready on at which all links have
// room and the synchronisation ends by closing.
func (m *moduloScheduler) syncStart(l *resident, ready, closing instance.Tick, s state.SyncLevel) (start instance.Tick, ok bool) {
	start = ready
	for agreed := 0; agreed < len(l.span.Uses); {
		for _, u := range l.span.Uses {
			next, ok := m.links[u.Link].first(start, s.Length, s.Rate*instance.Rate(u.Times))
			if !ok || next+s.Length > closing {
				return 0, false
			}
			if next > start {
				start, agreed = next, 0
			}
			if agreed++; agreed >= len(l.span.Uses) {
				break
			}
		}
	}
	return start, true
}

// reserve takes the time and rates of an iteration.
func (m *moduloScheduler) reserve(l *resident, it *iteration) {
	for w, g := range l.gpus {
		m.gpus[g].add(it.start[w], l.time[w][it.depth[w]])
	}
	if len(l.syncs) > 0 {
		rate := l.syncs[it.level].Rate
		for _, u := range l.span.Uses {
			m.links[u.Link].add(it.sync, it.end-it.sync, rate*instance.Rate(u.Times))
		}
	}
}

// release reverts reserve.
func (m *moduloScheduler) release(l *resident, it *iteration) {
	for w, g := range l.gpus {
		m.gpus[g].remove(it.start[w], l.time[w][it.depth[w]])
	}
	if len(l.syncs) > 0 {
		rate := l.syncs[it.level].Rate
		for _, u := range l.span.Uses {
			m.links[u.Link].add(it.sync, it.end-it.sync, -rate*instance.Rate(u.Times))
		}
	}
}

// iterations returns the iterations of every job in a period.
func (m *moduloScheduler) iterations() []int {
	r := make([]int, len(m.in.Jobs))
	for i, l := range m.residents {
		r[l.id] = len(m.chains[i])
	}
	return r
}

// schedule returns the plan. Every chain begins within the first period.
func (m *moduloScheduler) schedule() *instance.Schedule {
	s := &instance.Schedule{Period: m.period, Residency: make([][]instance.GPUID, len(m.in.Jobs))}
	tasks, syncs := 0, 0
	for i, l := range m.residents {
		tasks += len(l.gpus) * len(m.chains[i])
		syncs += len(m.chains[i])
	}
	s.Tasks = make([]instance.Task, 0, tasks)
	s.Syncs = make([]instance.Sync, 0, syncs)
	for i, l := range m.residents {
		chain := m.chains[i]
		if len(chain) == 0 {
			continue
		}
		s.Residency[l.id] = slices.Clone(l.gpus)
		first := chain[0].begin()
		shift := residue(first, m.period) - first
		for n := range chain {
			it := &chain[n]
			for w, g := range l.gpus {
				s.Tasks = append(s.Tasks, m.in.Task(l.id, n+1, g, int(it.depth[w]), it.start[w]+shift))
			}
			if len(l.syncs) > 0 {
				s.Syncs = append(s.Syncs, instance.Sync{
					Job: l.id, Iteration: n + 1, Start: it.sync + shift, End: it.end + shift, Rate: l.syncs[it.level].Level,
				})
			}
		}
	}
	s.Sort()
	return s
}
