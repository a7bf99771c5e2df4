package alloc

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// Free is a cluster at one moment: its free GPUs, and the loads of its links.
type Free struct {
	in *instance.Instance
	// counts[j][d] workers of job j at depth d.
	counts [][]int
	// Idle is the number of free GPUs.
	Idle           int
	free           []bool
	byRack, byNode []int // numbers of them
	// open[t][n] are the nodes of type t with n free GPUs.
	open [][]nodeSet
	// Carried[l] is the sum of the peaks of what runs on link l.
	Carried []instance.Rate
	// Held[g] is what the jobs placed so far keep in memory on GPU g, which callers count; nil: jobs leave it when they end.
	Held []instance.Memory

	usable      []nodeSet         // scratch: the nodes on which a job could take n GPUs
	some, least []instance.NodeID // scratch
	gpus        []instance.GPUID  // scratch
}

// New returns a cluster on which nothing runs. Workers of job j at depth d: counts[j][d].
func New(in *instance.Instance, counts [][]int) *Free {
	f := &Free{in: in, counts: counts, free: make([]bool, len(in.GPUs)), Idle: len(in.GPUs), byRack: make([]int, len(in.Racks)), byNode: make([]int, len(in.Nodes)), Carried: make([]instance.Rate, len(in.Links))}
	for n := range in.Nodes {
		f.byNode[n] = in.Nodes[n].GPUs
		f.byRack[in.Nodes[n].Rack] += in.Nodes[n].GPUs
	}
	sets := func() []nodeSet {
		list := make([]nodeSet, 1+in.WidestNode())
		for n := range list {
			list[n] = make(nodeSet, (len(in.Nodes)+63)/64)
		}
		return list
	}
	f.usable = sets()
	for range in.Types {
		f.open = append(f.open, sets())
	}
	for n, node := range in.Nodes {
		f.open[node.Type][node.GPUs].flip(instance.NodeID(n))
	}
	for g := range f.free {
		f.free[g] = true
	}
	if !in.Queues() {
		f.Held = make([]instance.Memory, len(in.GPUs))
	}
	return f
}

// Has reports whether a GPU is free.
func (f *Free) Has(g instance.GPUID) bool { return f.free[g] }

// On returns the number of free GPUs of a node.
func (f *Free) On(n instance.NodeID) int { return f.byNode[n] }

// Take marks GPUs as no longer free, or as free again.
func (f *Free) Take(gpus []instance.GPUID, free bool) {
	for first := 0; first < len(gpus); { // node by node
		n, last := f.in.GPUs[gpus[first]].Node, first
		for ; last < len(gpus) && f.in.GPUs[gpus[last]].Node == n; last++ {
			f.free[gpus[last]] = free
		}
		by := last - first
		if !free {
			by = -by
		}
		node := &f.in.Nodes[n]
		f.open[node.Type][f.byNode[n]].flip(n)
		f.Idle, f.byRack[node.Rack], f.byNode[n] = f.Idle+by, f.byRack[node.Rack]+by, f.byNode[n]+by
		f.open[node.Type][f.byNode[n]].flip(n)
		first = last
	}
}

// room reports whether a task of that depth fits on a GPU, beside what is in memory there.
func (f *Free) room(j *instance.Job, g instance.GPUID, depth int) bool {
	t := f.in.GPUs[g].Type
	need := j.On[t].Memory(depth)
	if f.Held != nil {
		need = need.With(f.Held[g])
	}
	return need.Sum() <= f.in.Types[t].Memory
}

// Site is where and how a whole job runs: one iteration, which repeats.
type Site struct {
	GPUs        []instance.GPUID // ascending
	Depths      []int            // by GPU
	Tasks, Sync instance.Tick    // of an iteration
	Level       instance.RateLevel
	Uses        []instance.LinkUse
	Rate        instance.Rate // of the synchronisation on a link that is used once
}

// Iteration returns the length of an iteration.
func (s *Site) Iteration() instance.Tick { return s.Tasks + s.Sync }

// anyType means all types of GPU together.
const anyType instance.TypeID = -1

// Find returns where a job would run now, on free GPUs: the nearest ones, if it runs on several types of GPU those of the
// type on which it is fastest, or a mixture of types that is clearly faster. nil: nowhere.
func (f *Free) Find(id instance.JobID) *Site {
	best := f.near(id)
	if s := f.mixed(id); s != nil && (best == nil || best.Iteration()-s.Iteration() > best.Iteration()/costly) {
		best = s
	}
	return best
}

// near is Find without mixtures.
func (f *Free) near(id instance.JobID) *Site {
	best := f.nearest(id, anyType)
	for t := range f.in.Types {
		if len(f.in.Types) == 1 || !f.in.Jobs[id].Runs(instance.TypeID(t)) {
			continue
		}
		if s := f.nearest(id, instance.TypeID(t)); s != nil && (best == nil || s.Iteration() < best.Iteration()) {
			best = s
		}
	}
	return best
}

// mixed returns where a job would run now on free GPUs of several types, with its shallower tasks on the slower ones: as
// fast as possible, and then on as slow ones as possible. nil: nowhere.
func (f *Free) mixed(id instance.JobID) *Site {
	j, counts := &f.in.Jobs[id], f.counts[id]
	if len(f.in.Types) == 1 || j.Within != instance.WithinCluster || f.Idle < j.Workers || counts[j.Full()] == j.Workers {
		return nil
	}
	var types []instance.TypeID // the fastest first
	free := make([]int, len(f.in.Types))
	for t := range f.in.Types {
		if f.look(id, instance.TypeID(t)); j.Runs(instance.TypeID(t)) {
			types = append(types, instance.TypeID(t))
		}
		for n := range f.usable {
			free[t] += n * f.usable[n].count()
		}
	}
	slices.SortStableFunc(types, func(a, b instance.TypeID) int {
		return cmp.Compare(j.On[a].Time[j.Full()], j.On[b].Time[j.Full()])
	})
	// The deepest tasks come first: each on the first type of the list that has room and is fast enough.
	deal := func(limit instance.Tick) (taken []int, longest instance.Tick) {
		taken = make([]int, len(free))
		for d := j.Full(); d >= 0; d-- {
			left := counts[d]
			for _, t := range types {
				if n := min(left, free[t]-taken[t]); n > 0 && j.On[t].Time[d] <= limit {
					taken[t], left, longest = taken[t]+n, left-n, max(longest, j.On[t].Time[d])
				}
			}
			if left > 0 {
				return nil, 0
			}
		}
		return taken, longest
	}
	taken, longest := deal(math.MaxInt64)
	if taken == nil {
		return nil
	}
	slices.Reverse(types)
	if taken, _ = deal(longest); taken == nil {
		return nil
	}
	var gpus []instance.GPUID
	for _, t := range types {
		if f.look(id, t); taken[t] == 0 {
			continue
		}
		f.gpus = f.gpus[:0]
		for _, n := range f.fewest(taken[t], 0, instance.NodeID(len(f.in.Nodes)), 0) {
			f.gpus = f.usableOn(f.gpus, id, n)
		}
		gpus = append(gpus, f.gpus[:taken[t]]...)
	}
	slices.Sort(gpus)
	return f.at(id, gpus)
}

// nearest returns where a job would run now on free GPUs of a type, as near to one another as
// possible: on the node with the fewest that suffice, else on the fewest nodes of a rack, else of
// the cluster. nil: nowhere.
func (f *Free) nearest(id instance.JobID, only instance.TypeID) *Site {
	j, all := &f.in.Jobs[id], instance.NodeID(len(f.in.Nodes))
	if f.Idle < j.Workers {
		return nil
	}
	f.look(id, only)
	for n := j.Workers; n < len(f.usable); n++ {
		for at := f.usable[n].first(0, all); at >= 0; at = f.usable[n].first(at+1, all) {
			if s := f.gather(id, at); s != nil {
				return s
			}
		}
	}
	if j.Within == instance.WithinNode {
		return nil
	}
	f.least = f.least[:0]
	for r := range f.in.Racks {
		if nodes := f.in.Racks[r].Nodes; f.byRack[r] >= j.Workers {
			if some := f.fewest(j.Workers, nodes[0], nodes[len(nodes)-1]+1, len(f.least)); some != nil {
				f.least = append(f.least[:0], some...)
			}
		}
	}
	if len(f.least) > 0 {
		if s := f.gather(id, f.least...); s != nil {
			return s
		}
	}
	if j.Within == instance.WithinRack {
		return nil
	}
	if some := f.fewest(j.Workers, 0, all, 0); some != nil {
		return f.gather(id, some...)
	}
	return nil
}

// look finds how many GPUs of each node of a type a job could take.
func (f *Free) look(id instance.JobID, only instance.TypeID) {
	j := &f.in.Jobs[id]
	for n := range f.usable {
		clear(f.usable[n])
	}
	if f.Held != nil {
		for n := range f.in.Nodes {
			if t := f.in.Nodes[n].Type; f.byNode[n] > 0 && j.Runs(t) && (only == anyType || t == only) {
				f.gpus = f.usableOn(f.gpus[:0], id, instance.NodeID(n))
				f.usable[len(f.gpus)].flip(instance.NodeID(n))
			}
		}
		return
	}
	for t, open := range f.open {
		if only != anyType && instance.TypeID(t) != only {
			continue
		}
		for n := 1; n < len(open) && j.Runs(instance.TypeID(t)); n++ {
			// All free ones or, of a type without room, none.
			if at := open[n].first(0, instance.NodeID(len(f.in.Nodes))); at >= 0 && f.room(j, f.in.Nodes[at].FirstGPU, f.shallowest(id)) {
				f.usable[n-n%j.Group()].add(open[n])
			}
		}
	}
}

// usableOn appends the GPUs of a node that a job could take, in whole workers.
func (f *Free) usableOn(list []instance.GPUID, id instance.JobID, n instance.NodeID) []instance.GPUID {
	j, node, from := &f.in.Jobs[id], &f.in.Nodes[n], len(list)
	for g := range node.All() {
		if f.free[g] && f.room(j, g, f.shallowest(id)) {
			list = append(list, g)
		}
	}
	return list[:len(list)-(len(list)-from)%j.Group()]
}

// gather returns how a job runs on GPUs of these nodes, with possibly only a part of the last one;
// nil if it cannot.
func (f *Free) gather(id instance.JobID, nodes ...instance.NodeID) *Site {
	f.gpus = f.gpus[:0]
	for _, n := range nodes {
		f.gpus = f.usableOn(f.gpus, id, n)
	}
	gpus := slices.Clone(f.gpus[:f.in.Jobs[id].Workers])
	slices.Sort(gpus)
	return f.at(id, gpus)
}

// fewest returns the fewest of the nodes in [from, to) that suffice: those with most GPUs, and last
// the one that fits best. nil if there are none, or not fewer than fewer, unless that is 0.
func (f *Free) fewest(workers int, from, to instance.NodeID, fewer int) []instance.NodeID {
	f.some = f.some[:0]
	for n := len(f.usable) - 1; n > 0; n-- {
		for at := f.usable[n].first(from, to); at >= 0; at = f.usable[n].first(at+1, to) {
			if f.some = append(f.some, at); len(f.some) == fewer {
				return nil
			}
			if workers > n {
				workers -= n
				continue
			}
			for last := &f.some[len(f.some)-1]; ; workers++ {
				if *last = f.usable[workers].last(from, to); *last >= 0 {
					return f.some
				}
			}
		}
	}
	return nil
}

// shallowest returns the least depth of the job's multiset.
func (f *Free) shallowest(id instance.JobID) int {
	return slices.IndexFunc(f.counts[id], func(n int) bool { return n > 0 })
}

// at returns how a job runs on these GPUs, ascending, given the loads of links; nil if it cannot.
func (f *Free) at(id instance.JobID, gpus []instance.GPUID) *Site {
	j := &f.in.Jobs[id]
	s := &Site{GPUs: gpus, Depths: make([]int, len(gpus)), Level: 1}
	// The deepest tasks go where there is room for full depth, to the fastest GPUs, and then where there is most room.
	order := make([]int, len(gpus))
	left := make([]instance.Bytes, len(gpus))
	for i, g := range gpus {
		order[i] = i
		t := f.in.GPUs[g].Type
		left[i] = f.in.Types[t].Memory - j.On[t].Persistent
		if f.Held != nil {
			left[i] -= f.Held[g].Persistent
		}
	}
	g := j.Group()
	key := func(i int) (slowness instance.Tick, room instance.Bytes) { // one worker at a time
		i = i / g * g
		on := j.On[f.in.GPUs[gpus[i]].Type]
		if room = slices.Min(left[i : i+g]); room < on.Ephemeral[j.Full()] {
			return math.MaxInt64, room
		}
		return on.Time[j.Full()], room
	}
	slices.SortStableFunc(order, func(a, b int) int {
		slowA, roomA := key(a)
		slowB, roomB := key(b)
		return cmp.Or(cmp.Compare(slowA, slowB), cmp.Compare(roomB, roomA))
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
		s.Depths[i] = d
		s.Tasks = max(s.Tasks, j.On[f.in.GPUs[gpus[i]].Type].Time[d])
	}
	if !j.HasSync() {
		return s
	}
	span, ok := f.in.SpanOf(j, gpus)
	if !ok {
		return nil
	}
	// The fastest rate that leaves others on its nodes their share, if that costs little; otherwise
	// the fastest possible.
	counts := f.share(gpus)
	var fastest *Site
	for _, level := range f.in.RateLevels {
		rate, fits, fair := span.Rate(level), true, true
		for _, u := range span.Uses {
			load := rate * instance.Rate(u.Times)
			fits = fits && f.Carried[u.Link]+load <= f.in.Capacity(u.Link)
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
		at.Level, at.Uses, at.Rate = level, span.Uses, rate
		at.Sync = f.in.SyncTicks(j.Volume(f.counts[id], span.Parties), rate)
		if fastest == nil {
			fastest = &at
		}
		if fair && at.Iteration()-fastest.Iteration() <= fastest.Iteration()/costly {
			return &at
		}
	}
	return fastest
}

// costly is the divisor of an iteration's length that limits the cost of a slower synchronisation
// that lets others share the links, and above which a mixture of types of GPU is worth it.
const costly = 16

// taking is the number of GPUs of a node that a job takes.
type taking struct {
	node        *instance.Node
	taken, gpus int
}

// share counts the GPUs taken of each node, for GPUs in ascending order.
func (f *Free) share(gpus []instance.GPUID) (list []taking) {
	for _, g := range gpus {
		node := &f.in.Nodes[f.in.GPUs[g].Node]
		if len(list) == 0 || list[len(list)-1].node != node {
			list = append(list, taking{node, 0, node.GPUs})
		}
		list[len(list)-1].taken++
	}
	return list
}

// Carry adds the link demand of a site, or removes it.
func (f *Free) Carry(s *Site, sign instance.Rate) {
	for _, u := range s.Uses {
		f.Carried[u.Link] += sign * s.Rate * instance.Rate(u.Times)
	}
}

// Block returns all iterations of a job at a site.
func (s *Site) Block(id instance.JobID, in *instance.Instance, start instance.Tick) instance.Block {
	j := &in.Jobs[id]
	b := instance.Block{Start: start, Repeats: int64(j.Iterations)}
	if b.Repeats > 1 {
		b.Period = s.Iteration()
	}
	for i, g := range s.GPUs {
		b.Tasks = append(b.Tasks, in.Task(id, 1, g, s.Depths[i], 0))
	}
	if j.HasSync() {
		b.Syncs = []instance.Sync{{Job: id, Iteration: 1, Start: s.Tasks, End: s.Iteration(), Rate: s.Level}}
	}
	return b
}
