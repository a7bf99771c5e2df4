package heuristics

import (
	"cmp"
	"context"
	"math"
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

// wholeHeat is the temperature below which single workers may move.
const wholeHeat = 0.1

// homeStep is one step with what undoes it.
type homeStep struct {
	worker, from int32 // it lived there; worker < 0: a transfer of quota
	a, b         int32 // workers
	da, db       int32 // depths
	n            int32 // iterations
	span         *instance.Span
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

// transfer gives n iterations of depth da from worker a to worker b of a job,
// and n of depth db back.
func (h *homes) transfer(a, b, da, db, n int32) {
	times := func(slot int32) []instance.Tick {
		return h.in.Jobs[h.owner[slot]].On[h.in.GPUs[h.gpu[slot]].Type].Time
	}
	h.quota[int(a)*h.depths+int(da)] -= n
	h.quota[int(a)*h.depths+int(db)] += n
	h.quota[int(b)*h.depths+int(db)] -= n
	h.quota[int(b)*h.depths+int(da)] += n
	ta, tb := times(a), times(b)
	h.weigh(h.gpu[a], instance.Tick(n)*(ta[db]-ta[da]))
	h.weigh(h.gpu[b], instance.Tick(n)*(tb[da]-tb[db]))
}

// allowed returns the deepest depth that the memory of a worker's GPU has room
// for, beside the persistent bytes of its residents; -1: none.
func (h *homes) allowed(slot int32) int32 {
	g := h.gpu[slot]
	t := h.in.GPUs[g].Type
	room := h.in.Types[t].Memory - h.persistent[g]
	costs := h.in.Jobs[h.owner[slot]].On[t]
	for d := len(costs.Ephemeral) - 1; d >= 0; d-- {
		if costs.Ephemeral[d] <= room {
			return int32(d)
		}
	}
	return -1
}

// level evens the loads of a job's GPUs out by its quotas.
func (h *homes) level(j int32, rounds int) {
	low, high := int32(h.slotAt[j]), int32(h.slotAt[j+1])
	for range rounds {
		a, b := low, low
		for s := low; s < high; s++ {
			if h.load[h.gpu[s]] > h.load[h.gpu[a]] {
				a = s
			}
			if h.load[h.gpu[s]] < h.load[h.gpu[b]] {
				b = s
			}
		}
		if a == b || !h.even(a, b) {
			return
		}
	}
}

// even moves load from worker a to worker b by their quotas until their GPUs
// are about even, or one of them has no more to give.
func (h *homes) even(a, b int32) bool {
	most := h.allowed(b)
	excess := h.load[h.gpu[a]] - h.load[h.gpu[b]]
	ta := h.in.Jobs[h.owner[a]].On[h.in.GPUs[h.gpu[a]].Type].Time
	tb := h.in.Jobs[h.owner[b]].On[h.in.GPUs[h.gpu[b]].Type].Time
	done := false
	for da := min(most, int32(len(ta))-1); da > 0; da-- {
		for db := range da {
			n := min(h.quota[int(a)*h.depths+int(da)], h.quota[int(b)*h.depths+int(db)])
			step := ta[da] - ta[db] + tb[da] - tb[db]
			if n == 0 || step <= 0 {
				continue
			}
			if n = min(n, int32((excess+step/2)/step)); n > 0 {
				h.done = append(h.done, homeStep{worker: -1, a: a, b: b, da: da, db: db, n: n})
				h.transfer(a, b, da, db, n)
				excess -= instance.Tick(n) * step
				done = true
			}
		}
	}
	return done
}

// move makes a worker live on GPU g, as a step.
func (h *homes) move(slot, g int32) {
	j := h.owner[slot]
	if !slices.Contains(h.jobs, j) {
		h.jobs = append(h.jobs, j)
		h.connect(j, -1)
	}
	h.done = append(h.done, homeStep{worker: slot, from: h.gpu[slot]})
	h.leave(slot)
	h.enter(slot, g)
}

// settle completes the moves of a step: it reports whether rules 1 and 7 hold,
// if need be after depths have changed hands.
func (h *homes) settle() bool {
	ok := true
	for _, j := range h.jobs {
		ok = ok && h.legal(j)
	}
	for _, j := range h.jobs {
		if span, routed := h.route(j); ok && routed {
			old := h.span[j]
			h.done = append(h.done, homeStep{worker: -2, a: j, span: &old})
			h.span[j] = span
		} else {
			ok = false
		}
		h.connect(j, 1)
	}
	for _, j := range h.jobs {
		ok = ok && h.remember(j)
	}
	if !ok {
		return false
	}
	for _, j := range h.jobs {
		h.level(j, 3)
	}
	return true
}

func (h *homes) route(j int32) (instance.Span, bool) {
	gpus := make([]instance.GPUID, 0, 64)
	for _, g := range h.gpu[h.slotAt[j]:h.slotAt[j+1]] {
		gpus = append(gpus, instance.GPUID(g))
	}
	return h.in.Span(gpus)
}

// legal reports whether job j may live where it does, memory aside.
func (h *homes) legal(j int32) bool {
	job := &h.in.Jobs[j]
	home := h.gpu[h.slotAt[j]:h.slotAt[j+1]]
	first := h.in.GPUs[home[0]].Node
	for n, g := range home {
		node := h.in.GPUs[g].Node
		if slices.Contains(home[:n], g) || job.Within == instance.WithinNode && node != first ||
			job.Within == instance.WithinRack && h.in.Nodes[node].Rack != h.in.Nodes[first].Rack {
			return false
		}
	}
	return true
}

// remember reports whether the residents of job j's GPUs have the memory for
// their quotas, after it has given depths that are too deep to workers that can
// take them.
func (h *homes) remember(j int32) bool {
	for _, g := range h.gpu[h.slotAt[j]:h.slotAt[j+1]] {
		for _, slot := range h.residents[g] {
			most := h.allowed(slot)
			if most < 0 {
				return false
			}
			o := h.owner[slot]
			for d := most + 1; int(d) < len(h.in.Jobs[o].Depths); d++ {
				for s := int32(h.slotAt[o]); s < int32(h.slotAt[o+1]) && h.quota[int(slot)*h.depths+int(d)] > 0; s++ {
					if s == slot || h.allowed(s) < d {
						continue
					}
					for e := int32(0); e <= most; e++ {
						if n := min(h.quota[int(slot)*h.depths+int(d)], h.quota[int(s)*h.depths+int(e)]); n > 0 {
							h.done = append(h.done, homeStep{worker: -1, a: slot, b: s, da: d, db: e, n: n})
							h.transfer(slot, s, d, e, n)
						}
					}
				}
				if h.quota[int(slot)*h.depths+int(d)] > 0 {
					return false
				}
			}
		}
	}
	return true
}

// undo takes the steps back.
func (h *homes) undo(energy float64) {
	for _, j := range h.jobs {
		h.connect(j, -1)
	}
	for n := len(h.done) - 1; n >= 0; n-- {
		switch d := &h.done[n]; d.worker {
		case -1:
			h.transfer(d.b, d.a, d.da, d.db, d.n)
		case -2:
			h.span[d.a] = *d.span
		default:
			h.leave(d.worker)
			h.enter(d.worker, d.from)
		}
	}
	for _, j := range h.jobs {
		h.connect(j, 1)
	}
	h.refresh()
	h.energy = energy
}

// step draws a change and keeps it if its energy is no more than the
// temperature allows.
func (h *homes) step(heat float64) bool {
	h.done, h.jobs = h.done[:0], h.jobs[:0]
	before := h.energy
	ok := false
	kind := h.rng.IntN(8)
	if h.whole && kind < 3 {
		kind += 3
	}
	switch kind {
	case 0:
		ok = h.moveOne()
	case 1, 2:
		ok = h.swapTwo()
	case 3, 4:
		ok = h.moveJob()
	case 5:
		ok = h.swapJobs()
	default:
		if slot, there := h.worker(h.loaded(true)); there {
			o := h.sibling(slot)
			ok = o != slot && h.even(slot, o)
		}
	}
	if len(h.jobs) > 0 {
		ok = h.settle() && ok
	}
	h.refresh()
	if !ok || h.energy > before && h.energy > before-heat*math.Log(1-h.rng.Float64()) {
		h.undo(before)
		return false
	}
	return true
}

// loaded returns the more loaded of a few random GPUs, or the less loaded.
func (h *homes) loaded(more bool) int32 {
	best := int32(h.rng.IntN(len(h.load)))
	for range h.rng.IntN(4) {
		if g := int32(h.rng.IntN(len(h.load))); h.load[g] > h.load[best] == more {
			best = g
		}
	}
	return best
}

func (h *homes) worker(g int32) (int32, bool) {
	if len(h.residents[g]) == 0 {
		return 0, false
	}
	return pick(h.rng, h.residents[g]), true
}

func (h *homes) sibling(slot int32) int32 {
	j := h.owner[slot]
	return int32(h.slotAt[j] + h.rng.IntN(h.in.Jobs[j].Workers))
}

func (h *homes) runs(slot, g int32) bool { return h.in.Jobs[h.owner[slot]].Runs(h.in.GPUs[g].Type) }

// near draws a GPU in the node of g, or any of little load.
func (h *homes) near(g int32) int32 {
	if h.rng.IntN(2) == 0 {
		node := &h.in.Nodes[h.in.GPUs[g].Node]
		return int32(node.FirstGPU) + int32(h.rng.IntN(node.GPUs))
	}
	return h.loaded(false)
}

func (h *homes) moveOne() bool {
	slot, ok := h.worker(h.loaded(true))
	if !ok {
		return false
	}
	to := h.near(h.gpu[slot])
	if to == h.gpu[slot] || !h.runs(slot, to) {
		return false
	}
	h.move(slot, to)
	return true
}

func (h *homes) swapTwo() bool {
	a, ok := h.worker(h.loaded(true))
	if !ok {
		return false
	}
	from := h.gpu[a]
	to := h.near(from)
	b, there := h.worker(to)
	if !there || to == from || h.owner[a] == h.owner[b] || !h.runs(a, to) || !h.runs(b, from) {
		return false
	}
	h.move(a, to)
	h.move(b, from)
	return true
}

// moveJob moves a job to a run of GPUs that begins at a multiple of its size,
// or of the greatest power of two in it, so that such homes nest.
func (h *homes) moveJob() bool {
	slot, ok := h.worker(h.loaded(true))
	if !ok {
		return false
	}
	j := h.owner[slot]
	k := h.in.Jobs[j].Workers
	apart := k & -k
	if k >= len(h.in.GPUs) {
		return false
	}
	at := int(h.loaded(false)) / apart * apart
	at = min(at, len(h.in.GPUs)-k)
	for g := at; g < at+k; g++ {
		if !h.runs(slot, int32(g)) {
			return false
		}
	}
	first := h.slotAt[j]
	for n := range k {
		if h.gpu[first+n] != int32(at+n) {
			h.move(int32(first+n), int32(at+n))
		}
	}
	return len(h.jobs) > 0
}

// swapJobs exchanges the homes of two jobs, or of the larger one's first
// workers with all of the smaller one.
func (h *homes) swapJobs() bool {
	a, ok := h.worker(h.loaded(true))
	b, there := h.worker(h.loaded(false))
	if !ok || !there || h.owner[a] == h.owner[b] {
		return false
	}
	i, j := h.owner[a], h.owner[b]
	if h.in.Jobs[i].Workers < h.in.Jobs[j].Workers {
		i, j = j, i
	}
	k := h.in.Jobs[j].Workers
	if h.whole && h.in.Jobs[i].Workers != k {
		return false
	}
	from := 0
	if n := h.in.Jobs[i].Workers / k; n > 1 {
		from = h.rng.IntN(n) * k
	}
	for n := range k {
		x, y := int32(h.slotAt[i]+from+n), int32(h.slotAt[j]+n)
		gx, gy := h.gpu[x], h.gpu[y]
		if !h.runs(x, gy) || !h.runs(y, gx) {
			return false
		}
		if gx != gy {
			h.move(x, gy)
			h.move(y, gx)
		}
	}
	return len(h.jobs) > 0
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
