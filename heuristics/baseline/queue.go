package baseline

import (
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/backfill"
	"jigsaw/heuristics/state"
)

// queue is a policy: first come, first served in a given order, with EASY backfilling. It also
// is the cluster of that queue.
type queue struct {
	*problem
	*backfill.Queue[site]
	memory *memory
	placer *placer
	busy   []bool // per GPU
	free   int    // GPUs that are not busy

	fixed   [][]instance.GPUID // per job: GPUs that it must have; nil: any
	patient bool               // jobs wait for the nearest possible GPUs
	spread  bool               // a job has started on others
	near    []instance.Tick    // per job: its length on the nearest GPUs; 0: not known yet
}

func newQueue(p *problem, order []instance.JobID) *queue {
	q := &queue{
		problem: p, memory: newMemory(p), placer: newPlacer(p), busy: make([]bool, len(p.in.GPUs)), free: len(p.in.GPUs), near: make([]instance.Tick, len(p.in.Jobs)),
	}
	q.Queue = &backfill.Queue[site]{Cluster: q, Rank: places(order)}
	return q
}

// places returns the position of each job in an order.
func places(order []instance.JobID) []int {
	place := make([]int, len(order))
	for at, j := range order {
		place[j] = at
	}
	return place
}

// runQueue runs the queue in an order. If jobs took GPUs far apart, which may not be worth
// it with slow links, it is run once more with jobs that wait for near ones, unless ctx has
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

// run returns the result of the queue if all jobs have run.
func (q *queue) run(ctx context.Context) (*simulator, error) {
	s, err := simulate(ctx, q.problem, q.Rank, q)
	if err != nil {
		return nil, err
	}
	if s.left > 0 {
		j := q.Waiting[0]
		return nil, state.Refusal(q.in, j, func(g instance.GPUID) bool { return q.memory.fits(j, g) })
	}
	return s, nil
}

func (q *queue) arrive(j instance.JobID) { q.Arrive(j) }
func (q *queue) end(j instance.JobID)    { q.End(j) }
func (q *queue) admit(s *simulator) {
	q.Admit(s.now, func(begun backfill.Stint[site]) {
		q.spread = q.spread || q.far(begun.Job, begun.Site)
		q.memory.take(begun.Job, begun.Site.gpus)
		s.start(begun.Job, *begun.Site)
	})
}

// What follows implements the cluster of [backfill.Queue].

func (q *queue) Full() bool                                      { return q.free == 0 }
func (q *queue) Like(j instance.JobID) int                       { return int(j) }
func (q *queue) Length(_ instance.JobID, at *site) instance.Tick { return at.length }
func (q *queue) Take(at *site, free bool)                        { q.mark(at.gpus, free) }

// Find chooses GPUs for job j among the free ones, or none if it waits for nearer ones.
func (q *queue) Find(j instance.JobID) *site {
	at := q.fit(j, false)
	if at != nil && q.patient && q.far(j, at) {
		return nil
	}
	return at
}

func (q *queue) Beside(other *site, j instance.JobID) *site {
	kept := slices.DeleteFunc(slices.Clone(other.gpus), func(g instance.GPUID) bool { return q.busy[g] })
	q.mark(kept, false)
	defer q.mark(kept, true)
	return q.Find(j)
}

// mark marks GPUs as busy or as free again.
func (q *queue) mark(gpus []instance.GPUID, free bool) {
	for _, g := range gpus {
		q.busy[g] = !free
	}
	if free {
		q.free += len(gpus)
	} else {
		q.free -= len(gpus)
	}
}

// far reports whether job j would be faster on other GPUs if all were free.
func (q *queue) far(j instance.JobID, at *site) bool {
	if q.fixed != nil || !q.in.Jobs[j].HasSync() {
		return false
	}
	if q.near[j] == 0 {
		best := q.fit(j, true)
		if best == nil {
			best = at
		}
		q.near[j] = best.length
	}
	return at.length > q.near[j]
}

// fit chooses GPUs with enough memory for job j, among the free ones or among all.
func (q *queue) fit(j instance.JobID, all bool) *site {
	at, ok, enough := site{}, false, 0
	switch {
	case q.fixed != nil:
		if !slices.ContainsFunc(q.fixed[j], func(g instance.GPUID) bool { return q.busy[g] }) {
			at, ok = q.placer.at(j, q.fixed[j])
		}
	case all || q.free >= q.in.Jobs[j].Workers:
		for n := range q.in.Nodes {
			list := q.placer.usable[n][:0]
			for g := range q.in.Nodes[n].All() {
				if (all || !q.busy[g]) && q.memory.fits(j, g) {
					list = append(list, g)
				}
			}
			q.placer.usable[n] = list
			enough += len(list)
		}
		if enough >= q.in.Jobs[j].Workers {
			at, ok = q.placer.choose(j)
		}
	}
	if !ok {
		return nil
	}
	return &at
}
