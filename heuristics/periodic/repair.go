package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/method"
)

const (
	// repairTasks is the size of a plan above which taking out a few jobs
	// costs about as much as a new plan.
	repairTasks = 20_000
	// repairJobs bounds the jobs taken out at once.
	repairJobs = 6
)

// repair takes a few jobs that live near each other out of the current plan
// and puts them, and jobs that have no iterations, back in random order,
// perhaps elsewhere, with the period as it is. The result becomes current
// unless it is worse. usual are the depth multisets most often used. It serves
// the sum of rates: a change of a few jobs seldom moves the least rate. repair
// reports false where it does not apply.
func (s *periodicSearch) repair(usual [][]int) bool {
	if s.best == nil {
		return false
	}
	if s.current == nil || s.currentValue.Cmp(s.bestValue) < 0 {
		s.current, s.currentValue = s.best, s.bestValue
	}
	plan := s.current
	tasks := 0
	for i, l := range plan.residents {
		tasks += len(plan.chains[i]) * len(l.gpus)
	}
	if tasks > repairTasks {
		return false
	}
	s.evaluations++
	out := s.neighbours(plan)
	list, chains, again := s.resettle(plan, out, usual)

	m := newModuloScheduler(s.in, list, plan.period)
	m.style = s.style()
	defer func() { s.work += tasks/2 + m.tasks }()
	if !m.load(chains) {
		return true
	}
	f := filling{rank: make([]float64, len(list)), first: make([]instance.Tick, len(list))}
	for i := range list {
		if f.rank[i] = 1; again[i] {
			f.rank[i] = s.rng.Float64()
		}
		if s.rng.IntN(2) == 0 {
			f.first[i] = instance.Tick(s.rng.Int64N(int64(plan.period)))
		}
	}
	if m.fill(s.ctx, f) != nil {
		return true
	}
	value := s.value(m)
	if value.Cmp(s.currentValue) < 0 {
		return true
	}
	if value.Cmp(s.currentValue) > 0 && !s.without[method.Compaction] {
		if short := m.compact(s.ctx); short != nil {
			short.tasks = m.tasks
			m, value = short, s.value(short)
		}
	}
	s.current, s.currentValue = m, value
	s.keep(m)
	return true
}

// neighbours draws the residents to take out: one, and some that share its GPUs.
func (s *periodicSearch) neighbours(plan *moduloScheduler) (out []bool) {
	out = make([]bool, len(plan.residents))
	first := s.rng.IntN(len(plan.residents))
	out[first] = true
	size := s.rng.IntN(repairJobs)
	for _, i := range s.rng.Perm(len(plan.residents)) {
		if size == 0 {
			break
		}
		near := slices.ContainsFunc(plan.residents[i].gpus, func(g instance.GPUID) bool {
			_, found := slices.BinarySearch(plan.residents[first].gpus, g)
			return found
		})
		if !out[i] && (near || s.rng.IntN(8) == 0) {
			out[i] = true
			size--
		}
	}
	return out
}

// resettle finds residencies for the jobs taken out and those that had no
// iterations, beside the others. chains holds the iterations of the others,
// and again marks those to be put back, both by position in list.
func (s *periodicSearch) resettle(plan *moduloScheduler, out []bool, usual [][]int) (list []*resident, chains [][]iteration, again []bool) {
	in := s.in
	counts := slices.Clone(usual)
	if s.rng.IntN(4) == 0 {
		counts = s.multisets()
	}
	stays := make([]int, len(in.Jobs)) // position in the plan + 1
	was := make([]int, len(in.Jobs))
	for i, l := range plan.residents {
		if was[l.id] = i + 1; !out[i] && len(plan.chains[i]) > 0 {
			stays[l.id] = i + 1
			counts[l.id] = l.counts
		}
	}
	demand := make([]int64, len(in.Jobs))
	for j := range demand {
		demand[j] = max(1, int64(plan.period)/int64(in.Jobs[j].FastestFull()))
	}
	p := placement.NewPlacer(in, placement.Options{Counts: counts, Iterations: demand, Scatter: s.rng.IntN(2) == 0})
	for i, l := range plan.residents {
		if stays[l.id] == 0 {
			continue
		}
		p.Out.GPUs[l.id], p.Out.Span[l.id] = l.gpus, l.span
		for w, g := range l.gpus {
			costs := l.job.On[in.GPUs[g].Type]
			p.Persistent[g] += costs.Persistent
			for n := range plan.chains[i] {
				d := plan.chains[i][n].depth[w]
				p.Load[g] += costs.Time[d]
				p.Ephemeral[g] = max(p.Ephemeral[g], costs.Ephemeral[d])
			}
		}
		for _, u := range l.span.Uses {
			p.Busy[u.Link] += instance.Tick(len(plan.chains[i])) * p.Share(l.syncs[0].Length, l.span, u)
		}
	}
	back := s.rng.IntN(2) == 0 // to where they were, if there is still room
	mask := 0.6 * s.rng.Float64()
	tried := 0
	for _, n := range s.rng.Perm(len(in.Jobs)) {
		j := instance.JobID(n)
		full := in.Jobs[j].Full()
		fit := func(g instance.GPUID) bool { return p.Room(j, g, full) >= 0 }
		switch {
		case stays[j] > 0:
			continue
		case was[j] > 0 && out[was[j]-1] && back && !slices.ContainsFunc(plan.residents[was[j]-1].gpus, func(g instance.GPUID) bool { return !fit(g) }):
			l := plan.residents[was[j]-1]
			limit := make([]int, len(l.gpus))
			for w := range limit {
				limit[w] = full
			}
			p.Settle(j, l.gpus, limit, l.span)
			continue
		case was[j] > 0 && out[was[j]-1]:
		case tried >= repairJobs:
			continue
		default:
			tried++
		}
		p.Price(j)
		p.Collect(j, func(g instance.GPUID) bool { return s.rng.Float64() >= mask && fit(g) })
		if !p.Take(j) {
			p.Collect(j, fit)
			if !p.Take(j) {
				p.PutPinned(j)
			}
		}
	}
	list = residents(in, p.Out, counts)
	chains = make([][]iteration, len(list))
	again = make([]bool, len(list))
	for i, l := range list {
		if at := stays[l.id]; at > 0 {
			chains[i] = plan.chains[at-1]
		} else {
			again[i] = true
		}
	}
	return list, chains, again
}
