package horizon

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// sharing is what all plans of [Config.Arrivals] have in common.
type sharing struct {
	in       *instance.Instance
	seed     uint64          // of patterns
	alone    []instance.Tick // an iteration of each job alone
	chain    instance.Tick   // when the last job would end if each were alone
	works    []float64       // least GPU-ticks of each job on any type
	on       [][]float64     // the same by type of GPU
	kinds    []int           // equal for jobs that find room in the same places
	released []int           // all jobs by release
	wide     []bool          // too wide for any node that it runs on
	whole    []bool          // too wide for any rack as well
	free     []instance.Tick // see [Config]
	made     made
}

// made are patterns that simulations made, by all that they depend on: a change leaves most of the next simulation as it is.
type made struct {
	sync.Mutex
	patterns map[string]*pattern.Pattern // nil: there is none
	tasks    int                         // of all patterns
}

// mostMade is the number of tasks of all patterns that are kept, in less than a hundred megabytes.
const mostMade = 1_000_000

// once makes a pattern unless it was made before.
func (m *made) once(about string, create func() *pattern.Pattern) *pattern.Pattern {
	m.Lock()
	p, ok := m.patterns[about]
	m.Unlock()
	if ok {
		return p
	}
	p = create()
	m.Lock()
	defer m.Unlock()
	if m.tasks > mostMade || m.patterns == nil {
		m.patterns, m.tasks = map[string]*pattern.Pattern{}, 0
	}
	if m.patterns[about] = p; p != nil {
		m.tasks += len(p.Schedule.Tasks)
	}
	return p
}

// kindOf numbers jobs by what decides where they find room.
func kindOf(known map[string]int, job *instance.Job) int {
	memory := make([]instance.Memory, len(job.On))
	for t, costs := range job.On {
		if costs != nil {
			memory[t] = costs.Memory(job.Full())
		}
	}
	key := fmt.Sprint(job.Workers, job.Within, job.Group(), job.Policy, memory)
	if _, ok := known[key]; !ok {
		known[key] = len(known)
	}
	return known[key]
}

// simulation is one plan. Time runs from one event to the next: a job is released or loaded, or one of those that share
// GPUs ends. Jobs that share GPUs or, if they have several, nodes or trunks, directly or through others, repeat a pattern
// together, which ends when one of its jobs ends or another meets them.
type simulation struct {
	*sharing
	rule
	now     instance.Tick
	waiting waiting
	left    []int              // iterations of each job
	undone  int                // jobs with iterations left
	homes   [][]instance.GPUID // nil: it waits
	ready   []instance.Tick    // when a job is in memory
	places  [][]int            // numbers of the GPUs, nodes and trunks that a job shares with others
	free    []instance.Tick    // of each of those, when the last block there has ended
	held    [][]int            // jobs in memory of each GPU
	loads   []load             // of each GPU, by the jobs in its memory
	idle    []int              // admitted, but not at work
	working []*sharers
	plan    *instance.BlockSchedule
	by      *following // nil: the rule says where jobs live, and at what pace they run
	search  *searching // nil: patterns remain as they are made
}

// sharers are jobs that repeat a pattern together.
type sharers struct {
	pattern.Occupants // GPUs are numbered by gpus
	jobs              []int
	gpus              []instance.GPUID
	pattern           *pattern.Pattern
	start, end        instance.Tick // end: when one of them ends
	blocks            []instance.Block
	after             []int // iterations left at the end
}

const (
	// sharedTasks is about the number of tasks of all patterns of a plan, each of which has least to mostShared of them: those that
	// are repeated for longer have more. sharedTries is the number of schedules of which a pattern is the best.
	sharedTasks, leastShared, mostShared, sharedTries = 100_000, 24, 400, 2
)

// begin is the simulation of a rule before its first event.
func (s *sharing) begin(r rule) *simulation {
	n := len(s.in.Jobs)
	m := &simulation{
		sharing: s, rule: r, waiting: s.wait(r.order), left: make([]int, n), undone: n, homes: make([][]instance.GPUID, n),
		ready: make([]instance.Tick, n), places: make([][]int, n), free: make([]instance.Tick, len(s.in.GPUs)+len(s.in.Nodes)+len(s.in.Links)),
		held: make([][]int, len(s.in.GPUs)), loads: make([]load, len(s.in.GPUs)),
	}
	for j := range m.left {
		m.left[j] = s.in.Jobs[j].Iterations
	}
	for g, t := range s.free {
		at := len(s.in.GPUs) + int(s.in.GPUs[g].Node)
		m.free[g], m.free[at] = t, max(m.free[at], t)
	}
	for at := len(s.in.GPUs) + len(s.in.Nodes); s.free != nil && at < len(m.free); at++ {
		m.free[at] = slices.Max(s.free)
	}
	m.plan = &instance.BlockSchedule{Residency: m.homes}
	return m
}

// run plans all jobs; nil: some find no room or have no pattern, or the context has ended.
func (m *simulation) run(ctx context.Context) *instance.BlockSchedule {
	for m.undone > 0 {
		if ctx.Err() != nil {
			return nil
		}
		m.finish(func(c *sharers) bool { return c.end <= m.now }, false)
		m.admit()
		met := slices.DeleteFunc(slices.Clone(m.idle), func(j int) bool { return m.ready[j] > m.now })
		for size := -1; size != len(met); { // until none at work meets one of them
			size = len(met)
			met = append(met, m.finish(func(c *sharers) bool { return m.meets(c, met) }, true)...)
		}
		m.idle = slices.DeleteFunc(m.idle, func(j int) bool { return m.ready[j] <= m.now })
		slices.Sort(met)
		for _, jobs := range connected(met, m.places, len(m.free)) {
			c := m.share(jobs)
			if c == nil {
				return nil
			}
			m.working = append(m.working, c)
		}
		next := m.next()
		if m.undone > 0 && next == math.MaxInt64 {
			return nil
		}
		m.now = next
	}
	m.plan.Sort()
	return m.plan
}

// finish ends the patterns of some jobs, now or, if not cut, when one of their jobs ends, and returns those of their jobs
// that have iterations left.
func (m *simulation) finish(some func(c *sharers) bool, cut bool) (left []int) {
	m.working = slices.DeleteFunc(m.working, func(c *sharers) bool {
		if !some(c) {
			return false
		}
		if cut {
			c.blocks, c.end, c.after = c.Step(c.pattern, c.Jobs, c.gpus, c.start, max(m.now, c.start))
		}
		m.plan.Blocks = append(m.plan.Blocks, c.blocks...)
		for i, j := range c.jobs {
			for _, at := range m.places[j] {
				if len(c.blocks) > 0 {
					m.free[at] = max(m.free[at], c.end)
				}
			}
			m.left[j] = c.after[i]
			for _, g := range m.homes[j] {
				m.loads[g].known = false
			}
			if m.left[j] > 0 {
				left = append(left, j)
				continue
			}
			m.undone--
			clear(m.waiting.full)
			for _, g := range m.homes[j] {
				if m.in.Queues() {
					m.held[g] = slices.DeleteFunc(m.held[g], func(k int) bool { return k == j })
				}
			}
		}
		return true
	})
	if !cut {
		m.idle = append(m.idle, left...)
	}
	return left
}

// admit gives GPUs to the jobs that wait and find room.
func (m *simulation) admit() {
	for m.waiting.release(m.in, m.now); ; {
		j := m.waiting.first()
		if j < 0 {
			return
		}
		home := m.home(j)
		if home == nil {
			m.waiting.full[m.kinds[j]] = true
			continue
		}
		m.waiting.leave(j)
		job := &m.in.Jobs[j]
		m.homes[j], m.idle, m.ready[j] = home, append(m.idle, j), m.now
		for _, g := range home {
			m.held[g] = append(m.held[g], j)
			m.loads[g].known = false
			m.places[j] = append(m.places[j], int(g))
			m.ready[j] = max(m.ready[j], m.free[g])
		}
		m.ready[j] += job.Load
		if span, _ := m.in.SpanOf(job, home); len(span.Uses) > 0 {
			for _, at := range nodesAndTrunks(m.in, job, home) {
				m.places[j] = append(m.places[j], len(m.in.GPUs)+at)
			}
		}
	}
}

// home returns GPUs for a job that waits; nil: there are none.
func (m *simulation) home(j int) []instance.GPUID {
	if m.by != nil {
		return m.by.home(m, j)
	}
	return m.room(j)
}

// next is when the next job ends, is released or loaded; math.MaxInt64: never.
func (m *simulation) next() instance.Tick {
	next := instance.Tick(math.MaxInt64)
	for _, c := range m.working {
		next = min(next, c.end)
	}
	if len(m.waiting.coming) > 0 {
		next = min(next, m.in.Jobs[m.waiting.coming[0]].Release)
	}
	for _, j := range m.idle {
		next = min(next, m.ready[j])
	}
	return next
}

// meets reports whether one of the jobs shares a place with those that repeat a pattern.
func (m *simulation) meets(c *sharers, jobs []int) bool {
	return slices.ContainsFunc(c.jobs, func(j int) bool {
		return slices.ContainsFunc(jobs, func(k int) bool { return meet(m.places[j], m.places[k]) })
	})
}

// share begins a pattern of jobs; nil: there is none.
func (m *simulation) share(jobs []int) *sharers {
	c := &sharers{jobs: jobs, start: m.now}
	c.Left, c.Work = state.Pick(m.left, jobs), instance.UpTo[int](len(jobs))
	for _, j := range jobs {
		c.Jobs, c.Nodes = append(c.Jobs, instance.JobID(j)), append(c.Nodes, m.in.NodesOf(m.homes[j])...)
		for _, at := range m.places[j] {
			c.start = max(c.start, m.free[at])
		}
	}
	slices.Sort(c.Nodes)
	c.Nodes = slices.Compact(c.Nodes)
	c.gpus = m.in.GPUsOn(c.Nodes)
	for _, j := range jobs {
		home := make([]instance.GPUID, len(m.homes[j]))
		for n, g := range m.homes[j] {
			home[n] = instance.GPUID(slices.Index(c.gpus, g))
		}
		c.Homes = append(c.Homes, home)
	}
	if m.by != nil {
		c.pattern = m.by.pattern(m, c)
	} else {
		c.pattern = m.paced(c)
	}
	if c.pattern == nil {
		return nil
	}
	c.blocks, c.end, c.after = c.Step(c.pattern, c.Jobs, c.gpus, c.start, 0)
	if m.search != nil && len(jobs) > 1 && m.search.improve(c) {
		c.blocks, c.end, c.after = c.Step(c.pattern, c.Jobs, c.gpus, c.start, 0)
	}
	return c
}

// paced is a pattern of jobs at the paces of the rule; nil: there is none.
func (m *simulation) paced(c *sharers) *pattern.Pattern {
	want, shortest := m.paces(c)
	tasks := sharedTasks * shortest / float64(max(1, m.end)) * float64(len(c.gpus)) / float64(len(m.in.GPUs))
	return m.listed(c, want, int(m.detail*min(mostShared, max(leastShared, tasks))), sharedTries)
}

// listed is the best of some list schedules of jobs, with iterations in proportion to want and at most so many tasks; nil: there is none.
func (m *simulation) listed(c *sharers, want []float64, tasks, tries int) *pattern.Pattern {
	most := heuristics.MostPattern
	if len(c.jobs) == 1 {
		most = 1
	}
	p := pattern.InPlace(m.in, c.Jobs, c.Nodes, c.Homes, want, most)
	p.Shrink(want, most, tasks)
	if p.ListSchedule(context.Background(), rand.New(rand.NewPCG(m.seed, 0)), tries) != nil {
		return nil
	}
	return p
}

// paces are the iterations of jobs per tick, and how long the first of them takes with these. While others wait or are to come, each has
// at least the least pace of the rule, and more if it would not be done by the end, or its deadline, otherwise; at last all end together.
func (m *simulation) paces(c *sharers) (want []float64, shortest float64) {
	need, more := make([]float64, len(c.jobs)), make([]float64, len(c.jobs)) // relative to the pace alone
	needed, spare := make([]float64, len(c.gpus)), make([]float64, len(c.gpus))
	for i, j := range c.jobs {
		end := m.end
		if due := m.in.Jobs[j].Deadline; due > 0 {
			end = min(end, instance.Tick(duePart*float64(due)))
		}
		need[i] = min(1, float64(m.left[j])*float64(m.alone[j])/max(1, float64(end-c.start)))
		more[i] = max(0, m.pace-need[i])
		for _, g := range c.Homes[i] {
			busy := m.busy(j, m.in.GPUs[c.gpus[g]].Type)
			needed[g], spare[g] = needed[g]+float64(busy*need[i]), spare[g]+float64(busy*more[i])
		}
	}
	want, shortest = make([]float64, len(c.jobs)), math.Inf(1)
	for i, j := range c.jobs {
		part := 1.0
		for _, g := range c.Homes[i] {
			if spare[g] > 0 {
				part = min(part, max(leastSpare, (fullGPU-needed[g])/spare[g]))
			}
		}
		pace := need[i] + float64(part*more[i])
		shortest = min(shortest, float64(m.left[j])*float64(m.alone[j])/pace)
		if want[i] = pace / float64(m.alone[j]); m.waiting.jobs == 0 {
			want[i] = float64(m.left[j])
		}
	}
	return want, shortest
}

// fullGPU is the part of the time that a GPU can be kept busy, and leastSpare the least part of its pace that a job gets which would be
// done by the end without it.
const fullGPU, leastSpare = 0.95, 0.03

// busy is the part of the time for which a job alone keeps a GPU of a type busy.
func (m *simulation) busy(j int, t instance.TypeID) float64 {
	job := &m.in.Jobs[j]
	return m.on[j][t] / (float64(job.Workers) * float64(job.Iterations) * float64(m.alone[j]))
}
