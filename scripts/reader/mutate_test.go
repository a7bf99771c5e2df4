package reader_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// mutant is a schedule file about to be damaged.
type mutant struct {
	*rand.Rand
	in *instance.Instance
	*codec.ScheduleJSON
}

// mutants returns damaged copies of a schedule, and what was done: every rarely possible kind of damage
// that is possible here, and some of the others.
func mutants(rng *rand.Rand, in *instance.Instance, s *codec.ScheduleJSON, n int) (list []*codec.ScheduleJSON, names []string) {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	for k, at := range rng.Perm(len(damages)) {
		if damage := damages[at]; k < n || n > 0 && damage.seldom {
			m := mutant{rng, in, &codec.ScheduleJSON{}}
			if err := json.Unmarshal(data, m.ScheduleJSON); err != nil {
				panic(err)
			}
			if damage.apply(m) {
				list, names = append(list, m.ScheduleJSON), append(names, damage.name)
			}
		}
	}
	return list, names
}

func (m mutant) task() *codec.TaskJSON { return &m.Tasks[m.IntN(len(m.Tasks))] }
func (m mutant) sync() *codec.SyncJSON { return &m.Syncs[m.IntN(len(m.Syncs))] }
func (m mutant) gpu() instance.GPUID   { return instance.GPUID(m.IntN(len(m.in.GPUs))) }
func (m mutant) by() instance.Tick     { return instance.Tick(m.IntN(9) - 4) }

// fit gives a task the length that its depth has on its GPU, if its job may run there.
func (m mutant) fit(t *codec.TaskJSON) {
	job := jobNamed(m.in, t.Job)
	d := slices.IndexFunc(job.Depths, func(d instance.Depth) bool { return d.Layers == t.Depth })
	if costs := job.On[m.in.GPUs[t.GPU].Type]; costs != nil {
		t.End = t.Start + costs.Time[d]
	}
}

// settle gives every synchronisation of a job the length that its tasks require.
func (m mutant) settle(name string) {
	job := jobNamed(m.in, name)
	span, ok := m.in.SpanOf(job, m.Residency[name])
	if !ok || len(m.Residency[name]) != job.Workers {
		return
	}
	for i := range m.Syncs {
		y := &m.Syncs[i]
		if y.Job != name {
			continue
		}
		counts := make([]int, len(job.Depths))
		for _, t := range m.Tasks {
			if t.Job == name && t.Iteration == y.Iteration {
				counts[slices.IndexFunc(job.Depths, func(d instance.Depth) bool { return d.Layers == t.Depth })]++
			}
		}
		for _, level := range m.in.RateLevels {
			if 1/float64(level) == y.Rate {
				y.End = y.Start + m.in.SyncTicks(job.Volume(counts, span.Parties), span.Rate(level))
			}
		}
	}
}

// shift moves a job in time, and returns its previous end.
func (m mutant) shift(name string, by instance.Tick) instance.Tick {
	last := instance.Tick(0)
	for i := range m.Tasks {
		if t := &m.Tasks[i]; t.Job == name {
			last = max(last, t.End)
			t.Start, t.End = t.Start+by, t.End+by
		}
	}
	for i := range m.Syncs {
		if y := &m.Syncs[i]; y.Job == name {
			last = max(last, y.End)
			y.Start, y.End = y.Start+by, y.End+by
		}
	}
	return last
}

// move puts a worker on another GPU, with the task lengths of that GPU.
func (m mutant) move(t *codec.TaskJSON, to instance.GPUID) bool {
	name, from := t.Job, t.GPU
	for i, g := range m.Residency[name] {
		if g == from {
			m.Residency[name][i] = to
		}
	}
	for i := range m.Tasks {
		if o := &m.Tasks[i]; o.Job == name && o.GPU == from {
			o.GPU = to
			m.fit(o)
		}
	}
	m.settle(name)
	return true
}
