package periods

import (
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
)

// gaps finds the gaps of the workers of a pool, as long as some task may be too long for them. That a
// GPU has whole tasks and one rate for a worker makes rows (26) tell more than on the average over
// GPUs and rates.
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
		if w == nil {
			continue
		}
		for _, g := range fluid.Gaps(f.Shapes[i].Class, w.Lengths) {
			if g.Free >= longest {
				break
			}
			w.Gaps = append(w.Gaps, g)
		}
	}
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
