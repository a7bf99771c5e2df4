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

// price sets the cost of every GPU for job j.
func (p *placer) price(j instance.JobID) {
	job := &p.in.Jobs[j]
	for g := range p.cost {
		t := p.in.GPUs[g].Type
		if !job.Runs(t) {
			continue
		}
		if p.how.pack {
			p.cost[g] = int64(p.in.Types[t].Memory - p.persistent[g])
		} else {
			p.cost[g] = int64(p.load[g]) + p.iterations[j]*int64(p.work(j, t))
		}
		if p.how.noise != nil {
			p.cost[g] += p.how.noise.Int64N(2 + p.cost[g]/4)
		}
	}
}

// collect files, for every node, the GPUs that are fit for job j by ascending
// cost.
func (p *placer) collect(j instance.JobID, fit func(instance.GPUID) bool) {
	job := &p.in.Jobs[j]
	for n := range p.in.Nodes {
		node := &p.in.Nodes[n]
		list := p.fitting[n][:0]
		if job.Runs(node.Type) {
			for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
				if fit(g) {
					list = append(list, g)
				}
			}
			if len(list) > 1 {
				p.sortByCost(list)
			}
		}
		p.fitting[n] = list
	}
}

func (p *placer) sortByCost(list []instance.GPUID) {
	slices.SortFunc(list, func(a, b instance.GPUID) int {
		return cmp.Or(cmp.Compare(p.cost[a], p.cost[b]), cmp.Compare(a, b))
	})
}

// choice is a candidate residency and what speaks for it.
type choice struct {
	gpus  []instance.GPUID
	span  instance.Span
	score int64
}

// choose picks the best of a few candidates: the cheapest node, the cheapest
// rack, and over all that can reach each other, whole nodes and single GPUs.
func (p *placer) choose(j instance.JobID) (gpus []instance.GPUID, span instance.Span, ok bool) {
	job := &p.in.Jobs[j]
	k := job.Workers
	best := choice{}
	consider := func(candidate []instance.GPUID) {
		if len(candidate) != k {
			return
		}
		slices.Sort(candidate)
		s, routed := p.in.Span(candidate)
		if !routed {
			return
		}
		if score := p.score(j, candidate, s); best.gpus == nil || score < best.score {
			best = choice{candidate, s, score}
		}
	}

	node, nodeCost := -1, int64(0)
	for n := range p.in.Nodes {
		list := p.fitting[n]
		if len(list) < k || k > 1 && p.in.Links[p.in.Nodes[n].Fabric].Failed {
			continue
		}
		c := p.cost[list[k-1]]*int64(k) + p.cost[list[0]]
		if k > 1 && !p.how.pack {
			c += int64(p.busy[p.in.Nodes[n].Fabric])
		}
		if node < 0 || c < nodeCost {
			node, nodeCost = n, c
		}
	}
	if node >= 0 {
		consider(slices.Clone(p.fitting[node][:k]))
	}
	if k == 1 || job.Within == instance.WithinNode {
		return best.gpus, best.span, best.gpus != nil
	}

	for n, list := range p.fitting {
		p.nodeCost[n] = 0
		for _, g := range list {
			p.nodeCost[n] += p.cost[g]
		}
		if len(list) > 0 {
			p.nodeCost[n] /= int64(len(list))
			if !p.how.pack {
				p.nodeCost[n] = max(p.nodeCost[n], int64(p.busy[p.in.Nodes[n].Up]))
			}
		}
	}
	var rackBest []instance.GPUID
	rackCost := int64(0)
	for r := range p.in.Racks {
		if p.in.Racks[r].GPUs < k {
			continue
		}
		packed, c := p.packed(p.in.Racks[r].Nodes, k, -1)
		if packed != nil && (rackBest == nil || c < rackCost) {
			rackBest, rackCost = packed, c
		}
	}
	if rackBest != nil {
		consider(rackBest)
	}
	for r := range p.in.Racks {
		// Least loaded single GPUs of the rack, where whole nodes leave none.
		if job.Within == instance.WithinRack && p.in.Racks[r].GPUs >= k {
			consider(p.spread(p.in.Racks[r].Nodes, k, -1))
		}
	}
	if job.Within == instance.WithinRack {
		return best.gpus, best.span, best.gpus != nil
	}
	if p.nodeOrder == nil {
		p.nodeOrder = make([]instance.NodeID, len(p.in.Nodes))
		for n := range p.nodeOrder {
			p.nodeOrder[n] = instance.NodeID(n)
		}
	}
	for c := range p.components {
		packed, _ := p.packed(p.nodeOrder, k, c)
		consider(packed)
		consider(p.spread(p.nodeOrder, k, c))
	}
	return best.gpus, best.span, best.gpus != nil
}

// packed fills k places from the cheapest nodes, each as far as it goes. Only
// nodes whose NIC works count, and only those of the component unless it is
// negative. The cost is that of the dearest GPU, with the number of nodes.
func (p *placer) packed(nodes []instance.NodeID, k, component int) ([]instance.GPUID, int64) {
	order := make([]instance.NodeID, 0, len(nodes))
	total := 0
	for _, n := range nodes {
		if c := p.component[n]; c >= 0 && (component < 0 || c == component) && len(p.fitting[n]) > 0 {
			order = append(order, n)
			total += len(p.fitting[n])
		}
	}
	if total < k {
		return nil, 0
	}
	slices.SortFunc(order, func(a, b instance.NodeID) int {
		return cmp.Or(cmp.Compare(p.nodeCost[a], p.nodeCost[b]), cmp.Compare(a, b))
	})
	gpus := make([]instance.GPUID, 0, k)
	dearest := int64(0)
	for _, n := range order {
		list := p.fitting[n][:min(len(p.fitting[n]), k-len(gpus))]
		gpus = append(gpus, list...)
		dearest = max(dearest, p.cost[list[len(list)-1]])
		if len(gpus) == k {
			break
		}
	}
	return gpus, dearest
}

// spread takes the k cheapest GPUs wherever they are.
func (p *placer) spread(nodes []instance.NodeID, k, component int) []instance.GPUID {
	// A max-heap of the k cheapest so far.
	h := p.heap[:0]
	dearer := func(a, b instance.GPUID) bool {
		return p.cost[a] > p.cost[b] || p.cost[a] == p.cost[b] && a > b
	}
	for _, n := range nodes {
		if c := p.component[n]; c < 0 || component >= 0 && c != component {
			continue
		}
		for _, g := range p.fitting[n] {
			if len(h) == k {
				if !dearer(h[0], g) {
					break // the node's other GPUs cost more
				}
				h[0] = g
				siftDown(h, 0, dearer)
				continue
			}
			h = append(h, g)
			for i := len(h) - 1; i > 0 && dearer(h[i], h[(i-1)/2]); i = (i - 1) / 2 {
				h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
			}
		}
	}
	p.heap = h
	if len(h) < k {
		return nil
	}
	return slices.Clone(h)
}

// siftDown restores the heap below index i; before(a, b) means a is nearer the
// top.
func siftDown[T any](h []T, i int, before func(a, b T) bool) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && before(h[c+1], h[c]) {
			c++
		}
		if !before(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// score weighs the loads that job j would add to against its own chain, which
// is shorter where its GPUs are near each other. The weights are those that
// did best on random instances between the chain-bound and the area-bound.
func (p *placer) score(j instance.JobID, gpus []instance.GPUID, span instance.Span) int64 {
	job := &p.in.Jobs[j]
	dearest, sum, longest := int64(0), int64(0), instance.Tick(0)
	for _, g := range gpus {
		dearest = max(dearest, p.cost[g])
		sum += p.cost[g]
		longest = max(longest, p.in.Jobs[j].On[p.in.GPUs[g].Type].Time[job.Full()])
	}
	sync := p.sync(j, span)
	if p.how.pack {
		// Bytes, not ticks: locality only breaks ties.
		return sum + int64(sync)
	}
	for _, u := range span.Uses {
		dearest = max(dearest, int64(p.busy[u.Link])+p.iterations[j]*int64(p.share(sync, span, u)))
	}
	chain := int64(job.Release) + p.iterations[j]*int64(longest+sync)
	if p.how.scatter {
		return 4*dearest + sum/int64(len(gpus)) + chain
	}
	return 2*dearest + 2*sum/int64(len(gpus)) + 4*chain
}

// sync returns the length of a synchronisation of job j at the highest rate.
func (p *placer) sync(j instance.JobID, span instance.Span) instance.Tick {
	job := &p.in.Jobs[j]
	if !job.HasSync() {
		return 0
	}
	return p.in.SyncTicks(job.Volume(p.how.counts[j], span.Parties), span.Rate(p.in.RateLevels[0]))
}

// share returns the ticks for which a synchronisation of the given length
// would keep the whole of a link busy.
func (p *placer) share(sync instance.Tick, span instance.Span, u instance.LinkUse) instance.Tick {
	rate := span.Rate(p.in.RateLevels[0])
	// Speeds are below 2^57; parts per 1024 keep the product in range.
	part := int64(rate) * int64(u.Times) / max(1, int64(p.in.Links[u.Link].Capacity)/1024)
	return instance.Tick((int64(sync)*min(part, 1024) + 1023) / 1024)
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

// putPinned places job j with one depth per GPU for good, deepest first, in
// the smallest domain that has the memory.
func (p *placer) putPinned(j instance.JobID) bool {
	job := &p.in.Jobs[j]
	var depths []int // deepest first
	for d := job.Full(); d >= 0; d-- {
		for range p.how.counts[j][d] {
			depths = append(depths, d)
		}
	}
	try := func(nodes []instance.NodeID, component int) bool {
		var pool []instance.GPUID
		for _, n := range nodes {
			if c := p.component[n]; component == anyNode || c >= 0 && (component < 0 || c == component) {
				pool = append(pool, p.fitting[n]...)
			}
		}
		if len(pool) < len(depths) {
			return false
		}
		p.sortByCost(pool)
		// What is room for a depth is room for every shallower one, so taking
		// any GPU for the deepest depth first loses nothing.
		type pinned struct {
			g instance.GPUID
			d int
		}
		var chosen []pinned
		taken := make([]bool, len(pool))
		for _, d := range depths {
			found := false
			for i, g := range pool {
				if !taken[i] && p.room(j, g, d) >= 0 {
					taken[i], found = true, true
					chosen = append(chosen, pinned{g, d})
					break
				}
			}
			if !found {
				return false
			}
		}
		slices.SortFunc(chosen, func(a, b pinned) int { return cmp.Compare(a.g, b.g) })
		gpus, limit := make([]instance.GPUID, len(chosen)), make([]int, len(chosen))
		for n, c := range chosen {
			gpus[n], limit[n] = c.g, c.d
		}
		span, ok := p.in.Span(gpus)
		if ok {
			p.settle(j, gpus, limit, span)
		}
		return ok
	}
	p.collect(j, func(g instance.GPUID) bool { return p.room(j, g, 0) >= 0 })
	for n := range p.in.Nodes {
		if len(p.fitting[n]) >= len(depths) && try([]instance.NodeID{instance.NodeID(n)}, anyNode) {
			return true
		}
	}
	if job.Within == instance.WithinNode || job.Workers == 1 {
		return false
	}
	for r := range p.in.Racks {
		if p.in.Racks[r].GPUs >= len(depths) && try(p.in.Racks[r].Nodes, -1) {
			return true
		}
	}
	if job.Within == instance.WithinRack {
		return false
	}
	all := make([]instance.NodeID, len(p.in.Nodes))
	for n := range all {
		all[n] = instance.NodeID(n)
	}
	for c := range p.components {
		if try(all, c) {
			return true
		}
	}
	return false
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
