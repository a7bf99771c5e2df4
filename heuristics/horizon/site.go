package horizon

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// floor is the cluster at one moment of a queue: which GPUs are free, what links carry.
type floor struct {
	in *instance.Instance
	// counts[j][d] workers of job j at depth d.
	counts [][]int
	// free GPUs: in all, by node, and one by one.
	free   []bool
	idle   int
	byNode []int
	// carried[l] is the sum of the peaks of the units at work on link l.
	carried []instance.Rate
	// Where jobs are in memory for the whole plan, what those placed so far need on GPU g.
	persistent, ephemeral []instance.Bytes

	widest int // GPUs of a node, at most

	nodes []candidate   // scratch
	racks [][]candidate // scratch, by rack
}

// candidate is a node and how many of its GPUs a job could take.
type candidate struct {
	node instance.NodeID
	gpus int
}

func newFloor(in *instance.Instance, counts [][]int) *floor {
	f := &floor{in: in, counts: counts, free: make([]bool, len(in.GPUs)), idle: len(in.GPUs), byNode: make([]int, len(in.Nodes)), carried: make([]instance.Rate, len(in.Links)), racks: make([][]candidate, len(in.Racks))}
	for g := range f.free {
		f.free[g] = true
	}
	for n := range in.Nodes {
		f.byNode[n] = in.Nodes[n].GPUs
		f.widest = max(f.widest, in.Nodes[n].GPUs)
	}
	if !in.Queues() {
		f.persistent, f.ephemeral = make([]instance.Bytes, len(in.GPUs)), make([]instance.Bytes, len(in.GPUs))
	}
	return f
}

// take marks GPUs as no longer free, or as free again.
func (f *floor) take(gpus []instance.GPUID, free bool) {
	by := -1
	if free {
		by = 1
	}
	for _, g := range gpus {
		f.free[g] = free
		f.byNode[f.in.GPUs[g].Node] += by
		f.idle += by
	}
}

// room reports whether a task of that depth has room on a GPU, beside what is in memory there.
func (f *floor) room(j *instance.Job, g instance.GPUID, depth int) bool {
	t := f.in.GPUs[g].Type
	need, ephemeral := j.On[t].Persistent, j.On[t].Ephemeral[depth]
	if f.persistent != nil {
		need, ephemeral = need+f.persistent[g], max(ephemeral, f.ephemeral[g])
	}
	return need+ephemeral <= f.in.Types[t].Memory
}

// site is where and how a whole job runs: one iteration of it, which repeats.
type site struct {
	gpus   []instance.GPUID
	depths []int // by GPU
	tasks  instance.Tick
	sync   instance.Tick
	level  instance.RateLevel
	uses   []instance.LinkUse
	rate   instance.Rate
}

// iteration returns the length of an iteration.
func (s *site) iteration() instance.Tick { return s.tasks + s.sync }

// find returns where a job would run now, on GPUs that are free and not kept, as near to
// one another as can be: on the node with the fewest that suffice, else on the fewest nodes of a
// rack, else of the cluster. nil: nowhere.
func (f *floor) find(id instance.JobID, kept []bool) *site {
	j := &f.in.Jobs[id]
	if f.idle < j.Workers {
		return nil
	}
	usable := func(g instance.GPUID) bool {
		return f.free[g] && (kept == nil || !kept[g]) && j.Runs(f.in.GPUs[g].Type) && f.room(j, g, f.shallowest(id))
	}
	nodes := f.nodes[:0]
	for n := range f.in.Nodes {
		node := &f.in.Nodes[n]
		if f.byNode[n] == 0 || !j.Runs(node.Type) {
			continue
		}
		c := candidate{instance.NodeID(n), 0}
		if f.persistent == nil && kept == nil {
			c.gpus = f.byNode[n] // all of them or, of a type without room, none
			if !f.room(j, node.FirstGPU, f.shallowest(id)) {
				continue
			}
		} else {
			for g := range node.GPUs {
				if usable(node.FirstGPU + instance.GPUID(g)) {
					c.gpus++
				}
			}
		}
		if c.gpus -= c.gpus % j.Group(); c.gpus > 0 { // whole workers
			nodes = append(nodes, c)
		}
	}
	f.nodes = nodes
	gather := func(list []candidate) *site {
		var gpus []instance.GPUID
		for _, c := range list {
			node, most := &f.in.Nodes[c.node], min(len(gpus)+c.gpus, j.Workers)
			for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs) && len(gpus) < most; g++ {
				if usable(g) {
					gpus = append(gpus, g)
				}
			}
		}
		if len(gpus) < j.Workers {
			return nil
		}
		slices.Sort(gpus)
		return f.at(id, gpus)
	}
	for tight := j.Workers; tight <= f.widest; tight++ {
		for _, c := range nodes {
			if c.gpus == tight {
				if s := gather([]candidate{c}); s != nil {
					return s
				}
			}
		}
	}
	if j.Within == instance.WithinNode {
		return nil
	}
	// Of nodes with most free GPUs there are the fewest; the last is the one that fits best.
	slices.SortStableFunc(nodes, func(a, b candidate) int { return cmp.Compare(b.gpus, a.gpus) })
	fewest := func(list []candidate) []candidate {
		sum := 0
		for i, c := range list {
			if sum += c.gpus; sum >= j.Workers {
				missing := j.Workers - (sum - c.gpus)
				last := i
				for k := i; k < len(list); k++ {
					if list[k].gpus >= missing {
						last = k
					}
				}
				return append(slices.Clone(list[:i]), list[last])
			}
		}
		return nil
	}
	var least []candidate
	for r := range f.racks {
		f.racks[r] = f.racks[r][:0]
	}
	for _, c := range nodes {
		r := f.in.Nodes[c.node].Rack
		f.racks[r] = append(f.racks[r], c)
	}
	for _, rack := range f.racks {
		if some := fewest(rack); some != nil && (least == nil || len(some) < len(least)) {
			least = some
		}
	}
	if least != nil {
		if s := gather(least); s != nil {
			return s
		}
	}
	if j.Within == instance.WithinRack {
		return nil
	}
	if some := fewest(nodes); some != nil {
		return gather(some)
	}
	return nil
}

// shallowest returns the least depth of the job's multiset.
func (f *floor) shallowest(id instance.JobID) int {
	return slices.IndexFunc(f.counts[id], func(n int) bool { return n > 0 })
}

// at returns how a job runs on these GPUs, ascending, beside what links carry; nil if it cannot.
func (f *floor) at(id instance.JobID, gpus []instance.GPUID) *site {
	j := &f.in.Jobs[id]
	s := &site{gpus: gpus, depths: make([]int, len(gpus)), level: 1}
	// The deepest tasks go where most room is left.
	order := make([]int, len(gpus))
	left := make([]instance.Bytes, len(gpus))
	for i, g := range gpus {
		order[i] = i
		t := f.in.GPUs[g].Type
		left[i] = f.in.Types[t].Memory - j.On[t].Persistent
		if f.persistent != nil {
			left[i] -= f.persistent[g]
		}
	}
	g := j.Group()
	slices.SortStableFunc(order, func(a, b int) int { // a worker at a time
		a, b = a/g*g, b/g*g
		return cmp.Compare(slices.Min(left[b:b+g]), slices.Min(left[a:a+g]))
	})
	d := j.Full()
	n := f.counts[id][d]
	for _, i := range order {
		for n == 0 {
			d--
			n = f.counts[id][d]
		}
		n--
		if !f.room(j, gpus[i], d) {
			return nil
		}
		s.depths[i] = d
		s.tasks = max(s.tasks, j.On[f.in.GPUs[gpus[i]].Type].Time[d])
	}
	if !j.HasSync() {
		return s
	}
	span, ok := f.in.SpanOf(j, gpus)
	if !ok {
		return nil
	}
	// The fastest rate that leaves others on its nodes their share, where that costs little; else the
	// fastest that there is.
	counts := f.share(gpus)
	var fastest *site
	for _, level := range f.in.RateLevels {
		rate, fits, fair := span.Rate(level), true, true
		for _, u := range span.Uses {
			load := rate * instance.Rate(u.Times)
			fits = fits && f.carried[u.Link]+load <= f.in.Capacity(u.Link)
			for _, n := range counts {
				if u.Link == n.node.Up || u.Link == n.node.Down || u.Link == n.node.Fabric {
					fair = fair && load <= f.in.Capacity(u.Link)/instance.Rate(n.gpus)*instance.Rate(n.taken)
				}
			}
		}
		if !fits {
			continue
		}
		at := *s
		at.level, at.uses, at.rate = level, span.Uses, rate
		at.sync = f.in.SyncTicks(j.Volume(f.counts[id], span.Parties), rate)
		if fastest == nil {
			fastest = &at
		}
		if fair && at.iteration()-fastest.iteration() <= fastest.iteration()/costly {
			return &at
		}
	}
	return fastest
}

// costly is which part of an iteration a slower synchronisation may cost so that others share the links.
const costly = 16

// taking is how many of the GPUs of a node a job takes.
type taking struct {
	node        *instance.Node
	taken, gpus int
}

// share counts the GPUs that are taken of each node, of GPUs in ascending order.
func (f *floor) share(gpus []instance.GPUID) (list []taking) {
	for _, g := range gpus {
		node := &f.in.Nodes[f.in.GPUs[g].Node]
		if len(list) == 0 || list[len(list)-1].node != node {
			list = append(list, taking{node, 0, node.GPUs})
		}
		list[len(list)-1].taken++
	}
	return list
}

// carry adds what a site asks of links, or takes it away.
func (f *floor) carry(s *site, sign instance.Rate) {
	for _, u := range s.uses {
		f.carried[u.Link] += sign * s.rate * instance.Rate(u.Times)
	}
}

// block returns all iterations of a job at a site.
func (s *site) block(id instance.JobID, in *instance.Instance, start instance.Tick) instance.Block {
	j := &in.Jobs[id]
	b := instance.Block{Start: start, Repeats: int64(j.Iterations)}
	if b.Repeats > 1 {
		b.Period = s.iteration()
	}
	for i, g := range s.gpus {
		begin := instance.Tick(0)
		b.Tasks = append(b.Tasks, instance.Task{
			Job: id, Iteration: 1, GPU: g, Depth: s.depths[i], Start: begin, End: begin + j.On[in.GPUs[g].Type].Time[s.depths[i]],
		})
	}
	if j.HasSync() {
		b.Syncs = []instance.Sync{{Job: id, Iteration: 1, Start: s.tasks, End: s.iteration(), Rate: s.level}}
	}
	return b
}
