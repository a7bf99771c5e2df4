package horizon

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// waiting are the jobs that have no GPUs yet.
type waiting struct {
	jobs   int
	coming []int   // not released yet, by release
	order  []int   // jobs in the order of the rule
	places []int   // of each job in that order
	kinds  []int   // of each job
	by     [][]int // places of those that are released, ascending, by kind
	full   []bool  // no GPUs have room for a job of the kind
}

// wait returns jobs that all wait, in some order.
func (s *sharing) wait(order []int) waiting {
	w := waiting{jobs: len(order), order: order, places: make([]int, len(s.in.Jobs)), kinds: s.kinds}
	for at, j := range order {
		w.places[j] = at
	}
	for _, j := range s.released {
		if at := w.places[j]; at < len(order) && order[at] == j {
			w.coming = append(w.coming, j)
		}
	}
	n := slices.Max(s.kinds) + 1
	w.by, w.full = make([][]int, n), make([]bool, n)
	return w
}

// release lets the jobs come that are released by a time.
func (w *waiting) release(in *instance.Instance, now instance.Tick) {
	for ; len(w.coming) > 0 && in.Jobs[w.coming[0]].Release <= now; w.coming = w.coming[1:] {
		j := w.coming[0]
		places := &w.by[w.kinds[j]]
		at, _ := slices.BinarySearch(*places, w.places[j])
		*places = slices.Insert(*places, at, w.places[j])
	}
}

// first returns the first job of a kind that may have room; -1: there is none.
func (w *waiting) first() int {
	first := len(w.order)
	for kind, places := range w.by {
		if len(places) > 0 && !w.full[kind] {
			first = min(first, places[0])
		}
	}
	if first == len(w.order) {
		return -1
	}
	return w.order[first]
}

// leave takes out a job that is the first of its kind.
func (w *waiting) leave(j int) {
	places := &w.by[w.kinds[j]]
	*places, w.jobs = (*places)[1:], w.jobs-1
}

// load is what the jobs in memory of a GPU ask of it.
type load struct {
	known  bool // the rest is up to date
	memory instance.Memory
	busy   float64 // the sum of the parts of the time for which each alone keeps it busy
	work   float64 // left, in ticks
}

// load returns the load of a GPU.
func (m *simulation) load(g instance.GPUID) *load {
	l := &m.loads[g]
	if l.known {
		return l
	}
	*l = load{known: true}
	t := m.in.GPUs[g].Type
	for _, j := range m.held[g] {
		job := &m.in.Jobs[j]
		l.memory = l.memory.With(job.On[t].Memory(job.Full()))
		if m.left[j] > 0 {
			l.busy += m.busy(j, t)
			l.work += m.on[j][t] / float64(job.Workers) * float64(m.left[j]) / float64(job.Iterations)
		}
	}
	return l
}

// fits reports whether a GPU has memory for a job that runs there, beside those that it holds.
func (m *simulation) fits(j int, g instance.GPUID) bool {
	job, t := &m.in.Jobs[j], m.in.GPUs[g].Type
	return m.load(g).memory.With(job.On[t].Memory(job.Full())).Sum() <= m.in.Types[t].Memory
}

// room returns GPUs for a job, nil: there are none. Those of one node or, if none is large enough, of as few whole nodes of a
// rack, or of the cluster, as possible; among these those with least work left. Jobs of several nodes are admitted to crowded GPUs, too,
// as so many hardly ever have room at the same time.
func (m *simulation) room(j int) (best []instance.GPUID) {
	job := &m.in.Jobs[j]
	wide, least := m.wide[j], math.Inf(1)
	type whole struct {
		gpus []instance.GPUID
		work float64 // left of the fullest
	}
	racks := make([][]whole, len(m.in.Racks))
	for n := range m.in.Nodes {
		node := &m.in.Nodes[n]
		if !job.Runs(node.Type) || m.narrow > 0 && n >= m.narrow && job.Workers < node.GPUs {
			continue
		}
		var here []instance.GPUID
		var work []float64
		for g := range node.All() {
			if l := m.load(g); m.fits(j, g) && (wide || l.busy < m.crowd) {
				here, work = append(here, g), append(work, l.work)
			}
		}
		by := instance.UpTo[int](len(here) - len(here)%job.Group())
		slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(work[a], work[b]) })
		switch {
		case wide && len(here) == node.GPUs:
			rack := node.Rack
			if m.whole[j] {
				rack = 0
			}
			racks[rack] = append(racks[rack], whole{here, slices.Max(work)})
		case !wide && len(by) >= job.Workers && work[by[job.Workers-1]] < least:
			best, least = slices.Sorted(slices.Values(state.Pick(here, by[:job.Workers]))), work[by[job.Workers-1]]
		}
	}
	if job.Within == instance.WithinNode || m.whole[j] && job.Within != instance.WithinCluster {
		return best
	}
	for _, nodes := range racks {
		slices.SortStableFunc(nodes, func(a, b whole) int { return cmp.Compare(a.work, b.work) })
		var gpus []instance.GPUID
		for _, n := range nodes {
			if gpus = append(gpus, n.gpus...); len(gpus) >= job.Workers {
				if _, ok := m.in.SpanOf(job, gpus[:job.Workers]); ok && n.work < least {
					best, least = slices.Sorted(slices.Values(gpus[:job.Workers])), n.work
				}
				break
			}
		}
	}
	return best
}
