package placement

import (
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// wholeHeat is the temperature below which single workers may move.
const wholeHeat = 0.1

// annealStep is one step with the data to undo it.
type annealStep struct {
	worker, from int32 // its previous GPU; worker < 0: a transfer of quota
	a, b         int32 // workers
	da, db       int32 // depths
	n            int32 // iterations
	span         *instance.Span
}

// move makes a worker live on GPU g, as a step.
func (h *Annealer) move(slot, g int32) {
	j := h.Owner[slot]
	if !slices.Contains(h.jobs, j) {
		h.jobs = append(h.jobs, j)
		h.connect(j, -1)
	}
	h.done = append(h.done, annealStep{worker: slot, from: h.gpu[slot]})
	h.leave(slot)
	h.enter(slot, g)
}

// settle completes the moves of a step: it reports whether rules 1 and 7 hold,
// if necessary after exchanging depths.
func (h *Annealer) settle() bool {
	ok := true
	for _, j := range h.jobs {
		ok = ok && h.legal(j)
	}
	for _, j := range h.jobs {
		if span, routed := h.route(j); ok && routed {
			old := h.span[j]
			h.done = append(h.done, annealStep{worker: -2, a: j, span: &old})
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

func (h *Annealer) route(j int32) (instance.Span, bool) {
	gpus := make([]instance.GPUID, 0, 64)
	for _, g := range h.gpu[h.SlotAt[j]:h.SlotAt[j+1]] {
		gpus = append(gpus, instance.GPUID(g))
	}
	return h.In.SpanOf(&h.In.Jobs[j], gpus)
}

// legal reports whether job j may live on its current GPUs, memory aside.
func (h *Annealer) legal(j int32) bool {
	job := &h.In.Jobs[j]
	residency := h.gpu[h.SlotAt[j]:h.SlotAt[j+1]]
	first := h.In.GPUs[residency[0]].Node
	for n, g := range residency {
		if slices.Contains(residency[:n], g) || !h.In.MayJoin(job, first, h.In.GPUs[g].Node) {
			return false
		}
	}
	return true
}

// undo reverts the steps.
func (h *Annealer) undo(energy float64) {
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
	h.Energy = energy
}

// step draws a change and keeps it if the temperature permits its energy.
func (h *Annealer) step(heat float64) bool {
	h.done, h.jobs = h.done[:0], h.jobs[:0]
	before := h.Energy
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
	if !ok || h.Energy > before && h.Energy > before+state.Allowance(h.rng, heat) {
		h.undo(before)
		return false
	}
	return true
}

// Shift makes a change of residencies at any cost, and reports whether it found one.
func (h *Annealer) Shift() bool {
	for range 20 {
		if h.step(math.Inf(1)) && len(h.jobs) > 0 {
			return true
		}
	}
	return false
}

// loaded returns the more loaded of a few random GPUs, or the less loaded.
func (h *Annealer) loaded(more bool) int32 {
	best := int32(h.rng.IntN(len(h.load)))
	for range h.rng.IntN(4) {
		if g := int32(h.rng.IntN(len(h.load))); h.load[g] > h.load[best] == more {
			best = g
		}
	}
	return best
}

func (h *Annealer) worker(g int32) (int32, bool) {
	if len(h.residents[g]) == 0 {
		return 0, false
	}
	return h.residents[g][h.rng.IntN(len(h.residents[g]))], true
}

func (h *Annealer) sibling(slot int32) int32 {
	j := h.Owner[slot]
	return int32(h.SlotAt[j] + h.rng.IntN(h.In.Jobs[j].Workers))
}

func (h *Annealer) runs(slot, g int32) bool {
	return h.In.MayLive(instance.JobID(h.Owner[slot]), instance.GPUID(g))
}

// near draws a GPU in the node of g, or any with little load.
func (h *Annealer) near(g int32) int32 {
	if h.rng.IntN(2) == 0 {
		node := &h.In.Nodes[h.In.GPUs[g].Node]
		return int32(node.FirstGPU) + int32(h.rng.IntN(node.GPUs))
	}
	return h.loaded(false)
}

func (h *Annealer) moveOne() bool {
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

func (h *Annealer) swapTwo() bool {
	a, ok := h.worker(h.loaded(true))
	if !ok {
		return false
	}
	from := h.gpu[a]
	to := h.near(from)
	b, there := h.worker(to)
	if !there || to == from || h.Owner[a] == h.Owner[b] || !h.runs(a, to) || !h.runs(b, from) {
		return false
	}
	h.move(a, to)
	h.move(b, from)
	return true
}

// moveJob moves a job to a run of GPUs that begins at a multiple of its size,
// or of the greatest power of two in it, so that such residencies nest.
func (h *Annealer) moveJob() bool {
	slot, ok := h.worker(h.loaded(true))
	if !ok {
		return false
	}
	j := h.Owner[slot]
	k := h.In.Jobs[j].Workers
	apart := k & -k
	if k >= len(h.In.GPUs) {
		return false
	}
	at := int(h.loaded(false)) / apart * apart
	at = min(at, len(h.In.GPUs)-k)
	for g := at; g < at+k; g++ {
		if !h.runs(slot, int32(g)) {
			return false
		}
	}
	first := h.SlotAt[j]
	for n := range k {
		if h.gpu[first+n] != int32(at+n) {
			h.move(int32(first+n), int32(at+n))
		}
	}
	return len(h.jobs) > 0
}

// swapJobs exchanges the residencies of two jobs, or of the larger one's first
// workers with all of the smaller one.
func (h *Annealer) swapJobs() bool {
	a, ok := h.worker(h.loaded(true))
	b, there := h.worker(h.loaded(false))
	if !ok || !there || h.Owner[a] == h.Owner[b] {
		return false
	}
	i, j := h.Owner[a], h.Owner[b]
	if h.In.Jobs[i].Workers < h.In.Jobs[j].Workers {
		i, j = j, i
	}
	k := h.In.Jobs[j].Workers
	if h.whole && h.In.Jobs[i].Workers != k {
		return false
	}
	from := 0
	if n := h.In.Jobs[i].Workers / k; n > 1 {
		from = h.rng.IntN(n) * k
	}
	for n := range k {
		x, y := int32(h.SlotAt[i]+from+n), int32(h.SlotAt[j]+n)
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
