package horizon

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/heuristics/alloc"
	"jigsaw/heuristics/state"
)

// unit is a set of jobs that together hold whole nodes until all are done. Its blocks number jobs and GPUs within the
// unit, and count time from its first task.
type unit struct {
	jobs          []instance.JobID
	nodes, kind   int // number and kind of the nodes it takes
	racks         int // number of whole racks of such nodes it takes; 0 if it takes single nodes
	gpus          int
	on            []instance.GPUID // GPUs on which it is running already; nil if it has not begun
	homes         [][]instance.GPUID
	blocks        []instance.Block
	write         func() []instance.Block // makes the blocks if they are not kept in memory; nil if they are
	ends          []instance.Tick         // of each job
	release, load instance.Tick
	length        instance.Tick // without the load
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
	q        *queue
	class    []int
	known    map[string]*unit // nil: they do not fit
	patterns patterns         // of chains; nil: there is none
	seed     uint64
	slack    []float64 // see [Config]
	strays   []bool    // by job, see straying
}

func newFormer(q *queue, rng *rand.Rand, slack []float64) *former {
	return &former{q, q.in.ClassOf(), map[string]*unit{}, patterns{}, rng.Uint64(), slack, straying(q.in)}
}

// straying reports for every job whether its routes between nodes of one rack use links other than those of these
// nodes, as a policy may require. Jobs on other nodes need such links as well, so the job must not be planned
// separately on a part of a rack.
func straying(in *instance.Instance) []bool {
	strays, known := make([]bool, len(in.Jobs)), map[int]bool{0: false} // by policy
	for j := range strays {
		job := &in.Jobs[j]
		if _, ok := known[job.Policy]; !ok {
			known[job.Policy] = slices.ContainsFunc(in.Racks, func(r instance.Rack) bool {
				if len(r.Nodes) < 2 {
					return false
				}
				a, b := &in.Nodes[r.Nodes[0]], &in.Nodes[r.Nodes[1]]
				span, _ := in.SpanNodesOf(job, r.Nodes[:2], 2)
				return slices.ContainsFunc(span.Uses, func(u instance.LinkUse) bool {
					return !slices.Contains([]instance.LinkID{a.Up, a.Down, a.Fabric, b.Up, b.Down, b.Fabric}, u.Link)
				})
			})
		}
		strays[j] = known[job.Policy]
	}
	return strays
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
		return cmp.Or(cmp.Compare(q.smith(a), q.smith(b)), cmp.Compare(f.class[a], f.class[b]), cmp.Compare(a, b))
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
	key := key(f.class, q.kinds, jobs, nodes)
	found, ok := f.known[key]
	if !ok && len(f.known) < mostKnown {
		// With interference, plans are made anew at every arrival, from few orders, and chains are worse.
		if q.in.Objective == instance.WeightedCompletion && f.slack == nil {
			if found = f.chained(jobs, nodes); found != nil {
				found.write = func() []instance.Block { return f.chained(found.jobs, nodes).blocks } // from known patterns
			}
		} else {
			found = f.plan(ctx, jobs, nodes)
		}
		if found != nil {
			found.ends = instance.EndsOf(found.blocks, len(jobs))
			found.weigh(q.in, nodes)
			if found.write != nil { // thousands of units would take hundreds of MB
				found.blocks = nil
			}
		}
		f.known[key] = found
	}
	if found == nil {
		return -1
	}
	u := *found
	u.jobs, u.kind, u.racks = jobs, at.kind, at.racks
	q.units = append(q.units, &u)
	return q.last()
}

// plan makes a pattern of jobs on nodes; nil if there is none.
func (f *former) plan(ctx context.Context, jobs []instance.JobID, nodes []instance.NodeID) *unit {
	p, err := newPattern(ctx, f.q.in, rand.New(rand.NewPCG(f.seed, 0)), jobs, nodes, unitTries)
	if err != nil {
		return nil
	}
	if !p.loosen(f.slack) {
		return nil
	}
	u := &unit{jobs: jobs, nodes: len(nodes), gpus: len(p.part.GPUs), homes: make([][]instance.GPUID, len(jobs))}
	here, left := make([]instance.JobID, len(jobs)), make([]int, len(jobs))
	for n, j := range p.part.JobsOf {
		job := &f.q.in.Jobs[j]
		here[n], left[n], u.homes[p.at[n]] = instance.JobID(p.at[n]), job.Iterations, p.s.Residency[n]
		u.release, u.load = max(u.release, job.Release), max(u.load, job.Load)
	}
	u.blocks, u.length = p.blocks(here, instance.UpTo[instance.GPUID](u.gpus), left, 0)
	return u
}

// weigh computes how much memory a unit needs on such nodes.
func (u *unit) weigh(in *instance.Instance, nodes []instance.NodeID) {
	u.held = make([]instance.Memory, u.gpus)
	for at, g := range gpusOf(in, nodes) {
		for n, j := range u.jobs {
			if job := &in.Jobs[j]; slices.Contains(u.homes[n], instance.GPUID(at)) {
				u.held[at] = u.held[at].With(job.On[in.GPUs[g].Type].Memory(job.Full()))
			}
		}
	}
}

// regroup returns a neighbour of an order in which one or two units or single jobs are changed: they join, a job leaves its unit or
// moves to another, or two jobs swap units. nil: the change was not possible.
func (f *former) regroup(ctx context.Context, order []instance.JobID, rng *rand.Rand) []instance.JobID {
	members := func(at int) []instance.JobID {
		if u := f.q.unit(order[at]); u != nil {
			return slices.Clone(u.jobs)
		}
		return []instance.JobID{order[at]}
	}
	set := func(at int, jobs []instance.JobID) bool {
		kind := -1 // that of the unit which is changed
		if u := f.q.unit(order[at]); u != nil {
			kind = u.kind
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
func (q *queue) placesFor(jobs []instance.JobID) (places []place) {
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
func (q *queue) alike(rack int) []int {
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

// wholeNodes returns the kind and number of the whole nodes that make up a list of GPUs, ascending, and the number of
// racks if there are several; 0 if it is not made of whole nodes of one kind.
func (q *queue) wholeNodes(gpus []instance.GPUID) (kind, nodes, racks int) {
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
func (q *queue) seek(f *alloc.Free, u *unit) *alloc.Site {
	var nodes []instance.NodeID
	for _, rack := range q.in.Racks {
		if u.racks == 0 {
			nodes = nodes[:0]
		}
		whole := len(nodes) // before this rack
		for _, n := range rack.Nodes {
			if len(nodes) < u.nodes && q.kinds[n] == u.kind && f.On(n) == q.in.Nodes[n].GPUs && u.fits(q.in, f, n, len(nodes)) {
				nodes = append(nodes, n)
			}
		}
		if u.racks > 0 && (len(nodes)-whole < len(rack.Nodes) || len(rack.Nodes)*u.racks != u.nodes) {
			nodes = nodes[:whole]
		}
		if len(nodes) == u.nodes {
			gpus := gpusOf(q.in, nodes)
			slices.Sort(gpus)
			return &alloc.Site{GPUs: gpus}
		}
	}
	return nil
}

// fits reports whether a node has the memory that a unit needs on its node with that number.
func (u *unit) fits(in *instance.Instance, f *alloc.Free, n instance.NodeID, number int) bool {
	node := &in.Nodes[n]
	for i := range node.GPUs {
		g, at := node.FirstGPU+instance.GPUID(i), number*node.GPUs+i
		if f.Held != nil && f.Held[g].With(u.held[at]).Sum() > in.Types[node.Type].Memory {
			return false
		}
	}
	return true
}

// gpusOf are the GPUs of nodes, node by node.
func gpusOf(in *instance.Instance, nodes []instance.NodeID) (gpus []instance.GPUID) {
	for _, n := range nodes {
		gpus = slices.AppendSeq(gpus, in.Nodes[n].All())
	}
	return gpus
}

// of maps numbers through a list.
func of[N ~int32 | ~int](list []N) func(N) N { return func(n N) N { return list[n] } }

// renumbered returns a block of other jobs on other GPUs.
func renumbered(b instance.Block, job func(instance.JobID) instance.JobID, gpu func(instance.GPUID) instance.GPUID) instance.Block {
	b = b.Of(job)
	for i := range b.Tasks {
		b.Tasks[i].GPU = gpu(b.Tasks[i].GPU)
	}
	return b
}

// plan writes the blocks of a timetable.
func (q *queue) plan(list []stint) *instance.BlockSchedule {
	in := q.in
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for _, s := range list {
		u := q.unit(s.Job)
		if u == nil {
			plan.Residency[s.Job] = s.Site.GPUs
			plan.Blocks = append(plan.Blocks, s.Site.Block(s.Job, in, s.Start+in.Jobs[s.Job].Load))
			continue
		}
		gpus := s.Site.GPUs
		if u.on != nil {
			gpus = u.on
		}
		for n, home := range u.homes {
			plan.Residency[u.jobs[n]] = pick(gpus, home)
		}
		blocks := u.blocks
		if u.write != nil {
			blocks = u.write()
		}
		for _, b := range blocks {
			b.Start += s.Start + u.load
			plan.Blocks = append(plan.Blocks, renumbered(b, of(u.jobs), of(gpus)))
		}
	}
	plan.Sort()
	return plan
}

// judge records the value of a timetable, when its jobs end, the jobs and units that are late and by how much in total,
// and, if one misses its deadline, an error that says so.
func (q *queue) judge(o *outcome) {
	ends := make([]instance.Tick, len(q.in.Jobs))
	for _, s := range o.list {
		jobs, before := []instance.JobID{s.Job}, o.tardiness
		if u := q.unit(s.Job); u != nil {
			jobs = u.jobs
			for n, j := range u.jobs {
				ends[j] = s.Start + u.load + u.ends[n]
			}
		} else {
			ends[s.Job] = s.End
		}
		for _, j := range jobs {
			o.ends += ends[j]
			if due := q.in.Jobs[j].Deadline; due > 0 {
				o.tardiness += max(0, ends[j]-due)
			}
		}
		if o.tardiness > before {
			o.tardy = append(o.tardy, s.Job)
		}
	}
	o.value, o.missed = q.in.ValueAt(ends), state.Missed(q.in, ends, "")
}
