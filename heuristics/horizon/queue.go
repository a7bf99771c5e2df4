package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/heuristics"
	"jigsaw/heuristics/alloc"
	"jigsaw/heuristics/backfill"
	"jigsaw/heuristics/state"
)

// Queue runs whole jobs on GPUs of their own, first come, first served in order of release and then of the instance,
// with EASY backfilling: jobs behind the head of the queue start if they do not delay it. GPUs are chosen when a job
// starts or, if that ends better, jobs wait for those on which they are fastest; depths are the cheapest that the rules
// permit.
func Queue(in *instance.Instance) (*instance.BlockSchedule, error) {
	q := newQueue(in)
	best := q.outcome(q.byRelease(), nil)
	if q.fastest != nil {
		if o := q.outcome(q.byRelease(), q.everyone()); o.valid() && (!best.valid() || o.compare(&best) < 0) {
			best = o
		}
	}
	if err := cmp.Or(best.err, best.missed); err != nil {
		return nil, err
	}
	return q.plan(best.list), nil
}

// queue simulates queues of one instance.
type queue struct {
	in     *instance.Instance
	counts [][]int
	shape  []int // equal for jobs that differ in length, weight and dates only
	// lonely are the sites found by list scheduling, by job; nil: none.
	lonely map[instance.JobID]*alloc.Site
	guard  sync.Mutex // for lonely
	// fastest is the least iteration of each job on an empty cluster, for those that wait for it; nil if
	// all GPUs are of one type.
	fastest []instance.Tick
	// units of several jobs have the numbers after the jobs; kinds of nodes are those with identical GPUs
	// and links.
	units []*unit
	kinds []int
	// now is when it begins, with those in begun already running; waiting are its jobs, ascending, nil:
	// all.
	now     instance.Tick
	begun   []stint
	waiting []instance.JobID
}

func newQueue(in *instance.Instance) *queue {
	q := &queue{in: in, counts: state.CheapestMultisets(in), shape: make([]int, len(in.Jobs)), lonely: map[instance.JobID]*alloc.Site{}}
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
	if len(in.Types) > 1 {
		q.fastest = q.iterations()
	}
	return q
}

// everyone says that all jobs wait for the GPUs on which they are fastest.
func (q *queue) everyone() []bool { return slices.Repeat([]bool{true}, len(q.in.Jobs)) }

// unit returns the unit of several jobs with that number; nil for a single job.
func (q *queue) unit(id instance.JobID) *unit {
	if int(id) < len(q.in.Jobs) {
		return nil
	}
	return q.units[int(id)-len(q.in.Jobs)]
}

// last is the number of the latest unit.
func (q *queue) last() instance.JobID { return instance.JobID(len(q.in.Jobs) + len(q.units) - 1) }

// release of a job or unit.
func (q *queue) release(id instance.JobID) instance.Tick {
	if u := q.unit(id); u != nil {
		return max(q.now, u.release)
	}
	return max(q.now, q.in.Jobs[id].Release)
}

// Like is different for jobs and units that fit in different places.
func (q *queue) Like(id instance.JobID) int {
	if u := q.unit(id); u != nil {
		return -1 - u.kind*len(q.in.Nodes) - u.nodes
	}
	return q.shape[id]
}

// work is the least GPU-ticks of the tasks of a job, on any type of GPU.
func (q *queue) work(id instance.JobID) float64 {
	j := &q.in.Jobs[id]
	return float64(j.Iterations) * float64(state.LeastOverTypes(j, func(t instance.TypeID) int64 { return q.iteration(id, t) }))
}

// iteration is the GPU-ticks of the tasks of an iteration of a job on GPUs of a type that it may use.
func (q *queue) iteration(id instance.JobID, t instance.TypeID) (work int64) {
	for d, n := range q.counts[id] {
		work += int64(n) * int64(q.in.Jobs[id].On[t].Time[d])
	}
	return work
}

// smith is the approximate work of a job per weight: for weighted completion, jobs with less come
// first.
func (q *queue) smith(id instance.JobID) float64 {
	j := &q.in.Jobs[id]
	return float64(j.Workers) * float64(j.Load+instance.Tick(j.Iterations)*j.FastestFull()) / float64(j.Weight)
}

// stint is a running job or unit: when it is admitted and when it ends.
type stint = backfill.Stint[alloc.Site]

// stand is a queue of jobs and units, and where they have room.
type stand struct {
	*queue
	backfill.Queue[alloc.Site]
	free    *alloc.Free
	patient []bool // by job: whether it waits for GPUs on which it is fastest; nil: none does
}

func (s *stand) Full() bool { return s.free.Idle == 0 }

func (s *stand) Find(id instance.JobID) *alloc.Site {
	if u := s.unit(id); u != nil {
		return s.seek(s.free, u)
	}
	at := s.free.Find(id)
	switch {
	case at == nil && len(s.Working) == 0:
		at = s.alone(s.free, id)
	case at != nil && s.waits(id) && at.Iteration() > s.fastest[id]:
		at = nil
	}
	return at
}

func (s *stand) waits(id instance.JobID) bool {
	return s.patient != nil && s.unit(id) == nil && s.patient[id]
}

// Like is [queue.Like] that also distinguishes jobs that wait.
func (s *stand) Like(id instance.JobID) int {
	like := 2 * s.queue.Like(id)
	if s.waits(id) {
		like++
	}
	return like
}

func (s *stand) Take(at *alloc.Site, free bool) {
	s.free.Take(at.GPUs, free)
	if free {
		s.free.Carry(at, -1)
	} else {
		s.free.Carry(at, 1)
	}
}

func (s *stand) Beside(other *alloc.Site, id instance.JobID) *alloc.Site {
	kept := slices.DeleteFunc(slices.Clone(other.GPUs), func(g instance.GPUID) bool { return !s.free.Has(g) })
	s.free.Take(kept, false)
	defer s.free.Take(kept, true)
	return s.Find(id)
}

// settle records what a job or unit keeps in memory if it is there for the whole plan.
func (s *stand) settle(id instance.JobID, at *alloc.Site) {
	f, u := s.free, s.unit(id)
	for i := 0; f.Held != nil && i < len(at.GPUs); i++ {
		g := at.GPUs[i]
		if u != nil {
			f.Held[g] = f.Held[g].With(u.held[i])
		} else {
			f.Held[g] = f.Held[g].With(s.in.Jobs[id].On[s.in.GPUs[g].Type].Memory(at.Depths[i]))
		}
	}
}

// run queues jobs and units in the given order, of which some jobs wait for the GPUs on which they are
// fastest.
func (q *queue) run(order []instance.JobID, patient []bool) (list []stint, err error) {
	s := &stand{queue: q, free: alloc.New(q.in, q.counts), patient: patient}
	s.Queue = backfill.Queue[alloc.Site]{Cluster: s, Steady: true, Rank: make([]int, len(q.in.Jobs)+len(q.units))}
	for n, j := range order {
		s.Rank[j] = n
	}
	for _, begun := range q.begun {
		s.Begin(begun)
		list = append(list, begun)
	}
	coming := slices.Clone(order)
	slices.SortStableFunc(coming, func(a, b instance.JobID) int { return cmp.Compare(q.release(a), q.release(b)) })
	for now := instance.Tick(0); ; {
		for ; len(coming) > 0 && q.release(coming[0]) <= now; coming = coming[1:] {
			s.Arrive(coming[0])
		}
		s.Admit(now, func(begun stint) {
			s.settle(begun.Job, begun.Site)
			list = append(list, begun)
		})
		// Advance to the next event.
		switch {
		case len(s.Waiting) == 0 && len(coming) == 0:
			return list, nil
		case len(s.Working) == 0 && len(s.Waiting) > 0:
			return nil, q.homeless(s.Waiting[0])
		case len(s.Working) == 0 || len(coming) > 0 && q.release(coming[0]) < s.Working[0].End:
			now = q.release(coming[0])
		default:
			now = max(now, s.Working[0].End)
		}
		for len(s.Working) > 0 && s.Working[0].End <= now {
			s.End(s.Working[0].Job)
		}
	}
}

// homeless is the error of a job or unit that finds no place on an empty cluster.
func (q *queue) homeless(id instance.JobID) error {
	if u := q.unit(id); u != nil {
		return state.NewNoPlan(q.in, u.jobs[0], "is to share more nodes than there are")
	}
	return state.NewNoPlan(q.in, id, "finds no place for its %d workers, even when no other job runs", q.in.Jobs[id].Workers)
}

// Length returns how long a job holds its GPUs at a site, including loading.
func (q *queue) Length(id instance.JobID, s *alloc.Site) instance.Tick {
	if u := q.unit(id); u != nil {
		return u.load + u.length
	}
	j := &q.in.Jobs[id]
	return j.Load + instance.Tick(j.Iterations)*s.Iteration()
}

// alone returns where a job runs on an empty cluster, by list scheduling of one of its iterations,
// which handles all networks; nil if that finds nothing.
func (q *queue) alone(f *alloc.Free, id instance.JobID) *alloc.Site {
	if f.Held != nil {
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

// listed computes alone.
func (q *queue) listed(id instance.JobID) *alloc.Site {
	one := q.in.Part([]instance.JobID{id}, q.in.AllNodes(), nil).Miniature([]int{1})
	s, err := heuristics.Config{Quick: true}.Greedy(context.Background(), one, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return nil
	}
	s.Sort()
	found := &alloc.Site{GPUs: s.Residency[0], Level: 1}
	for _, t := range s.Tasks {
		found.Depths = append(found.Depths, t.Depth)
		found.Tasks = max(found.Tasks, t.End-t.Start)
	}
	if len(s.Syncs) > 0 {
		span, _ := q.in.SpanOf(&q.in.Jobs[id], found.GPUs)
		y := s.Syncs[0]
		found.Level, found.Sync, found.Uses, found.Rate = y.Rate, y.End-y.Start, span.Uses, span.Rate(y.Rate)
	}
	return found
}

// byRelease is the order of a queue: by release, then of the instance.
func (q *queue) byRelease() []instance.JobID {
	order := slices.Clone(q.waiting)
	if order == nil {
		order = q.in.AllJobs()
	}
	slices.SortStableFunc(order, func(a, b instance.JobID) int { return cmp.Compare(q.release(a), q.release(b)) })
	return order
}

// Alone returns how long an iteration of every job takes on an empty cluster, at full depth; 0 if it
// finds no place.
func Alone(in *instance.Instance) []instance.Tick { return newQueue(in.FullDepth()).iterations() }

// iterations returns how long an iteration of every job takes on an empty cluster; 0 if it finds no
// place.
func (q *queue) iterations() []instance.Tick {
	f := alloc.New(q.in, q.counts)
	lengths := make([]instance.Tick, len(q.in.Jobs))
	known := map[int]instance.Tick{} // by shape
	for j := range lengths {
		length, ok := known[q.shape[j]]
		if !ok {
			if s := f.Find(instance.JobID(j)); s != nil {
				length = s.Iteration()
			}
			known[q.shape[j]] = length
		}
		lengths[j] = length
	}
	return lengths
}
