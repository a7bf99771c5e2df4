package placement

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Under weighted completion the energy contains, in place of the loads, the
// jobs' estimated completions by weight: a job ends when its chain does, or
// when one of its GPUs has run its tasks and those of all residents of more
// weight per area, whichever is later.

// weigh0 prepares the weights if the objective has them.
func (h *Annealer) weigh0() {
	if h.In.Objective != instance.WeightedCompletion {
		return
	}
	jobs := len(h.In.Jobs)
	h.weight, h.rank = make([]float64, jobs), make([]int64, jobs)
	h.ahead, h.end = make([]instance.Tick, h.Slots), make([]instance.Tick, jobs)
	h.isDirty = make([]bool, len(h.load)+jobs)
	sum := 0.0
	for j := range h.weight {
		sum += float64(h.In.Jobs[j].Weight)
	}
	for j := range h.weight {
		h.weight[j] = float64(h.In.Jobs[j].Weight) * float64(jobs) / sum
	}
	for at, j := range state.BySmith(h.In, h.how.Counts) {
		h.rank[j] = int64(at)
	}
}

// touch marks the load of a GPU as changed.
func (h *Annealer) touch(g int32) {
	if !h.isDirty[g] {
		h.isDirty[g] = true
		h.dirty = append(h.dirty, g)
	}
}

// refresh updates the estimated completions.
func (h *Annealer) refresh() {
	gpus := len(h.load)
	for _, g := range h.dirty {
		h.isDirty[g] = false
		sum := instance.Tick(0)
		for _, slot := range h.residents[g] {
			if sum += h.work(slot, g); h.ahead[slot] != sum {
				h.ahead[slot] = sum
				if j := h.Owner[slot]; !h.isDirty[gpus+int(j)] {
					h.isDirty[gpus+int(j)] = true
					h.dirtyJob = append(h.dirtyJob, j)
				}
			}
		}
	}
	for _, j := range h.dirtyJob {
		h.isDirty[gpus+int(j)] = false
		end := max(h.chain[j], slices.Max(h.ahead[h.SlotAt[j]:h.SlotAt[j+1]]))
		h.Energy += float64(h.weight[j] * float64(end-h.end[j]) * h.scale)
		h.end[j] = end
	}
	h.dirty, h.dirtyJob = h.dirty[:0], h.dirtyJob[:0]
}
