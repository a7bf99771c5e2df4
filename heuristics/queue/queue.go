package queue

import (
	"cmp"
	"context"
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

// FirstCome runs whole jobs on GPUs of their own, first come, first served in order of release and then of the instance,
// with EASY backfilling: jobs behind the head of the queue start if they do not delay it. GPUs are chosen when a job
// starts or, if that ends better, jobs wait for those on which they are fastest; depths are the cheapest that the rules
// permit.
func FirstCome(in *instance.Instance) (*instance.BlockSchedule, error) {
	q := New(in)
	order := Order{Jobs: q.byRelease()}
	best := q.outcome(order)
	if q.fastest != nil {
		order.choosy = q.everyone()
		if o := q.outcome(order); o.valid() && (!best.valid() || o.compare(&best) < 0) {
			best = o
		}
	}
	if err := cmp.Or(best.err, best.missed); err != nil {
		return nil, err
	}
	return q.Plan(best.list), nil
}

// Simulation simulates queues of jobs, and of units of several jobs, of one instance. A unit has a number as a job has,
// after all jobs.
type Simulation struct {
	in     *instance.Instance
	Counts [][]int // depth multiset of each job: the cheapest that its rule permits
	shape  []int   // see [instance.Instance.Shapes]
	// lonely are the sites found by list scheduling, by job; nil: none.
	lonely map[instance.JobID]*alloc.Site
	guard  sync.Mutex // for lonely
	// fastest is the least iteration of each job on an empty cluster, for those that wait for it; nil if
	// all GPUs are of one type.
	fastest []instance.Tick
	Units   []*Unit
	kinds   []int // of each node: nodes of a kind have identical GPUs and links
	// Now is when the queue begins, with those in Begun already running. Jobs are those that wait then, ascending; nil: all.
	Now   instance.Tick
	Begun []Stint
	Jobs  []instance.JobID
}

// New returns the simulation of an empty cluster.
func New(in *instance.Instance) *Simulation {
	q := &Simulation{in: in, Counts: state.CheapestMultisets(in), shape: in.Shapes(), lonely: map[instance.JobID]*alloc.Site{}}
	q.kinds = symmetry.Kinds(in)
	if len(in.Types) > 1 {
		q.fastest = q.iterations()
	}
	return q
}

// Unit returns the unit of several jobs with that number; nil for a single job.
func (q *Simulation) Unit(id instance.JobID) *Unit {
	if int(id) < len(q.in.Jobs) {
		return nil
	}
	return q.Units[int(id)-len(q.in.Jobs)]
}

// Last is the number of the latest unit.
func (q *Simulation) Last() instance.JobID { return instance.JobID(len(q.in.Jobs) + len(q.Units) - 1) }

// release of a job or unit.
func (q *Simulation) release(id instance.JobID) instance.Tick {
	if u := q.Unit(id); u != nil {
		return max(q.Now, u.Release)
	}
	return max(q.Now, q.in.Jobs[id].Release)
}

// Like is different for jobs and units that fit in different places.
func (q *Simulation) Like(id instance.JobID) int {
	if u := q.Unit(id); u != nil {
		return -1 - u.Kind*len(q.in.Nodes) - u.Nodes
	}
	return q.shape[id]
}

// Work is the least GPU-ticks of the tasks of a job, on any type of GPU.
func (q *Simulation) Work(id instance.JobID) float64 {
	j := &q.in.Jobs[id]
	return float64(j.Iterations) * float64(state.LeastOverTypes(j, func(t instance.TypeID) int64 { return q.Iteration(id, t) }))
}

// Iteration is the GPU-ticks of the tasks of an iteration of a job on GPUs of a type that it may use.
func (q *Simulation) Iteration(id instance.JobID, t instance.TypeID) (work int64) {
	for d, n := range q.Counts[id] {
		work += int64(n) * int64(q.in.Jobs[id].On[t].Time[d])
	}
	return work
}

// Smith is the approximate work of a job per weight: for weighted completion, jobs with less come
// first.
func (q *Simulation) Smith(id instance.JobID) float64 {
	j := &q.in.Jobs[id]
	return float64(j.Workers) * float64(j.Load+instance.Tick(j.Iterations)*j.FastestFull()) / float64(j.Weight)
}

// Stint is a running job or unit: when it is admitted and when it ends.
type Stint = backfill.Stint[alloc.Site]

// stand is a queue of jobs and units, and where they have room.
type stand struct {
	*Simulation
	backfill.Queue[alloc.Site]
	free *alloc.Free
	waiting
}

func (s *stand) Full() bool { return s.free.Idle == 0 }

func (s *stand) Find(id instance.JobID) *alloc.Site {
	if u := s.Unit(id); u != nil {
		return s.seek(s.free, u)
	}
	at := s.free.Find(id)
	switch {
	case at == nil && len(s.Working) == 0:
		at = s.Alone(s.free, id)
	case at != nil && s.picks(id) && at.Iteration() > s.fastest[id]:
		at = nil
	}
	return at
}

// picks reports whether a job waits for the GPUs on which it is fastest.
func (s *stand) picks(id instance.JobID) bool {
	return s.choosy != nil && s.Unit(id) == nil && s.choosy[id]
}

// queues is when a job or unit joins the queue.
func (s *stand) queues(id instance.JobID) instance.Tick {
	at := s.release(id)
	switch u := s.Unit(id); {
	case s.until == nil:
	case u == nil:
		at = max(at, s.until[id])
	default:
		for _, j := range u.Jobs {
			at = max(at, s.until[j])
		}
	}
	return at
}

// Like is [Simulation.Like] that also distinguishes jobs that wait.
func (s *stand) Like(id instance.JobID) int {
	like := 2 * s.Simulation.Like(id)
	if s.picks(id) {
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
	f, u := s.free, s.Unit(id)
	for i := 0; f.Held != nil && i < len(at.GPUs); i++ {
		g := at.GPUs[i]
		if u != nil {
			f.Held[g] = f.Held[g].With(u.held[i])
		} else {
			f.Held[g] = f.Held[g].With(s.in.Jobs[id].On[s.in.GPUs[g].Type].Memory(at.Depths[i]))
		}
	}
}

// run queues jobs and units in the given order.
func (q *Simulation) run(order Order) (list []Stint, err error) {
	s := &stand{Simulation: q, free: alloc.New(q.in, q.Counts), waiting: order.waiting}
	s.Queue = backfill.Queue[alloc.Site]{Cluster: s, Steady: true, Rank: make([]int, len(q.in.Jobs)+len(q.Units))}
	for n, j := range order.Jobs {
		s.Rank[j] = n
	}
	for _, begun := range q.Begun {
		s.Begin(begun)
		list = append(list, begun)
	}
	coming := slices.Clone(order.Jobs)
	slices.SortStableFunc(coming, func(a, b instance.JobID) int { return cmp.Compare(s.queues(a), s.queues(b)) })
	for now := instance.Tick(0); ; {
		for ; len(coming) > 0 && s.queues(coming[0]) <= now; coming = coming[1:] {
			s.Arrive(coming[0])
		}
		s.Admit(now, func(begun Stint) {
			s.settle(begun.Job, begun.Site)
			list = append(list, begun)
		})
		// Advance to the next event.
		switch {
		case len(s.Waiting) == 0 && len(coming) == 0:
			return list, nil
		case len(s.Working) == 0 && len(s.Waiting) > 0:
			return nil, q.NoPlace(s.Waiting[0])
		case len(s.Working) == 0 || len(coming) > 0 && s.queues(coming[0]) < s.Working[0].End:
			now = s.queues(coming[0])
		default:
			now = max(now, s.Working[0].End)
		}
		for len(s.Working) > 0 && s.Working[0].End <= now {
			s.End(s.Working[0].Job)
		}
	}
}

// NoPlace is the error of a job or unit that finds no place on an empty cluster.
func (q *Simulation) NoPlace(id instance.JobID) error {
	if u := q.Unit(id); u != nil {
		return state.NewNoPlan(q.in, u.Jobs[0], "is to share more nodes than there are")
	}
	return state.NewNoPlan(q.in, id, "finds no place for its %d workers, even when no other job runs", q.in.Jobs[id].Workers)
}

// Length returns how long a job holds its GPUs at a site, including loading.
func (q *Simulation) Length(id instance.JobID, s *alloc.Site) instance.Tick {
	if u := q.Unit(id); u != nil {
		return u.Load + u.Length
	}
	j := &q.in.Jobs[id]
	return j.Load + instance.Tick(j.Iterations)*s.Iteration()
}

// Alone returns where a job runs on an empty cluster, by list scheduling of one of its iterations,
// which handles all networks; nil if that finds nothing.
func (q *Simulation) Alone(f *alloc.Free, id instance.JobID) *alloc.Site {
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
func (q *Simulation) listed(id instance.JobID) *alloc.Site {
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
func (q *Simulation) byRelease() []instance.JobID {
	return q.by(func(j instance.JobID) float64 { return 0 })
}

// by is the order of jobs by a key, then by release.
func (q *Simulation) by(key func(j instance.JobID) float64) []instance.JobID {
	order := slices.Clone(q.Jobs)
	if order == nil {
		order = q.in.AllJobs()
	}
	slices.SortStableFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(q.release(a), q.release(b)))
	})
	return order
}

// Alone returns how long an iteration of every job takes on an empty cluster, at full depth; 0 if it
// finds no place.
func Alone(in *instance.Instance) []instance.Tick { return New(in.FullDepth()).iterations() }

// iterations returns how long an iteration of every job takes on an empty cluster; 0 if it finds no
// place.
func (q *Simulation) iterations() []instance.Tick {
	f := alloc.New(q.in, q.Counts)
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
