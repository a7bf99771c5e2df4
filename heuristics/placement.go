package heuristics

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// placement says where every job lives.
type placement struct {
	// gpus[j] are the k distinct GPUs of job j, ascending.
	gpus [][]instance.GPUID
	// limit[j][n] is the deepest depth that the memory of gpus[j][n] has been
	// reserved for: rule 7 holds as long as no task of j there is deeper. The
	// limits of a job always leave room for its whole multiset.
	limit [][]int
	// span[j] is what synchronisations among gpus[j] use.
	span []instance.Span
}

// placing says how [place] goes about it. The zero value places the jobs of
// the longest chains first, each where loads and its own chain stay lowest.
type placing struct {
	// counts[j] is the depth multiset of job j; see multiset.go. Required.
	counts [][]int
	// order of placement; nil: decreasing length of the chain.
	order []instance.JobID
	// iterations[j] scales the load of job j; nil: Job.Iterations.
	iterations []int64
	// pack puts jobs where the least memory is left over, not the least load.
	pack bool
	// pin reserves memory on each GPU for one depth of the multiset only,
	// when a job does not fit with every GPU ready for every depth.
	pin bool
	// scatter values balance over locality: the chain of a job weighs less.
	scatter bool
	// noise perturbs the loads that are compared, for restarts; nil: none.
	noise *rand.Rand
	// reach is [newReach] of the instance; nil: computed.
	reach *reach
}

// place chooses the residency of every job under rules 1 and 7, balancing
// loads of GPUs and links and keeping jobs in one node, or else one rack,
// where that ends them sooner. The error is a *NoPlan.
func place(in *instance.Instance, how placing) (*placement, error) {
	p := newPlacer(in, how)
	order := how.order
	if order == nil {
		order = p.byChain()
	}
	for _, j := range order {
		if !p.put(j) {
			return nil, p.refusal(j)
		}
	}
	return p.out, nil
}

// placeHard is place for tight memory: it tries the given way, then other
// orders and packings, then pinned depths, and at last a bounded backtracking.
func placeHard(in *instance.Instance, how placing) (*placement, error) {
	out, first := place(in, how)
	if first == nil {
		return out, nil
	}
	big := newPlacer(in, how).byMemory()
	for _, try := range []placing{
		{order: big},
		{order: big, pack: true},
		{order: how.order, pin: true},
		{order: big, pin: true},
		{order: big, pin: true, pack: true},
	} {
		try.counts, try.iterations, try.scatter, try.noise, try.reach = how.counts, how.iterations, true, how.noise, how.reach
		if out, err := place(in, try); err == nil {
			return out, nil
		}
	}
	if out := placeSearch(in, how); out != nil {
		return out, nil
	}
	return nil, first
}

// placer is a placement in the making.
type placer struct {
	in         *instance.Instance
	how        placing
	iterations []int64
	out        *placement

	load       []instance.Tick  // per GPU: ticks of tasks placed there
	persistent []instance.Bytes // per GPU: of the jobs resident there
	ephemeral  []instance.Bytes // per GPU: the largest reserved there
	busy       []instance.Tick  // per link: ticks of synchronisations at full rate
	*reach

	// Scratch.
	cost      []int64 // per GPU: what the choice minimises
	fitting   [][]instance.GPUID
	nodeCost  []int64
	nodeOrder []instance.NodeID
	heap      []instance.GPUID
}

func newPlacer(in *instance.Instance, how placing) *placer {
	p := &placer{
		in: in, how: how, iterations: how.iterations,
		out: &placement{
			gpus: make([][]instance.GPUID, len(in.Jobs)), limit: make([][]int, len(in.Jobs)),
			span: make([]instance.Span, len(in.Jobs)),
		},
		load: make([]instance.Tick, len(in.GPUs)), persistent: make([]instance.Bytes, len(in.GPUs)),
		ephemeral: make([]instance.Bytes, len(in.GPUs)), busy: make([]instance.Tick, len(in.Links)),
		cost: make([]int64, len(in.GPUs)), fitting: make([][]instance.GPUID, len(in.Nodes)),
		nodeCost: make([]int64, len(in.Nodes)),
	}
	if p.iterations == nil {
		p.iterations = make([]int64, len(in.Jobs))
		for j := range in.Jobs {
			p.iterations[j] = int64(in.Jobs[j].Iterations)
		}
	}
	if p.reach = how.reach; p.reach == nil {
		p.reach = newReach(in)
	}
	return p
}

// reach groups the nodes that can all synchronise with each other. Two nodes
// on one ring need routes both ways, which is an equivalence.
type reach struct {
	component  []int // per node: its group; -1 if its NIC failed
	components int
}

func newReach(in *instance.Instance) *reach {
	component := make([]int, len(in.Nodes))
	var heads []instance.NodeID // a node of each component
	for _, rack := range in.Racks {
		of := -1
		for _, node := range rack.Nodes {
			if up, down := in.Nodes[node].Up, in.Nodes[node].Down; in.Links[up].Failed || in.Links[down].Failed {
				component[node] = -1
				continue
			}
			for c := 0; c < len(heads) && of < 0; c++ {
				if _, ok := in.SpanNodes([]instance.NodeID{min(heads[c], node), max(heads[c], node)}, 2); ok {
					of = c
				}
			}
			if of < 0 {
				of = len(heads)
				heads = append(heads, node)
			}
			component[node] = of
		}
	}
	return &reach{component, len(heads)}
}

// work returns the mean task time of job j on GPU type t, rounded up.
func (p *placer) work(j instance.JobID, t instance.TypeID) instance.Tick {
	return meanTime(&p.in.Jobs[j], t, p.how.counts[j])
}

// meanTime returns the mean task time of a multiset on GPU type t, rounded up.
func meanTime(job *instance.Job, t instance.TypeID, counts []int) instance.Tick {
	sum := instance.Tick(0)
	for d, n := range counts {
		sum += instance.Tick(n) * job.On[t].Time[d]
	}
	return (sum + instance.Tick(job.Workers) - 1) / instance.Tick(job.Workers)
}

// fastest returns the least of f over the GPU types the job runs on.
func fastest(job *instance.Job, f func(instance.TypeID) int64) int64 {
	best, found := int64(0), false
	for t := range job.On {
		if job.Runs(instance.TypeID(t)) {
			if v := f(instance.TypeID(t)); !found || v < best {
				best, found = v, true
			}
		}
	}
	return best
}

// byArea orders the jobs by decreasing GPU-ticks.
func (p *placer) byArea() []instance.JobID {
	return orderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		job := &p.in.Jobs[j]
		return -p.iterations[j] * int64(job.Workers) * fastest(job, func(t instance.TypeID) int64 { return int64(p.work(j, t)) })
	})
}

// byChain orders the jobs by descending compute time of their chain: jobs that
// take long whatever happens choose first, and the others fill in.
func (p *placer) byChain() []instance.JobID {
	return orderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		job := &p.in.Jobs[j]
		return -int64(job.Release) - p.iterations[j]*int64(job.On[fastestType(p.in, job)].Time[job.Full()])
	})
}

// byMemory orders the jobs that are hardest to fit first: those limited to a
// node or rack, then by decreasing bytes on a GPU.
func (p *placer) byMemory() []instance.JobID {
	return orderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		job := &p.in.Jobs[j]
		bytes := fastest(job, func(t instance.TypeID) int64 {
			return int64(job.On[t].Persistent) + int64(job.On[t].Ephemeral[job.Full()])/4
		})
		return -bytes
	})
}

// orderBy returns the jobs by ascending key, ties by index.
func orderBy(jobs int, key func(instance.JobID) int64) []instance.JobID {
	order := make([]instance.JobID, jobs)
	keys := make([]int64, jobs)
	for j := range order {
		order[j] = instance.JobID(j)
		keys[j] = key(instance.JobID(j))
	}
	slices.SortFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})
	return order
}

// room returns the memory left on GPU g if job j came to live there with
// depths up to d; negative if it does not fit.
func (p *placer) room(j instance.JobID, g instance.GPUID, d int) instance.Bytes {
	t := p.in.GPUs[g].Type
	c := p.in.Jobs[j].On[t]
	return p.in.Types[t].Memory - p.persistent[g] - c.Persistent - max(p.ephemeral[g], c.Ephemeral[d])
}

// put places one job. It reports whether the job fitted anywhere.
func (p *placer) put(j instance.JobID) bool {
	p.price(j)
	job := &p.in.Jobs[j]
	full := job.Full()
	p.collect(j, func(g instance.GPUID) bool { return p.room(j, g, full) >= 0 })
	gpus, span, ok := p.choose(j)
	if ok {
		limit := make([]int, len(gpus))
		for n := range limit {
			limit[n] = full
		}
		p.settle(j, gpus, limit, span)
		return true
	}
	return p.how.pin && p.putPinned(j)
}

// choice is a candidate residency and what speaks for it.
type choice struct {
	gpus  []instance.GPUID
	span  instance.Span
	score int64
}

// settle makes the residency of job j final.
func (p *placer) settle(j instance.JobID, gpus []instance.GPUID, limit []int, span instance.Span) {
	job := &p.in.Jobs[j]
	p.out.gpus[j], p.out.limit[j], p.out.span[j] = gpus, limit, span
	for n, g := range gpus {
		t := p.in.GPUs[g].Type
		p.load[g] += instance.Tick(p.iterations[j]) * p.work(j, t)
		p.persistent[g] += job.On[t].Persistent
		p.ephemeral[g] = max(p.ephemeral[g], job.On[t].Ephemeral[limit[n]])
	}
	sync := p.sync(j, span)
	for _, u := range span.Uses {
		p.busy[u.Link] += instance.Tick(p.iterations[j]) * p.share(sync, span, u)
	}
}

// anyNode admits a node whatever its NIC.
const anyNode = -2

// refusal explains why job j did not fit.
func (p *placer) refusal(j instance.JobID) *NoPlan {
	job := &p.in.Jobs[j]
	runs, rooms := 0, 0
	for g := range p.in.GPUs {
		if job.Runs(p.in.GPUs[g].Type) {
			runs++
			if p.room(j, instance.GPUID(g), job.Full()) >= 0 {
				rooms++
			}
		}
	}
	where := ""
	switch job.Within {
	case instance.WithinNode:
		where = " of one node"
	case instance.WithinRack:
		where = " of one rack"
	}
	if rooms >= job.Workers {
		return noPlan(p.in, j, "found no %d GPUs%s joined by working links with memory to spare beside the other jobs; %d single GPUs had room",
			job.Workers, where, rooms)
	}
	return noPlan(p.in, j, "needs %d GPUs%s with memory for it beside the other jobs; %d of the %d it may use had room left",
		job.Workers, where, rooms, runs)
}
