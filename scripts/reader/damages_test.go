package reader_test

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// damages change a schedule that has tasks. They report whether that was possible.
var damages = []struct {
	name   string
	seldom bool
	apply  func(mutant) bool
}{
	{"shift a task", false, func(m mutant) bool {
		t, by := m.task(), m.by()
		t.Start, t.End = t.Start+by, t.End+by
		return true
	}},
	{"stretch a task", false, func(m mutant) bool {
		m.task().End += m.by()
		return true
	}},
	{"shift a sync", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		y, by := m.sync(), m.by()
		y.Start, y.End = y.Start+by, y.End+by
		return true
	}},
	{"stretch a sync", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		m.sync().End += m.by()
		return true
	}},
	{"shift a job", false, func(m mutant) bool {
		m.shift(m.task().Job, m.by()*4)
		return true
	}},
	{"change a depth", false, func(m mutant) bool {
		t := m.task()
		depths := jobNamed(m.in, t.Job).Depths
		t.Depth = depths[m.IntN(len(depths))].Layers
		return true
	}},
	{"change a depth, with what follows", false, func(m mutant) bool {
		t := m.task()
		depths := jobNamed(m.in, t.Job).Depths
		t.Depth = depths[m.IntN(len(depths))].Layers
		m.fit(t)
		m.settle(t.Job)
		return true
	}},
	{"a depth that is none", false, func(m mutant) bool {
		m.task().Depth += 1000
		return true
	}},
	{"change a rate", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		m.sync().Rate = 1 / float64(m.in.RateLevels[m.IntN(len(m.in.RateLevels))])
		return true
	}},
	{"change a rate, with what follows", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		y := m.sync()
		y.Rate = 1 / float64(m.in.RateLevels[m.IntN(len(m.in.RateLevels))])
		m.settle(y.Job)
		return true
	}},
	{"a rate that is none", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		m.sync().Rate = 0.3
		return true
	}},
	{"swap the GPUs of two tasks", false, func(m mutant) bool {
		a, b := m.task(), m.task()
		a.GPU, b.GPU = b.GPU, a.GPU
		return true
	}},
	{"swap the starts of two tasks", false, func(m mutant) bool {
		a, b := m.task(), m.task()
		by := b.Start - a.Start
		a.Start, a.End, b.Start, b.End = a.Start+by, a.End+by, b.Start-by, b.End-by
		return true
	}},
	{"another GPU for a task", false, func(m mutant) bool {
		t := m.task()
		t.GPU = m.gpu()
		m.fit(t)
		return true
	}},
	{"crowd a GPU", true, func(m mutant) bool {
		to := m.task().GPU
		for _, n := range m.Perm(len(m.Tasks)) {
			if t := &m.Tasks[n]; !slices.Contains(m.Residency[t.Job], to) {
				m.move(t, to)
			}
		}
		return true
	}},
	{"miss a deadline", true, func(m mutant) bool {
		for _, n := range m.Perm(len(m.in.Jobs)) {
			if j := &m.in.Jobs[n]; j.Deadline > 0 {
				last := m.shift(j.Name, 0)
				m.shift(j.Name, j.Deadline-last+instance.Tick(m.IntN(2))) // just in time, or a tick late
				return true
			}
		}
		return false
	}},
	{"another GPU for a worker", false, func(m mutant) bool { return m.move(m.task(), m.gpu()) }},
	{"a worker beside another job", false, func(m mutant) bool { return m.move(m.task(), m.task().GPU) }},
	{"a GPU that is none", false, func(m mutant) bool {
		m.task().GPU = instance.GPUID(len(m.in.GPUs))
		return true
	}},
	{"leave a GPU", false, func(m mutant) bool {
		name := m.task().Job
		m.Residency[name] = m.Residency[name][1:]
		return true
	}},
	{"a GPU twice", false, func(m mutant) bool {
		name := m.task().Job
		m.Residency[name] = append(m.Residency[name], m.Residency[name][0])
		return true
	}},
	{"drop a task", false, func(m mutant) bool {
		n := m.IntN(len(m.Tasks))
		m.Tasks = slices.Delete(m.Tasks, n, n+1)
		return true
	}},
	{"a task twice", false, func(m mutant) bool {
		m.Tasks = append(m.Tasks, *m.task())
		return true
	}},
	{"drop a sync", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		n := m.IntN(len(m.Syncs))
		m.Syncs = slices.Delete(m.Syncs, n, n+1)
		return true
	}},
	{"a sync twice", false, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		m.Syncs = append(m.Syncs, *m.sync())
		return true
	}},
	{"a sync of whoever has a task", false, func(m mutant) bool {
		t := m.task()
		m.Syncs = append(m.Syncs, codec.SyncJSON{Job: t.Job, Iteration: t.Iteration, Start: t.End, End: t.End, Rate: 1 / float64(m.in.RateLevels[0])})
		return true
	}},
	{"drop an iteration", false, func(m mutant) bool {
		t := *m.task()
		m.Tasks = slices.DeleteFunc(m.Tasks, func(o codec.TaskJSON) bool { return o.Job == t.Job && o.Iteration == t.Iteration })
		m.Syncs = slices.DeleteFunc(m.Syncs, func(o codec.SyncJSON) bool { return o.Job == t.Job && o.Iteration == t.Iteration })
		return true
	}},
	{"an iteration more", false, func(m mutant) bool {
		t := *m.task()
		last := 0
		for _, o := range m.Tasks {
			if o.Job == t.Job {
				last = max(last, o.Iteration)
			}
		}
		for _, o := range slices.Clone(m.Tasks) {
			if o.Job == t.Job && o.Iteration == last {
				o.Iteration++
				o.Start, o.End = o.Start+100, o.End+100
				m.Tasks = append(m.Tasks, o)
			}
		}
		for _, o := range slices.Clone(m.Syncs) {
			if o.Job == t.Job && o.Iteration == last {
				o.Iteration++
				o.Start, o.End = o.Start+100, o.End+100
				m.Syncs = append(m.Syncs, o)
			}
		}
		return true
	}},
	{"renumber a task", false, func(m mutant) bool {
		m.task().Iteration += m.IntN(3)
		return true
	}},
	{"crowd a link", true, func(m mutant) bool {
		if len(m.Syncs) == 0 {
			return false
		}
		a, b := m.sync(), m.sync()
		if a.Job == b.Job {
			return false
		}
		for _, y := range []*codec.SyncJSON{a, b} {
			y.Rate = 1 / float64(m.in.RateLevels[0])
			m.settle(y.Job)
		}
		a.Start, a.End = b.Start, b.Start+a.End-a.Start
		return true
	}},
	{"change the period", false, func(m mutant) bool {
		if m.Period == 0 {
			return false
		}
		m.Period = max(1, m.Period+m.by())
		return true
	}},
	{"a period later", false, func(m mutant) bool {
		t := m.task()
		t.Start, t.End = t.Start+m.Period, t.End+m.Period
		return m.Period > 0
	}},
	{"a period where none is, or none where one is", false, func(m mutant) bool {
		if m.Period = 10 - min(10, m.Period); m.Period < 10 {
			m.Period = 0
		}
		return true
	}},
	{"shuffle", false, func(m mutant) bool { // the order of the lists has no meaning
		m.Shuffle(len(m.Tasks), func(a, b int) { m.Tasks[a], m.Tasks[b] = m.Tasks[b], m.Tasks[a] })
		m.Shuffle(len(m.Syncs), func(a, b int) { m.Syncs[a], m.Syncs[b] = m.Syncs[b], m.Syncs[a] })
		for _, gpus := range m.Residency {
			slices.Reverse(gpus)
		}
		return true
	}},
}
