package placement

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// Annealer is a placement under annealing on an estimate of the makespan, the
// energy, which is far cheaper than decoding.
//
// The estimate models three causes of a long makespan. Loads: a GPU must run
// the tasks of its residents. A job can shift load among its own GPUs by the
// depths that each worker takes over the plan, its quota; any quotas with the
// right sums can be assigned iteration by iteration (the matrix of quotas over
// the iterations is a mean of permutations, by Birkhoff). Chains: a job whose
// GPUs are near each other synchronises sooner. And co-residence: jobs that
// share their GPUs with few others, ideally all GPUs with the same jobs, wait
// less for each other.
type Annealer struct {
	In *instance.Instance
	*state.Layout
	rng *rand.Rand
	how AnnealOptions

	gpu         []int32         // per worker
	quota       []int32         // per worker and depth: iterations
	load        []instance.Tick // per GPU
	Persistent  []instance.Bytes
	residents   [][]int32 // per GPU: workers
	span        []instance.Span
	chain       []instance.Tick // per job
	busy        []instance.Tick // per link
	shared      []int16         // per pair of jobs: GPUs in common
	Energy      float64
	scale       float64 // 1 / the target makespan
	coResidence float64 // weight of a pair of jobs that share a GPU
	whole       bool    // only whole jobs move

	// Under weighted completion only:
	weight   []float64       // per job, 1 on average; nil: another objective
	rank     []int64         // per job: its position in the order of weight per area
	ahead    []instance.Tick // per worker: ticks of the residents of its GPU with better rank, and its own
	end      []instance.Tick // per job: estimated completion
	dirty    []int32         // GPUs whose loads have changed
	dirtyJob []int32
	isDirty  []bool // per GPU, then per job

	done []annealStep
	jobs []int32 // whose residencies the step changes
}

// AnnealOptions sets the weights of the parts of the energy.
type AnnealOptions struct {
	Counts      [][]int // the depth multiset of every job
	Near        float64 // of chains
	CoResidence float64 // of jobs that share GPUs
}

// NewAnnealer starts from a placement.
func NewAnnealer(in *instance.Instance, o *state.Layout, where *Placement, how AnnealOptions, rng *rand.Rand) *Annealer {
	h := &Annealer{
		In: in, Layout: o, rng: rng, how: how,
		gpu: make([]int32, o.Slots), quota: make([]int32, o.Slots*o.Depths), load: make([]instance.Tick, len(in.GPUs)),
		Persistent: make([]instance.Bytes, len(in.GPUs)), residents: make([][]int32, len(in.GPUs)),
		span: slices.Clone(where.Span), chain: make([]instance.Tick, len(in.Jobs)), busy: make([]instance.Tick, len(in.Links)),
	}
	if len(in.Jobs) <= 2048 && how.CoResidence > 0 {
		h.shared = make([]int16, len(in.Jobs)*len(in.Jobs))
	}
	h.weigh0()
	for j := range in.Jobs {
		job := &in.Jobs[j]
		// The deepest go to the workers with the highest limits; level evens them out
		// afterwards.
		order := instance.UpTo[int](job.Workers)
		slices.SortStableFunc(order, func(a, b int) int { return where.Limit[j][b] - where.Limit[j][a] })
		for n, d := range multiset.Deal(how.Counts[j], order) {
			h.quota[(o.SlotAt[j]+n)*o.Depths+d] = int32(job.Iterations)
		}
	}
	sum, most := instance.Tick(0), instance.Tick(1)
	for j, gpus := range where.GPUs {
		for n, g := range gpus {
			h.enter(int32(o.SlotAt[j]+n), int32(g))
		}
		h.connect(int32(j), 1)
		most = max(most, h.chain[j])
	}
	for _, load := range h.load {
		sum += load
	}
	h.scale = 1 / float64(max(most, sum/instance.Tick(len(h.load))))
	h.coResidence = how.CoResidence
	for j := range in.Jobs {
		h.level(int32(j), 2)
	}
	h.done = h.done[:0]
	h.Energy = h.Total()
	return h
}

// steep is a smooth approximation of the maximum.
func (h *Annealer) steep(ticks instance.Tick) float64 {
	x := float64(ticks) * h.scale
	x *= x
	x *= x
	x *= x
	return x * x
}

// Total computes the energy from scratch.
func (h *Annealer) Total() float64 {
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
			sum += h.coResidence / 2
		}
	}
	return sum
}

// chained is the contribution of a chain or the load of a link to the energy.
func (h *Annealer) chained(c instance.Tick) float64 {
	return h.steep(c) + float64(h.how.Near*float64(float64(c)*h.scale))
}

// work returns the ticks of a worker's tasks on a GPU.
func (h *Annealer) work(slot, g int32) instance.Tick {
	times := h.In.Jobs[h.Owner[slot]].On[h.In.GPUs[g].Type].Time
	sum := instance.Tick(0)
	for d, n := range h.quota[int(slot)*h.Depths : int(slot)*h.Depths+len(times)] {
		sum += instance.Tick(n) * times[d]
	}
	return sum
}

// weigh changes the load of a GPU.
func (h *Annealer) weigh(g int32, ticks instance.Tick) {
	if h.weight != nil {
		h.load[g] += ticks
		h.touch(g)
		return
	}
	h.Energy -= h.steep(h.load[g])
	h.load[g] += ticks
	h.Energy += h.steep(h.load[g])
}

// enter makes a worker a resident of GPU g.
func (h *Annealer) enter(slot, g int32) {
	j := h.Owner[slot]
	h.meet(j, g, 1)
	h.gpu[slot] = g
	if h.weight == nil {
		h.residents[g] = append(h.residents[g], slot)
	} else {
		at, _ := slices.BinarySearchFunc(h.residents[g], h.rank[j], func(o int32, r int64) int { return cmp.Compare(h.rank[h.Owner[o]], r) })
		h.residents[g] = slices.Insert(h.residents[g], at, slot)
	}
	h.Persistent[g] += h.In.Jobs[j].On[h.In.GPUs[g].Type].Persistent
	h.weigh(g, h.work(slot, g))
}

// leave removes a worker from its GPU.
func (h *Annealer) leave(slot int32) {
	j, g := h.Owner[slot], h.gpu[slot]
	list := h.residents[g]
	n := slices.Index(list, slot)
	if h.weight == nil {
		list[n] = list[len(list)-1]
		h.residents[g] = list[:len(list)-1]
	} else {
		h.residents[g] = slices.Delete(list, n, n+1)
	}
	h.Persistent[g] -= h.In.Jobs[j].On[h.In.GPUs[g].Type].Persistent
	h.weigh(g, -h.work(slot, g))
	h.meet(j, g, -1)
}

// meet counts the GPUs that job j shares with the residents of g, up or down.
func (h *Annealer) meet(j, g int32, n int16) {
	if h.shared == nil {
		return
	}
	jobs := int32(len(h.In.Jobs))
	for _, slot := range h.residents[g] {
		o := h.Owner[slot]
		if o == j {
			continue
		}
		before := h.shared[j*jobs+o]
		h.shared[j*jobs+o] += n
		h.shared[o*jobs+j] += n
		if before == 0 {
			h.Energy += h.coResidence
		} else if before+n == 0 {
			h.Energy -= h.coResidence
		}
	}
}

// connect adds the chain of a job and the load of its links (sign 1), or takes
// them away (-1).
func (h *Annealer) connect(j int32, sign instance.Tick) {
	job := &h.In.Jobs[j]
	r := instance.Tick(job.Iterations)
	longest, span := instance.Tick(0), &h.span[j]
	for _, g := range h.gpu[h.SlotAt[j]:h.SlotAt[j+1]] {
		longest = max(longest, job.On[h.In.GPUs[g].Type].Time[job.Full()])
	}
	sync := state.FullSync(h.In, job, h.how.Counts[j], span)
	if job.HasSync() {
		for _, u := range span.Uses {
			h.Energy -= h.chained(h.busy[u.Link])
			h.busy[u.Link] += sign * r * share(h.In, sync, span, u)
			h.Energy += h.chained(h.busy[u.Link])
		}
	}
	h.Energy -= h.chained(h.chain[j])
	h.chain[j] = 0
	if sign > 0 {
		h.chain[j] = job.Release + r*(longest+sync)
	}
	h.Energy += h.chained(h.chain[j])
	if h.weight != nil && !h.isDirty[len(h.load)+int(j)] {
		h.isDirty[len(h.load)+int(j)] = true
		h.dirtyJob = append(h.dirtyJob, j)
	}
}

// Temperatures of annealing residencies: the highest after a kick, and the last, in units
// of the energy of a GPU whose load is the target makespan.
const (
	KickHeat = 0.2
	EndHeat  = 2e-4
)

// Anneal takes a number of steps while it cools from the given temperature.
func (h *Annealer) Anneal(ctx context.Context, steps int, heat float64) {
	stages := min(64, steps)
	for n := range stages {
		if ctx.Err() != nil {
			return
		}
		t := state.Cooled(heat, EndHeat, float64(n)/float64(stages))
		h.whole = t > wholeHeat
		for k := range steps / stages {
			if k&0xff == 0xff && ctx.Err() != nil {
				return
			}
			h.step(t)
		}
	}
}

// Snapshot holds residencies to return to.
type Snapshot struct {
	gpu, quota []int32
	span       []instance.Span
	energy     float64
}

// Keep stores the current residencies.
func (h *Annealer) Keep(k *Snapshot) {
	k.gpu, k.quota, k.span = append(k.gpu[:0], h.gpu...), append(k.quota[:0], h.quota...), append(k.span[:0], h.span...)
	k.energy = h.Energy
}

// Restore returns to stored residencies.
func (h *Annealer) Restore(k *Snapshot) {
	for j := range h.In.Jobs {
		low, high := h.SlotAt[j], h.SlotAt[j+1]
		if slices.Equal(h.gpu[low:high], k.gpu[low:high]) && slices.Equal(h.quota[low*h.Depths:high*h.Depths], k.quota[low*h.Depths:high*h.Depths]) {
			continue
		}
		h.connect(int32(j), -1)
		for slot := low; slot < high; slot++ {
			h.leave(int32(slot))
		}
		copy(h.quota[low*h.Depths:high*h.Depths], k.quota[low*h.Depths:])
		for slot := low; slot < high; slot++ {
			h.enter(int32(slot), k.gpu[slot])
		}
		h.span[j] = k.span[j]
		h.connect(int32(j), 1)
	}
	h.refresh()
	h.Energy = k.energy
}

// Placement returns the residencies as a placement. Limits are what the
// memories permit.
func (h *Annealer) Placement() *Placement {
	in := h.In
	p := &Placement{GPUs: make([][]instance.GPUID, len(in.Jobs)), Limit: make([][]int, len(in.Jobs)), Span: slices.Clone(h.span)}
	for j := range in.Jobs {
		var slots []int32
		for s := int32(h.SlotAt[j]); s < int32(h.SlotAt[j+1]); s++ {
			slots = append(slots, s)
		}
		slices.SortFunc(slots, func(a, b int32) int { return int(h.gpu[a] - h.gpu[b]) })
		for _, s := range slots {
			p.GPUs[j] = append(p.GPUs[j], instance.GPUID(h.gpu[s]))
			p.Limit[j] = append(p.Limit[j], int(h.allowed(s)))
		}
	}
	return p
}
