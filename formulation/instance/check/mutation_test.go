package check_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// mutant is a schedule about to be damaged.
type mutant struct {
	*rand.Rand
	in *instance.Instance
	s  *instance.Schedule
}

// clone copies a schedule deeply.
func clone(s *instance.Schedule) *instance.Schedule {
	c := &instance.Schedule{Period: s.Period, Tasks: slices.Clone(s.Tasks), Syncs: slices.Clone(s.Syncs)}
	for _, gpus := range s.Residency {
		c.Residency = append(c.Residency, slices.Clone(gpus))
	}
	return c
}

func (m mutant) task() *instance.Task { return &m.s.Tasks[m.IntN(len(m.s.Tasks))] }
func (m mutant) sync() *instance.Sync { return &m.s.Syncs[m.IntN(len(m.s.Syncs))] }
func (m mutant) by() instance.Tick    { return instance.Tick(m.IntN(9) - 4) }

// shift moves a job in time.
func (m mutant) shift(j instance.JobID, by instance.Tick) {
	for i := range m.s.Tasks {
		if t := &m.s.Tasks[i]; t.Job == j {
			t.Start, t.End = t.Start+by, t.End+by
		}
	}
	for i := range m.s.Syncs {
		if y := &m.s.Syncs[i]; y.Job == j {
			y.Start, y.End = y.Start+by, y.End+by
		}
	}
}

// length is that of a sync at its rate, by the planner's functions.
func (m mutant) length(y *instance.Sync) instance.Tick {
	job := &m.in.Jobs[y.Job]
	counts := make([]int, len(job.Depths))
	for _, t := range m.s.Tasks {
		if t.Job == y.Job && t.Iteration == y.Iteration {
			counts[t.Depth]++
		}
	}
	span, ok := m.in.SpanOf(job, m.s.Residency[y.Job])
	if !ok || len(m.s.Residency[y.Job]) < 2 {
		return y.End - y.Start
	}
	return m.in.SyncTicks(job.Volume(counts, span.Parties), span.Rate(y.Rate))
}

// relocate moves a job from one GPU to another, tasks and all, with lengths
// that are right there.
func (m mutant) relocate(j instance.JobID, n int, to instance.GPUID) {
	from := m.s.Residency[j][n]
	m.s.Residency[j][n] = to
	slices.Sort(m.s.Residency[j])
	for i := range m.s.Tasks {
		if t := &m.s.Tasks[i]; t.Job == j && t.GPU == from {
			t.GPU = to
			if c := m.in.Jobs[j].On[m.in.GPUs[to].Type]; c != nil {
				t.End = t.Start + c.Time[t.Depth]
			}
		}
	}
	m.lengths(j)
}

// lengths gives the job's syncs their right lengths.
func (m mutant) lengths(j instance.JobID) {
	for i := range m.s.Syncs {
		if y := &m.s.Syncs[i]; y.Job == j {
			y.End = y.Start + m.length(y)
		}
	}
}

// deepen sets a depth and the length of the task and sync that go with it.
func (m mutant) deepen(t *instance.Task, depth int) {
	t.Depth = depth
	t.End = t.Start + m.in.Jobs[t.Job].On[m.in.GPUs[t.GPU].Type].Time[depth]
	m.lengths(t.Job)
}

// before returns when iteration i of a job may start.
func (m mutant) before(j instance.JobID, i int) instance.Tick {
	ready := m.in.Jobs[j].Release
	for _, t := range m.s.Tasks {
		if t.Job == j && t.Iteration == i-1 {
			ready = max(ready, t.End)
		}
	}
	for _, y := range m.s.Syncs {
		if y.Job == j && y.Iteration == i-1 {
			ready = max(ready, y.End)
		}
	}
	return ready
}

// resident returns a job that has a residency.
func (m mutant) resident() instance.JobID { return m.task().Job }

// mutations damage a schedule. Those with a rule are aimed at it: if they
// apply (return true), that rule is broken for certain. Schedules have tasks.
var mutations = []struct {
	name  string
	rule  int
	apply func(mutant) bool
}{
	{"move a task", -1, func(m mutant) bool {
		t, by := m.task(), m.by()
		t.Start, t.End = t.Start+by, t.End+by
		return true
	}},
	{"move a sync", -1, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		y, by := m.sync(), m.by()
		y.Start, y.End = y.Start+by, y.End+by
		return true
	}},
	{"move a job", -1, func(m mutant) bool {
		m.shift(m.resident(), m.by())
		return true
	}},
	{"change a depth", -1, func(m mutant) bool {
		t := m.task()
		m.deepen(t, m.IntN(len(m.in.Jobs[t.Job].Depths)))
		return true
	}},
	{"swap the depths of an iteration", -1, func(m mutant) bool {
		a, b := m.task(), m.task()
		if a == b || a.Job != b.Job {
			return false
		}
		d, e := a.Depth, b.Depth
		m.deepen(a, e)
		m.deepen(b, d)
		return true
	}},
	{"swap two starts", -1, func(m mutant) bool {
		a, b := m.task(), m.task()
		by := b.Start - a.Start
		a.Start, a.End, b.Start, b.End = a.Start+by, a.End+by, b.Start-by, b.End-by
		return true
	}},
	{"relocate a job", -1, func(m mutant) bool {
		j := m.resident()
		m.relocate(j, m.IntN(len(m.s.Residency[j])), instance.GPUID(m.IntN(len(m.in.GPUs))))
		return true
	}},
	{"swap the GPUs of a job's tasks", -1, func(m mutant) bool {
		a, b := m.task(), m.task()
		a.GPU, b.GPU = b.GPU, a.GPU
		return true
	}},
	{"change a rate", -1, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		y := m.sync()
		y.Rate = m.in.RateLevels[m.IntN(len(m.in.RateLevels))]
		y.End = y.Start + m.length(y)
		return true
	}},
	{"change the period", -1, func(m mutant) bool {
		if m.s.Period == 0 {
			return false
		}
		m.s.Period = max(1, m.s.Period+m.by())
		return true
	}},
	{"renumber an iteration", -1, func(m mutant) bool {
		m.task().Iteration += m.IntN(3)
		return true
	}},
	{"drop the last iteration", -1, func(m mutant) bool {
		j, last := m.resident(), 0
		for _, t := range m.s.Tasks {
			if t.Job == j {
				last = max(last, t.Iteration)
			}
		}
		m.s.Tasks = slices.DeleteFunc(m.s.Tasks, func(t instance.Task) bool { return t.Job == j && t.Iteration == last })
		m.s.Syncs = slices.DeleteFunc(m.s.Syncs, func(y instance.Sync) bool { return y.Job == j && y.Iteration == last })
		if m.s.Period > 0 && last == 1 && m.IntN(2) == 0 {
			m.s.Residency[j] = nil
		}
		return true
	}},
	{"shuffle", -1, func(m mutant) bool { // the order of the lists means nothing
		m.Shuffle(len(m.s.Tasks), func(a, b int) { m.s.Tasks[a], m.s.Tasks[b] = m.s.Tasks[b], m.s.Tasks[a] })
		m.Shuffle(len(m.s.Syncs), func(a, b int) { m.s.Syncs[a], m.s.Syncs[b] = m.s.Syncs[b], m.s.Syncs[a] })
		for _, gpus := range m.s.Residency {
			slices.Reverse(gpus)
		}
		return true
	}},

	{"negative start", 0, func(m mutant) bool {
		m.task().Start = -1
		return true
	}},
	{"unknown rate", 0, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		m.sync().Rate = 99
		return true
	}},
	{"leave a GPU", 1, func(m mutant) bool {
		j := m.resident()
		m.s.Residency[j] = m.s.Residency[j][1:]
		return true
	}},
	{"a GPU twice", 1, func(m mutant) bool {
		j := m.resident()
		m.s.Residency[j] = append(m.s.Residency[j], m.s.Residency[j][0])
		return true
	}},
	{"leave the limits", 1, func(m mutant) bool {
		j := m.resident()
		job := &m.in.Jobs[j]
		n := m.IntN(len(m.s.Residency[j]))
		for g := range m.in.GPUs {
			if !job.Runs(m.in.GPUs[g].Type) ||
				len(m.s.Residency[j]) > 1 && job.Within == instance.WithinNode && m.in.GPUs[g].Node != m.in.GPUs[m.s.Residency[j][n]].Node {
				m.relocate(j, n, instance.GPUID(g))
				return true
			}
		}
		return false
	}},
	{"drop a task", 2, func(m mutant) bool {
		n := m.IntN(len(m.s.Tasks))
		j := m.s.Tasks[n].Job
		if m.in.Jobs[j].Workers == 1 && m.s.Period > 0 {
			return false // that drops an iteration
		}
		m.s.Tasks = slices.Delete(m.s.Tasks, n, n+1)
		return true
	}},
	{"a task twice", 2, func(m mutant) bool {
		m.s.Tasks = append(m.s.Tasks, *m.task())
		return true
	}},
	{"stretch a task", 2, func(m mutant) bool {
		m.task().End++
		return true
	}},
	{"stray task", 2, func(m mutant) bool {
		t := m.task()
		for g := range m.in.GPUs {
			if !slices.Contains(m.s.Residency[t.Job], instance.GPUID(g)) {
				t.GPU = instance.GPUID(g)
				return true
			}
		}
		return false
	}},
	{"break a fixed rule", 3, func(m mutant) bool {
		t := m.task()
		job := &m.in.Jobs[t.Job]
		if job.Rule.Fixed == nil || len(job.Depths) == 1 {
			return false
		}
		m.deepen(t, (t.Depth+1)%len(job.Depths))
		return true
	}},
	{"break a free rule", 3, func(m mutant) bool {
		t := m.task()
		job := &m.in.Jobs[t.Job]
		if job.Rule.Fixed != nil || len(job.Depths) == 1 {
			return false
		}
		for i := range m.s.Tasks {
			if o := &m.s.Tasks[i]; o.Job == t.Job && o.Iteration == t.Iteration {
				m.deepen(o, 0)
			}
		}
		return true
	}},
	{"start too early", 4, func(m mutant) bool {
		t := m.task()
		ready := m.before(t.Job, t.Iteration)
		if ready == 0 {
			return false
		}
		t.Start, t.End = ready-1, ready-1+t.End-t.Start
		return true
	}},
	{"break a gang", 4, func(m mutant) bool {
		t := m.task()
		if job := &m.in.Jobs[t.Job]; !job.Gang || job.Workers == 1 {
			return false
		}
		t.Start, t.End = t.Start+1, t.End+1
		return true
	}},
	{"outlast the period", 4, func(m mutant) bool {
		if m.s.Period == 0 {
			return false
		}
		j := m.resident()
		first, last := instance.Tick(1<<40), instance.Tick(0)
		for _, t := range m.s.Tasks {
			if t.Job == j {
				first, last = min(first, t.Start), max(last, t.End)
			}
		}
		for _, y := range m.s.Syncs {
			if y.Job == j {
				last = max(last, y.End)
			}
		}
		m.s.Period = last - first - 1
		return m.s.Period > 0
	}},
	{"sync too early", 5, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		y := m.sync()
		end := instance.Tick(0)
		for _, t := range m.s.Tasks {
			if t.Job == y.Job && t.Iteration == y.Iteration {
				end = max(end, t.End)
			}
		}
		y.Start, y.End = end-1, end-1+y.End-y.Start
		return true
	}},
	{"drop a sync", 5, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		n := m.IntN(len(m.s.Syncs))
		m.s.Syncs = slices.Delete(m.s.Syncs, n, n+1)
		return true
	}},
	{"sync of a lone worker", 5, func(m mutant) bool {
		t := m.task()
		if m.in.Jobs[t.Job].Workers > 1 {
			return false
		}
		m.s.Syncs = append(m.s.Syncs, instance.Sync{Job: t.Job, Iteration: t.Iteration, Start: t.End, End: t.End, Rate: m.in.RateLevels[0]})
		return true
	}},
	{"two tasks at once", 6, func(m mutant) bool {
		a, b := m.task(), m.task()
		if a == b || a.GPU != b.GPU {
			return false
		}
		a.Start, a.End = b.Start, b.Start+a.End-a.Start
		return true
	}},
	{"two tasks at once, a period later", 6, func(m mutant) bool {
		a, b := m.task(), m.task()
		if a == b || a.GPU != b.GPU || m.s.Period == 0 {
			return false
		}
		start := b.Start + m.s.Period*instance.Tick(m.IntN(3))
		a.Start, a.End = start, start+a.End-a.Start
		return true
	}},
	{"crowd a GPU", 7, func(m mutant) bool {
		for _, j := range m.Perm(len(m.in.Jobs)) {
			id, gpus := instance.JobID(j), m.s.Residency[j]
			for _, n := range m.Perm(len(m.in.GPUs)) {
				g := instance.GPUID(n)
				kind := m.in.GPUs[g].Type
				if len(gpus) == 0 || !m.in.Jobs[j].Runs(kind) || slices.Contains(gpus, g) {
					continue
				}
				need := m.in.Jobs[j].On[kind].Persistent
				for i := range m.in.Jobs {
					if slices.Contains(m.s.Residency[i], g) {
						need += m.in.Jobs[i].On[kind].Persistent
					}
				}
				if need > m.in.Types[kind].Memory {
					m.relocate(id, m.IntN(len(gpus)), g)
					return true
				}
			}
		}
		return false
	}},
	{"crowd a link", 8, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		a, b := m.sync(), m.sync()
		if a.Job == b.Job {
			return false
		}
		a.Rate, b.Rate = m.in.RateLevels[0], m.in.RateLevels[0]
		a.End, b.End = a.Start+m.length(a), b.Start+m.length(b)
		a.Start, a.End = b.Start, b.Start+a.End-a.Start
		x, _ := m.in.Span(m.s.Residency[a.Job])
		y, _ := m.in.Span(m.s.Residency[b.Job])
		for _, u := range x.Uses {
			for _, v := range y.Uses {
				load := x.Rate(a.Rate)*instance.Rate(u.Times) + y.Rate(b.Rate)*instance.Rate(v.Times)
				if u.Link == v.Link && load > m.in.Capacity(u.Link) && a.End > a.Start && b.End > b.Start {
					return true
				}
			}
		}
		return false
	}},
	{"stretch a sync", 9, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		m.sync().End++
		return true
	}},
	{"hurry a sync", 9, func(m mutant) bool {
		if len(m.s.Syncs) == 0 {
			return false
		}
		y := m.sync()
		y.Rate = m.in.RateLevels[m.IntN(len(m.in.RateLevels))]
		return m.length(y) != y.End-y.Start
	}},
	{"part a worker's tasks", 2, func(m mutant) bool {
		t := m.task()
		if t == nil || m.in.Jobs[t.Job].GPUsPerWorker < 2 {
			return false
		}
		t.Start, t.End = t.Start+1, t.End+1
		return true
	}},
	{"miss the deadline", 10, func(m mutant) bool {
		j := m.resident()
		deadline := m.in.Jobs[j].Deadline
		if deadline == 0 {
			return false
		}
		m.shift(j, deadline)
		return true
	}},
}

// subjects yields random instances with valid schedules: optimal ones, which
// are dense, and plain ones.
func subjects(t *testing.T, seed uint64, n int, use func(rng *rand.Rand, spec *instance.Spec, in *instance.Instance, s *instance.Schedule)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		spec := instancetest.RandomSpec(rng, instancetest.Options{})
		if i%3 == 0 {
			spec = instancetest.GroupedSpec(rng, instancetest.Options{Workers: 4})
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		var s *instance.Schedule
		if i%2 == 0 {
			_, s, _ = instancetest.OptimumWithin(in, 50_000)
		}
		if s == nil {
			s, _ = instancetest.ValidSchedule(rng, in)
		}
		if s != nil && len(s.Tasks) > 0 {
			use(rng, spec, in, s)
		}
	}
}

// TestCheckAgainstReference damages valid schedules and compares the rules
// that Check names with those the reference checker finds broken.
func TestCheckAgainstReference(t *testing.T) {
	n := instancetest.Many(1200, 300)
	schedules, stayed, agreed := 0, 0, 0
	var broken, aimed [11]int
	subjects(t, 1, n, func(rng *rand.Rand, spec *instance.Spec, in *instance.Instance, valid *instance.Schedule) {
		schedules++
		require.Empty(t, check.Schedule(in, valid))
		require.Empty(t, referenceCheck(spec, in, valid))
		for range 30 {
			s := clone(valid)
			var names []string
			aim := -1
			for range 1 + rng.IntN(2) { // a second mutation may mend the first
				if len(s.Tasks) == 0 {
					break
				}
				m := mutations[rng.IntN(len(mutations))]
				for rule := rng.IntN(20); rule <= 10 && m.rule != rule; { // half of them by rule
					m = mutations[rng.IntN(len(mutations))]
				}
				if aim >= 0 && m.rule >= 0 || !safe(s, in) {
					break
				}
				applied := m.apply(mutant{rng, in, s})
				names = append(names, m.name)
				if aim = -1; applied {
					aim = m.rule
				}
			}
			want := referenceCheck(spec, in, s)
			got := brokenRules(check.Schedule(in, s))
			require.Equal(t, want, got, "after %q: %v\n%s", names, check.Schedule(in, s), fmt.Sprintf("%+v", s))
			agreed++
			if len(want) == 0 && !reflect.DeepEqual(s, valid) {
				stayed++
			}
			for _, rule := range want {
				broken[rule]++
			}
			if aim >= 0 && len(names) == 1 && (!in.Grouped() || aim == 2) { // what parts a worker breaks rule 2 first
				require.Contains(t, got, aim, "%q misses its rule", names)
				aimed[aim]++
			}
		}
	})
	t.Logf("%d schedules, %d mutants, %d of them changed but valid; rules broken %v, aimed at %v", schedules, agreed, stayed, broken, aimed)
	assert.Greater(t, stayed, agreed/50)
	for rule := range broken {
		assert.GreaterOrEqual(t, broken[rule], n/30, "rule %d", rule)
		assert.GreaterOrEqual(t, aimed[rule], n/60, "rule %d", rule)
	}
}

// safe reports whether the mutations can read the schedule.
func safe(s *instance.Schedule, in *instance.Instance) bool {
	for _, t := range s.Tasks {
		if in.Jobs[t.Job].On[in.GPUs[t.GPU].Type] == nil || len(s.Residency[t.Job]) == 0 {
			return false
		}
	}
	return !slices.Contains(brokenRules(check.Schedule(in, s)), 0)
}
