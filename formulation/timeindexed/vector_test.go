package timeindexed

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/solver"
)

// Vector returns the solution, by column, that represents a valid schedule: a
// start for a search. Identical jobs and the GPUs of a node are exchanged, and
// a periodic plan is rotated, until (16) and (17) hold. A schedule that ends
// after the horizon, or has another period, is an error; pools have no vectors.
func (t *Program) Vector(s *instance.Schedule) ([]float64, error) {
	if t.Options.Granularity == ByPool {
		return nil, fmt.Errorf("formulation: a program by pool has no vector for a schedule")
	}
	if violations := check.Schedule(t.in, s); len(violations) > 0 {
		return nil, fmt.Errorf("formulation: the schedule is not valid: %v", violations[0])
	}
	if s.Period != t.Options.Period {
		return nil, fmt.Errorf("formulation: the schedule has a period of %d ticks, the program one of %d", s.Period, t.Options.Period)
	}
	v := tiVector{t: t, s: t.canonical(s), x: make([]float64, len(t.cols)), index: make(map[tiColumn]int, len(t.cols))}
	for c, m := range t.cols {
		m.level = 0 // the other fields identify columns
		v.index[m] = c
	}
	for j := range t.jobs {
		v.job(&t.jobs[j])
	}
	v.goal()
	return v.x, v.err
}

// canonical returns a copy of a schedule in which interchangeable things are in
// the order of the program.
func (t *Program) canonical(s *instance.Schedule) *instance.Schedule {
	in := t.in
	ends, iterations := s.Completion(in), s.Iterations(in)
	job := make([]instance.JobID, len(in.Jobs)) // new name by old
	for _, class := range in.Classes() {
		order := slices.Clone(class)
		slices.SortStableFunc(order, func(a, b instance.JobID) int {
			if in.Objective.Periodic() {
				return cmp.Compare(iterations[b], iterations[a])
			}
			return cmp.Compare(ends[a], ends[b])
		})
		for n, old := range order {
			job[old] = class[n]
		}
	}
	residency := make([][]instance.GPUID, len(in.Jobs))
	for old, gpus := range s.Residency {
		residency[job[old]] = gpus
	}
	gpu := make([]instance.GPUID, len(in.GPUs))
	for n := range in.Nodes {
		next := in.Nodes[n].FirstGPU
		for _, resident := range []bool{true, false} { // of the first job
			for g := range in.Nodes[n].GPUs {
				if old := in.Nodes[n].FirstGPU + instance.GPUID(g); slices.Contains(residency[0], old) == resident {
					gpu[old] = next
					next++
				}
			}
		}
	}

	q := &instance.Schedule{Period: s.Period, Residency: make([][]instance.GPUID, len(in.Jobs))}
	for j, gpus := range residency {
		for _, g := range gpus {
			q.Residency[j] = append(q.Residency[j], gpu[g])
		}
	}
	q.Tasks, q.Syncs = slices.Clone(s.Tasks), slices.Clone(s.Syncs)
	first := make([]instance.Tick, len(in.Jobs))
	for n := range q.Tasks {
		task := &q.Tasks[n]
		task.Job, task.GPU = job[task.Job], gpu[task.GPU]
		if first[task.Job] == 0 || task.Start < first[task.Job]-1 {
			first[task.Job] = task.Start + 1 // 0 means none
		}
	}
	shift := make([]instance.Tick, len(in.Jobs))
	if s.Period > 0 {
		for j := range shift {
			if first[j] > 0 {
				begins := first[j] - 1
				turned := begins - max(first[0]-1, 0) // the first job begins at 0
				shift[j] = (turned%s.Period+s.Period)%s.Period - begins
			}
		}
	}
	for n := range q.Tasks {
		q.Tasks[n].Start += shift[q.Tasks[n].Job]
		q.Tasks[n].End += shift[q.Tasks[n].Job]
	}
	for n := range q.Syncs {
		sync := &q.Syncs[n]
		sync.Job = job[sync.Job]
		sync.Start += shift[sync.Job]
		sync.End += shift[sync.Job]
	}
	q.Sort()
	return q
}

// tiVector is a solution under construction.
type tiVector struct {
	t     *Program
	s     *instance.Schedule
	x     []float64
	index map[tiColumn]int
	err   error
}

// add adds one to a column.
func (v *tiVector) add(m tiColumn) {
	c, ok := v.index[m]
	if !ok {
		if v.err == nil {
			v.err = fmt.Errorf("formulation: the schedule is not in the program: job %q, iteration %d, ticks %d to %d, are outside its times; choose a longer horizon",
				v.t.in.Jobs[m.job].Name, m.iteration, m.start, m.end)
		}
		return
	}
	v.x[c]++
}

// job fills in the columns of a job.
func (v *tiVector) job(j *tiJob) {
	in, s := v.t.in, v.s
	site := func(g instance.GPUID) int {
		if v.t.Options.Granularity == ByNode {
			return int(in.GPUs[g].Node)
		}
		return int(g)
	}
	if len(s.Residency[j.id]) == 0 {
		return
	}
	var nodes []int
	for _, g := range s.Residency[j.id] {
		v.add(tiColumn{kind: ofLive, job: j.id, site: site(g)})
		if n := int(in.GPUs[g].Node); !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	home := slices.IndexFunc(j.homes, func(h tiHome) bool { return slices.Equal(h.nodes, nodes) })
	if j.HasSync() {
		v.add(tiColumn{kind: ofHome, job: j.id, site: home})
	}
	counts := map[int][]int{} // of tasks by depth, by iteration
	for _, t := range s.Tasks {
		if t.Job != j.id {
			continue
		}
		if counts[t.Iteration] == nil {
			counts[t.Iteration] = make([]int, len(j.Depths))
			if s.Period > 0 {
				v.add(tiColumn{kind: ofDoes, job: j.id, iteration: t.Iteration})
			}
			if j.Gang {
				v.add(tiColumn{kind: ofGang, job: j.id, iteration: t.Iteration, start: t.Start})
			}
		}
		counts[t.Iteration][t.Depth]++
		v.add(tiColumn{kind: ofTask, job: j.id, iteration: t.Iteration, site: site(t.GPU), depth: t.Depth, start: t.Start, end: t.End})
	}
	for _, y := range s.Syncs {
		if y.Job != j.id {
			continue
		}
		class := 0
		if j.sets != nil {
			m := slices.IndexFunc(j.sets, func(set []int) bool { return slices.Equal(set, counts[y.Iteration]) })
			class = j.class[m]
			v.add(tiColumn{kind: ofDepths, job: j.id, iteration: y.Iteration, depth: m})
		}
		v.add(tiColumn{kind: ofSync, job: j.id, iteration: y.Iteration, site: home, depth: class, start: y.Start, end: y.End})
	}
}

// goal fills in the columns of the objective.
func (v *tiVector) goal() {
	in := v.t.in
	makespan, iterations := v.s.Makespan(in), v.s.Iterations(in)
	for c, m := range v.t.cols {
		switch m.kind {
		case ofElapsed:
			v.x[c] = 1
		case ofLate:
			if m.start < makespan {
				v.x[c] = 1
			}
		case ofLeast:
			for j := range in.Jobs {
				rate := float64(in.Jobs[j].FastestFull()) * float64(v.t.scale/in.Jobs[j].Weight) * float64(iterations[j])
				if j == 0 || rate < v.x[c] {
					v.x[c] = rate
				}
			}
		}
	}
}

// Priority of branching, by column: the most decisive come first.
func (t *Program) Priority() []int {
	priority := make([]int, len(t.cols))
	for c := range t.cols {
		priority[c] = [...]int{ofLate: 9, ofDoes: 8, ofHome: 7, ofLive: 6, ofGang: 4, ofDepths: 3, ofSync: 2, ofTask: 1}[t.cols[c].kind]
	}
	return priority
}

// Value translates an objective of the program, a whole number, into the unit
// of [instance.Instance.Value].
func (t *Program) Value(objective int64) *big.Rat {
	switch t.in.Objective {
	case instance.Throughput:
		return big.NewRat(-objective, int64(t.Options.Period))
	case instance.MaxMinThroughput:
		return new(big.Rat).Quo(big.NewRat(-objective, int64(t.Options.Period)), big.NewRat(t.scale, 1))
	}
	return big.NewRat(objective, 1)
}

// Bound is the [Program.Value] of a lower bound on the objective, rounded up to
// a whole number; nil if it is infinite.
func (t *Program) Bound(objective float64) *big.Rat {
	if math.IsInf(objective, 0) || math.IsNaN(objective) {
		return nil
	}
	return t.Value(int64(math.Ceil(objective - solver.GapTol*max(1, math.Abs(objective)))))
}
