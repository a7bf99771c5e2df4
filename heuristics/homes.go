package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// homes is a placement under annealing on an estimate of the makespan, the
// energy, which costs far less than decoding.
//
// The estimate knows three causes of a long makespan. Loads: a GPU must run
// the tasks of its residents; a job can shift load among its own GPUs by the
// depths that each worker takes over the plan, its quota, and any quotas with
// the right sums can be dealt out iteration by iteration (the matrix of quotas
// over the iterations is a mean of permutations, by Birkhoff). Chains: a job
// whose GPUs are near each other synchronises sooner. And company: jobs that
// share their GPUs with few others, at best all of them with the same, wait
// less for each other.
type homes struct {
	*operations
	rng *rand.Rand
	how homing

	gpu        []int32         // per worker
	quota      []int32         // per worker and depth: iterations
	load       []instance.Tick // per GPU
	persistent []instance.Bytes
	residents  [][]int32 // per GPU: workers
	span       []instance.Span
	chain      []instance.Tick // per job
	busy       []instance.Tick // per link
	shared     []int16         // per pair of jobs: GPUs in common
	energy     float64
	scale      float64 // 1 / the makespan aimed at
	company    float64 // of a pair of jobs that share a GPU
	whole      bool    // jobs move as a whole only

	// Under weighted completion only:
	weight   []float64       // per job, 1 on average; nil: another objective
	rank     []int64         // per job: its place in the order of weight per area
	ahead    []instance.Tick // per worker: ticks of the better residents of its GPU and its own
	end      []instance.Tick // per job: estimated completion
	dirty    []int32         // GPUs whose loads have changed
	dirtyJob []int32
	isDirty  []bool // per GPU, then per job

	done []homeStep
	jobs []int32 // whose homes the step changes
}

// homing weighs the parts of the energy.
type homing struct {
	counts  [][]int // the depth multiset of every job
	near    float64 // of chains
	company float64 // of jobs that share GPUs
}

// newHomes reads a placement.
func newHomes(o *operations, where *placement, how homing, rng *rand.Rand) *homes {
	in := o.in
	h := &homes{
		operations: o, rng: rng, how: how,
		gpu: make([]int32, o.slots), quota: make([]int32, o.slots*o.depths), load: make([]instance.Tick, len(in.GPUs)),
		persistent: make([]instance.Bytes, len(in.GPUs)), residents: make([][]int32, len(in.GPUs)),
		span: slices.Clone(where.span), chain: make([]instance.Tick, len(in.Jobs)), busy: make([]instance.Tick, len(in.Links)),
	}
	if len(in.Jobs) <= 2048 && how.company > 0 {
		h.shared = make([]int16, len(in.Jobs)*len(in.Jobs))
	}
	h.weigh0()
	for j := range in.Jobs {
		job := &in.Jobs[j]
		// The deepest go to the workers with the highest limits; levelling follows.
		order := make([]int, job.Workers)
		for n := range order {
			order[n] = n
		}
		slices.SortStableFunc(order, func(a, b int) int { return where.limit[j][b] - where.limit[j][a] })
		d := job.Full()
		left := how.counts[j][d]
		for _, n := range order {
			for left == 0 {
				d--
				left = how.counts[j][d]
			}
			left--
			h.quota[(o.slotAt[j]+n)*o.depths+d] = int32(job.Iterations)
		}
	}
	sum, most := instance.Tick(0), instance.Tick(1)
	for j, gpus := range where.gpus {
		for n, g := range gpus {
			h.enter(int32(o.slotAt[j]+n), int32(g))
		}
		h.connect(int32(j), 1)
		most = max(most, h.chain[j])
	}
	for _, load := range h.load {
		sum += load
	}
	h.scale = 1 / float64(max(most, sum/instance.Tick(len(h.load))))
	h.company = how.company
	for j := range in.Jobs {
		h.level(int32(j), 2)
	}
	h.done = h.done[:0]
	h.energy = h.total()
	return h
}

// steep is a smooth step to the maximum.
func (h *homes) steep(ticks instance.Tick) float64 {
	x := float64(ticks) * h.scale
	x *= x
	x *= x
	x *= x
	return x * x
}

// total is the energy from scratch.
func (h *homes) total() float64 {
	sum := 0.0
	if h.weight == nil {
		for _, l := range h.load {
			sum += h.steep(l)
		}
	}
	h.refresh()
	for j, w := range h.weight {
		sum += float64(w * float64(h.end[j]) * h.scale)
	}
	for _, b := range h.busy {
		sum += h.chained(b)
	}
	for _, c := range h.chain {
		sum += h.chained(c)
	}
	for _, n := range h.shared {
		if n > 0 {
			sum += h.company / 2
		}
	}
	return sum
}

// chained is what a chain or the load of a link adds to the energy.
func (h *homes) chained(c instance.Tick) float64 {
	return h.steep(c) + float64(h.how.near*float64(float64(c)*h.scale))
}

// work returns the ticks of a worker's tasks on a GPU.
func (h *homes) work(slot, g int32) instance.Tick {
	times := h.in.Jobs[h.owner[slot]].On[h.in.GPUs[g].Type].Time
	sum := instance.Tick(0)
	for d, n := range h.quota[int(slot)*h.depths : int(slot)*h.depths+len(times)] {
		sum += instance.Tick(n) * times[d]
	}
	return sum
}

// weigh changes the load of a GPU.
func (h *homes) weigh(g int32, ticks instance.Tick) {
	if h.weight != nil {
		h.load[g] += ticks
		h.touch(g)
		return
	}
	h.energy -= h.steep(h.load[g])
	h.load[g] += ticks
	h.energy += h.steep(h.load[g])
}

// enter makes a worker a resident of GPU g.
func (h *homes) enter(slot, g int32) {
	j := h.owner[slot]
	h.meet(j, g, 1)
	h.gpu[slot] = g
	if h.weight == nil {
		h.residents[g] = append(h.residents[g], slot)
	} else {
		at, _ := slices.BinarySearchFunc(h.residents[g], h.rank[j], func(o int32, r int64) int { return cmp.Compare(h.rank[h.owner[o]], r) })
		h.residents[g] = slices.Insert(h.residents[g], at, slot)
	}
	h.persistent[g] += h.in.Jobs[j].On[h.in.GPUs[g].Type].Persistent
	h.weigh(g, h.work(slot, g))
}

// leave takes a worker off its GPU.
func (h *homes) leave(slot int32) {
	j, g := h.owner[slot], h.gpu[slot]
	list := h.residents[g]
	n := slices.Index(list, slot)
	if h.weight == nil {
		list[n] = list[len(list)-1]
		h.residents[g] = list[:len(list)-1]
	} else {
		h.residents[g] = slices.Delete(list, n, n+1)
	}
	h.persistent[g] -= h.in.Jobs[j].On[h.in.GPUs[g].Type].Persistent
	h.weigh(g, -h.work(slot, g))
	h.meet(j, g, -1)
}

// meet counts the GPUs that job j shares with the residents of g, up or down.
func (h *homes) meet(j, g int32, n int16) {
	if h.shared == nil {
		return
	}
	jobs := int32(len(h.in.Jobs))
	for _, slot := range h.residents[g] {
		o := h.owner[slot]
		if o == j {
			continue
		}
		before := h.shared[j*jobs+o]
		h.shared[j*jobs+o] += n
		h.shared[o*jobs+j] += n
		if before == 0 {
			h.energy += h.company
		} else if before+n == 0 {
			h.energy -= h.company
		}
	}
}

// connect adds the chain of a job and the load of its links (sign 1), or takes
// them away (-1).
func (h *homes) connect(j int32, sign instance.Tick) {
	job := &h.in.Jobs[j]
	r := instance.Tick(job.Iterations)
	longest, sync := instance.Tick(0), instance.Tick(0)
	for _, g := range h.gpu[h.slotAt[j]:h.slotAt[j+1]] {
		longest = max(longest, job.On[h.in.GPUs[g].Type].Time[job.Full()])
	}
	if job.HasSync() {
		span := h.span[j]
		rate := span.Rate(h.in.RateLevels[0])
		sync = h.in.SyncTicks(job.Volume(h.how.counts[j], span.Parties), rate)
		for _, u := range span.Uses {
			part := int64(rate) * int64(u.Times) / max(1, int64(h.in.Links[u.Link].Capacity)/1024)
			h.energy -= h.chained(h.busy[u.Link])
			h.busy[u.Link] += sign * r * instance.Tick((int64(sync)*min(part, 1024)+1023)/1024)
			h.energy += h.chained(h.busy[u.Link])
		}
	}
	h.energy -= h.chained(h.chain[j])
	h.chain[j] = 0
	if sign > 0 {
		h.chain[j] = job.Release + r*(longest+sync)
	}
	h.energy += h.chained(h.chain[j])
	if h.weight != nil && !h.isDirty[len(h.load)+int(j)] {
		h.isDirty[len(h.load)+int(j)] = true
		h.dirtyJob = append(h.dirtyJob, j)
	}
}

// anneal takes a number of steps while it cools from the given temperature.
func (h *homes) anneal(ctx context.Context, steps int, heat float64) {
	stages := min(64, steps)
	for n := range stages {
		if ctx.Err() != nil {
			return
		}
		t := heat * pow(endHeat/heat, float64(n)/float64(stages))
		h.whole = t > wholeHeat
		for k := range steps / stages {
			if k&0xff == 0xff && ctx.Err() != nil {
				return
			}
			h.step(t)
		}
	}
}

// keptHomes are homes to come back to.
type keptHomes struct {
	gpu, quota []int32
	span       []instance.Span
	energy     float64
}

// keep notes the homes as they are.
func (h *homes) keep(k *keptHomes) {
	k.gpu, k.quota, k.span = append(k.gpu[:0], h.gpu...), append(k.quota[:0], h.quota...), append(k.span[:0], h.span...)
	k.energy = h.energy
}

// restore goes back to homes that were kept.
func (h *homes) restore(k *keptHomes) {
	for j := range h.in.Jobs {
		low, high := h.slotAt[j], h.slotAt[j+1]
		if slices.Equal(h.gpu[low:high], k.gpu[low:high]) && slices.Equal(h.quota[low*h.depths:high*h.depths], k.quota[low*h.depths:high*h.depths]) {
			continue
		}
		h.connect(int32(j), -1)
		for slot := low; slot < high; slot++ {
			h.leave(int32(slot))
		}
		copy(h.quota[low*h.depths:high*h.depths], k.quota[low*h.depths:])
		for slot := low; slot < high; slot++ {
			h.enter(int32(slot), k.gpu[slot])
		}
		h.span[j] = k.span[j]
		h.connect(int32(j), 1)
	}
	h.refresh()
	h.energy = k.energy
}

// placement writes the homes out. Limits are what the memories allow.
func (h *homes) placement() *placement {
	in := h.in
	p := &placement{gpus: make([][]instance.GPUID, len(in.Jobs)), limit: make([][]int, len(in.Jobs)), span: slices.Clone(h.span)}
	for j := range in.Jobs {
		var slots []int32
		for s := int32(h.slotAt[j]); s < int32(h.slotAt[j+1]); s++ {
			slots = append(slots, s)
		}
		slices.SortFunc(slots, func(a, b int32) int { return int(h.gpu[a] - h.gpu[b]) })
		for _, s := range slots {
			p.gpus[j] = append(p.gpus[j], instance.GPUID(h.gpu[s]))
			p.limit[j] = append(p.limit[j], int(h.allowed(s)))
		}
	}
	return p
}
