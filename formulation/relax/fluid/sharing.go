package fluid

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/linear"
	"math/big"
	"slices"
)

// sharing are rows for the periodic objectives about who shares single GPUs.
// Each GPU has a co-resident set, the set of jobs that live there; there are variables
// for every co-resident set of few jobs, and for all larger ones together:
//
//	gpus[S]         GPUs with co-resident set S, a multiset of classes
//	does[S,c,d]     tasks of depth d there of the n_c(S) members of class c, per period
//
// For plans of any period, where a job can make a set larger that does next to nothing, such rows also tell the most
// valuable jobs apart from all others: S is then the set of the valuable ones on a GPU, perhaps beside others, and
//
//	others[S]       ticks of the tasks of others there
//
// A job has at most k homes, as many tasks as its iterations require, and on each GPU no
// more than its chain allows:
//
//	(21) sum_S gpus <= GPUs
//	(22) sum_S n_c(S) gpus[S] <= k jobs
//	(23) sum_S does[S,c,d] = what the SPB rule asks of the iterations, as (6)
//	(24) l_c sum_d does[S,c,d] <= period x n_c(S) gpus[S]
//	(25) sum_c,d p(d) does[S,c,d] + others[S] <= period x gpus[S]
//	     sum_S others[S] >= the least work of the iterations of others
//
// Moreover, tasks cannot be interrupted and have to interlock. From the end of one
// synchronisation of job A to that of the next there are at least l_A ticks. A task of p_A
// ticks leaves a slack of rho = l_A - s_A - p_A of them on its GPU, before it or after. So
// the gap between two tasks of A has s_A ticks and parts of two slacks, and more only if A
// loses time against its chain. Tasks of others, of p_1, p_2, ... ticks, run in such gaps.
// For any tau >= 0, the time of gaps beyond s_A + 2 tau is at most the time of slacks
// beyond tau plus the time that A loses:
//
//	(26) sum_d (max(l_A, p_A(d) + s_A) - max(0, rho_A(d) - tau)) does[A,d]
//	     + sum_B,d max(0, p_B(d) - s_A - 2 tau) does[B,d] <= period x gpus[S]
//
// with tau = 0, for the sum of all gaps, and with tau equal to each slack of A, for tasks
// that only fit in wide gaps. The tasks of a gang start together: a gap then has one slack,
// and tau replaces 2 tau. Rows are summed over members of one class. p(d) are the shortest
// tasks over all GPU types, s and l the shortest synchronisation and iteration over all
// modes.
type sharing struct {
	*Program
	name   string   // prefix of its rows and columns
	jobs   []int64  // by shape: those told apart, all or none
	gpus   int      // row (21)
	homes  []int    // rows (22), by shape
	rules  [][]rule // rows (23), by shape
	others int      // row of the work of others; -1: there are none

	sets      []coResidentSet
	aggregate aggregate
}

// coResidentSet is a set of jobs that share a GPU, and its columns.
type coResidentSet struct {
	gpus int
	does map[int][]int // by shape and depth; -1: none
}

// aggregate is all larger co-resident sets together. Its slices are by shape, empty if
// there is none.
type aggregate struct {
	homes []int
	does  [][]int // by depth; -1: none
}

// rule is a row (23) and the coefficient of a task in it, by depth.
type rule struct {
	row    int
	weight []int64
}

// MostCoResidentSets bounds the co-resident sets with variables of their own, mostValuableSets those of the most
// valuable jobs: half of what a program permits and one, if that is less.
const (
	MostCoResidentSets = 600
	mostValuableSets   = 31
)

// sharing adds the rows, unless there are too many classes.
func (f *Program) sharing(anyPeriod bool) []*sharing {
	all, total := make([]int64, len(f.Shapes)), int64(0)
	for i := range f.Shapes {
		if len(f.Shapes[i].Classes) > 1 {
			return nil
		}
		all[i] = f.Shapes[i].Jobs
		total += all[i]
	}
	size, list := int64(0), [][]int(nil)
	for size < total {
		more := f.coResidentSets(all, size+1, f.CoResidentSets)
		if more == nil {
			break
		}
		if size++; len(more) == len(list) { // memory holds no larger ones
			size = total
		}
		list = more
	}
	if size == 0 {
		return nil
	}
	s := []*sharing{f.coResidence("share", all, list)}
	if size < total {
		s[0].gather(size)
		if anyPeriod {
			s = append(s, f.valuable(all, total))
		}
	}
	return s
}

// valuable adds the rows of the most valuable jobs, as many as have few co-resident sets.
func (f *Program) valuable(jobs []int64, total int64) *sharing {
	few, list := make([]int64, len(jobs)), [][]int(nil)
	for _, i := range f.byValue() {
		few[i] = jobs[i]
		more := f.coResidentSets(few, total, min(mostValuableSets, f.CoResidentSets/2+1))
		if more == nil {
			few[i] = 0
			break
		}
		list = more
	}
	return f.coResidence("valuable", few, append(list, nil)) // or none of them on a GPU
}

// coResidence adds the rows of co-resident sets of some jobs.
func (f *Program) coResidence(name string, jobs []int64, sets [][]int) *sharing {
	s := &sharing{Program: f, name: name, jobs: jobs, others: -1, homes: make([]int, len(f.Shapes)), rules: make([][]rule, len(f.Shapes))}
	s.rows()
	if slices.Contains(jobs, 0) {
		s.others = s.Linear.Row(name+".others", linear.AtMost, 0, linear.About{})
		for i := range f.Shapes {
			for _, x := range f.Shapes[i].does {
				if jobs[i] == 0 {
					s.Linear.Term(s.others, x, f.Shapes[i].Class.Work)
				}
			}
		}
	}
	for _, members := range sets {
		s.meet(members)
	}
	return s
}

// byValue orders shapes by value per work or, for the least rate, by the work that a value of 1 takes.
func (f *Program) byValue() []int {
	value := func(i int) (of, per *big.Int) {
		job, work := f.Shapes[i].Class.Job, big.NewInt(f.Shapes[i].Class.Work)
		if f.Model.Instance.Objective == instance.MaxMinThroughput {
			return work.Mul(work, big.NewInt(job.Weight)), big.NewInt(int64(job.FastestFull()))
		}
		return big.NewInt(job.Weight), work
	}
	order := instance.UpTo[int](len(f.Shapes))
	slices.SortStableFunc(order, func(a, b int) int {
		va, pa := value(a)
		vb, pb := value(b)
		return vb.Mul(vb, pa).Cmp(va.Mul(va, pb))
	})
	return order
}

// coResidentSets lists the multisets of up to size jobs that the memory of some GPU holds, as shapes in ascending
// order; nil if there are more than most.
func (f *Program) coResidentSets(jobs []int64, size int64, most int) [][]int {
	var list [][]int
	var grow func(now []int)
	grow = func(now []int) {
		if len(now) > 0 {
			list = append(list, slices.Clone(now))
		}
		if int64(len(now)) == size {
			return
		}
		from, met := 0, int64(0)
		if len(now) > 0 {
			from = now[len(now)-1]
			for _, i := range now {
				if i == from {
					met++
				}
			}
		}
		for i := from; i < len(jobs) && len(list) <= most; i++ {
			if i > from {
				met = 0
			}
			if next := append(now, i); met < jobs[i] && f.holds(next) {
				grow(next)
			}
		}
	}
	grow(nil)
	if len(list) > most {
		return nil
	}
	return list
}

// holds reports whether the memory of a GPU of some type holds the parameters of the members.
func (f *Program) holds(members []int) bool {
	for t, n := range f.Model.GPUs {
		if n > 0 && f.room(members, t) >= 0 {
			return true
		}
	}
	return false
}

// room is the memory that the parameters of the members leave on a GPU of a type; negative: they do not fit.
func (f *Program) room(members []int, t int) instance.Bytes {
	left := f.Model.Instance.Types[t].Memory
	for _, o := range members {
		costs := f.Shapes[o].Class.Job.On[t]
		if costs == nil {
			return -1
		}
		if left -= min(left+1, costs.Persistent); left < 0 {
			return -1
		}
	}
	return left
}

// rows adds rows (21) to (23), without the terms of the co-resident sets.
func (s *sharing) rows() {
	all, total := make([]bool, len(s.Model.GPUs)), s.total()
	for t, n := range s.Model.GPUs {
		all[t] = n > 0
	}
	s.gpus = s.Linear.Row(s.name+".gpus", linear.AtMost, total, linear.About{Resource: "gpu", Subject: s.Model.TypesName(all, total), Capacity: -1})
	for i := range s.Shapes {
		if s.jobs[i] == 0 {
			continue
		}
		shape := &s.Shapes[i]
		job := shape.Class.Job
		s.homes[i] = s.Linear.Row(shape.ID+"."+s.name+".homes", linear.AtMost, int64(job.Workers)*shape.Jobs, linear.About{})
		parts := shape.Class.RuleParts()
		if job.Rule.Fixed == nil {
			all := relax.RulePart{Name: "tasks", Exact: true, Need: int64(job.Workers), Weights: slices.Repeat([]int64{1}, len(job.Depths))}
			parts = slices.Insert(parts, 0, all)
		}
		for _, part := range parts {
			row := s.Linear.Row(shape.ID+"."+s.name+"."+part.Name, senseOf(part), 0, linear.About{})
			for _, x := range shape.does {
				s.Linear.Term(row, x, -part.Need)
			}
			s.rules[i] = append(s.rules[i], rule{row, part.Weights})
		}
	}
}
