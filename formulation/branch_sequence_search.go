package formulation

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// sequenceSearch follows the states of a [sequencing] up, layer by layer: in the
// states of a layer the same number of tasks have been appended.
type sequenceSearch struct {
	*sequencing
	ctx          context.Context
	most         int64 // sum w C of its jobs, at most; where ends count, the dues alone do
	left         int   // steps that may still be taken; see spend
	kept, polled int

	// A state is words: by job the iterations done, and how many workers have begun
	// at each depth in the one at hand; by GPU a bit for each resident that has. Then
	// times, raised as far as can be told: by job when the iteration at hand may
	// begin, and when its tasks begun will be over; by GPU when it is free. What
	// follows is where each of these begins, and by job its depths.
	begun, ready, over, free, width int
	dealt                           []int
	layers                          []sequenceLayer

	inside [][]int // by job: those whose homes are inside its own
	// Scratch: by job when the following iteration may begin, when the job may end,
	// and by how much its tasks exceed the shortest, at the least; by GPU what it may
	// idle, and when it must begin all that it has to do, at the latest.
	next, ends, excess, idle, by []int64
	child                        []int16
	deal, counts                 []int // of a gang: depth by worker, and what is left of a dish
	key                          []byte
	moved                        []appended // from the state before to the child
	before                       [2]int

	trail *sequenceTrail // of a trace
}

// sequenceLayer holds states that no other dominates.
type sequenceLayer struct {
	words []int16
	costs []int64          // sum w C of the jobs that have ended
	dead  []bool           // dominated since
	from  [][2]int         // layer and number of the state before
	of    map[string][]int // by the words that are no times
}

// appended is a task, and GPU, as the sequencing counts them.
type appended struct {
	job, iteration, gpu, depth int
	start                      int64
}

func newSequenceSearch(ctx context.Context, q *sequencing, most int64, steps int) *sequenceSearch {
	s := &sequenceSearch{sequencing: q, ctx: ctx, most: most, left: steps}
	jobs, gpus, tasks := len(q.jobs), len(q.residents), 0
	s.begun = jobs
	for j := range q.jobs {
		job := &q.jobs[j]
		s.dealt = append(s.dealt, s.begun)
		s.begun += len(job.job.Depths)
		tasks += len(job.gpus) * job.job.Iterations
		var inside []int
		for o := range q.jobs {
			if !slices.ContainsFunc(q.jobs[o].gpus, func(g int) bool { return !slices.Contains(job.gpus, g) }) {
				inside = append(inside, o)
			}
		}
		s.inside = append(s.inside, inside)
		s.deal = append(s.deal, make([]int, max(0, len(job.gpus)-len(s.deal)))...)
	}
	s.ready = s.begun + gpus
	s.over = s.ready + jobs
	s.free = s.over + jobs
	s.width = s.free + gpus
	s.layers = make([]sequenceLayer, tasks+1)
	s.next, s.ends, s.excess = make([]int64, jobs), make([]int64, jobs), make([]int64, jobs)
	s.idle, s.by = make([]int64, gpus), make([]int64, gpus)
	s.child = make([]int16, s.width)
	return s
}

// verdict is what the search of a sequencing ends with.
type verdict int

const (
	noWay   verdict = iota // nothing ends in time
	someWay                // something does
	unknown                // it takes too long
)

// spend takes a step: a state followed up or made, a worker of a gang dealt to, some
// states compared. It reports whether there was one left.
func (s *sequenceSearch) spend() bool {
	s.left--
	if s.polled++; s.polled%4096 == 0 && s.ctx.Err() != nil || s.kept > mostStates {
		s.left = -1
	}
	return s.left >= 0
}

// run looks for a way to do all tasks in time; where sum w C counts for the best,
// whose cost it returns.
func (s *sequenceSearch) run() (verdict, int64) {
	for j := range s.jobs {
		if s.jobs[j].earliest() > s.jobs[j].due {
			return noWay, 0
		}
		s.child[s.ready+j] = int16(s.jobs[j].job.Release)
	}
	s.keep(0, s.child, 0)
	last := len(s.layers) - 1
	for at := range last {
		layer := &s.layers[at]
		for i := range layer.costs {
			if layer.dead[i] {
				continue
			}
			if !s.spend() {
				return unknown, 0
			}
			s.before = [2]int{at, i}
			s.expand(at, s.state(at, i), layer.costs[i])
		}
		layer.of = nil
	}
	switch {
	case s.left < 0:
		return unknown, 0
	case len(s.layers[last].costs) == 0:
		return noWay, 0
	}
	return someWay, slices.Min(s.layers[last].costs)
}

func (s *sequenceSearch) state(layer, i int) []int16 {
	return s.layers[layer].words[i*s.width : (i+1)*s.width]
}

// start is when the next task of a job on a GPU would start.
func (s *sequenceSearch) start(x []int16, j, g int) int64 {
	return int64(max(x[s.ready+j], x[s.free+g]))
}

func (s *sequenceSearch) done(x []int16, j int) bool { return int(x[j]) == s.jobs[j].job.Iterations }

// hasBegun reports whether resident i of a GPU has begun the iteration at hand.
func (s *sequenceSearch) hasBegun(x []int16, g, i int) bool { return x[s.begun+g]>>i&1 == 1 }

// tasks is how many tasks resident i of a GPU has to run there.
func (s *sequenceSearch) tasks(x []int16, g, i int) int64 {
	j := s.residents[g][i].job
	return int64(s.jobs[j].job.Iterations) - int64(x[j]) - int64(x[s.begun+g]>>i&1)
}

// expand appends a task, or those of a gang, in every way.
func (s *sequenceSearch) expand(at int, x []int16, cost int64) {
	// What starts when something else could be over might as well come after it.
	limit := int64(math.MaxInt64)
	for g, list := range s.residents {
		rest, latest := int64(0), int64(0)
		for i, r := range list {
			job := &s.jobs[r.job]
			left := s.tasks(x, g, i)
			if left == 0 {
				continue
			}
			rest, latest = rest+left*job.least[r.worker], max(latest, job.due-job.pauses)
			if !job.job.Gang && !s.hasBegun(x, g, i) {
				limit = min(limit, s.start(x, r.job, g)+job.most[r.worker])
			}
		}
		s.by[g] = latest - rest
	}
	for g, list := range s.residents {
		if o := s.twins[g]; o >= 0 && x[s.begun+o] == x[s.begun+g] && x[s.free+o] == x[s.free+g] {
			continue
		}
		for i, r := range list {
			j, job := r.job, &s.jobs[r.job]
			if s.done(x, j) || job.job.Gang || s.hasBegun(x, g, i) {
				continue
			}
			start := s.start(x, j, g)
			for d := range job.time[r.worker] {
				if start < limit && s.fits(j, r.worker, d, start) && s.dealable(x, j, d) {
					copy(s.child, x)
					s.moved = s.moved[:0]
					s.begin(j, r.worker, d, start)
					s.emit(at+1, j, start, cost)
				}
			}
		}
	}
	for j := range s.jobs {
		job := &s.jobs[j]
		if !job.job.Gang || s.done(x, j) {
			continue
		}
		start := int64(x[s.ready+j])
		for _, g := range job.gpus {
			start = max(start, int64(x[s.free+g]))
		}
		for d := 0; d < len(job.dishes) && start < limit; d++ {
			s.counts = append(s.counts[:0], job.dishes[d].counts...)
			s.gang(at, x, cost, j, 0, start)
		}
	}
}

// gang deals what is left of a dish to the workers of a gang from worker w on.
func (s *sequenceSearch) gang(at int, x []int16, cost int64, j, w int, start int64) {
	if s.trail == nil && !s.spend() {
		return
	}
	job := &s.jobs[j]
	if w == len(job.gpus) {
		copy(s.child, x)
		s.moved = s.moved[:0]
		for w := range job.gpus {
			s.begin(j, w, s.deal[w], start)
		}
		s.emit(at+len(job.gpus), j, start, cost)
		return
	}
	first := 0
	if t := job.twin[w]; t >= 0 && x[s.begun+job.gpus[w]] == x[s.begun+job.gpus[t]] {
		first = s.deal[t]
	}
	for d := first; d < len(s.counts); d++ {
		if s.counts[d] > 0 && s.fits(j, w, d, start) {
			s.counts[d]--
			s.deal[w] = d
			s.gang(at, x, cost, j, w+1, start)
			s.counts[d]++
		}
	}
}

// fits reports whether the GPU has the memory for a task, and time for the others
// after it.
func (s *sequenceSearch) fits(j, w, depth int, start int64) bool {
	job := &s.jobs[j]
	return job.depths[w]>>depth&1 == 1 && start+job.time[w][depth]-job.least[w] <= s.by[job.gpus[w]]
}

// dealable reports whether one more worker may have the depth.
func (s *sequenceSearch) dealable(x []int16, j, depth int) bool {
	dealt := x[s.dealt[j]:]
next:
	for _, dish := range s.jobs[j].dishes {
		for d, count := range dish.counts {
			n := int(dealt[d])
			if d == depth {
				n++
			}
			if n > count {
				continue next
			}
		}
		return true
	}
	return false
}

// begin starts a task in the child.
func (s *sequenceSearch) begin(j, w, depth int, start int64) {
	x, job := s.child, &s.jobs[j]
	g := job.gpus[w]
	s.moved = append(s.moved, appended{j, int(x[j]), g, depth, start})
	x[s.dealt[j]+depth]++
	x[s.begun+g] |= 1 << job.place[w]
	x[s.free+g] = int16(start + job.time[w][depth])
	x[s.over+j] = max(x[s.over+j], x[s.free+g])
}

// emit keeps the child, in which tasks of a job were appended, unless it is hopeless.
func (s *sequenceSearch) emit(to, j int, start, cost int64) {
	x, job := s.child, &s.jobs[j]
	for g := range s.residents {
		x[s.free+g] = max(x[s.free+g], int16(start))
	}
	if dealt := x[s.dealt[j] : s.dealt[j]+len(job.job.Depths)]; all(dealt) == len(job.gpus) {
		pause, _ := job.pauseOf(func(d int) int { return int(dealt[d]) })
		ends := job.limits.ends[x[j]]
		end := max(int64(x[s.over+j])+pause, ends.from)
		if end > min(job.due, ends.to) {
			return
		}
		x[j]++
		x[s.ready+j], x[s.over+j] = int16(end), 0
		clear(dealt)
		for w, g := range job.gpus {
			x[s.begun+g] &^= 1 << job.place[w]
		}
		if s.done(x, j) {
			x[s.ready+j] = 0
			if s.weighted {
				cost += job.job.Weight * end
			}
		}
	}
	switch {
	case !s.promising(x, cost):
	case s.trail != nil:
		s.follow(x, cost)
	case s.spend():
		s.sort(x, nil)
		s.keep(to, x, cost)
	}
}

func all(counts []int16) (sum int) {
	for _, n := range counts {
		sum += int(n)
	}
	return sum
}

// sort brings alike GPUs into order. What each stands for goes with them.
func (s *sequenceSearch) sort(x []int16, stands []int) {
	for _, alike := range s.alike {
		for i := 1; i < len(alike); i++ {
			for k := i; k > 0; k-- {
				a, b := alike[k-1], alike[k]
				if x[s.begun+a] < x[s.begun+b] || x[s.begun+a] == x[s.begun+b] && x[s.free+a] <= x[s.free+b] {
					break
				}
				x[s.begun+a], x[s.begun+b] = x[s.begun+b], x[s.begun+a]
				x[s.free+a], x[s.free+b] = x[s.free+b], x[s.free+a]
				if stands != nil {
					stands[a], stands[b] = stands[b], stands[a]
				}
			}
		}
	}
}

// comparisons of two states take as long as another step.
const comparisons = 8

// keep adds a state to a layer unless one there dominates it.
func (s *sequenceSearch) keep(to int, x []int16, cost int64) {
	l := &s.layers[to]
	if l.of == nil {
		l.of = map[string][]int{}
	}
	s.key = s.key[:0]
	for _, word := range x[:s.ready] {
		s.key = append(s.key, byte(word), byte(word>>8))
	}
	list := l.of[string(s.key)]
	s.left -= len(list) / comparisons
	for _, o := range list {
		if l.costs[o] <= cost && noLater(s.state(to, o)[s.ready:], x[s.ready:]) {
			return
		}
	}
	list = slices.DeleteFunc(list, func(o int) bool {
		l.dead[o] = cost <= l.costs[o] && noLater(x[s.ready:], s.state(to, o)[s.ready:])
		return l.dead[o]
	})
	l.of[string(s.key)] = append(list, len(l.costs))
	l.words, l.costs = append(l.words, x...), append(l.costs, cost)
	l.dead, l.from = append(l.dead, false), append(l.from, s.before)
	s.kept++
}

func noLater(a, b []int16) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// promising raises the times of a state, and reports whether it may lead to an end
// in time as far as what jobs and GPUs have to do can tell.
func (s *sequenceSearch) promising(x []int16, cost int64) bool {
	for j := range s.jobs {
		if !s.done(x, j) {
			if !s.chain(x, j) {
				return false
			}
			cost += s.jobs[j].job.Weight * s.ends[j]
		}
	}
	if s.weighted && cost > s.most {
		return false
	}
	for g := range s.residents {
		if !s.load(x, g) {
			return false
		}
	}
	return s.roomy(x) && (!s.weighted || cost+s.waiting(x) <= s.most)
}

// chain tells when a job can go on and end, at the earliest.
func (s *sequenceSearch) chain(x []int16, j int) bool {
	job := &s.jobs[j]
	first, over, begun := int64(math.MaxInt64), int64(x[s.over+j]), false
	for w, g := range job.gpus {
		if s.hasBegun(x, g, job.place[w]) {
			begun = true
			continue
		}
		start := s.start(x, j, g)
		first, over = min(first, start), max(over, start+job.least[w])
	}
	x[s.ready+j] = int16(first)
	s.next[j] = over + job.pauses
	if begun {
		x[s.over+j] = int16(over)
	} else {
		s.next[j] = max(s.next[j], first+job.iteration)
	}
	ends := job.limits.ends[x[j]]
	s.next[j] = max(s.next[j], ends.from)
	s.ends[j] = s.next[j] + int64(job.job.Iterations-1-int(x[j]))*job.iteration
	return s.next[j] <= ends.to && s.ends[j] <= job.due
}

// load tells what a GPU may idle before its last task.
func (s *sequenceSearch) load(x []int16, g int) bool {
	first, rest, latest := int64(math.MaxInt64), int64(0), int64(0)
	for i, r := range s.residents[g] {
		left := s.tasks(x, g, i)
		if left == 0 {
			continue
		}
		job := &s.jobs[r.job]
		start := s.next[r.job]
		if !s.hasBegun(x, g, i) {
			start = s.start(x, r.job, g)
		}
		first, rest = min(first, start), rest+left*job.least[r.worker]
		latest = max(latest, job.due-job.pauses)
	}
	if rest == 0 {
		x[s.free+g], s.idle[g] = 0, 0
		return true
	}
	x[s.free+g] = max(x[s.free+g], int16(first))
	s.idle[g] = latest - int64(x[s.free+g]) - rest
	return s.idle[g] >= 0
}

// roomy reports whether the GPUs of each home, and all of them together, have the
// time for all tasks, which may not all be the shortest.
func (s *sequenceSearch) roomy(x []int16) bool {
	room := int64(0)
	for _, idle := range s.idle {
		room += idle
	}
	for j := range s.jobs {
		s.excess[j] = s.exceeds(x, j)
		room -= s.excess[j]
	}
	for j := 0; j < len(s.jobs) && room >= 0; j++ {
		room := int64(0)
		for _, g := range s.jobs[j].gpus {
			room += s.idle[g]
		}
		for _, o := range s.inside[j] {
			room -= s.excess[o]
		}
		if room < 0 {
			return false
		}
	}
	return room >= 0
}

// exceeds tells by how many ticks the tasks that a job has left exceed the shortest.
func (s *sequenceSearch) exceeds(x []int16, j int) int64 {
	job := &s.jobs[j]
	if s.done(x, j) {
		return 0
	}
	shortest, left := int64(0), int64(0) // of an iteration; of those not begun in the one at hand
	for w, g := range job.gpus {
		shortest += job.least[w]
		if !s.hasBegun(x, g, job.place[w]) {
			left += job.least[w]
		}
	}
	following := int64(job.job.Iterations-1-int(x[j])) * (job.work - shortest)
	if left == shortest {
		return following + job.work - shortest
	}
	dealt, work := x[s.dealt[j]:], int64(math.MaxInt64)
next:
	for _, dish := range job.dishes {
		sum := int64(0)
		for d, count := range dish.counts {
			if int(dealt[d]) > count {
				continue next
			}
			sum += int64(count-int(dealt[d])) * job.fastest[d]
		}
		work = min(work, sum)
	}
	return following + work - left
}

// waiting tells what jobs cost beyond their chains because those on one GPU wait
// for each other: the last of them ends after all tasks that are left there.
func (s *sequenceSearch) waiting(x []int16) int64 {
	type waits struct{ weight, ticks, end, least, most int64 }
	most := int64(0)
	var list [mostTogether]waits
	var f, ticks [1 << mostTogether]int64 // by set: what they cost beyond, their ticks here
	for g, residents := range s.residents {
		if o := s.twins[g]; o >= 0 && x[s.begun+o] == x[s.begun+g] && x[s.free+o] == x[s.free+g] {
			continue
		}
		n := 0
		for i, r := range residents {
			if left := s.tasks(x, g, i); left > 0 && n < len(list) {
				job := &s.jobs[r.job]
				list[n] = waits{weight: job.job.Weight, ticks: left * job.least[r.worker], end: s.ends[r.job], least: job.pauses, most: job.due + 1}
				n++
			}
		}
		for set := 1; set < 1<<n && n > 1; set++ {
			last := bits.TrailingZeros(uint(set))
			ticks[set] = ticks[set&(set-1)] + list[last].ticks
			f[set] = math.MaxInt64
			over := int64(x[s.free+g]) + ticks[set]
			for i := range n {
				if set>>i&1 == 1 {
					w := &list[i]
					f[set] = min(f[set], f[set&^(1<<i)]+w.weight*max(0, min(w.most, over+w.least)-w.end))
				}
			}
		}
		if n > 1 {
			most = max(most, f[1<<n-1])
		}
	}
	return most
}

// mostTogether is how many jobs on one GPU are looked at in every order, the first.
const mostTogether = 5

// sequenceTrail is the way to a state, found step by step.
type sequenceTrail struct {
	wanted []int16 // the next state
	cost   int64
	tasks  []appended
	stands []int // by GPU: which it stands for, alike ones being brought into order
	found  bool
}

// trace returns the tasks of the best way that run found.
func (s *sequenceSearch) trace() []appended {
	last := len(s.layers) - 1
	costs := s.layers[last].costs
	steps := [][2]int{{last, slices.Index(costs, slices.Min(costs))}}
	for steps[0][0] > 0 {
		steps = slices.Insert(steps, 0, s.layers[steps[0][0]].from[steps[0][1]])
	}
	s.trail = &sequenceTrail{}
	for g := range s.residents {
		s.trail.stands = append(s.trail.stands, g)
	}
	for i, to := range steps[1:] {
		at := steps[i]
		s.trail.wanted, s.trail.cost, s.trail.found = s.state(to[0], to[1]), s.layers[to[0]].costs[to[1]], false
		s.expand(at[0], s.state(at[0], at[1]), s.layers[at[0]].costs[at[1]])
	}
	return s.trail.tasks
}

// follow takes the step to a child if it is wanted.
func (s *sequenceSearch) follow(x []int16, cost int64) {
	t := s.trail
	stands := slices.Clone(t.stands)
	if s.sort(x, stands); t.found || cost != t.cost || !slices.Equal(x, t.wanted) {
		return
	}
	for _, task := range s.moved {
		task.gpu = t.stands[task.gpu]
		t.tasks = append(t.tasks, task)
	}
	t.stands, t.found = stands, true
}
