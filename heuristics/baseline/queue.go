package baseline

import (
	"cmp"
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// backfillDepth is how many jobs behind the head of the queue are looked at.
const backfillDepth = 100

// queue is a policy: first come, first served by a given order, with EASY backfilling
// (D. Lifka, The ANL/IBM SP scheduling system, 1995). The head of the queue starts as soon
// as there are GPUs for it; until then, later jobs start where they do not delay it by
// what is expected.
type queue struct {
	*problem
	memory  *memory
	placer  *placer
	place   []int            // per job: its place in the queue
	pending []instance.JobID // arrived and not started, in order
	changed bool             // jobs have arrived or ended since the last look
	holder  []int32          // per GPU: the job on it, -1 if none
	free    int              // GPUs without one
	idle    []int            // per node: GPUs without one
	jobs    []held
	running []instance.JobID

	fixed   [][]instance.GPUID // per job: GPUs that it must have; nil: any
	patient bool               // jobs wait for GPUs as near as can be
	spread  bool               // a job has started on others
	near    []instance.Tick    // per job: its length on them; 0: not known yet
}

// held is what a running job holds, and until when by what is expected.
type held struct {
	gpus []instance.GPUID
	end  instance.Tick
}

func newQueue(p *problem, order []instance.JobID) *queue {
	q := &queue{
		problem: p, memory: newMemory(p), placer: newPlacer(p), place: places(order), holder: make([]int32, len(p.in.GPUs)),
		free: len(p.in.GPUs), jobs: make([]held, len(p.in.Jobs)), near: make([]instance.Tick, len(p.in.Jobs)),
	}
	for n := range p.in.Nodes {
		q.idle = append(q.idle, p.in.Nodes[n].GPUs)
	}
	for g := range q.holder {
		q.holder[g] = -1
	}
	return q
}

// places returns where in an order each job is.
func places(order []instance.JobID) []int {
	place := make([]int, len(order))
	for at, j := range order {
		place[j] = at
	}
	return place
}

// runQueue runs the queue in an order. Where jobs took GPUs far apart, which slow links may
// not be worth, it is run once more with jobs that wait for near ones, unless ctx has
// ended. The first run ends with the context first.
func runQueue(first, ctx context.Context, p *problem, order []instance.JobID) (*simulator, error) {
	q := newQueue(p, order)
	run, err := q.run(first)
	if !q.spread || ctx.Err() != nil {
		return run, err
	}
	q = newQueue(p, order)
	q.patient = true
	near, nearErr := q.run(ctx)
	if nearErr != nil || err == nil && near.late() != nil {
		return run, err
	}
	if err != nil || run.late() != nil || p.in.Objective.Better(near.value(), run.value()) {
		return near, nil
	}
	return run, nil
}

// run is what comes of the queue if all jobs have run.
func (q *queue) run(ctx context.Context) (*simulator, error) {
	s, err := simulate(ctx, q.problem, q.place, q)
	if err != nil {
		return nil, err
	}
	if s.left > 0 {
		return nil, state.Refusal(q.in, q.pending[0], func(g instance.GPUID) bool { return q.memory.fits(q.pending[0], g) })
	}
	return s, nil
}

// arrive puts a job into the queue.
func (q *queue) arrive(j instance.JobID) {
	i, _ := slices.BinarySearchFunc(q.pending, j, func(a, b instance.JobID) int { return cmp.Compare(q.place[a], q.place[b]) })
	q.pending = slices.Insert(q.pending, i, j)
	q.changed = true
}

// end takes a job off its GPUs.
func (q *queue) end(j instance.JobID) {
	for _, g := range q.jobs[j].gpus {
		q.holder[g] = -1
		q.idle[q.in.GPUs[g].Node]++
	}
	q.free += len(q.jobs[j].gpus)
	q.running = slices.DeleteFunc(q.running, func(o instance.JobID) bool { return o == j })
	q.changed = true
}

// admit starts the jobs that may start now.
func (q *queue) admit(s *simulator) {
	if !q.changed {
		return
	}
	q.changed = false
	unused := func(g instance.GPUID) bool { return q.holder[g] < 0 }
	started := 0
	for _, j := range q.pending {
		at, ok := q.find(j, q.free, unused)
		if !ok {
			break
		}
		q.start(s, j, at)
		started++
	}
	q.pending = slices.Delete(q.pending, 0, started)
	if len(q.pending) < 2 || q.free == 0 {
		return
	}
	shadow, reserved := q.shadow(s.now, q.pending[0])
	spare := 0 // GPUs that are free and not kept for the head
	for g := range reserved {
		if q.holder[g] < 0 && !reserved[g] {
			spare++
		}
	}
	kept := q.pending[:1]
	for i, j := range q.pending[1:] {
		if i >= backfillDepth || q.free == 0 {
			kept = append(kept, q.pending[1+i:]...)
			break
		}
		// What ends before the head's turn may use GPUs kept for it.
		at, ok := site{}, false
		if s.now+q.shortest[j] <= shadow {
			at, ok = q.find(j, q.free, unused)
		}
		if !ok || s.now+at.length > shadow {
			at, ok = q.find(j, spare, func(g instance.GPUID) bool { return q.holder[g] < 0 && !reserved[g] })
		}
		if ok {
			for _, g := range at.gpus {
				if !reserved[g] {
					spare--
				}
			}
			q.start(s, j, at)
		} else {
			kept = append(kept, j)
		}
	}
	q.pending = kept
}

// start runs a job at the site from now on.
func (q *queue) start(s *simulator, j instance.JobID, at site) {
	q.spread = q.spread || q.far(j, at)
	q.memory.take(j, at.gpus)
	for _, g := range at.gpus {
		q.holder[g] = int32(j)
		q.idle[q.in.GPUs[g].Node]--
	}
	q.free -= len(at.gpus)
	q.jobs[j] = held{at.gpus, s.now + at.length}
	q.running = append(q.running, j)
	s.start(j, at)
}

// find chooses GPUs for job j among those that may be used, or none where it waits for
// nearer ones. There are at most so many to use; if that is no more than are free, only free
// ones are.
func (q *queue) find(j instance.JobID, most int, usable func(instance.GPUID) bool) (site, bool) {
	at, ok := q.fit(j, most, usable)
	return at, ok && (!q.patient || !q.far(j, at))
}

// far reports whether job j would be faster on other GPUs, were all free.
func (q *queue) far(j instance.JobID, at site) bool {
	if q.fixed != nil || !q.in.Jobs[j].HasSync() {
		return false
	}
	if q.near[j] == 0 {
		best, ok := q.fit(j, len(q.in.GPUs), func(instance.GPUID) bool { return true })
		if !ok {
			best = at
		}
		q.near[j] = best.length
	}
	return at.length > q.near[j]
}

func (q *queue) fit(j instance.JobID, most int, usable func(instance.GPUID) bool) (site, bool) {
	if most < q.in.Jobs[j].Workers {
		return site{}, false
	}
	if q.fixed != nil {
		if slices.ContainsFunc(q.fixed[j], func(g instance.GPUID) bool { return !usable(g) }) {
			return site{}, false
		}
		return q.placer.at(j, q.fixed[j])
	}
	enough := 0
	for n := range q.in.Nodes {
		node := &q.in.Nodes[n]
		list := q.placer.usable[n][:0]
		if most <= q.free && q.idle[n] == 0 { // of those without a job
			q.placer.usable[n] = list
			continue
		}
		for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
			if usable(g) && q.memory.fits(j, g) {
				list = append(list, g)
			}
		}
		q.placer.usable[n] = list
		enough += len(list)
	}
	if enough < q.in.Jobs[j].Workers {
		return site{}, false
	}
	return q.placer.choose(j)
}

// shadow returns when the head of the queue is expected to start and, per GPU, whether it
// would be one of its own.
func (q *queue) shadow(now instance.Tick, head instance.JobID) (instance.Tick, []bool) {
	reserved := make([]bool, len(q.in.GPUs))
	if len(q.running) == 0 {
		return state.Never, reserved // it never fits; let the others pass
	}
	byEnd := slices.Clone(q.running)
	slices.SortFunc(byEnd, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(q.jobs[a].end, q.jobs[b].end), cmp.Compare(a, b))
	})
	gone := make([]int, len(q.in.Jobs)) // place by end
	for at, j := range byEnd {
		gone[j] = at
	}
	after := func(n int) (site, bool) { // when the first n have ended
		return q.find(head, len(q.in.GPUs), func(g instance.GPUID) bool { return q.holder[g] < 0 || gone[q.holder[g]] < n })
	}
	// So many must have ended for there to be enough GPUs, wherever they are: mostly that will do.
	lo, hi := 1, len(byEnd)
	for free := q.free + q.in.Jobs[byEnd[0]].Workers; free < q.in.Jobs[head].Workers && lo < hi; lo++ {
		free += q.in.Jobs[byEnd[lo]].Workers
	}
	if _, ok := after(lo); ok {
		hi = lo
	} else if _, ok := after(hi); !ok {
		return state.Never, reserved
	}
	for lo < hi {
		mid := (lo + hi) / 2
		if _, ok := after(mid); ok {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	at, _ := after(lo)
	for _, g := range at.gpus {
		reserved[g] = true
	}
	return max(now, q.jobs[byEnd[lo-1]].end), reserved
}
