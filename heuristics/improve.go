package heuristics

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// leeway is how much worse than the best a decision may be to be searched from,
// in parts per 1024 of its value when the search begins; it falls to 0.
const leeway = 16

// patient is for how many batches without a gain improve stays where it is.
const patient = 25

// improve spends the budget that is left on small random changes of a
// decision, a batch at a time. The best of a batch is searched from next if it
// is no worse than before or close to the best of all, the closer the less
// budget is left. When that leads nowhere for a while the search goes on from
// somewhere else.
func (p *portfolio) improve() {
	if p.best == nil {
		return
	}
	from, value, completion := p.chosen, p.value, slices.Clone(p.best.completion)
	for start, idle := p.budget, 0; p.budget >= p.cost; idle++ {
		m := newMutation(p, from, value, completion)
		var list []*decision
		for range p.width {
			next := m.neighbour
			if idle == patient {
				m.from = p.chosen
				next = m.kick
			}
			if d := next(); d != nil {
				list = append(list, d)
			}
		}
		if len(list) == 0 && idle == patient {
			idle = 0
			continue
		}
		if len(list) == 0 || !p.try(list) {
			return
		}
		top := -1
		for i := range list {
			if t := &p.tried[i]; t.ok && (top < 0 || t.value.ahead(p.tried[top].value)) {
				top = i
			}
		}
		if top < 0 {
			return
		}
		t := &p.tried[top]
		if t.value.ahead(value) || idle == patient {
			idle = 0
		}
		if idle == 0 || !value.less(t.value) || t.value.near(p.value, float64(p.budget)/float64(start)*leeway/1024) {
			from, value = list[top], t.value
			completion = append(completion[:0], t.completion...)
		}
	}
}

// mutation draws neighbours of the incumbent's decision.
type mutation struct {
	in    *instance.Instance
	rng   *rand.Rand
	reach *reach
	// serial: the serial decoder may be used.
	serial bool
	from   *decision
	late   []instance.JobID // jobs by descending completion, or by lateness first
	d      *decision        // the neighbour in the making
	homes  bool             // d.where is d's own
	keys   bool             // d.base and d.slope are
}

func newMutation(p *portfolio, from *decision, value value, completion []instance.Tick) *mutation {
	m := &mutation{in: p.in, rng: p.rng, reach: p.reach, from: from, serial: p.layout.tasks <= maxSerialTasks}
	m.late = orderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		c, due := completion[j], p.in.Jobs[j].Deadline
		if value.late > 0 && due > 0 {
			return -int64(max(0, c-due)) - 1<<61
		}
		return -int64(c)
	})
	return m
}

// neighbour returns the decision with one change, or sometimes a few; nil if
// the changes drawn came to nothing.
func (m *mutation) neighbour() *decision {
	d := *m.from
	m.d, m.homes, m.keys = &d, false, false
	changed := false
	for range 20 {
		done := false
		switch m.rng.IntN(10) {
		case 0, 1, 2:
			done = m.reorder()
		case 3:
			done = m.rehome()
		case 4, 5:
			done = m.shift()
		case 6:
			if patience := m.rng.IntN(5); patience != d.patience {
				d.patience, done = patience, true
			} else {
				d.eager, done = !d.eager, true
			}
			if m.rng.IntN(4) == 0 {
				d.even, done = !d.even, true
			}
		case 7:
			done = m.redepth()
		case 8:
			if m.serial && m.rng.IntN(4) == 0 {
				d.serial, done = !d.serial, true
			}
		case 9:
			done = m.slowDown()
		}
		changed = changed || done
		if changed && m.rng.IntN(3) > 0 {
			break
		}
	}
	if !changed {
		return nil
	}
	return &d
}

// job draws a job: often one of those that end last, else any.
func (m *mutation) job() instance.JobID {
	n := len(m.late)
	if m.rng.IntN(2) == 0 {
		n = min(n, 1+m.rng.IntN(8))
	}
	return m.late[m.rng.IntN(n)]
}

// reorder gives a job the priority of another, just before or after it.
func (m *mutation) reorder() bool {
	if len(m.in.Jobs) < 2 {
		return false
	}
	j, o := m.job(), instance.JobID(m.rng.IntN(len(m.in.Jobs)))
	if j == o {
		return false
	}
	if !m.keys {
		m.keys = true
		m.d.base, m.d.slope = slices.Clone(m.d.base), slices.Clone(m.d.slope)
	}
	m.d.base[j] = m.d.base[o] + int64(2*m.rng.IntN(2)-1)
	if m.rng.IntN(2) == 0 {
		m.d.slope[j] = m.d.slope[o]
	}
	return true
}

// own makes the placement of the neighbour its own.
func (m *mutation) own() *placement {
	if !m.homes {
		m.homes = true
		w := m.d.where
		m.d.where = &placement{slices.Clone(w.gpus), slices.Clone(w.limit), slices.Clone(w.span)}
	}
	return m.d.where
}

// rehome places a job anew among all others, or two jobs in turn.
func (m *mutation) rehome() bool {
	a := m.job()
	out := []instance.JobID{a}
	if len(m.in.Jobs) > 1 && m.rng.IntN(2) == 0 {
		if b := instance.JobID(m.rng.IntN(len(m.in.Jobs))); b != a {
			out = append(out, b)
		}
	}
	p := newPlacer(m.in, placing{counts: m.d.counts, noise: m.rng, reach: m.reach, scatter: m.rng.IntN(2) == 0})
	for j := range m.in.Jobs {
		if id := instance.JobID(j); !slices.Contains(out, id) {
			w := m.d.where
			p.settle(id, w.gpus[j], w.limit[j], w.span[j])
		}
	}
	for _, j := range out {
		if !p.put(j) {
			return false
		}
	}
	changed := false
	for _, j := range out {
		changed = changed || !slices.Equal(p.out.gpus[j], m.d.where.gpus[j])
	}
	if !changed {
		return false
	}
	w := m.own()
	for _, j := range out {
		w.gpus[j], w.limit[j], w.span[j] = p.out.gpus[j], p.out.limit[j], p.out.span[j]
	}
	return true
}

// kick returns a decision further away: with the residents of a GPU placed
// anew, or all jobs.
func (m *mutation) kick() *decision {
	d := *m.from
	m.d, m.homes, m.keys = &d, false, false
	how := placing{counts: d.counts, noise: m.rng, reach: m.reach, scatter: m.rng.IntN(2) == 0}
	keep := func(instance.JobID) bool { return false }
	if m.rng.IntN(2) == 0 {
		list := d.where.gpus[m.job()]
		g := list[m.rng.IntN(len(list))]
		keep = func(j instance.JobID) bool { return !slices.Contains(d.where.gpus[j], g) }
	}
	p := newPlacer(m.in, how)
	var out []instance.JobID
	for _, j := range p.byArea() {
		if keep(j) {
			p.settle(j, d.where.gpus[j], d.where.limit[j], d.where.span[j])
		} else {
			out = append(out, j)
		}
	}
	for i := range out {
		o := min(len(out)-1, i+m.rng.IntN(3))
		out[i], out[o] = out[o], out[i]
	}
	for _, j := range out {
		if !p.put(j) {
			return nil
		}
	}
	near := []float64{0, 1, 4}[m.rng.IntN(3)]
	d.where = balance(m.in, p.out, balancing{counts: d.counts, reach: m.reach, rng: m.rng, steps: kickSteps, near: near})
	rules := []rule{evenProgress, evenProgress, longestChain, criticalRatio, mostWork}
	if m.in.Objective == instance.WeightedCompletion {
		rules = []rule{smithArea, smithChain, smithLeft}
	}
	if m.rng.IntN(4) > 0 {
		d.rule = rules[m.rng.IntN(len(rules))]
		d.base, d.slope = measure(m.in, d.where, d.counts).keys(m.in, d.rule)
		d.patience, d.eager, d.even, d.serial = m.rng.IntN(3), m.rng.IntN(3) == 0, m.rng.IntN(2) == 0, false
	}
	return &d
}

// kickSteps is the number of steps by which a kicked placement is balanced.
const kickSteps = 1000

// shift moves or swaps workers or whole jobs, mostly off loaded GPUs.
func (m *mutation) shift() bool {
	b := newBalancer(m.in, m.d.where, balancing{counts: m.d.counts, reach: m.reach, rng: m.rng})
	for range 10 {
		if b.step(true) {
			m.d.where, m.homes = b.out, true
			return true
		}
	}
	return false
}

// redepth gives a job with a free rule another multiset. Jobs whose memory is
// reserved for one only keep theirs.
func (m *mutation) redepth() bool {
	j := m.job()
	job := &m.in.Jobs[j]
	if job.Rule.Fixed != nil {
		return false
	}
	for _, limit := range m.d.where.limit[j] {
		if limit < job.Full() {
			return false
		}
	}
	list := multisets(job, m.in.GPUs[m.d.where.gpus[j][0]].Type)
	counts := list[m.rng.IntN(len(list))]
	if slices.Equal(counts, m.d.counts[j]) {
		return false
	}
	m.d.counts = slices.Clone(m.d.counts)
	m.d.counts[j] = counts
	return true
}

// slowDown changes the fastest rate level that a job may use.
func (m *mutation) slowDown() bool {
	levels := len(m.in.RateLevels)
	j := m.job()
	if m.rng.IntN(2) == 0 {
		j = instance.JobID(m.rng.IntN(len(m.in.Jobs)))
	}
	if levels < 2 || !m.in.Jobs[j].HasSync() {
		return false
	}
	if m.d.slow == nil {
		m.d.slow = make([]uint8, len(m.in.Jobs))
	} else {
		m.d.slow = slices.Clone(m.d.slow)
	}
	level := uint8(m.rng.IntN(levels))
	if level == m.d.slow[j] {
		return false
	}
	m.d.slow[j] = level
	return true
}
