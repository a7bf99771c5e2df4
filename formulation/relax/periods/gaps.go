package periods

import (
	"jigsaw/formulation/relax/exact"
	"slices"
)

// GPUGap is a row (26) of a worker A and what shares its GPU: what its own tasks take of the
// period, by depth, and how many ticks of each task of others are free, s_A + 2 tau.
//
// In the n_A cycles of A that a period has, gaps have s_A, the slacks of its tasks and what
// A loses against its chain. That a GPU has whole tasks and one rate for A makes the row
// tell more than on the average over GPUs and rates.
type GPUGap struct {
	own  []int64
	Free int64
}

// gaps finds the gaps of the workers of a pool: one for each slack that tasks may have, and
// one for none, as long as some task may be too long for it.
func (f *Program) gaps(pool *GPUPool) {
	longest := int64(0)
	for _, w := range pool.Holds {
		if w == nil {
			continue
		}
		for _, length := range w.Lengths {
			if length < exact.Never {
				longest = max(longest, length)
			}
		}
	}
	for i, w := range pool.Holds {
		d := f.Shapes[i].Class
		sync, step := int64(d.Sync), int64(d.Iteration)
		if w == nil || sync == 0 {
			continue
		}
		slack := func(length int64) int64 { return max(0, step-sync-length) }
		taus := []int64{0}
		for _, length := range w.Lengths {
			taus = append(taus, slack(length))
		}
		slices.Sort(taus)
		for _, tau := range slices.Compact(taus) {
			g := GPUGap{Free: sync + 2*tau}
			if d.Job.Gang {
				g.Free = sync + tau
			}
			if g.Free >= longest {
				break
			}
			for _, length := range w.Lengths {
				g.own = append(g.own, max(step, length+sync)-max(0, slack(length)-tau))
			}
			w.Gaps = append(w.Gaps, g)
		}
	}
}

// Takes returns what the tasks of the worker whose gap it is take of the period.
func (g *GPUGap) Takes(counts []int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * g.own[depth]
		}
	}
	return ticks
}

// Beyond returns what tasks of a worker take of a gap of others of which so many ticks of each
// are free.
func (w *GPUWorker) Beyond(counts []int64, free int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * max(0, w.Lengths[depth]-free)
		}
	}
	return ticks
}

// Interlock reports whether the gaps of a content that a GPU of a pool holds have room for what
// comes in them.
func (s *GPUProgram) Interlock(pool int, content Configuration) bool {
	for a := range content {
		for _, g := range s.Pools[pool].Holds[content[a].Class].Gaps {
			load := g.Takes(content[a].Counts)
			for b := range content {
				if b != a {
					load += s.Pools[pool].Holds[content[b].Class].Beyond(content[b].Counts, g.Free)
				}
			}
			if load > s.F.Period {
				return false
			}
		}
	}
	return true
}

// Configuration are workers that share a GPU: their classes, ascending, and their tasks by depth.
type Configuration []WorkerTasks

// WorkerTasks is a worker on a GPU: its class, and its tasks by depth.
type WorkerTasks struct {
	Class  int
	Counts []int64
}
