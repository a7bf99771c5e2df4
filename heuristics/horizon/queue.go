package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/heuristics"
	"jigsaw/heuristics/state"
)

// NoPlan is the error of a queue in which a job finds no place even when all others have ended, or
// misses its deadline. It proves nothing.
type NoPlan struct {
	Job    instance.JobID
	Reason string
}

func (e *NoPlan) Error() string { return "horizon: " + e.Reason }

// Queue runs whole jobs on GPUs of their own, first come, first served in order of release and
// then of the instance, with EASY backfilling: jobs behind the head of the queue start where
// they do not delay it. GPUs are chosen when a job starts, and depths are the cheapest that the rules allow.
func Queue(in *instance.Instance) (*instance.BlockSchedule, error) {
	q := newQueue(in)
	list, err := q.run(q.byRelease())
	if err == nil {
		_, _, _, err = q.judge(list)
	}
	if err != nil {
		return nil, err
	}
	return q.plan(list), nil
}

// queue simulates queues of one instance.
type queue struct {
	in     *instance.Instance
	counts [][]int
	shape  []int // of jobs that differ in length, weight and dates only
	// lonely are the sites that list scheduling found, by job; nil: none.
	lonely map[instance.JobID]*site
	guard  sync.Mutex // of lonely
	// units of several jobs are numbered on from the jobs; kinds of nodes are those of like GPUs and links.
	units []*unit
	kinds []int
	// now is when it begins, with those begun at work already; waiting are its jobs, ascending, nil: all.
	now     instance.Tick
	begun   []stint
	waiting []instance.JobID
	// depth is how many jobs behind the head are tried for backfilling.
	depth int
}

// backfilled is how many jobs behind the head of a queue may overtake it.
const backfilled = 100

func newQueue(in *instance.Instance) *queue {
	q := &queue{in: in, counts: state.CheapestMultisets(in), shape: make([]int, len(in.Jobs)), lonely: map[instance.JobID]*site{}, depth: backfilled}
	known := map[string]int{}
	for i := range in.Jobs {
		j := in.Jobs[i]
		on := make([]instance.Costs, len(j.On))
		for t, costs := range j.On {
			if costs != nil {
				on[t] = *costs
			}
		}
		key := fmt.Sprint(j.Workers, j.Within, q.counts[i], j.SegmentBytes, on)
		n, ok := known[key]
		if !ok {
			n = len(known)
			known[key] = n
		}
		q.shape[i] = n
	}
	q.kinds = symmetry.Kinds(in)
	return q
}

// unit returns the unit of several jobs of that number; nil for a job by itself.
func (q *queue) unit(id instance.JobID) *unit {
	if int(id) < len(q.in.Jobs) {
		return nil
	}
	return q.units[int(id)-len(q.in.Jobs)]
}

// last is the number of the unit that came last.
func (q *queue) last() instance.JobID { return instance.JobID(len(q.in.Jobs) + len(q.units) - 1) }

// release of a job or unit.
func (q *queue) release(id instance.JobID) instance.Tick {
	if u := q.unit(id); u != nil {
		return max(q.now, u.release)
	}
	return max(q.now, q.in.Jobs[id].Release)
}

// width is how many GPUs a job or unit takes.
func (q *queue) width(id instance.JobID) int {
	if u := q.unit(id); u != nil {
		return u.gpus
	}
	return q.in.Jobs[id].Workers
}

// like tells jobs and units apart that find room in different places.
func (q *queue) like(id instance.JobID) int {
	if u := q.unit(id); u != nil {
		return -1 - u.kind*len(q.in.Nodes) - u.nodes
	}
	return q.shape[id]
}

// work is how many GPU-ticks of tasks a job has, on the GPUs on which they are fewest.
func (q *queue) work(id instance.JobID) float64 {
	j := &q.in.Jobs[id]
	return float64(j.Iterations) * float64(state.LeastOverTypes(j, func(t instance.TypeID) (work int64) {
		for d, n := range q.counts[id] {
			work += int64(n) * int64(j.On[t].Time[d])
		}
		return work
	}))
}

// smith is the work of a job, about, for its weight: those that have less are better first for weighted completion.
func (q *queue) smith(id instance.JobID) float64 {
	j := &q.in.Jobs[id]
	return float64(j.Workers) * float64(j.Load+instance.Tick(j.Iterations)*j.FastestFull()) / float64(j.Weight)
}

// find returns where a job or unit would run now; see floor.find.
func (q *queue) find(f *floor, id instance.JobID) *site {
	if u := q.unit(id); u != nil {
		return q.seek(f, u)
	}
	return f.find(id)
}

// stint is a job or unit at work: when it is admitted and when it ends.
type stint struct {
	job        instance.JobID
	site       *site
	start, end instance.Tick
}

// byEnd orders stints by their ends.
func byEnd(a, b stint) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.job, b.job)) }

// run queues jobs and units in the given order.
func (q *queue) run(order []instance.JobID) (list []stint, err error) {
	in, f := q.in, newFloor(q.in, q.counts)
	var working []stint          // by end
	var waiting []instance.JobID // of those released, in the given order
	coming := slices.Clone(order)
	slices.SortStableFunc(coming, func(a, b instance.JobID) int { return cmp.Compare(q.release(a), q.release(b)) })
	rank := make([]int, len(in.Jobs)+len(q.units))
	for n, j := range order {
		rank[j] = n
	}
	first := head{job: -1}
	now := instance.Tick(0)
	start := func(id instance.JobID, s *site) {
		f.take(s.gpus, false)
		f.carry(s, 1)
		if u := q.unit(id); u != nil && f.persistent != nil {
			for i, g := range s.gpus {
				f.persistent[g] += u.persistent[i]
				f.ephemeral[g] = max(f.ephemeral[g], u.ephemeral[i])
			}
		} else if f.persistent != nil {
			j := &in.Jobs[id]
			for i, g := range s.gpus {
				costs := j.On[in.GPUs[g].Type]
				f.persistent[g] += costs.Persistent
				f.ephemeral[g] = max(f.ephemeral[g], costs.Ephemeral[s.depths[i]])
			}
		}
		now := stint{id, s, now, now + q.length(id, s)}
		list = append(list, now)
		at, _ := slices.BinarySearchFunc(working, now, byEnd)
		working = slices.Insert(working, at, now)
	}
	leave := func() {
		done := working[0]
		working = working[1:]
		f.take(done.site.gpus, true)
		f.carry(done.site, -1)
	}
	for _, s := range q.begun {
		f.take(s.site.gpus, false)
		f.carry(s.site, 1)
		list, working = append(list, s), append(working, s)
	}
	slices.SortFunc(working, byEnd)
	for len(waiting) > 0 || len(coming) > 0 {
		for len(coming) > 0 && q.release(coming[0]) <= now {
			at, _ := slices.BinarySearchFunc(waiting, coming[0], func(a, b instance.JobID) int { return rank[a] - rank[b] })
			waiting = slices.Insert(waiting, at, coming[0])
			coming = coming[1:]
		}
		for len(waiting) > 0 {
			s := q.find(f, waiting[0])
			if s == nil {
				break
			}
			start(waiting[0], s)
			waiting = waiting[1:]
		}
		if len(waiting) > 0 {
			if len(working) == 0 {
				if s := q.alone(f, waiting[0]); s != nil {
					start(waiting[0], s)
					waiting = waiting[1:]
					continue
				}
				if u := q.unit(waiting[0]); u != nil {
					return nil, &NoPlan{u.jobs[0], "there are not as many nodes"}
				}
				return nil, &NoPlan{waiting[0], fmt.Sprintf("job %q finds no place for its %d workers, even when no other job runs", in.Jobs[waiting[0]].Name, in.Jobs[waiting[0]].Workers)}
			}
			waiting = q.backfill(f, &first, working, waiting, now, start)
		}
		// On to what happens next.
		next := instance.Tick(-1)
		if len(working) > 0 {
			next = working[0].end
		}
		if len(coming) > 0 && (next < 0 || q.release(coming[0]) < next) {
			next = q.release(coming[0])
		}
		if next < 0 {
			break
		}
		now = max(now, next)
		for len(working) > 0 && working[0].end <= now {
			leave()
		}
	}
	return list, nil
}

// late is the error of the first job that misses its deadline by its end; nil if none does.
func late(in *instance.Instance, ends []instance.Tick) error {
	id := in.Late(ends)
	if id == instance.NoJob {
		return nil
	}
	job := &in.Jobs[id]
	return &NoPlan{id, fmt.Sprintf("job %q would miss its deadline, %v, by %v", job.Name, in.Duration(job.Deadline), in.Duration(ends[id]-job.Deadline))}
}

// length returns how long a job holds its GPUs at a site, loading and all.
func (q *queue) length(id instance.JobID, s *site) instance.Tick {
	if u := q.unit(id); u != nil {
		return u.load + u.length
	}
	j := &q.in.Jobs[id]
	return j.Load + instance.Tick(j.Iterations)*s.iteration()
}

// backfill starts jobs behind the head of the queue that do not delay it: they end before it
// could start, or leave the GPUs to it that it would take then. It returns those that wait on.
func (q *queue) backfill(f *floor, h *head, working []stint, waiting []instance.JobID, now instance.Tick, start func(instance.JobID, *site)) []instance.JobID {
	if f.idle == 0 {
		return waiting
	}
	if waiting[0] != h.job || h.kept == nil {
		*h = q.reserve(f, working, waiting[0])
	}
	if h.kept == nil {
		return waiting // it waits for all to end, and is looked at then
	}
	crowded, behind := map[int]bool{}, map[int]bool{} // shapes that found no place, and none but that of the head
	gone := 0                                         // of the first, which those that wait on move up by
	for n := 1; n < len(waiting) && n <= q.depth && f.idle > 0; n++ {
		id := waiting[n]
		if f.idle < q.width(id) || crowded[q.like(id)] {
			continue
		}
		s := q.find(f, id)
		crowded[q.like(id)] = s == nil
		if s != nil && now+q.length(id, s) > h.shadow {
			if s = nil; !behind[q.like(id)] {
				kept := slices.DeleteFunc(slices.Clone(h.kept), func(g instance.GPUID) bool { return !f.free[g] })
				f.take(kept, false)
				s = q.find(f, id)
				f.take(kept, true)
				behind[q.like(id)] = s == nil
			}
		}
		if s != nil {
			start(id, s)
			copy(waiting[gone+1:], waiting[gone:n])
			gone++
		}
	}
	return waiting[gone:]
}

// head is what the first of a queue waits for: until when, and which GPUs it will take then.
type head struct {
	job    instance.JobID
	shadow instance.Tick
	kept   []instance.GPUID // nil: not known
}

// reserve finds how many of the jobs at work, in order of their ends, the head has to wait for.
func (q *queue) reserve(f *floor, working []stint, id instance.JobID) head {
	ends, given := working, 0
	after := func(n int) *site { // the place of the head once n have ended
		for ; given < n; given++ {
			f.take(ends[given].site.gpus, true)
			f.carry(ends[given].site, -1)
		}
		for ; given > n; given-- {
			f.take(ends[given-1].site.gpus, false)
			f.carry(ends[given-1].site, 1)
		}
		return q.find(f, id)
	}
	n := 1 + sort.Search(len(ends), func(i int) bool { return after(i+1) != nil })
	h := head{job: id}
	if n <= len(ends) {
		if s := after(n); s != nil {
			h.shadow, h.kept = ends[n-1].end, s.gpus
		}
	}
	after(0)
	return h
}

// alone returns where a job runs on an empty cluster, as list scheduling of one iteration of it
// finds, which knows all networks; nil where that finds nothing.
func (q *queue) alone(f *floor, id instance.JobID) *site {
	if f.persistent != nil || q.unit(id) != nil {
		return nil
	}
	q.guard.Lock()
	defer q.guard.Unlock()
	found, ok := q.lonely[id]
	if !ok {
		found = q.listed(id)
		q.lonely[id] = found
	}
	return found
}

// listed is alone, anew.
func (q *queue) listed(id instance.JobID) *site {
	one := q.in.Part([]instance.JobID{id}, q.in.AllNodes(), nil).Miniature([]int{1})
	s, err := heuristics.Config{Quick: true}.Greedy(context.Background(), one, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return nil
	}
	s.Sort()
	found := &site{gpus: s.Residency[0], level: 1}
	for _, t := range s.Tasks {
		found.depths = append(found.depths, t.Depth)
		found.tasks = max(found.tasks, t.End-t.Start)
	}
	if len(s.Syncs) > 0 {
		span, _ := q.in.SpanOf(&q.in.Jobs[id], found.gpus)
		y := s.Syncs[0]
		found.level, found.sync, found.uses, found.rate = y.Rate, y.End-y.Start, span.Uses, span.Rate(y.Rate)
	}
	return found
}

// byRelease is the order of a queue: of release, then of the instance.
func (q *queue) byRelease() []instance.JobID {
	order := slices.Clone(q.waiting)
	if order == nil {
		order = q.in.AllJobs()
	}
	slices.SortStableFunc(order, func(a, b instance.JobID) int { return cmp.Compare(q.release(a), q.release(b)) })
	return order
}

// Alone returns how long an iteration of every job takes on an empty cluster, at full depth; 0 where it
// finds no place.
func Alone(in *instance.Instance) []instance.Tick {
	q := newQueue(in.FullDepth())
	f := newFloor(in, q.counts)
	lengths := make([]instance.Tick, len(in.Jobs))
	known := map[int]instance.Tick{} // by shape
	for j := range lengths {
		length, ok := known[q.shape[j]]
		if !ok {
			if s := f.find(instance.JobID(j)); s != nil {
				length = s.iteration()
			}
			known[q.shape[j]] = length
		}
		lengths[j] = length
	}
	return lengths
}
