package fluid

import (
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/linear"
	"slices"
)

// sharing are rows for the periodic objectives about who shares single GPUs.
// Each GPU has a co-resident set, the set of jobs that live there; there are variables
// for every co-resident set of few jobs, and for all larger ones together:
//
//	gpus[S]         GPUs with co-resident set S, a multiset of classes
//	does[S,c,d]     tasks of depth d there of the n_c(S) members of class c, per period
//
// A job has at most k homes, as many tasks as its iterations require, and on each GPU no
// more than its chain allows:
//
//	(21) sum_S gpus <= GPUs
//	(22) sum_S n_c(S) gpus[S] <= k jobs
//	(23) sum_S does[S,c,d] = what the SPB rule asks of the iterations, as (6)
//	(24) l_c sum_d does[S,c,d] <= period x n_c(S) gpus[S]
//	(25) sum_c,d p(d) does[S,c,d] <= period x gpus[S]
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
	size  int      // members of the largest co-resident set with variables of its own
	gpus  int      // row (21)
	homes []int    // rows (22), by shape
	rules [][]rule // rows (23), by shape

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

// MostCoResidentSets bounds the co-resident sets with variables of their own.
const MostCoResidentSets = 600

// sharing adds the rows, unless there are too many classes.
func (f *Program) sharing() *sharing {
	sizes := make([]int, len(f.Shapes)) // jobs by shape
	jobs := 0
	for i := range f.Shapes {
		if len(f.Shapes[i].Classes) > 1 {
			return nil
		}
		sizes[i] = int(f.Shapes[i].Jobs)
		jobs += sizes[i]
	}
	s := &sharing{Program: f}
	var list [][]int
	for size := 1; size <= jobs; size++ {
		more := coResidentSets(sizes, size, f.CoResidentSets)
		if more == nil {
			break
		}
		s.size, list = size, more
	}
	if s.size == 0 {
		return nil
	}
	s.rows()
	for _, members := range list {
		s.meet(members)
	}
	if s.size < jobs {
		s.gather()
	}
	return s
}

// coResidentSets lists the multisets of up to size jobs, as shapes in ascending
// order; nil if there are more than most.
func coResidentSets(jobs []int, size, most int) [][]int {
	var list [][]int
	var grow func(now []int)
	grow = func(now []int) {
		if len(now) > 0 {
			list = append(list, slices.Clone(now))
		}
		if len(now) == size || len(list) > most {
			return
		}
		from, met := 0, 0
		if len(now) > 0 {
			from = now[len(now)-1]
			for _, i := range now {
				if i == from {
					met++
				}
			}
		}
		for i := from; i < len(jobs); i++ {
			if i > from || met < jobs[i] {
				grow(append(now, i))
			}
		}
	}
	grow(nil)
	if len(list) > most {
		return nil
	}
	return list
}

// rows adds rows (21) to (23), without the terms of the co-resident sets.
func (s *sharing) rows() {
	all := make([]bool, len(s.Model.GPUs))
	total := int64(0)
	for t, n := range s.Model.GPUs {
		all[t] = n > 0
		total += n
	}
	s.gpus = s.Linear.Row("share.gpus", linear.AtMost, total, linear.About{Resource: "gpu", Subject: s.Model.TypesName(all, total), Capacity: -1})
	for i := range s.Shapes {
		shape := &s.Shapes[i]
		job := shape.Class.Job
		s.homes = append(s.homes, s.Linear.Row(shape.ID+".homes", linear.AtMost, int64(job.Workers)*shape.Jobs, linear.About{}))
		parts := shape.Class.RuleParts()
		if job.Rule.Fixed == nil {
			all := relax.RulePart{Name: "tasks", Exact: true, Need: int64(job.Workers), Weights: slices.Repeat([]int64{1}, len(job.Depths))}
			parts = slices.Insert(parts, 0, all)
		}
		var rules []rule
		for _, part := range parts {
			row := s.Linear.Row(shape.ID+".share."+part.Name, senseOf(part), 0, linear.About{})
			for _, x := range shape.does {
				s.Linear.Term(row, x, -part.Need)
			}
			rules = append(rules, rule{row, part.Weights})
		}
		s.rules = append(s.rules, rules)
	}
}
