package view

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"

	"jigsaw/formulation/instance"
)

// plan is a schedule made ready to be shown: references checked, tasks and
// syncs in canonical order, and what each sync moves over which links.
type plan struct {
	in     *instance.Instance
	s      *instance.Schedule
	tasks  []instance.Task // by job, iteration, GPU
	syncs  []instance.Sync // by job, iteration
	moves  []move          // of each sync
	routes []route         // of each job
	span   instance.Tick   // makespan or period
	period instance.Tick   // 0: not periodic
}

// move is what a sync transfers.
type move struct {
	volume instance.Bytes // sent, and received, by every party
	rate   instance.Rate
}

// route is what the syncs of a job use.
type route struct {
	instance.Span
	ok bool // false: a failed link leaves two of its nodes without a route
}

// maxTime keeps sums of times far from overflow.
const maxTime = instance.Tick(1) << 52

// maxWraps bounds how many periods a task or sync of a periodic plan spans.
const maxWraps = 2048

func newPlan(in *instance.Instance, s *instance.Schedule) (*plan, error) {
	p := &plan{in: in, s: s, period: s.Period}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.tasks, p.syncs = s.Tasks, s.Syncs
	if !slices.IsSortedFunc(p.tasks, instance.Task.Compare) || !slices.IsSortedFunc(p.syncs, instance.Sync.Compare) {
		p.tasks, p.syncs = slices.Clone(p.tasks), slices.Clone(p.syncs)
		slices.SortStableFunc(p.tasks, instance.Task.Compare)
		slices.SortStableFunc(p.syncs, instance.Sync.Compare)
	}
	if p.span = p.period; p.span == 0 {
		p.span = s.Makespan(in)
	}
	p.routes = make([]route, len(in.Jobs))
	for j, gpus := range s.Residency {
		p.routes[j].Span, p.routes[j].ok = in.SpanOf(&in.Jobs[j], gpus)
	}
	p.moves = make([]move, len(p.syncs))
	for i, y := range p.syncs {
		r := &p.routes[y.Job]
		p.moves[i] = move{in.Jobs[y.Job].Volume(p.counts(y.Job, y.Iteration), max(1, r.Parties)), r.Rate(y.Rate)}
	}
	return p, nil
}

// check reports the first reference to something the instance does not have.
func (p *plan) check() error {
	in, s := p.in, p.s
	if len(s.Residency) != len(in.Jobs) {
		return fmt.Errorf("view: residency of %d jobs, but the instance has %d", len(s.Residency), len(in.Jobs))
	}
	if s.Period < 0 || s.Period > maxTime {
		return fmt.Errorf("view: period %d is out of range", s.Period)
	}
	for j, gpus := range s.Residency {
		for _, g := range gpus {
			if err := p.checkGPU(instance.JobID(j), g); err != nil {
				return fmt.Errorf("view: residency[%d]: %w", j, err)
			}
		}
	}
	for i, t := range s.Tasks {
		err := p.checkTimes(t.Job, t.Iteration, t.Start, t.End)
		if err == nil {
			err = p.checkGPU(t.Job, t.GPU)
		}
		if err == nil && (t.Depth < 0 || t.Depth >= len(in.Jobs[t.Job].Depths)) {
			err = fmt.Errorf("job %d has no depth %d", t.Job, t.Depth)
		}
		if err != nil {
			return fmt.Errorf("view: tasks[%d]: %w", i, err)
		}
	}
	for i, y := range s.Syncs {
		err := p.checkTimes(y.Job, y.Iteration, y.Start, y.End)
		if err == nil && y.Rate < 1 {
			err = fmt.Errorf("rate level %d is not positive", y.Rate)
		}
		if err != nil {
			return fmt.Errorf("view: syncs[%d]: %w", i, err)
		}
	}
	return nil
}

func (p *plan) checkGPU(j instance.JobID, g instance.GPUID) error {
	if g < 0 || int(g) >= len(p.in.GPUs) {
		return fmt.Errorf("there is no GPU %d", g)
	}
	if t := p.in.GPUs[g].Type; !p.in.Jobs[j].Runs(t) {
		return fmt.Errorf("job %d does not run on GPU %d, of type %q", j, g, p.in.Types[t].Name)
	}
	return nil
}

func (p *plan) checkTimes(j instance.JobID, iteration int, start, end instance.Tick) error {
	switch {
	case j < 0 || int(j) >= len(p.in.Jobs):
		return fmt.Errorf("there is no job %d", j)
	case iteration < 1:
		return fmt.Errorf("iteration %d; they count from 1", iteration)
	case start < 0 || end < start || end > maxTime:
		return fmt.Errorf("it goes from tick %d to %d", start, end)
	case p.period > 0 && (end-start)/p.period >= maxWraps:
		return fmt.Errorf("ticks %d to %d are more than %d periods of %d", start, end, maxWraps, p.period)
	}
	return nil
}

// counts returns how many tasks of an iteration have which depth.
func (p *plan) counts(j instance.JobID, iteration int) []int {
	counts := make([]int, len(p.in.Jobs[j].Depths))
	for i := range p.tasksOf(j, iteration) {
		counts[p.tasks[i].Depth]++
	}
	return counts
}

// tasksOf yields the tasks of an iteration.
func (p *plan) tasksOf(j instance.JobID, iteration int) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := sort.Search(len(p.tasks), func(i int) bool {
			t := &p.tasks[i]
			return t.Job > j || t.Job == j && t.Iteration >= iteration
		})
		for i := first; i < len(p.tasks) && p.tasks[i].Job == j && p.tasks[i].Iteration == iteration && yield(i); i++ {
		}
	}
}

// tasksByGPU returns the tasks of every GPU by start.
func (p *plan) tasksByGPU() [][]int32 {
	n := make([]int, len(p.in.GPUs)+1) // start of each GPU's part of all
	for i := range p.tasks {
		n[p.tasks[i].GPU+1]++
	}
	for g := range p.in.GPUs {
		n[g+1] += n[g]
	}
	all := make([]int32, len(p.tasks))
	byGPU := make([][]int32, len(p.in.GPUs))
	for g := range byGPU {
		byGPU[g] = all[n[g]:n[g]:n[g+1]]
	}
	for i := range p.tasks {
		g := p.tasks[i].GPU
		byGPU[g] = append(byGPU[g], int32(i))
	}
	for _, tasks := range byGPU {
		slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(p.tasks[a].Start, p.tasks[b].Start) })
	}
	return byGPU
}

// jobLoad is the use that a job's syncs make of a link.
type jobLoad struct {
	job   instance.JobID
	times int
}

// loads returns the jobs that use each link, ascending.
func (p *plan) loads() [][]jobLoad {
	loads := make([][]jobLoad, len(p.in.Links))
	for j := range p.routes {
		if first, end := p.syncsOf(instance.JobID(j)); first == end {
			continue
		}
		for _, u := range p.routes[j].Uses {
			loads[u.Link] = append(loads[u.Link], jobLoad{instance.JobID(j), u.Times})
		}
	}
	return loads
}

// syncsOf returns the range of a job's syncs.
func (p *plan) syncsOf(j instance.JobID) (first, end int) {
	at := func(j instance.JobID) int {
		return sort.Search(len(p.syncs), func(i int) bool { return p.syncs[i].Job >= j })
	}
	return at(j), at(j + 1)
}

// share returns the part of a link's capacity that sync i takes when it
// crosses the link the given number of times.
func (p *plan) share(i, times int, l instance.LinkID) float64 {
	c := p.in.Capacity(l)
	if c <= 0 {
		return 0
	}
	return float64(p.moves[i].rate) * float64(times) / float64(c)
}

// piece is a part of an interval folded into one period.
type piece struct {
	from, to instance.Tick // in [0, period]; where the plan does not repeat, the interval itself
	// before and after tell that the interval goes on across the period's start or end.
	before, after bool
}

// pieces folds an interval into [0, period) and appends the parts to list.
func (p *plan) pieces(list []piece, start, end instance.Tick) []piece {
	if p.period == 0 {
		return append(list, piece{from: start, to: end})
	}
	from, left, before := start%p.period, end-start, false
	for {
		to := min(from+left, p.period)
		left -= to - from
		list = append(list, piece{from, to, before, left > 0})
		if left == 0 {
			return list
		}
		from, before = 0, true
	}
}
