package list

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// leeway is how much worse than the best a decision may be to be searched from,
// in parts per 1024 of its value at the start of the search; it decreases to 0.
const leeway = 16

// patient is the number of batches without a gain for which improve stays with
// a decision.
const patient = 25

// Improve spends the remaining budget on small random changes of a decision, a
// batch at a time. The best of a batch is searched from next if it is no worse
// than before or close to the best of all, the closer the less budget is left.
// After a while without success the search continues from another decision.
func (p *Portfolio) Improve() {
	if p.Best == nil {
		return
	}
	from, value, completion := p.Chosen, p.Value, slices.Clone(p.Best.Completion)
	for start, idle := p.Budget, 0; p.Budget >= p.Cost; idle++ {
		m := newMutation(p, from, value, completion)
		var list []*Decision
		for range p.width {
			next := m.neighbour
			if idle == patient {
				m.from = p.Chosen
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
			if t := &p.tried[i]; t.ok && (top < 0 || t.value.Ahead(p.tried[top].value)) {
				top = i
			}
		}
		if top < 0 {
			return
		}
		t := &p.tried[top]
		if t.value.Ahead(value) || idle == patient {
			idle = 0
		}
		if idle == 0 || !value.Less(t.value) || t.value.Near(p.Value, float64(p.Budget)/float64(start)*leeway/1024) {
			from, value = list[top], t.value
			completion = append(completion[:0], t.completion...)
		}
	}
}

// mutation draws neighbours of the incumbent's decision.
type mutation struct {
	in        *instance.Instance
	portfolio *Portfolio
	rng       *rand.Rand
	reach     *placement.Reach
	// serial: the serial decoder may be used.
	serial bool
	// level: placements may be balanced.
	level       bool
	from        *Decision
	late        []instance.JobID // jobs by descending completion, or first by lateness
	d           *Decision        // the neighbour being made
	residencies bool             // d.where belongs to d alone
	keys        bool             // d.base and d.slope do
}

func newMutation(p *Portfolio, from *Decision, value state.Value, completion []instance.Tick) *mutation {
	m := &mutation{in: p.In, portfolio: p, rng: p.rng, reach: p.reach, from: from, serial: p.serial(), level: !p.options.Without[method.Balance]}
	m.late = state.OrderBy(len(p.In.Jobs), func(j instance.JobID) int64 {
		c, due := completion[j], p.In.Jobs[j].Deadline
		if value.Late > 0 && due > 0 {
			return -int64(max(0, c-due)) - 1<<61
		}
		return -int64(c)
	})
	return m
}

// neighbour returns the decision with one change, or sometimes a few; nil if
// the drawn changes have no effect.
func (m *mutation) neighbour() *Decision {
	d := *m.from
	m.d, m.residencies, m.keys = &d, false, false
	changed := false
	for range 20 {
		done := false
		switch m.rng.IntN(10) {
		case 0, 1, 2:
			done = m.reorder()
		case 3:
			done = m.reassign()
		case 4, 5:
			done = m.shift()
		case 6:
			if patience := m.rng.IntN(5); patience != d.Patience {
				d.Patience, done = patience, true
			} else {
				d.eager, done = !d.eager, true
			}
			if m.portfolio.options.Stays != nil && m.rng.IntN(4) == 0 {
				d.Strict, done = !d.Strict, true
			}
			if m.rng.IntN(4) == 0 {
				d.Even, done = !d.Even, true
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

// job draws a job: often one of those that end last, otherwise any.
func (m *mutation) job() instance.JobID {
	n := len(m.late)
	if m.rng.IntN(2) == 0 {
		n = min(n, 1+m.rng.IntN(8))
	}
	return m.late[m.rng.IntN(n)]
}

// reorder gives a job a priority just before or after that of another.
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
		m.d.Base, m.d.Slope = slices.Clone(m.d.Base), slices.Clone(m.d.Slope)
	}
	m.d.Base[j] = m.d.Base[o] + int64(2*m.rng.IntN(2)-1)
	if m.rng.IntN(2) == 0 {
		m.d.Slope[j] = m.d.Slope[o]
	}
	return true
}

// own makes a separate copy of the neighbour's placement.
func (m *mutation) own() *placement.Placement {
	if !m.residencies {
		m.residencies = true
		w := m.d.Where
		m.d.Where = &placement.Placement{GPUs: slices.Clone(w.GPUs), Limit: slices.Clone(w.Limit), Span: slices.Clone(w.Span)}
	}
	return m.d.Where
}

// reassign places a job anew among all others, or two jobs one after the other.
func (m *mutation) reassign() bool {
	a := m.job()
	out := []instance.JobID{a}
	if len(m.in.Jobs) > 1 && m.rng.IntN(2) == 0 {
		if b := instance.JobID(m.rng.IntN(len(m.in.Jobs))); b != a {
			out = append(out, b)
		}
	}
	p := placement.NewPlacer(m.in, placement.Options{Counts: m.d.Counts, Noise: m.rng, Reach: m.reach, Scatter: m.rng.IntN(2) == 0})
	for j := range m.in.Jobs {
		if id := instance.JobID(j); !slices.Contains(out, id) {
			w := m.d.Where
			p.Settle(id, w.GPUs[j], w.Limit[j], w.Span[j])
		}
	}
	for _, j := range out {
		if !p.Put(j) {
			return false
		}
	}
	changed := false
	for _, j := range out {
		changed = changed || !slices.Equal(p.Out.GPUs[j], m.d.Where.GPUs[j])
	}
	if !changed {
		return false
	}
	w := m.own()
	for _, j := range out {
		w.GPUs[j], w.Limit[j], w.Span[j] = p.Out.GPUs[j], p.Out.Limit[j], p.Out.Span[j]
	}
	return true
}

// kick returns a more distant decision: with the residents of a GPU placed
// anew, or all jobs.
func (m *mutation) kick() *Decision {
	d := *m.from
	m.d, m.residencies, m.keys = &d, false, false
	how := placement.Options{Counts: d.Counts, Noise: m.rng, Reach: m.reach, Scatter: m.rng.IntN(2) == 0}
	keep := func(instance.JobID) bool { return false }
	if m.rng.IntN(2) == 0 {
		list := d.Where.GPUs[m.job()]
		g := list[m.rng.IntN(len(list))]
		keep = func(j instance.JobID) bool { return !slices.Contains(d.Where.GPUs[j], g) }
	}
	p := placement.NewPlacer(m.in, how)
	var out []instance.JobID
	for _, j := range p.ByArea() {
		if keep(j) {
			p.Settle(j, d.Where.GPUs[j], d.Where.Limit[j], d.Where.Span[j])
		} else {
			out = append(out, j)
		}
	}
	for i := range out {
		o := min(len(out)-1, i+m.rng.IntN(3))
		out[i], out[o] = out[o], out[i]
	}
	for _, j := range out {
		if !p.Put(j) {
			return nil
		}
	}
	near := []float64{0, 1, 4}[m.rng.IntN(3)]
	d.Where = p.Out
	if m.level {
		d.Where = m.portfolio.balance(p.Out, d.Counts, near, kickSteps)
	}
	rules := []Rule{EvenProgress, EvenProgress, LongestChain, CriticalRatio, mostWork}
	if m.in.Objective == instance.WeightedCompletion {
		rules = []Rule{SmithArea, SmithChain, SmithLeft}
	}
	if m.rng.IntN(4) > 0 {
		d.rule = rules[m.rng.IntN(len(rules))]
		d.Base, d.Slope = Measure(m.in, d.Where, d.Counts).Keys(m.in, d.rule)
		d.Patience, d.eager, d.Even, d.serial = m.rng.IntN(3), m.rng.IntN(3) == 0, m.rng.IntN(2) == 0, false
	}
	return &d
}

// kickSteps is the number of steps of balance after a kick.
const kickSteps = 1000

// shift moves or swaps workers or whole jobs, mostly off loaded GPUs.
func (m *mutation) shift() bool {
	if !m.level {
		return false
	}
	h := placement.NewAnnealer(m.in, m.portfolio.Layout, m.d.Where, placement.AnnealOptions{Counts: m.d.Counts}, m.rng)
	if !h.Shift() {
		return false
	}
	m.d.Where, m.residencies = h.Placement(), true
	return true
}

// redepth gives a job with a free rule another multiset. Jobs whose memory is
// reserved for only one keep theirs.
func (m *mutation) redepth() bool {
	j := m.job()
	job := &m.in.Jobs[j]
	if job.Rule.Fixed != nil {
		return false
	}
	for _, limit := range m.d.Where.Limit[j] {
		if limit < job.Full() {
			return false
		}
	}
	list := multiset.Choices(job, m.in.GPUs[m.d.Where.GPUs[j][0]].Type)
	counts := list[m.rng.IntN(len(list))]
	if slices.Equal(counts, m.d.Counts[j]) {
		return false
	}
	m.d.Counts = slices.Clone(m.d.Counts)
	m.d.Counts[j] = counts
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
	level := uint8(m.rng.IntN(levels))
	if int(level) == m.d.fastest(int(j)) {
		return false
	}
	m.d.slowDown(m.in, j, level)
	return true
}
