package periodic

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
)

const (
	// mostDestroyed limits the jobs removed from a node, or drawn from all.
	mostDestroyed = 4
	// In one of this many steps the jobs take turns.
	togetherSteps = 4
	// One job in modestJobs takes at most fewIterations at first.
	modestJobs, fewIterations = 2, 6
)

// destroy removes some jobs from the plan.
func (r *ruin) destroy() {
	r.out, r.touched, r.residencies = r.out[:0], r.touched[:0], r.residencies[:0]
	switch r.rng.IntN(3) {
	case 0: // some of one node or two
		for range 1 + r.rng.IntN(2) {
			node := &r.in.Nodes[r.rng.IntN(len(r.in.Nodes))]
			for range 1 + r.rng.IntN(mostDestroyed) {
				g := node.FirstGPU + instance.GPUID(r.rng.IntN(node.GPUs))
				if list := r.onGPU[g]; len(list) > 0 {
					r.take(list[r.rng.IntN(len(list))])
				}
			}
		}
	case 1: // all of a GPU
		for _, j := range r.onGPU[r.rng.IntN(len(r.in.GPUs))] {
			r.take(j)
		}
	case 2:
		for range 1 + r.rng.IntN(mostDestroyed) {
			r.take(instance.JobID(r.rng.IntN(len(r.in.Jobs))))
		}
	}
	for range r.rng.IntN(3) {
		if j := instance.JobID(r.rng.IntN(len(r.in.Jobs))); len(r.chains[j]) == 0 {
			r.take(j)
		}
	}
	for _, j := range r.out {
		r.evict(j)
	}
}

// take draws a job to be removed.
func (r *ruin) take(j instance.JobID) {
	if r.changed[j] {
		return
	}
	r.save(j)
	r.out = append(r.out, j)
	if residency := r.residents[j].gpus; len(residency) > 0 {
		r.residencies = append(r.residencies, residency)
		for _, g := range residency {
			r.touch(r.in.GPUs[g].Node)
		}
	}
}

func (r *ruin) touch(n instance.NodeID) {
	if !slices.Contains(r.touched, n) {
		r.touched = append(r.touched, n)
	}
}

// recreate puts the removed jobs back: in random order, by density, or the wide
// ones first. Then all jobs there fill the remaining room: in random order or, if
// the jobs put back have only one iteration, in turns.
func (r *ruin) recreate() {
	r.rng.Shuffle(len(r.out), func(a, b int) { r.out[a], r.out[b] = r.out[b], r.out[a] })
	switch r.rng.IntN(3) {
	case 0:
		slices.SortStableFunc(r.out, func(a, b instance.JobID) int { return cmp.Compare(r.wants[b].density, r.wants[a].density) })
	case 1:
		slices.SortStableFunc(r.out, func(a, b instance.JobID) int {
			return cmp.Compare(r.in.Jobs[b].Workers, r.in.Jobs[a].Workers)
		})
	}
	for range 1 + r.rng.IntN(2) {
		r.touch(instance.NodeID(r.rng.IntN(len(r.in.Nodes))))
	}
	together := r.rng.IntN(togetherSteps) == 0
	for _, j := range r.out {
		limit := math.MaxInt
		switch {
		case together:
			limit = 1
		case r.rng.IntN(modestJobs) == 0:
			limit = 1 + r.rng.IntN(fewIterations)
		}
		r.place(j, limit)
	}
	r.out = r.out[:0]
	for _, n := range r.touched {
		node := &r.in.Nodes[n]
		for g := range node.GPUs {
			for _, j := range r.onGPU[int(node.FirstGPU)+g] {
				if !slices.Contains(r.out, j) {
					r.out = append(r.out, j)
				}
			}
		}
	}
	r.rng.Shuffle(len(r.out), func(a, b int) { r.out[a], r.out[b] = r.out[b], r.out[a] })
	if together {
		r.fillTogether()
		return
	}
	for _, j := range r.out {
		for r.more(j) {
		}
	}
}

// fillTogether appends one iteration at a time to the chains of the removed jobs: to
// the chain that has used the least of its period. So jobs that share GPUs take
// turns.
func (r *ruin) fillTogether() {
	for len(r.out) > 0 {
		next, least := 0, r.period
		for n, j := range r.out {
			if chain := r.chains[j]; chain[len(chain)-1].end-chain[0].begin() < least {
				next, least = n, chain[len(chain)-1].end-chain[0].begin()
			}
		}
		if !r.more(r.out[next]) {
			r.out = slices.Delete(r.out, next, next+1)
		}
	}
}

// more appends an iteration to a job's chain. It reports false if there is no room.
func (r *ruin) more(j instance.JobID) bool {
	l, chain := r.residents[j], r.chains[j]
	if chain[len(chain)-1].end+l.cycle > chain[0].begin()+r.period {
		return false
	}
	r.save(j)
	if !r.append(int(j), 0) {
		return false
	}
	r.worth += l.job.Weight
	return true
}

const (
	// A chain is tried at this many starts in each residency.
	chainStarts = 2
	// One job in this many tries another multiset in each residency.
	otherMultisets = 3
)

// place puts a job where it gets most iterations, up to limit.
func (r *ruin) place(j instance.JobID, limit int) {
	var resident *resident
	var best []iteration
	try := func(gpus []instance.GPUID) {
		counts := r.wants[j].multisets[0]
		if sets := r.wants[j].multisets; r.rng.IntN(otherMultisets) == 0 {
			counts = sets[r.rng.IntN(len(sets))]
		}
		l := r.residentOn(j, gpus, counts)
		if l == nil {
			return
		}
		r.slack = slack(r.rng.IntN(3))
		for range chainStarts {
			if len(best) >= min(limit, int(r.period/l.cycle)) {
				return
			}
			ready := instance.Tick(r.rng.Int64N(int64(r.period)))
			if busy := r.gpus[gpus[r.rng.IntN(len(gpus))]].busy; len(busy) > 0 && r.rng.IntN(2) == 0 {
				ready = busy[r.rng.IntN(len(busy))].to
			}
			if chain := r.longer(l, ready, limit, len(best)); chain != nil {
				best, resident = cloneChain(chain), l
			}
		}
	}
	for _, residency := range r.residencies {
		if len(residency) == r.in.Jobs[j].Workers {
			try(residency)
		}
	}
	for _, n := range r.touched {
		if gpus := r.choose(j, n); gpus != nil {
			try(gpus)
		}
	}
	r.settle(j, resident, best)
}

// longer returns the chain of a resident that begins at ready or later, up to a limit,
// if it has more than a number of iterations; otherwise nil. Nothing is reserved.
func (r *ruin) longer(l *resident, ready instance.Tick, limit, than int) []iteration {
	closing, n := instance.Tick(0), 0
	for n < limit {
		if closing > 0 && n+int((closing-ready)/l.cycle) <= than {
			return nil
		}
		if n == len(r.chain) {
			r.chain = append(r.chain, iteration{})
		}
		it := &r.chain[n]
		if !r.find(l, ready, closing, it) {
			break
		}
		if closing == 0 {
			closing = it.begin() + r.period
		}
		ready = it.end
		if n++; ready+l.cycle > closing {
			break
		}
	}
	if n <= than {
		return nil
	}
	return r.chain[:n]
}

// cloneChain copies a chain with its contents.
func cloneChain(chain []iteration) []iteration {
	k := len(chain[0].start)
	starts, depths := make([]instance.Tick, 0, k*len(chain)), make([]uint8, 0, k*len(chain))
	list := slices.Clone(chain)
	for n := range list {
		starts, depths = append(starts, list[n].start...), append(depths, list[n].depth...)
		list[n].start, list[n].depth = starts[n*k:], depths[n*k:]
	}
	return list
}

// residentOn describes a job on the given GPUs; nil if it cannot live there.
func (r *ruin) residentOn(j instance.JobID, gpus []instance.GPUID, counts []int) *resident {
	job := &r.in.Jobs[j]
	first, last := r.in.GPUs[gpus[0]].Node, r.in.GPUs[gpus[len(gpus)-1]].Node
	if !r.in.MayJoin(job, first, last) {
		return nil
	}
	l := &resident{id: j, job: job, gpus: gpus, counts: counts, deepest: make([]int, len(gpus))}
	for w, g := range gpus {
		if !job.Runs(r.in.GPUs[g].Type) {
			return nil
		}
		l.deepest[w] = r.roomFor(job, g)
	}
	if !multiset.Fits(counts, l.deepest) {
		return nil
	}
	var ok bool
	if l.span, ok = r.in.SpanOf(job, gpus); !ok {
		return nil
	}
	l.describe(r.in)
	return l
}

// roomFor returns the greatest depth for which a GPU has memory; -1: none.
func (r *ruin) roomFor(job *instance.Job, g instance.GPUID) int {
	t := r.in.GPUs[g].Type
	costs := job.On[t]
	room, taken := r.in.Types[t].Memory-costs.Persistent, instance.Bytes(0)
	for _, o := range r.onGPU[g] {
		other, l := r.in.Jobs[o].On[t], r.residents[o]
		at, _ := slices.BinarySearch(l.gpus, g)
		room, taken = room-other.Persistent, max(taken, other.Ephemeral[l.deepest[at]])
	}
	if taken > room {
		return -1
	}
	return costs.Deepest(room)
}

// choose draws GPUs for a job: those of a node with the least load, up to some
// noise, and if it has too few those of others, in the same rack first; nil if
// there are too few.
func (r *ruin) choose(j instance.JobID, first instance.NodeID) []instance.GPUID {
	job := &r.in.Jobs[j]
	noise := r.rng.Float64() * r.rng.Float64() * float64(r.period) / 2
	list := r.idlest(nil, job, first, noise)
	if len(list) < job.Workers && job.Within != instance.WithinNode {
		var nodes []instance.NodeID
		cost := make([]float64, len(r.in.Nodes))
		for n := range r.in.Nodes {
			node := &r.in.Nodes[n]
			near := node.Rack == r.in.Nodes[first].Rack
			if instance.NodeID(n) == first || !near && job.Within == instance.WithinRack {
				continue
			}
			if !near {
				cost[n] = float64(r.period)
			}
			for g := range node.GPUs {
				cost[n] += (float64(r.gpus[int(node.FirstGPU)+g].load) + float64(noise*r.rng.Float64())) / float64(node.GPUs)
			}
			nodes = append(nodes, instance.NodeID(n))
		}
		slices.SortFunc(nodes, func(a, b instance.NodeID) int { return cmp.Or(cmp.Compare(cost[a], cost[b]), cmp.Compare(a, b)) })
		for _, n := range nodes {
			if len(list) >= job.Workers {
				break
			}
			list = r.idlest(list, job, n, noise)
		}
	}
	if len(list) < job.Workers {
		return nil
	}
	list = list[:job.Workers:job.Workers]
	slices.Sort(list)
	return list
}

// idlest appends the GPUs of a node on which a job runs, the least loaded first.
func (r *ruin) idlest(list []instance.GPUID, job *instance.Job, n instance.NodeID, noise float64) []instance.GPUID {
	node := &r.in.Nodes[n]
	if !job.Runs(node.Type) {
		return list
	}
	from := len(list)
	for g := range node.All() {
		r.cost[g] = float64(r.gpus[g].load) + float64(noise*r.rng.Float64())
		list = append(list, g)
	}
	slices.SortFunc(list[from:], func(a, b instance.GPUID) int { return cmp.Or(cmp.Compare(r.cost[a], r.cost[b]), cmp.Compare(a, b)) })
	return list
}
