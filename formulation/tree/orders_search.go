package tree

import (
	"cmp"
	"context"
	"jigsaw/formulation/relax/orders"
	"math"
	"slices"
)

// sequenceSearch follows the states of a [sequencing] up, layer by layer: in the
// states of a layer the same number of tasks have been appended.
type sequenceSearch struct {
	*orders.Problem
	ctx                  context.Context
	most                 int64 // sum w C of its jobs, at most; where ends count, the dues alone do
	steps                int   // that may still be taken; see spend
	kept, polled, handed int   // states kept, steps taken, depths given to workers of gangs

	// A state is words: by job the iterations done, and how many workers have begun
	// at each depth in the one at hand; by GPU a bit for each resident that has. Then
	// times, raised as far as can be told: by job when the iteration at hand may
	// begin, and when its tasks begun will be over; by GPU when it is free. What follows is where
	// each of these begins, and by job its depths.
	begun, ready, over, free, width int
	dealt                           []int
	layers                          []sequenceLayer

	gpuSets []gpuSet
	deals   []*deals // by job
	// Scratch: by job when the iteration after that at hand may begin, when the job may end, by when it must, and what is left to deal; by GPU when
	// it must begin all that it has to do, at the latest.
	next, ends, dues, by []int64
	left                 []*deal
	chosen               []bool // by GPU: what is appended next is there; see field
	more                 []int  // GPUs
	order                []int  // states
	starts               []int64
	jobLoads             []jobLoad
	child                []int16
	score                int64 // of the child: the less, the more promising
	deal, counts         []int // of a gang: depth by worker, and what is left of a multiset
	key                  []byte
	moved                []appended // from the state before to the child
	before               [2]int

	trail *sequenceTrail // of a trace
}

// sequenceLayer holds states that no other dominates.
type sequenceLayer struct {
	words  []int16
	costs  []int64 // sum w C of the jobs that have ended
	scores []int64
	dead   []bool           // dominated since
	from   [][2]int         // layer and number of the state before
	of     map[string][]int // by the words that are no times
}

// appended is a task, and GPU, as the sequencing counts them.
type appended struct {
	job, iteration, gpu, depth int
	start                      int64
}

func newSequenceSearch(ctx context.Context, q *orders.Problem, most int64, steps int) *sequenceSearch {
	s := &sequenceSearch{Problem: q, ctx: ctx, most: most, steps: steps}
	jobs, gpus, tasks := len(q.Jobs), len(q.Residents), 0
	s.begun = jobs
	for j := range q.Jobs {
		job := &q.Jobs[j]
		s.dealt = append(s.dealt, s.begun)
		s.begun += len(job.Job.Depths)
		tasks += len(job.GPUs) * job.Job.Iterations
		s.deals = append(s.deals, newDeals(job))
		s.deal = append(s.deal, make([]int, max(0, len(job.GPUs)-len(s.deal)))...)
	}
	s.ready = s.begun + gpus
	s.over = s.ready + jobs
	s.free = s.over + jobs
	s.width = s.free + gpus
	s.layers = make([]sequenceLayer, tasks+1)
	s.next, s.ends, s.dues, s.left = make([]int64, jobs), make([]int64, jobs), make([]int64, jobs), make([]*deal, jobs)
	s.by, s.gpuSets = make([]int64, gpus), s.assemble()
	s.child, s.chosen = make([]int16, s.width), make([]bool, gpus)
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
	s.steps--
	if s.polled++; s.polled%4096 == 0 && s.ctx.Err() != nil || s.kept > mostStates {
		s.steps = -1
	}
	return s.steps >= 0
}

// Widths of a search: how many states of a layer are followed up at first, and by
// how much more each time that no way was found.
const (
	firstWidth = 16
	widen      = 8
)

// run looks for a way to do all tasks in time, where sum w C counts for the best,
// whose cost it returns; any will do where it says so. Ways are found among
// few promising states, if there are some; that there is none only among all.
func (s *sequenceSearch) run(anyWay bool) (verdict, int64) {
	for j := range s.Jobs {
		if s.Jobs[j].Earliest() > s.Jobs[j].Due {
			return noWay, 0
		}
	}
	for width := firstWidth; ; width *= widen {
		all := s.look(width)
		costs := s.layers[len(s.layers)-1].costs
		switch {
		case s.steps < 0:
			return unknown, 0
		case len(costs) > 0 && (all || anyWay):
			return someWay, slices.Min(costs)
		case all:
			return noWay, 0
		}
	}
}

// look follows up so many states of each layer, and reports whether these were all.
func (s *sequenceSearch) look(width int) (all bool) {
	last := len(s.layers) - 1
	clear(s.layers)
	s.kept, all = 0, true
	clear(s.child)
	for j := range s.Jobs {
		s.child[s.ready+j] = int16(s.Jobs[j].Job.Release)
	}
	s.keep(0, s.child, 0)
	for at := range last {
		layer := &s.layers[at]
		s.order = s.order[:0]
		for i := range layer.costs {
			if !layer.dead[i] {
				s.order = append(s.order, i)
			}
		}
		if len(s.order) > width {
			all = false
			slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(layer.scores[a], layer.scores[b]) })
			s.order = s.order[:width]
		}
		for _, i := range s.order {
			if !s.spend() {
				return false
			}
			s.before = [2]int{at, i}
			s.expand(at, s.state(at, i), layer.costs[i])
		}
		layer.of = nil
	}
	return all
}

func (s *sequenceSearch) state(layer, i int) []int16 {
	return s.layers[layer].words[i*s.width : (i+1)*s.width]
}

// start is when the next task of a job on a GPU would start.
func (s *sequenceSearch) start(x []int16, j, g int) int64 {
	return int64(max(x[s.ready+j], x[s.free+g]))
}

func (s *sequenceSearch) done(x []int16, j int) bool { return int(x[j]) == s.Jobs[j].Job.Iterations }

// hasBegun reports whether resident i of a GPU has begun the iteration at hand.
func (s *sequenceSearch) hasBegun(x []int16, g, i int) bool { return x[s.begun+g]>>i&1 == 1 }

// tasks is how many tasks resident i of a GPU has to run there.
func (s *sequenceSearch) tasks(x []int16, g, i int) int64 {
	j := s.Residents[g][i].Job
	return int64(s.Jobs[j].Job.Iterations) - int64(x[j]) - int64(x[s.begun+g]>>i&1)
}

// expand appends a task, or those of a gang, in every way that
// [sequenceSearch.field] leaves.
func (s *sequenceSearch) expand(at int, x []int16, cost int64) {
	limit := s.field(x)
	for g, list := range s.Residents {
		rest, latest := int64(0), int64(0)
		for i, r := range list {
			if left := s.tasks(x, g, i); left > 0 {
				job := &s.Jobs[r.Job]
				rest, latest = rest+left*job.Least[r.Worker], max(latest, job.Due-job.Pauses)
			}
		}
		s.by[g] = latest - rest
	}
	for g, list := range s.Residents {
		if o := s.Twins[g]; !s.chosen[g] || o >= 0 && s.chosen[o] && x[s.begun+o] == x[s.begun+g] && x[s.free+o] == x[s.free+g] {
			continue
		}
		for i, r := range list {
			j, job := r.Job, &s.Jobs[r.Job]
			if s.done(x, j) || job.Job.Gang || s.hasBegun(x, g, i) {
				continue
			}
			start := s.start(x, j, g)
			for d := range job.Time[r.Worker] {
				if start < limit && s.fits(j, r.Worker, d, start) && s.dealable(x, j, d) {
					copy(s.child, x)
					s.moved = s.moved[:0]
					s.begin(j, r.Worker, d, start)
					s.emit(at+1, j, start, cost, g)
				}
			}
		}
	}
	for j := range s.Jobs {
		job := &s.Jobs[j]
		if s.done(x, j) {
			continue
		}
		if !job.Job.Gang || !s.chosen[job.GPUs[0]] {
			continue
		}
		start := s.together(x, j)
		for d := 0; d < len(job.Multisets) && start < limit; d++ {
			s.counts = append(s.counts[:0], job.Multisets[d].Counts...)
			s.gang(at, x, cost, j, 0, start)
		}
	}
}

// field chooses some GPUs, on one of which the next task is appended, and returns before when it starts. The first task to be over, however deep, is
// such a task unless another is in its way: one on its GPU, which may be of a gang, and then that
// of another GPU may be in the way of that, or of a job that has yet to begin elsewhere.
func (s *sequenceSearch) field(x []int16) (limit int64) {
	limit = math.MaxInt64
	first := 0
	for j := range s.Jobs {
		job := &s.Jobs[j]
		if s.done(x, j) {
			continue
		}
		s.chain(x, j)
		if job.Job.Gang {
			if over := s.together(x, j) + slices.Max(job.Most); over < limit {
				limit, first = over, job.GPUs[0]
			}
			continue
		}
		for w, g := range job.GPUs {
			if !s.hasBegun(x, g, job.Place[w]) {
				if over := s.start(x, j, g) + job.Most[w]; over < limit {
					limit, first = over, g
				}
			}
		}
	}
	clear(s.chosen)
	s.chosen[first], s.more = true, append(s.more[:0], first)
	for len(s.more) > 0 {
		g := s.more[len(s.more)-1]
		s.more = s.more[:len(s.more)-1]
		for i, r := range s.Residents[g] {
			j, job := r.Job, &s.Jobs[r.Job]
			if s.done(x, j) {
				continue
			}
			at := s.next[j]
			if job.Job.Gang {
				at = s.together(x, j)
			} else if !s.hasBegun(x, g, i) {
				continue
			}
			if at < limit {
				s.choose(x, j)
			}
		}
	}
	return limit
}

// choose chooses where a job has to go on.
func (s *sequenceSearch) choose(x []int16, j int) {
	job := &s.Jobs[j]
	for w, g := range job.GPUs {
		if !s.chosen[g] && !s.hasBegun(x, g, job.Place[w]) {
			s.chosen[g], s.more = true, append(s.more, g)
		}
	}
}

// together is when the tasks of a gang could start.
func (s *sequenceSearch) together(x []int16, j int) int64 {
	start := int64(x[s.ready+j])
	for _, g := range s.Jobs[j].GPUs {
		start = max(start, int64(x[s.free+g]))
	}
	return start
}

// gang deals what is left of a multiset to the workers of a gang from worker w on.
func (s *sequenceSearch) gang(at int, x []int16, cost int64, j, w int, start int64) {
	if s.handed++; s.trail == nil && s.handed%handsPerStep == 0 && !s.spend() {
		return
	}
	job := &s.Jobs[j]
	if w == len(job.GPUs) {
		copy(s.child, x)
		s.moved = s.moved[:0]
		for w := range job.GPUs {
			s.begin(j, w, s.deal[w], start)
		}
		s.emit(at+len(job.GPUs), j, start, cost, 0)
		return
	}
	first := 0
	if t := job.Twin[w]; t >= 0 && x[s.begun+job.GPUs[w]] == x[s.begun+job.GPUs[t]] {
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
	job := &s.Jobs[j]
	return job.Depths[w]>>depth&1 == 1 && start+job.Time[w][depth]-job.Least[w] <= s.by[job.GPUs[w]]
}

// dealable reports whether one more worker may have the depth.
func (s *sequenceSearch) dealable(x []int16, j, depth int) bool {
	dealt := x[s.dealt[j]:]
next:
	for _, multiset := range s.Jobs[j].Multisets {
		for d, count := range multiset.Counts {
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
	x, job := s.child, &s.Jobs[j]
	g := job.GPUs[w]
	s.moved = append(s.moved, appended{j, int(x[j]), g, depth, start})
	x[s.dealt[j]+depth]++
	x[s.begun+g] |= 1 << job.Place[w]
	x[s.free+g] = int16(start + job.Time[w][depth])
	x[s.over+j] = max(x[s.over+j], x[s.free+g])
}

// emit keeps the child, in which tasks of a job were appended, unless it is hopeless.
// All else on the chosen GPUs starts no earlier, on those below later: what starts
// together is appended in the order of the GPUs, gangs first.
func (s *sequenceSearch) emit(to, j int, start, cost int64, below int) {
	x, job := s.child, &s.Jobs[j]
	for g := range s.Residents {
		switch {
		case !s.chosen[g]:
		case g < below:
			x[s.free+g] = max(x[s.free+g], int16(start+1))
		default:
			x[s.free+g] = max(x[s.free+g], int16(start))
		}
	}
	dealt := x[s.dealt[j]:]
	if pause, multiset := pauseOf(job, func(d int) int { return int(dealt[d]) }); multiset >= 0 {
		ends := job.Limits.Ends[x[j]]
		end := max(int64(x[s.over+j])+pause, ends.From)
		if end > min(job.Due, ends.To) {
			return
		}
		cost += s.finish(j, end)
	}
	s.enter(to, cost)
}

// finish ends the iteration of a job at hand in the child, and returns what that costs.
func (s *sequenceSearch) finish(j int, end int64) (cost int64) {
	x, job := s.child, &s.Jobs[j]
	x[j]++
	x[s.ready+j], x[s.over+j] = int16(end), 0
	clear(x[s.dealt[j] : s.dealt[j]+len(job.Job.Depths)])
	for w, g := range job.GPUs {
		x[s.begun+g] &^= 1 << job.Place[w]
	}
	if s.done(x, j) {
		x[s.ready+j], x[s.over+j] = 0, 0
		if s.Weighted {
			cost = job.Job.Weight * end
		}
	}
	return cost
}

// enter keeps the child unless it is hopeless.
func (s *sequenceSearch) enter(to int, cost int64) {
	x := s.child
	switch {
	case !s.promising(x, cost):
	case s.trail != nil:
		s.follow(x, cost)
	case s.spend():
		s.sort(x, nil)
		s.keep(to, x, cost)
	}
}

// pauseOf returns the ticks of the synchronisation at its fastest after tasks of so
// many workers of each depth, and the multiset that they are; -1 where they are none.
func pauseOf(j *orders.PlacedJob, count func(depth int) int) (ticks int64, multiset int) {
next:
	for i := range j.Multisets {
		for d, n := range j.Multisets[i].Counts {
			if n != count(d) {
				continue next
			}
		}
		return j.Pause[i], i
	}
	return 0, -1
}
