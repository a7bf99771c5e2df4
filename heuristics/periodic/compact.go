package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// compact returns a plan with the least period that the orders on all GPUs and links admit,
// as [periodClock] finds it; nil where that is not shorter.
func (s *periodicSearch) compact(m *moduloScheduler) *moduloScheduler {
	if s.clock == nil {
		s.clock, s.table = newPeriodClock(s.in), newResidencyTable(s.in)
	}
	r := newCyclicSequence(s.table)
	r.read(m.schedule())
	limit := m.period - 1
	if len(r.list) > largePlan {
		limit -= m.period / leastGain
	}
	before := s.clock.work
	shorter := s.clock.least(r, limit)
	m.tasks += (s.clock.work - before) / edgesWorth
	if !shorter {
		return nil
	}
	short := newModuloScheduler(m.in, m.residents, r.period)
	short.style, short.tasks = m.style, m.tasks
	all := readChains(s.in, r.schedule())
	chains := make([][]iteration, len(m.residents))
	for i, l := range m.residents {
		chains[i] = all[l.id]
	}
	if !short.load(chains) {
		return nil
	}
	return short
}

const (
	// A gain below the leastGain-th part of the period is not worth the time in a plan of
	// more operations than largePlan.
	largePlan, leastGain = 2000, 1000
	// edgesWorth is how many constraints are looked at in the time of a task.
	edgesWorth = 32
)

// readChains returns the iterations of every job in a plan of canonical order.
func readChains(in *instance.Instance, s *instance.Schedule) [][]iteration {
	chains := make([][]iteration, len(in.Jobs))
	y := 0
	for n := 0; n < len(s.Tasks); {
		j := s.Tasks[n].Job
		job := &in.Jobs[j]
		it := iteration{start: make([]instance.Tick, job.Workers), depth: make([]uint8, job.Workers)}
		for w, t := range s.Tasks[n : n+job.Workers] {
			it.start[w], it.depth[w], it.end = t.Start, uint8(t.Depth), max(it.end, t.End)
		}
		if it.sync = it.end; job.HasSync() {
			sync := &s.Syncs[y]
			it.sync, it.end, it.level = sync.Start, sync.End, slices.Index(in.RateLevels, sync.Rate)
			y++
		}
		chains[j] = append(chains[j], it)
		n += job.Workers
	}
	return chains
}
