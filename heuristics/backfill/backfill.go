// Package backfill is first come, first served with EASY backfilling (D. Lifka, The ANL/IBM SP
// scheduling system, 1995): the head of a queue starts as soon as there is a place for it; until
// then, later jobs start where they do not delay it by what is expected. What a place is, and
// what happens when, is the user's.
package backfill

import (
	"cmp"
	"slices"
	"sort"

	"jigsaw/formulation/instance"
)

// most is how many jobs behind the head are tried.
const most = 100

// Cluster says where jobs have room; S is a place of a job, a site.
type Cluster[S any] interface {
	// Full reports whether no GPU is free.
	Full() bool
	// Like is equal for jobs that have room in the same places.
	Like(instance.JobID) int
	// Find returns where a job would start now, and Beside where on GPUs that a site leaves; nil: nowhere.
	Find(instance.JobID) *S
	Beside(*S, instance.JobID) *S
	// Length is how long a job is expected to hold its GPUs.
	Length(instance.JobID, *S) instance.Tick
	// Take marks the GPUs of a site as taken or, free, as free again.
	Take(s *S, free bool)
}

// Queue is the jobs that have arrived and not ended.
type Queue[S any] struct {
	Cluster[S]
	// Rank of every job in the order.
	Rank []int
	// Steady: jobs end when they are expected to, so that the turn of the head stays what it was.
	Steady bool
	// Waiting are the jobs that have not started, in order, and Working those that have, by End.
	Waiting []instance.JobID
	Working []Stint[S]

	changed bool     // since the last look
	turn    Stint[S] // of the head, as expected; no Site: not known
}

// Stint is a job at work: when it started, and when it is expected to end.
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

// Begin puts a job to work that does not queue.
func (q *Queue[S]) Begin(s Stint[S]) {
	q.Take(s.Site, false)
	at, _ := slices.BinarySearchFunc(q.Working, s, func(a, b Stint[S]) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Job, b.Job))
	})
	q.Working = slices.Insert(q.Working, at, s)
}

// End takes a job off its GPUs.
func (q *Queue[S]) End(j instance.JobID) {
	at := slices.IndexFunc(q.Working, func(s Stint[S]) bool { return s.Job == j })
	q.Take(q.Working[at].Site, true)
	q.Working, q.changed = slices.Delete(q.Working, at, at+1), true
}

// Admit starts the jobs that may start now, and tells of each.
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
	crowded, behind := map[int]bool{}, map[int]bool{} // alike jobs that found no place, and none but that of the head
	gone := 0                                         // of the first, which those that wait on move up by
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

// reserve finds the head's turn: how many of the jobs at work, in order of their ends, it has to wait for.
func (q *Queue[S]) reserve(head instance.JobID) (turn Stint[S]) {
	ended := 0
	after := func(n int) *S { // the place of the head once n have ended
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
			n++ // those that end at once leave their GPUs together
		}
		turn.Site = after(n)
	}
	after(0)
	return turn
}
