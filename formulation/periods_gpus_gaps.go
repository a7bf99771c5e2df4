package formulation

import "slices"

// gpuGap is a row (26) of a worker A and what shares its GPU: what its own tasks take of the
// period, by depth, and how many ticks of each task of others are free, s_A + 2 tau.
//
// In the n_A cycles of A that a period has, gaps have s_A, the slacks of its tasks and what
// A loses against its chain. That a GPU has whole tasks and one rate for A makes the row
// tell more than on the average over GPUs and rates.
type gpuGap struct {
	own  []int64
	free int64
}

// gaps finds the gaps of the workers of a pool: one for each slack that tasks may have, and
// one for none, as long as some task may be too long for it.
func (f *fluid) gaps(pool *gpuPool) {
	longest := int64(0)
	for _, w := range pool.holds {
		if w == nil {
			continue
		}
		for _, length := range w.lengths {
			if length < never {
				longest = max(longest, length)
			}
		}
	}
	for i, w := range pool.holds {
		d := f.shapes[i].d
		sync, step := int64(d.sync), int64(d.iteration)
		if w == nil || sync == 0 {
			continue
		}
		slack := func(length int64) int64 { return max(0, step-sync-length) }
		taus := []int64{0}
		for _, length := range w.lengths {
			taus = append(taus, slack(length))
		}
		slices.Sort(taus)
		for _, tau := range slices.Compact(taus) {
			g := gpuGap{free: sync + 2*tau}
			if d.job.Gang {
				g.free = sync + tau
			}
			if g.free >= longest {
				break
			}
			for _, length := range w.lengths {
				g.own = append(g.own, max(step, length+sync)-max(0, slack(length)-tau))
			}
			w.gaps = append(w.gaps, g)
		}
	}
}

// takes returns what the tasks of the worker whose gap it is take of the period.
func (g *gpuGap) takes(counts []int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * g.own[depth]
		}
	}
	return ticks
}

// beyond returns what tasks of a worker take of a gap of others of which so many ticks of each
// are free.
func (w *gpuWorker) beyond(counts []int64, free int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * max(0, w.lengths[depth]-free)
		}
	}
	return ticks
}

// holds reports whether a GPU of a pool has the time for a content.
func (s *gpuProgram) holds(pool int, content gpuContent) bool {
	ticks := int64(0)
	for a := range content {
		t := &content[a]
		if t.class >= len(s.classes) {
			return false
		}
		c, w := &s.classes[t.class], s.pools[pool].holds[t.class]
		if n := t.count(); w == nil || len(w.lengths) != len(t.counts) || n < c.limit.from || n > c.limit.to {
			return false
		}
		for depth, n := range t.counts {
			if n > 0 {
				ticks += n * min(w.lengths[depth], s.f.period+1)
			}
		}
	}
	return ticks <= s.f.period
}

// interlock reports whether the gaps of a content that a GPU of a pool holds have room for what
// comes in them.
func (s *gpuProgram) interlock(pool int, content gpuContent) bool {
	for a := range content {
		for _, g := range s.pools[pool].holds[content[a].class].gaps {
			load := g.takes(content[a].counts)
			for b := range content {
				if b != a {
					load += s.pools[pool].holds[content[b].class].beyond(content[b].counts, g.free)
				}
			}
			if load > s.f.period {
				return false
			}
		}
	}
	return true
}
