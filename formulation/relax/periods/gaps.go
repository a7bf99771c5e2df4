package periods

import (
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
)

// gaps computes the gaps of the workers of a pool, if some task may be too long for them. Since a GPU
// has whole tasks and one rate for a worker, rows (26) are stronger here than on the average over
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

// Beyond returns the time that tasks of a worker take in a gap of others if free ticks of each
// task are free.
func (w *GPUWorker) Beyond(counts []int64, free int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * max(0, w.Lengths[depth]-free)
		}
	}
	return ticks
}

// Interlock reports whether, in a content of a GPU of a pool, the gaps have room for the tasks in
// them.
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

// Configuration is a set of workers that share a GPU: their classes, ascending, and their tasks by
// depth.
type Configuration []WorkerTasks

// WorkerTasks is a worker on a GPU: its class, and its tasks by depth.
type WorkerTasks struct {
	Class  int
	Counts []int64
}
