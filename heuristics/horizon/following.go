package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// following is how a simulation follows a decision of list scheduling: jobs live where it says, enter memory in the order of their
// keys, and those that share GPUs repeat what the dispatcher makes of them in a while.
type following struct {
	*list.Decision
	// part is the fraction of the iterations of each job in the instance that the decision is about: keys depend on iterations.
	part float64
}

const (
	// A sample has about sampleTasks tasks, more if the longest iteration would have fewer than sampleIterations otherwise, but at
	// most mostSampled.
	sampleTasks, sampleIterations, mostSampled = 2000, 10, 8000
)

// progress is the key of a job that has done all that was left of it: more than the numbers of iterations of jobs.
const progress = 1 << 40

// follow plans all jobs by a decision; nil: some have no room or no pattern, or the context has ended. The kinds of s are the
// jobs, as each has GPUs of its own to wait for.
func (s *sharing) follow(ctx context.Context, d *list.Decision, part float64, patterns *searching) *instance.BlockSchedule {
	order := instance.UpTo[int](len(s.in.Jobs))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.Key(a, 0), d.Key(b, 0)) })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(s.in.Jobs[b].Resident), len(s.in.Jobs[a].Resident)) }) // they are there
	m := s.begin(rule{order: order})
	m.by, m.search = &following{d, part}, patterns
	return m.run(ctx)
}

// home returns the GPUs of a job if they have room for it; nil: it waits, and if the decision is strict no job after it enters them.
func (f *following) home(m *simulation, j int) []instance.GPUID {
	home := f.Where.GPUs[j]
	if !m.in.Queues() || !slices.ContainsFunc(home, func(g instance.GPUID) bool { return !m.fits(j, g) }) {
		return home
	}
	for k := range m.in.Jobs {
		if f.Strict && slices.ContainsFunc(f.Where.GPUs[k], func(g instance.GPUID) bool { return slices.Contains(home, g) }) {
			m.waiting.full[m.kinds[k]] = true
		}
	}
	return nil
}

// pattern is that of jobs that share GPUs; nil: there is none.
func (f *following) pattern(m *simulation, c *sharers) *pattern.Pattern {
	if len(c.jobs) == 1 || m.in.Grouped() {
		return m.listed(c, f.paces(m, c), mostShared, sharedTries)
	}
	ends := m.in.Objective == instance.Makespan && len(c.jobs) <= pattern.MostJobs && !f.expects(m, c.gpus)
	return m.made.once(f.about(m, c, ends), func() *pattern.Pattern { return f.create(m, c, ends) })
}

// create makes a pattern. If ends, no others come to the GPUs of the jobs: they repeat a list schedule in which they end together, if they all end
// sooner with it.
func (f *following) create(m *simulation, c *sharers, ends bool) *pattern.Pattern {
	p := f.sample(m, c)
	if !ends {
		return p
	}
	want := make([]float64, len(c.jobs))
	for i, left := range c.Left {
		want[i] = float64(left)
	}
	if q := m.listed(c, want, mostSampled, pattern.ListTries); q != nil && (p == nil || slowness(q, c.Left) < slowness(p, c.Left)) {
		return q
	}
	return p
}

// about is a text of all that the pattern of some jobs depends on.
func (f *following) about(m *simulation, c *sharers, ends bool) string {
	d, limits := *f.Decision, state.Pick(f.Where.Limit, c.jobs)
	d.Where, d.Counts = nil, state.Pick(d.Counts, c.jobs)
	if d.Slow != nil {
		d.Slow = state.Pick(d.Slow, c.jobs)
	}
	if m.in.Objective == instance.Makespan { // see sample
		d.Base, d.Slope = nil, nil
	} else {
		d.Base, d.Slope = state.Pick(d.Base, c.jobs), state.Pick(d.Slope, c.jobs)
	}
	return fmt.Sprint(c.Jobs, c.Homes, c.Nodes, c.Left, ends, limits, d)
}

// expects reports whether jobs are to come to some of the GPUs, which are ascending.
func (f *following) expects(m *simulation, gpus []instance.GPUID) bool {
	for j, home := range m.homes {
		if home == nil && slices.ContainsFunc(f.Where.GPUs[j], func(g instance.GPUID) bool {
			_, here := slices.BinarySearch(gpus, g)
			return here
		}) {
			return true
		}
	}
	return false
}

// slowness is how long all that is left of the jobs of a pattern takes with it.
func slowness(p *pattern.Pattern, left []int) float64 {
	return p.Repeats(state.Pick(left, p.At)) * float64(p.Period)
}

// sample is what the dispatcher makes of jobs in a while, from a moment at which all are ready.
func (f *following) sample(m *simulation, c *sharers) *pattern.Pattern {
	longest, pace := 0.0, 0.0 // the latter of all tasks if no job waited for others
	for _, j := range c.jobs {
		longest = max(longest, float64(m.alone[j]))
		pace += float64(m.in.Jobs[j].Workers) / float64(m.alone[j])
	}
	until := instance.Tick(math.Ceil(min(max(sampleTasks/pace, sampleIterations*longest), mostSampled/pace)))
	p, n := pattern.Of(m.in, c.Jobs, c.Nodes), len(c.jobs)
	at, homes, most, base, slope := make([]int, n), make([][]instance.GPUID, n), make([]int, n), make([]int64, n), make([]int64, n)
	var left []int
	for n, i := range p.At {
		j, job := c.jobs[i], &p.Part.Jobs[n]
		at[n], homes[n], job.Resident = j, c.Homes[i], c.Homes[i]
		most[n] = min(m.left[j], int(until/max(1, job.FastestFull()))+1)
		base[n] = f.Key(j, int(float64(m.in.Jobs[j].Iterations-m.left[j])*f.part))
		slope[n] = int64(float64(f.Slope[j]) * f.part)
		if m.in.Objective == instance.Makespan { // of all jobs the same part of what is left of them, so that they end together
			base[n], slope[n] = 0, progress/int64(m.left[j])
			left = append(left, m.left[j])
		}
	}
	small := p.Part.Miniature(most)
	l := state.NewLayout(small)
	out := list.NewRecord(l, n)
	p.Iterations = list.NewDispatcher(small, l).Sample(context.Background(), f.Part(small, at, homes, base, slope), out, until, left)
	if slices.Max(p.Iterations) == 0 {
		return nil
	}
	p.Schedule = out.First(small, l, p.Iterations)
	p.Close(p.Part.Miniature(p.Iterations))
	return p
}

// paces are the iterations of jobs per tick if each, in order of their keys, takes what those before it leave of its GPUs.
func (f *following) paces(m *simulation, c *sharers) []float64 {
	order := instance.UpTo[int](len(c.jobs))
	slices.SortStableFunc(order, func(a, b int) int { return m.waiting.places[c.jobs[a]] - m.waiting.places[c.jobs[b]] })
	taken, want := make([]float64, len(c.gpus)), make([]float64, len(c.jobs))
	for _, i := range order {
		j, pace := c.jobs[i], 1.0
		for _, g := range c.Homes[i] {
			if busy := m.busy(j, m.in.GPUs[c.gpus[g]].Type); busy > 0 {
				pace = min(pace, max(0, fullGPU-taken[g])/busy)
			}
		}
		for _, g := range c.Homes[i] {
			taken[g] += float64(pace * m.busy(j, m.in.GPUs[c.gpus[g]].Type))
		}
		want[i] = pace / float64(m.alone[j])
	}
	return want
}
