package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Exclusive plans as a gang-scheduling batch queue would: every worker at
// full depth, whole jobs on dedicated GPUs that they hold from their first
// iteration to their last. Jobs queue in order of release, ties in order of
// the instance. The head of the queue starts as soon as enough GPUs are free;
// until then, later jobs are backfilled where they do not delay it by what is
// expected (EASY backfilling). Only if a deadline is missed in this order, the
// queue is sorted by deadline. Synchronisations still share links.
//
// Where jobs took GPUs far apart, which slow links may make a bad bargain, the queue
// is run once more with jobs that wait for GPUs as near to one another as can be, and
// the better schedule counts.
//
// The schedule is valid for in.FullDepth(). As in every plan a job's
// persistent memory is reserved on its GPUs throughout (rule 7).
func (c Config) Exclusive(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Objective.Periodic() {
		return periodicExclusive(ctx, c, in.FullDepth(), rng)
	}
	in = in.FullDepth()
	counts := startCounts(in)
	byRelease := orderBy(len(in.Jobs), func(j instance.JobID) int64 { return int64(in.Jobs[j].Release) })
	byDeadline := orderBy(len(in.Jobs), func(j instance.JobID) int64 {
		if d := in.Jobs[j].Deadline; d > 0 {
			return int64(d)
		}
		return noDeadline
	})
	var first error
	for _, order := range [][]instance.JobID{byRelease, byDeadline} {
		s, err := exclusive(ctx, in, counts, order, nil)
		if err != nil && ctx.Err() == nil {
			// GPUs chosen one job at a time may leave one without memory, or a
			// late job; residencies chosen for all jobs together may not.
			if where, hard := placeHard(in, placing{counts: counts}); hard == nil {
				s, err = exclusive(ctx, in, counts, order, where)
			}
		}
		if err == nil {
			if c.Improved != nil {
				c.Improved(s)
			}
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// exclusive runs the queue in the given order, on the residencies of where if
// that is not nil; jobs that have none take what is free, or wait for what is near.
func exclusive(ctx context.Context, in *instance.Instance, counts [][]int, order []instance.JobID, where *placement) (*instance.Schedule, error) {
	q := newQueue(in, counts, order, where)
	s, err := q.schedule(ctx, order)
	if !q.spread {
		return s, err
	}
	q = newQueue(in, counts, order, where)
	q.patient = true
	if near, nearErr := q.schedule(ctx, order); nearErr == nil && (err != nil || in.Objective.Better(in.Value(near), in.Value(s))) {
		return near, nil
	}
	return s, err
}

// schedule runs the queue to its end.
func (q *queue) schedule(ctx context.Context, order []instance.JobID) (*instance.Schedule, error) {
	in, counts := q.in, q.placer.how.counts
	l := newLayout(in)
	d := &decision{counts: counts, where: q.placer.out, base: make([]int64, len(in.Jobs)), slope: make([]int64, len(in.Jobs))}
	for at, j := range order {
		d.base[j] = int64(at)
	}
	s, out := newDispatcher(in, l), l.newRecord(len(in.Jobs))
	s.reset(d, out)
	for _, j := range order {
		s.push(event{in.Jobs[j].Release, arrival, int32(j)})
	}
	if err := s.run(ctx, q); err != nil {
		return nil, err
	}
	if len(q.pending) > 0 {
		return nil, q.placer.refusal(q.pending[0])
	}
	for j, c := range out.completion {
		if due := in.Jobs[j].Deadline; due > 0 && c > due {
			return nil, noPlan(in, instance.JobID(j), "would miss its deadline, tick %d, by %d ticks when jobs hold their GPUs", due, c-due)
		}
	}
	return out.schedule(in, l), nil
}

// backfillDepth is how many jobs behind the head of the queue are looked at.
const backfillDepth = 100

// queue admits jobs to dedicated GPUs.
type queue struct {
	in      *instance.Instance
	placer  *placer
	fixed   *placement       // residencies to use, if not nil
	place   []int            // per job: its place in the queue
	pending []instance.JobID // arrived and not started, in order
	changed bool             // jobs have arrived or ended since the last look
	holder  []int32          // per GPU: the job on it, -1 if none
	free    int              // GPUs without one
	ends    []instance.Tick  // per job: when it is expected to end
	running []instance.JobID // by ascending start
	idle    []int            // scratch, per node: free GPUs

	patient bool            // jobs wait for GPUs as near as can be
	spread  bool            // a job has started on others
	near    []instance.Tick // per job: how long it synchronises there; 0: not known yet
}

func newQueue(in *instance.Instance, counts [][]int, order []instance.JobID, where *placement) *queue {
	q := &queue{
		in: in, placer: newPlacer(in, placing{counts: counts}), fixed: where,
		place: make([]int, len(in.Jobs)), holder: make([]int32, len(in.GPUs)), free: len(in.GPUs),
		ends: make([]instance.Tick, len(in.Jobs)), idle: make([]int, len(in.Nodes)), near: make([]instance.Tick, len(in.Jobs)),
	}
	for at, j := range order {
		q.place[j] = at
	}
	for g := range q.holder {
		q.holder[g] = -1
	}
	return q
}

// arrive puts a job into the queue.
func (q *queue) arrive(j instance.JobID) {
	i, _ := slices.BinarySearchFunc(q.pending, j, func(a, b instance.JobID) int { return cmp.Compare(q.place[a], q.place[b]) })
	q.pending = slices.Insert(q.pending, i, j)
	q.changed = true
}

// end takes a job off its GPUs.
func (q *queue) end(j instance.JobID) {
	for _, g := range q.placer.out.gpus[j] {
		q.holder[g] = -1
	}
	q.free += len(q.placer.out.gpus[j])
	q.running = slices.DeleteFunc(q.running, func(o instance.JobID) bool { return o == j })
	q.changed = true
}

// admit starts the jobs that may start now.
func (q *queue) admit(s *dispatcher) {
	if !q.changed {
		return
	}
	q.changed = false
	unused := func(g instance.GPUID) bool { return q.holder[g] < 0 }
	for len(q.pending) > 0 {
		gpus, span, ok := q.find(q.pending[0], unused)
		if !ok {
			break
		}
		q.start(s, 0, gpus, span)
	}
	if len(q.pending) < 2 || q.free == 0 {
		return
	}
	head := q.pending[0]
	shadow, reserved := q.shadow(s.now, head)
	for i := 1; i < min(len(q.pending), backfillDepth) && q.free > 0; {
		j := q.pending[i]
		// What ends before the head's turn may use GPUs kept for it.
		gpus, span, ok := q.find(j, unused)
		if ok && s.now+q.length(j, gpus, span) > shadow {
			gpus, span, ok = q.find(j, func(g instance.GPUID) bool { return q.holder[g] < 0 && !reserved[g] })
		}
		if !ok {
			i++
			continue
		}
		q.start(s, i, gpus, span)
	}
}

// start runs the i-th job of the queue on the GPUs from now on.
func (q *queue) start(s *dispatcher, i int, gpus []instance.GPUID, span instance.Span) {
	j := q.pending[i]
	q.pending = slices.Delete(q.pending, i, i+1)
	limit := make([]int, len(gpus))
	for n := range limit {
		limit[n] = q.in.Jobs[j].Full()
	}
	q.spread = q.spread || q.far(j, span)
	q.placer.settle(j, gpus, limit, span)
	for _, g := range gpus {
		q.holder[g] = int32(j)
		s.residents[g] = s.residents[g][:0]
		s.remaining[g] = 0
	}
	q.free -= len(gpus)
	q.ends[j] = s.now + q.length(j, gpus, span)
	q.running = append(q.running, j)
	s.admit(int(j))
	s.begin(int32(j))
}

// length returns how long a job takes on the GPUs if it never waits for links.
func (q *queue) length(j instance.JobID, gpus []instance.GPUID, span instance.Span) instance.Tick {
	job, longest := &q.in.Jobs[j], instance.Tick(0)
	for _, g := range gpus {
		longest = max(longest, job.On[q.in.GPUs[g].Type].Time[job.Full()])
	}
	return instance.Tick(job.Iterations) * (longest + q.placer.sync(j, span))
}

// find chooses GPUs for job j among those that may be used, or none where it waits for
// nearer ones.
func (q *queue) find(j instance.JobID, usable func(instance.GPUID) bool) ([]instance.GPUID, instance.Span, bool) {
	gpus, span, ok := q.fit(j, usable)
	if ok && q.patient && q.far(j, span) {
		return nil, instance.Span{}, false
	}
	return gpus, span, ok
}

// far reports whether job j would synchronise faster on other GPUs, were all free.
func (q *queue) far(j instance.JobID, span instance.Span) bool {
	if q.fixed != nil || !q.in.Jobs[j].HasSync() {
		return false
	}
	if q.near[j] == 0 {
		_, best, ok := q.fit(j, func(instance.GPUID) bool { return true })
		if !ok {
			best = span
		}
		q.near[j] = q.placer.sync(j, best)
	}
	return q.placer.sync(j, span) > q.near[j]
}

// fit chooses GPUs for job j among those that may be used: the tightest
// place first, so that whole nodes stay free for jobs that need them.
func (q *queue) fit(j instance.JobID, usable func(instance.GPUID) bool) ([]instance.GPUID, instance.Span, bool) {
	if q.fixed != nil {
		for _, g := range q.fixed.gpus[j] {
			if !usable(g) {
				return nil, instance.Span{}, false
			}
		}
		return q.fixed.gpus[j], q.fixed.span[j], true
	}
	p, full := q.placer, q.in.Jobs[j].Full()
	for n := range q.in.Nodes {
		node := &q.in.Nodes[n]
		q.idle[n] = 0
		for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
			if usable(g) {
				q.idle[n]++
			}
		}
	}
	for g := range p.cost {
		p.cost[g] = int64(q.idle[q.in.GPUs[g].Node])
	}
	p.collect(j, func(g instance.GPUID) bool { return usable(g) && p.room(j, g, full) >= 0 })
	return p.choose(j)
}

// shadow returns when the head of the queue is expected to start and, per
// GPU, whether it would be one of its own.
func (q *queue) shadow(now instance.Tick, head instance.JobID) (instance.Tick, []bool) {
	reserved := make([]bool, len(q.in.GPUs))
	byEnd := slices.Clone(q.running)
	slices.SortFunc(byEnd, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(q.ends[a], q.ends[b]), cmp.Compare(a, b))
	})
	gone := make([]int, len(q.in.Jobs)) // place by end
	for at, j := range byEnd {
		gone[j] = at
	}
	after := func(n int) ([]instance.GPUID, bool) { // when the first n have ended
		gpus, _, ok := q.find(head, func(g instance.GPUID) bool { return q.holder[g] < 0 || gone[q.holder[g]] < n })
		return gpus, ok
	}
	lo, hi := 1, len(byEnd)
	if _, ok := after(hi); !ok {
		return never, reserved // it never fits; let the others pass
	}
	for lo < hi {
		mid := (lo + hi) / 2
		if _, ok := after(mid); ok {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	gpus, _ := after(lo)
	for _, g := range gpus {
		reserved[g] = true
	}
	return max(now, q.ends[byEnd[lo-1]]), reserved
}
