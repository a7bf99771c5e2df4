// Package backfill implements first come, first served with EASY backfilling (D. Lifka, The
// ANL/IBM SP scheduling system, 1995): the head of a queue starts as soon as there is a place
// for it; until then, later jobs start if this is not expected to delay it. The caller defines
// what a place is, and runs the events.
package backfill

import (
	"cmp"
	"slices"
	"sort"

	"jigsaw/formulation/instance"
)

// most is how many jobs behind the head are tried.
const most = 100

// Cluster tells where jobs have room; S is a place of a job, a site.
type Cluster[S any] interface {
	// Full reports whether no GPU is free.
	Full() bool
	// Like is equal for jobs that fit in the same places.
	Like(instance.JobID) int
	// Find returns where a job would start now, and Beside where on the GPUs that a site leaves free;
	// nil: nowhere.
	Find(instance.JobID) *S
	Beside(*S, instance.JobID) *S
	// Length is how long a job is expected to hold its GPUs.
	Length(instance.JobID, *S) instance.Tick
	// Take marks the GPUs of a site as taken or, free, as free again.
	Take(s *S, free bool)
}

// Queue holds the jobs that have arrived and not ended.
type Queue[S any] struct {
	Cluster[S]
	// Rank of every job in the order.
	Rank []int
	// Steady: jobs end when expected, so the expected start of the head does not change.
	Steady bool
	// Waiting are the jobs that have not started, in order, and Working those that have, by End.
	Waiting []instance.JobID
	Working []Stint[S]

	changed bool     // since the last Admit
	turn    Stint[S] // expected start and site of the head; no Site: not known
}

// Stint is a running job: when it started, and when it is expected to end.
type Stint[S any] struct {
	Job        instance.JobID
	Site       *S
	Start, End instance.Tick
}

// Arrive puts a job into the queue.
func (q *Queue[S]) Arrive(j instance.JobID) {
	at, _ := slices.BinarySearchFunc(q.Waiting, j, func(a, b instance.JobID) int { return cmp.Compare(q.Rank[a], q.Rank[b]) })
	q.Waiting, q.changed = slices.Insert(q.Waiting, at, j), true
}

// Begin starts a job that did not queue.
func (q *Queue[S]) Begin(s Stint[S]) {
	q.Take(s.Site, false)
	at, _ := slices.BinarySearchFunc(q.Working, s, func(a, b Stint[S]) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Job, b.Job))
	})
	q.Working = slices.Insert(q.Working, at, s)
}

// End removes a job from its GPUs.
func (q *Queue[S]) End(j instance.JobID) {
	at := slices.IndexFunc(q.Working, func(s Stint[S]) bool { return s.Job == j })
	q.Take(q.Working[at].Site, true)
	q.Working, q.changed = slices.Delete(q.Working, at, at+1), true
}

// Admit starts the jobs that may start now, and calls started for each.
func (q *Queue[S]) Admit(now instance.Tick, started func(Stint[S])) {
	if !q.changed {
		return
	}
	q.changed = false
	start := func(j instance.JobID, site *S) {
		s := Stint[S]{j, site, now, now + q.Length(j, site)}
		q.Begin(s)
		started(s)
	}
	for ; len(q.Waiting) > 0; q.Waiting = q.Waiting[1:] {
		site := q.Find(q.Waiting[0])
		if site == nil {
			break
		}
		start(q.Waiting[0], site)
	}
	if len(q.Waiting) < 2 || q.Full() {
		return
	}
	if head := q.Waiting[0]; head != q.turn.Job || q.turn.Site == nil || !q.Steady {
		q.turn = q.reserve(head)
	}
	if q.turn.Site == nil {
		return // it waits for all to end
	}
	crowded, behind := map[int]bool{}, map[int]bool{} // kinds of jobs that found no place, and those that found none beside the head's place
	gone := 0                                         // jobs that left the front, by which those still waiting move up
	for n := 1; n < len(q.Waiting) && n <= most && !q.Full(); n++ {
		j := q.Waiting[n]
		like := q.Like(j)
		if crowded[like] {
			continue
		}
		site := q.Find(j)
		crowded[like] = site == nil
		if site != nil && now+q.Length(j, site) > q.turn.Start {
			if site = nil; !behind[like] {
				site = q.Beside(q.turn.Site, j)
				behind[like] = site == nil
			}
		}
		if site != nil {
			start(j, site)
			copy(q.Waiting[gone+1:], q.Waiting[gone:n])
			gone++
		}
	}
	q.Waiting = q.Waiting[gone:]
}

// reserve finds the expected start of the head: how many of the running jobs, in order of their
// ends, it has to wait for.
func (q *Queue[S]) reserve(head instance.JobID) (turn Stint[S]) {
	ended := 0
	after := func(n int) *S { // the place of the head once n jobs have ended
		for ; ended < n; ended++ {
			q.Take(q.Working[ended].Site, true)
		}
		for ; ended > n; ended-- {
			q.Take(q.Working[ended-1].Site, false)
		}
		return q.Find(head)
	}
	if n := 1 + sort.Search(len(q.Working), func(i int) bool { return after(i+1) != nil }); n <= len(q.Working) {
		turn = Stint[S]{Job: head, Start: q.Working[n-1].End}
		for n < len(q.Working) && q.Working[n].End == turn.Start {
			n++ // jobs with the same end free their GPUs together
		}
		turn.Site = after(n)
	}
	after(0)
	return turn
}
