package instancetest

import (
	"slices"

	"jigsaw/formulation/instance"
)

// mode is a way to run an iteration of a job on given GPUs.
type mode struct {
	depths []int           // by resident GPU
	times  []instance.Tick // of the tasks, by resident GPU
	syncs  []syncMode      // empty for a lone worker
	// atLeast is the length of the iteration if nothing is in its way.
	atLeast instance.Tick
	// shortest sync, 0 for a lone worker.
	shortest instance.Tick
}

// syncMode is a rate level with its speed and length.
type syncMode struct {
	level  instance.RateLevel
	rate   instance.Rate
	length instance.Tick
}

// home is a residency that a job's limits admit, with what it implies.
type home struct {
	gpus  []instance.GPUID
	span  instance.Span
	modes []mode
}

// homes lists every residency of job j that meets its placement limits, has
// routes for its synchronisations, and has a mode that fits the GPUs while no
// other job lives there.
func homes(in *instance.Instance, id instance.JobID) []home {
	job := &in.Jobs[id]
	var list []home
	gpus := make([]instance.GPUID, 0, job.Workers)
	var extend func(from int)
	extend = func(from int) {
		if len(gpus) == job.Workers {
			if h, ok := newHome(in, id, slices.Clone(gpus)); ok {
				list = append(list, h)
			}
			return
		}
		for g := from; g < len(in.GPUs); g++ {
			if job.Runs(in.GPUs[g].Type) {
				gpus = append(gpus, instance.GPUID(g))
				extend(g + 1)
				gpus = gpus[:len(gpus)-1]
			}
		}
	}
	extend(0)
	return list
}

func newHome(in *instance.Instance, id instance.JobID, gpus []instance.GPUID) (home, bool) {
	job := &in.Jobs[id]
	for _, g := range gpus {
		a, b := in.GPUs[gpus[0]].Node, in.GPUs[g].Node
		if in.GPUs[gpus[slices.Index(gpus, g)/job.Group()*job.Group()]].Node != b {
			return home{}, false // a worker on two nodes
		}
		if job.Within == instance.WithinNode && a != b || job.Within == instance.WithinRack && in.Nodes[a].Rack != in.Nodes[b].Rack {
			return home{}, false
		}
	}
	h := home{gpus: gpus}
	var ok bool
	if h.span, ok = in.SpanOf(job, gpus); !ok {
		return home{}, false
	}
	depths := make([]int, len(gpus))
	var choose func(n int)
	choose = func(n int) {
		if n == len(gpus) {
			if m, ok := h.mode(in, id, slices.Clone(depths)); ok {
				h.modes = append(h.modes, m)
			}
			return
		}
		for d := range job.Depths {
			if n%job.Group() == 0 || d == depths[n-1] {
				depths[n] = d
				choose(n + 1)
			}
		}
	}
	choose(0)
	h.modes = h.fit(in, id, make([]instance.Bytes, len(in.GPUs)))
	return h, len(h.modes) > 0
}

// mode works out the mode of the given depths; ok is false where the SPB rule
// forbids them.
func (h *home) mode(in *instance.Instance, id instance.JobID, depths []int) (mode, bool) {
	job := &in.Jobs[id]
	counts := make([]int, len(job.Depths))
	m := mode{depths: depths}
	for n, d := range depths {
		counts[d]++
		t := job.On[in.GPUs[h.gpus[n]].Type].Time[d]
		m.times = append(m.times, t)
		m.atLeast = max(m.atLeast, t)
	}
	if !job.Allows(counts) {
		return mode{}, false
	}
	if job.HasSync() {
		volume := job.Volume(counts, h.span.Parties)
		for _, level := range in.RateLevels {
			rate := h.span.Rate(level)
			m.syncs = append(m.syncs, syncMode{level, rate, in.SyncTicks(volume, rate)})
		}
		// Levels are from fast to slow. Of those of equal length the slowest
		// can replace the others in any schedule.
		m.syncs = slices.CompactFunc(reversed(m.syncs), func(a, b syncMode) bool { return a.length == b.length })
		slices.Reverse(m.syncs)
		m.shortest = m.syncs[0].length
		m.atLeast += m.shortest
	}
	return m, true
}

func reversed[E any](s []E) []E {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// fit returns the modes whose tasks fit the memory beside the persistent
// bytes of other residents, by GPU.
func (h *home) fit(in *instance.Instance, id instance.JobID, others []instance.Bytes) []mode {
	var fitting []mode
	for _, m := range h.modes {
		fits := true
		for n, g := range h.gpus {
			t := in.GPUs[g].Type
			costs := in.Jobs[id].On[t]
			fits = fits && others[g]+costs.Persistent+costs.Ephemeral[m.depths[n]] <= in.Types[t].Memory
		}
		if fits {
			fitting = append(fitting, m)
		}
	}
	return fitting
}

// addPersistent adds sign times the job's persistent bytes on the GPUs.
func addPersistent(in *instance.Instance, id instance.JobID, gpus []instance.GPUID, to []instance.Bytes, sign instance.Bytes) {
	for _, g := range gpus {
		to[g] += sign * in.Jobs[id].On[in.GPUs[g].Type].Persistent
	}
}

// residencies calls visit with every choice of one home per job, each home
// with the modes that fit beside the others. Of choices that differ only by a
// permutation of the GPUs within nodes it visits the first: such GPUs are
// alike in everything. Of choices that differ by a permutation of identical
// jobs it visits one at most. It stops when visit returns false.
func residencies(in *instance.Instance, visit func(chosen []home) bool) {
	options := make([][]home, len(in.Jobs))
	for j := range in.Jobs {
		options[j] = homes(in, instance.JobID(j))
	}
	chosen := make([]home, len(in.Jobs))
	persistent := make([]instance.Bytes, len(in.GPUs))
	seen := map[string]bool{}
	twin := make([]int, len(in.Jobs)) // the identical job before, or -1
	for _, class := range in.Classes() {
		for n, j := range class {
			if twin[j] = -1; n > 0 {
				twin[j] = int(class[n-1])
			}
		}
	}
	number := make([]int, len(in.Jobs)) // of the chosen home among the options
	var choose func(j int) bool
	choose = func(j int) bool {
		if j == len(in.Jobs) {
			key := pattern(in, chosen)
			if seen[key] {
				return true
			}
			seen[key] = true
			fitted := slices.Clone(chosen)
			for j := range fitted {
				id, h := instance.JobID(j), &fitted[j]
				addPersistent(in, id, h.gpus, persistent, -1)
				h.modes = h.fit(in, id, persistent)
				addPersistent(in, id, h.gpus, persistent, 1)
				if len(h.modes) == 0 {
					return true
				}
			}
			return visit(fitted)
		}
		first := 0
		if twin[j] >= 0 {
			first = number[twin[j]]
		}
		for i, h := range options[j][first:] {
			chosen[j], number[j] = h, first+i
			addPersistent(in, instance.JobID(j), h.gpus, persistent, 1)
			more := choose(j + 1)
			addPersistent(in, instance.JobID(j), h.gpus, persistent, -1)
			if !more {
				return false
			}
		}
		return true
	}
	choose(0)
}

// pattern is a key of the residencies that is equal for those that differ
// only by a permutation of the GPUs within nodes: for every node the sorted
// list of its GPUs' sets of residents.
func pattern(in *instance.Instance, chosen []home) string {
	residents := make([]byte, len(in.GPUs)) // bit j: job j lives there
	for j, h := range chosen {
		for _, g := range h.gpus {
			residents[g] |= 1 << j
		}
	}
	for n := range in.Nodes {
		node := &in.Nodes[n]
		if in.Grouped() {
			continue // which of them make a worker matters
		}
		slices.Sort(residents[node.FirstGPU : int(node.FirstGPU)+node.GPUs])
	}
	return string(residents)
}
