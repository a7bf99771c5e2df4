package queue

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/heuristics/alloc"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// Unit is a set of jobs that together hold whole nodes until all are done. Its blocks number jobs and GPUs within the
// unit, and count time from its first task.
type Unit struct {
	Jobs          []instance.JobID
	Nodes, Kind   int // number and kind of the nodes it takes
	Racks         int // number of whole racks of such nodes it takes; 0 if it takes single nodes
	GPUs          int
	On            []instance.GPUID // GPUs on which it is running already; nil if it has not begun
	Homes         [][]instance.GPUID
	Blocks        []instance.Block
	Ends          []instance.Tick // of each job
	Release, Load instance.Tick
	Length        instance.Tick // without the load
	// By GPU, what its jobs need: the sum, and the largest demand of one.
	held []instance.Memory
}

// mostInUnit is the largest number of jobs of a unit, unitTries the number of schedules of which its pattern is the
// best, and mostKnown the number of patterns made.
const (
	mostInUnit = 6
	unitTries  = 8
	mostKnown  = 2000
)

// former makes units of jobs, and plans units of identical jobs once.
type former struct {
	q      *Simulation
	class  []int
	known  map[string]*Unit // nil: they do not fit
	seed   uint64
	slack  []float64 // see [Search]
	strays []bool    // by job, see [pattern.Strays]
}

func newFormer(q *Simulation, rng *rand.Rand, slack []float64) *former {
	return &former{q, q.in.ClassOf(), map[string]*Unit{}, rng.Uint64(), slack, pattern.Strays(q.in)}
}

// joins reports whether jobs join in units: for weighted completion they end too late that way, unless, with interference, plans
// are made anew at every arrival.
func (f *former) joins() bool {
	return f.q.in.Objective != instance.WeightedCompletion || f.slack != nil
}

// form returns the id of a unit of the jobs on nodes of that kind, or of any other if they may not live there, or of the
// single job; -1 if they do not fit on as many nodes of one kind as the widest needs.
func (f *former) form(ctx context.Context, jobs []instance.JobID, kind int, rng *rand.Rand) instance.JobID {
	q := f.q
	if len(jobs) == 1 {
		return jobs[0]
	}
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(q.Smith(a), q.Smith(b)), cmp.Compare(f.class[a], f.class[b]), cmp.Compare(a, b))
	})
	places := q.placesFor(jobs)
	if len(places) == 0 {
		return -1
	}
	n := slices.IndexFunc(places, func(p place) bool { return p.kind == kind })
	if n < 0 && len(places) > 1 {
		n = rng.IntN(len(places))
	}
	at := places[max(0, n)]
	nodes := at.nodes
	if len(jobs) > mostInUnit || len(nodes) > 1 && slices.ContainsFunc(jobs, func(j instance.JobID) bool { return f.strays[j] }) {
		return -1
	}
	key := pattern.Key(f.class, q.kinds, jobs, nodes)
	found, ok := f.known[key]
	if !ok && len(f.known) < mostKnown {
		if found = f.plan(ctx, jobs, nodes); found != nil {
			found.Ends = instance.EndsOf(found.Blocks, len(jobs))
			found.weigh(q.in, nodes)
		}
		f.known[key] = found
	}
	if found == nil {
		return -1
	}
	u := *found
	u.Jobs, u.Kind, u.Racks = jobs, at.kind, at.racks
	q.Units = append(q.Units, &u)
	return q.Last()
}

// plan makes a pattern of jobs on nodes; nil if there is none.
func (f *former) plan(ctx context.Context, jobs []instance.JobID, nodes []instance.NodeID) *Unit {
	p, err := pattern.New(ctx, f.q.in, rand.New(rand.NewPCG(f.seed, 0)), jobs, nodes, unitTries)
	if err != nil {
		return nil
	}
	if !p.Loosen(f.slack) {
		return nil
	}
	u := &Unit{Jobs: jobs, Nodes: len(nodes), GPUs: len(p.Part.GPUs), Homes: make([][]instance.GPUID, len(jobs))}
	here, left := make([]instance.JobID, len(jobs)), make([]int, len(jobs))
	for n, j := range p.Part.JobsOf {
		job := &f.q.in.Jobs[j]
		here[n], left[n], u.Homes[p.At[n]] = instance.JobID(p.At[n]), job.Iterations, p.Schedule.Residency[n]
		u.Release, u.Load = max(u.Release, job.Release), max(u.Load, job.Load)
	}
	u.Blocks, u.Length = p.Blocks(here, instance.UpTo[instance.GPUID](u.GPUs), left, 0)
	return u
}

// weigh computes how much memory a unit needs on such nodes.
func (u *Unit) weigh(in *instance.Instance, nodes []instance.NodeID) {
	u.held = make([]instance.Memory, u.GPUs)
	for at, g := range in.GPUsOn(nodes) {
		for n, j := range u.Jobs {
			if job := &in.Jobs[j]; slices.Contains(u.Homes[n], instance.GPUID(at)) {
				u.held[at] = u.held[at].With(job.On[in.GPUs[g].Type].Memory(job.Full()))
			}
		}
	}
}

// regroup returns a neighbour of an order in which one or two units or single jobs are changed: they join, a job leaves its unit or
// moves to another, or two jobs swap units. nil: the change was not possible.
func (f *former) regroup(ctx context.Context, order []instance.JobID, rng *rand.Rand) []instance.JobID {
	members := func(at int) []instance.JobID {
		if u := f.q.Unit(order[at]); u != nil {
			return slices.Clone(u.Jobs)
		}
		return []instance.JobID{order[at]}
	}
	set := func(at int, jobs []instance.JobID) bool {
		kind := -1 // that of the unit which is changed
		if u := f.q.Unit(order[at]); u != nil {
			kind = u.Kind
		}
		order[at] = f.form(ctx, jobs, kind, rng)
		return order[at] >= 0
	}
	from := rng.IntN(len(order))
	a := members(from)
	x := rng.IntN(len(a))
	if len(a) > 1 && rng.IntN(3) == 0 { // it leaves
		j := a[x]
		if !set(from, slices.Delete(a, x, x+1)) {
			return nil
		}
		return slices.Insert(order, from+rng.IntN(2), j)
	}
	first, last := max(0, from-near), min(len(order)-1, from+near)
	if first == last {
		return nil // it is alone
	}
	to := first + rng.IntN(last-first)
	if to >= from {
		to++
	}
	b := members(to)
	if y := rng.IntN(2 * len(b)); y < len(b) && len(a)+len(b) > 2 { // they swap
		a[x], b[y] = b[y], a[x]
		if !set(from, a) || !set(to, b) {
			return nil
		}
		return order
	}
	if !set(to, append(b, a[x])) {
		return nil
	}
	if len(a) == 1 {
		return slices.Delete(order, from, from+1)
	}
	if !set(from, slices.Delete(a, x, x+1)) {
		return nil
	}
	return order
}

// place is a kind of nodes, as many of one rack as a unit takes or whole racks.
type place struct {
	kind  int
	nodes []instance.NodeID
	racks int // 0: nodes of one rack
}

// placesFor returns, for each kind of nodes on which the jobs may live together, as many nodes of one rack as the widest job needs,
// or whole racks if no rack has so many.
func (q *Simulation) placesFor(jobs []instance.JobID) (places []place) {
	widest := 0
	for _, j := range jobs {
		widest = max(widest, q.in.Jobs[j].Workers)
	}
	open := func(n instance.NodeID) bool {
		return !slices.ContainsFunc(places, func(p place) bool { return p.kind == q.kinds[n] }) &&
			!slices.ContainsFunc(jobs, func(j instance.JobID) bool { return !q.in.Jobs[j].Runs(q.in.Nodes[n].Type) })
	}
	for _, rack := range q.in.Racks {
		for first, n := range rack.Nodes {
			node := &q.in.Nodes[n]
			if !open(n) {
				continue
			}
			need := (widest + node.GPUs - 1) / node.GPUs
			var nodes []instance.NodeID
			for _, m := range rack.Nodes[first:] {
				if len(nodes) < need && q.kinds[m] == q.kinds[n] {
					nodes = append(nodes, m)
				}
			}
			if len(nodes) == need {
				slices.Sort(nodes)
				places = append(places, place{kind: q.kinds[n], nodes: nodes})
			}
		}
	}
	for r, rack := range q.in.Racks {
		gpus := rack.GPUs
		if gpus == 0 || gpus >= widest || !open(rack.Nodes[0]) {
			continue
		}
		whole, racks := q.alike(r), (widest+gpus-1)/gpus
		if racks > len(whole) {
			continue
		}
		p := place{kind: q.kinds[rack.Nodes[0]], racks: racks}
		for _, r := range whole[:racks] {
			p.nodes = append(p.nodes, q.in.Racks[r].Nodes...)
		}
		slices.Sort(p.nodes)
		places = append(places, p)
	}
	return places
}

// alike are the racks that a unit of several racks may use together with the given one, including that: all of one kind
// of nodes.
func (q *Simulation) alike(rack int) []int {
	nodes := q.in.Racks[rack].Nodes
	if slices.ContainsFunc(nodes, func(n instance.NodeID) bool { return q.kinds[n] != q.kinds[nodes[0]] }) {
		return nil
	}
	for _, racks := range symmetry.Racks(q.in, q.kinds) {
		if slices.Contains(racks, rack) {
			return racks
		}
	}
	return nil
}

// WholeNodes returns the kind and number of the whole nodes that make up a list of GPUs, ascending, and the number of
// racks if there are several; 0 if it is not made of whole nodes of one kind.
func (q *Simulation) WholeNodes(gpus []instance.GPUID) (kind, nodes, racks int) {
	last := -1
	for len(gpus) > 0 {
		n := q.in.GPUs[gpus[0]].Node
		node := &q.in.Nodes[n]
		if len(gpus) < node.GPUs || gpus[0] != node.FirstGPU || gpus[node.GPUs-1] != node.FirstGPU+instance.GPUID(node.GPUs)-1 || nodes > 0 && q.kinds[n] != kind {
			return 0, 0, 0
		}
		if node.Rack != last {
			racks, last = racks+1, node.Rack
		}
		kind, nodes, gpus = q.kinds[n], nodes+1, gpus[node.GPUs:]
	}
	if racks == 1 {
		racks = 0
	}
	return kind, nodes, racks
}

// seek returns GPUs of free nodes of one rack, or of free racks, for a unit; nil if there are none.
func (q *Simulation) seek(f *alloc.Free, u *Unit) *alloc.Site {
	var nodes []instance.NodeID
	for _, rack := range q.in.Racks {
		if u.Racks == 0 {
			nodes = nodes[:0]
		}
		whole := len(nodes) // before this rack
		for _, n := range rack.Nodes {
			if len(nodes) < u.Nodes && q.kinds[n] == u.Kind && f.On(n) == q.in.Nodes[n].GPUs && u.fits(q.in, f, n, len(nodes)) {
				nodes = append(nodes, n)
			}
		}
		if u.Racks > 0 && (len(nodes)-whole < len(rack.Nodes) || len(rack.Nodes)*u.Racks != u.Nodes) {
			nodes = nodes[:whole]
		}
		if len(nodes) == u.Nodes {
			gpus := q.in.GPUsOn(nodes)
			slices.Sort(gpus)
			return &alloc.Site{GPUs: gpus}
		}
	}
	return nil
}

// fits reports whether a node has the memory that a unit needs on its node with that number.
func (u *Unit) fits(in *instance.Instance, f *alloc.Free, n instance.NodeID, number int) bool {
	node := &in.Nodes[n]
	for i := range node.GPUs {
		g, at := node.FirstGPU+instance.GPUID(i), number*node.GPUs+i
		if f.Held != nil && f.Held[g].With(u.held[at]).Sum() > in.Types[node.Type].Memory {
			return false
		}
	}
	return true
}

// Plan writes the blocks of a timetable.
func (q *Simulation) Plan(list []Stint) *instance.BlockSchedule {
	in := q.in
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for _, s := range list {
		u := q.Unit(s.Job)
		if u == nil {
			plan.Residency[s.Job] = s.Site.GPUs
			plan.Blocks = append(plan.Blocks, s.Site.Block(s.Job, in, s.Start+in.Jobs[s.Job].Load))
			continue
		}
		gpus := s.Site.GPUs
		if u.On != nil {
			gpus = u.On
		}
		for n, home := range u.Homes {
			plan.Residency[u.Jobs[n]] = state.Pick(gpus, home)
		}
		for _, b := range u.Blocks {
			b.Start += s.Start + u.Load
			plan.Blocks = append(plan.Blocks, pattern.Renumbered(b, pattern.Through(u.Jobs), pattern.Through(gpus)))
		}
	}
	plan.Sort()
	return plan
}

// judge records the value of a timetable, when its jobs end, the jobs and units that are late and by how much in total,
// and, if one misses its deadline, an error that says so.
func (q *Simulation) judge(o *outcome) {
	ends := make([]instance.Tick, len(q.in.Jobs))
	for _, s := range o.list {
		jobs, late := []instance.JobID{s.Job}, false
		if u := q.Unit(s.Job); u != nil {
			jobs = u.Jobs
			for n, j := range u.Jobs {
				ends[j] = s.Start + u.Load + u.Ends[n]
			}
		} else {
			ends[s.Job] = s.End
		}
		for _, j := range jobs {
			o.ends += ends[j]
			due := q.in.Jobs[j].Deadline
			late = late || due > 0 && ends[j] > due
		}
		if late {
			o.tardy = append(o.tardy, s.Job)
		}
	}
	o.value, o.missed, o.tardiness = q.in.ValueAt(ends), state.Missed(q.in, ends, ""), state.Tardiness(q.in, ends)
}
