package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// unit is a company: some jobs that take whole nodes together until all are done. Its blocks are numbered by jobs and GPUs of
// the company, and its times are from its first task on.
type unit struct {
	jobs          []instance.JobID
	nodes, kind   int // how many nodes it takes, and of which kind
	gpus          int
	homes         [][]instance.GPUID
	blocks        []instance.Block
	ends          []instance.Tick // of each job
	release, load instance.Tick
	length        instance.Tick // without the load
}

// mostInUnit is how many jobs a unit has at most, unitTries how many schedules its pattern is the best of, and mostKnown
// how many patterns are made.
const (
	mostInUnit = 6
	unitTries  = 8
	mostKnown  = 2000
)

// former makes units of jobs, of alike ones once.
type former struct {
	q     *queue
	class []int
	known map[string]*unit // nil: they do not fit
	seed  uint64
}

func newFormer(q *queue, rng *rand.Rand) *former {
	return &former{q, classes(q.in), map[string]*unit{}, rng.Uint64()}
}

// form returns the id of a unit of the jobs, or of the one job; -1 if they do not fit on as many nodes of one kind as the widest needs.
func (f *former) form(ctx context.Context, jobs []instance.JobID) instance.JobID {
	q := f.q
	if len(jobs) == 1 {
		return jobs[0]
	}
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(f.class[a], f.class[b]), cmp.Compare(a, b)) })
	kind, nodes := q.nodesFor(jobs)
	if nodes == nil || len(jobs) > mostInUnit {
		return -1
	}
	key := key(q.in, f.class, jobs, nodes)
	found, ok := f.known[key]
	if !ok && len(f.known) < mostKnown {
		found = f.plan(ctx, jobs, nodes)
		f.known[key] = found
	}
	if found == nil {
		return -1
	}
	u := *found
	u.jobs, u.kind = jobs, kind
	q.units = append(q.units, &u)
	return instance.JobID(len(q.in.Jobs) + len(q.units) - 1)
}

// plan makes a pattern of jobs on nodes; nil where there is none.
func (f *former) plan(ctx context.Context, jobs []instance.JobID, nodes []instance.NodeID) *unit {
	ascending := slices.Sorted(slices.Values(jobs))
	c, err := meet(ctx, f.q.in, rand.New(rand.NewPCG(f.seed, 0)), ascending, nodes, -1, unitTries)
	if err != nil {
		return nil
	}
	c.as(ascending, jobs)
	u := &unit{nodes: len(nodes), gpus: len(c.part.GPUs), homes: c.s.Residency, ends: make([]instance.Tick, len(jobs))}
	here, left, gpus := make([]instance.JobID, len(jobs)), make([]int, len(jobs)), make([]instance.GPUID, u.gpus)
	for n, j := range jobs {
		job := &f.q.in.Jobs[j]
		here[n], left[n] = instance.JobID(n), job.Iterations
		u.release, u.load = max(u.release, job.Release), max(u.load, job.Load)
	}
	for g := range gpus {
		gpus[g] = instance.GPUID(g)
	}
	u.blocks, u.length = c.blocks(here, gpus, left, 0)
	for i := range u.blocks {
		b := &u.blocks[i]
		for _, t := range b.Tasks {
			u.ends[t.Job] = max(u.ends[t.Job], b.Start+b.LastStart()+t.End)
		}
		for _, y := range b.Syncs {
			u.ends[y.Job] = max(u.ends[y.Job], b.Start+b.LastStart()+y.End)
		}
	}
	return u
}

// classes numbers jobs by class.
func classes(in *instance.Instance) []int {
	class := make([]int, len(in.Jobs))
	for n, jobs := range in.Classes() {
		for _, j := range jobs {
			class[j] = n
		}
	}
	return class
}

// near is how far apart in the order jobs are that join.
const near = 24

// regroup changes one or two of the units and single jobs of an order: they join, a job leaves its unit, or goes over to the other,
// or changes places with one there. nil: it came to nothing.
func (f *former) regroup(ctx context.Context, order []instance.JobID, rng *rand.Rand) []instance.JobID {
	members := func(at int) []instance.JobID {
		if u := f.q.unit(order[at]); u != nil {
			return slices.Clone(u.jobs)
		}
		return []instance.JobID{order[at]}
	}
	set := func(at int, jobs []instance.JobID) bool {
		order[at] = f.form(ctx, jobs)
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
	to := from + rng.IntN(2*near+1) - near
	if to < 0 || to >= len(order) || to == from {
		return nil
	}
	b := members(to)
	if y := rng.IntN(2 * len(b)); y < len(b) && len(a)+len(b) > 2 { // they change places
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

// nodesFor returns nodes of one rack and kind on which the jobs may live together, as many as the widest needs.
func (q *queue) nodesFor(jobs []instance.JobID) (kind int, nodes []instance.NodeID) {
	widest := 0
	for _, j := range jobs {
		widest = max(widest, q.in.Jobs[j].Workers)
	}
	for _, rack := range q.in.Racks {
		for first, n := range rack.Nodes {
			node := &q.in.Nodes[n]
			if slices.ContainsFunc(jobs, func(j instance.JobID) bool { return !q.in.Jobs[j].Runs(node.Type) }) {
				continue
			}
			need := (widest + node.GPUs - 1) / node.GPUs
			nodes = nodes[:0]
			for _, m := range rack.Nodes[first:] {
				if len(nodes) < need && q.kinds[m] == q.kinds[n] {
					nodes = append(nodes, m)
				}
			}
			if len(nodes) == need {
				return q.kinds[n], slices.Sorted(slices.Values(nodes))
			}
		}
	}
	return 0, nil
}

// seek returns GPUs of free nodes of one rack for a unit; nil if there are none.
func (q *queue) seek(f *floor, u *unit, kept []bool) *site {
	for _, rack := range q.in.Racks {
		var gpus []instance.GPUID
		found := 0
		for _, n := range rack.Nodes {
			node := &q.in.Nodes[n]
			if found == u.nodes || q.kinds[n] != u.kind || f.byNode[n] < node.GPUs {
				continue
			}
			if kept != nil && slices.Contains(kept[node.FirstGPU:int(node.FirstGPU)+node.GPUs], true) {
				continue
			}
			found++
			for g := range node.GPUs {
				gpus = append(gpus, node.FirstGPU+instance.GPUID(g))
			}
		}
		if found == u.nodes {
			slices.Sort(gpus)
			return &site{gpus: gpus}
		}
	}
	return nil
}

// plan writes the blocks of a timetable.
func (q *queue) plan(list []stint) *instance.BlockSchedule {
	in := q.in
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for _, s := range list {
		u := q.unit(s.job)
		if u == nil {
			plan.Residency[s.job] = s.site.gpus
			plan.Blocks = append(plan.Blocks, s.site.block(s.job, in, s.start+in.Jobs[s.job].Load))
			continue
		}
		for n, home := range u.homes {
			for _, g := range home {
				plan.Residency[u.jobs[n]] = append(plan.Residency[u.jobs[n]], s.site.gpus[g])
			}
		}
		for _, b := range u.blocks {
			b.Start += s.start + u.load
			b.Tasks, b.Syncs = slices.Clone(b.Tasks), slices.Clone(b.Syncs)
			for i := range b.Tasks {
				t := &b.Tasks[i]
				t.Job, t.GPU = u.jobs[t.Job], s.site.gpus[t.GPU]
			}
			for i := range b.Syncs {
				b.Syncs[i].Job = u.jobs[b.Syncs[i].Job]
			}
			plan.Blocks = append(plan.Blocks, b)
		}
	}
	plan.Sort()
	return plan
}

// judge returns the value of a timetable, or why a job would miss its deadline.
func (q *queue) judge(list []stint) (*big.Rat, error) {
	in := q.in
	last, sum := instance.Tick(0), new(big.Int)
	var refused error
	ends := func(j instance.JobID, end instance.Tick) {
		job := &in.Jobs[j]
		last = max(last, end)
		sum.Add(sum, new(big.Int).Mul(big.NewInt(job.Weight), big.NewInt(int64(end))))
		if job.Deadline > 0 && end > job.Deadline && refused == nil {
			refused = &NoPlan{j, fmt.Sprintf("job %q would miss its deadline, tick %d, by %d ticks", job.Name, job.Deadline, end-job.Deadline)}
		}
	}
	for _, s := range list {
		if u := q.unit(s.job); u != nil {
			for n, j := range u.jobs {
				ends(j, s.start+u.load+u.ends[n])
			}
			continue
		}
		ends(s.job, s.end)
	}
	if refused != nil {
		return nil, refused
	}
	if in.Objective == instance.WeightedCompletion {
		return new(big.Rat).SetInt(sum), nil
	}
	return new(big.Rat).SetInt64(int64(last)), nil
}
