package placement

import (
	"jigsaw/formulation/instance"
)

// allowed returns the deepest depth that the memory of a worker's GPU has room
// for, beside the persistent bytes of its residents; -1: none.
func (h *Annealer) allowed(slot int32) int32 {
	g := h.gpu[slot]
	t := h.In.GPUs[g].Type
	return int32(h.In.Jobs[h.Owner[slot]].On[t].Deepest(h.In.Types[t].Memory - h.Persistent[g]))
}

// level balances the loads of a job's GPUs by its quotas.
func (h *Annealer) level(j int32, rounds int) {
	low, high := int32(h.SlotAt[j]), int32(h.SlotAt[j+1])
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

// even shifts load from worker a to worker b by their quotas until their GPUs
// are about equally loaded, or one of them has no more to give.
func (h *Annealer) even(a, b int32) bool {
	most := h.allowed(b)
	excess := h.load[h.gpu[a]] - h.load[h.gpu[b]]
	ta := h.In.Jobs[h.Owner[a]].On[h.In.GPUs[h.gpu[a]].Type].Time
	tb := h.In.Jobs[h.Owner[b]].On[h.In.GPUs[h.gpu[b]].Type].Time
	done := false
	for da := min(most, int32(len(ta))-1); da > 0; da-- {
		for db := range da {
			n := min(h.quota[int(a)*h.Depths+int(da)], h.quota[int(b)*h.Depths+int(db)])
			step := ta[da] - ta[db] + tb[da] - tb[db]
			if n == 0 || step <= 0 {
				continue
			}
			if n = min(n, int32((excess+step/2)/step)); n > 0 {
				h.done = append(h.done, annealStep{worker: -1, a: a, b: b, da: da, db: db, n: n})
				h.transfer(a, b, da, db, n)
				excess -= instance.Tick(n) * step
				done = true
			}
		}
	}
	return done
}

// transfer gives n iterations of depth da from worker a to worker b of a job,
// and n of depth db back.
func (h *Annealer) transfer(a, b, da, db, n int32) {
	times := func(slot int32) []instance.Tick {
		return h.In.Jobs[h.Owner[slot]].On[h.In.GPUs[h.gpu[slot]].Type].Time
	}
	h.quota[int(a)*h.Depths+int(da)] -= n
	h.quota[int(a)*h.Depths+int(db)] += n
	h.quota[int(b)*h.Depths+int(db)] -= n
	h.quota[int(b)*h.Depths+int(da)] += n
	ta, tb := times(a), times(b)
	h.weigh(h.gpu[a], instance.Tick(n)*(ta[db]-ta[da]))
	h.weigh(h.gpu[b], instance.Tick(n)*(tb[da]-tb[db]))
}

// remember reports whether the residents of job j's GPUs have the memory for
// their quotas, after moving depths that are too deep to workers that can take
// them.
func (h *Annealer) remember(j int32) bool {
	for _, g := range h.gpu[h.SlotAt[j]:h.SlotAt[j+1]] {
		for _, slot := range h.residents[g] {
			most := h.allowed(slot)
			if most < 0 {
				return false
			}
			o := h.Owner[slot]
			for d := most + 1; int(d) < len(h.In.Jobs[o].Depths); d++ {
				for s := int32(h.SlotAt[o]); s < int32(h.SlotAt[o+1]) && h.quota[int(slot)*h.Depths+int(d)] > 0; s++ {
					if s == slot || h.allowed(s) < d {
						continue
					}
					for e := int32(0); e <= most; e++ {
						if n := min(h.quota[int(slot)*h.Depths+int(d)], h.quota[int(s)*h.Depths+int(e)]); n > 0 {
							h.done = append(h.done, annealStep{worker: -1, a: slot, b: s, da: d, db: e, n: n})
							h.transfer(slot, s, d, e, n)
						}
					}
				}
				if h.quota[int(slot)*h.Depths+int(d)] > 0 {
					return false
				}
			}
		}
	}
	return true
}
