package formulation

import (
	"fmt"
	"math"
	"slices"
)

// sharing are rows for the periodic objectives about who shares single GPUs.
// Each GPU has a company, the set of jobs that live there; there are variables
// for every company of few jobs, and for all larger ones together:
//
//	gpus[S]         GPUs with company S, a multiset of classes
//	does[S,c,d]     tasks of depth d there of the n_c(S) members of class c, per period
//
// A job has k homes at the most, tasks to the number of its iterations, and on
// each GPU no more than its chain allows:
//
//	(21) sum_S gpus <= GPUs
//	(22) sum_S n_c(S) gpus[S] <= k jobs
//	(23) sum_S does[S,c,d] = what the SPB rule asks of the iterations, as (6)
//	(24) l_c sum_d does[S,c,d] <= period x n_c(S) gpus[S]
//	(25) sum_c,d p(d) does[S,c,d] <= period x gpus[S]
//
// and tasks that are not interrupted interlock: after a task of job A its GPU
// waits for the synchronisation, s_A ticks, before A's next task. Tasks of
// others in between, of p_1, p_2, ... ticks, stretch that gap to
//
//	max(s_A, p_1 + p_2 + ...) >= s_A + max(0, p_1 - s_A) + max(0, p_2 - s_A) + ...
//
// ticks at least, so that, added up over the gaps of a period, for every member
// of the company
//
//	(26) sum_d (p_A(d) + s_A) does[A,d] + sum_B,d max(0, p_B(d) - s_A) does[B,d] <= period x gpus[S]
//
// added up over members of one class. p(d) are the shortest tasks over all GPU
// types, s and l the shortest synchronisation and iteration over all modes.
type sharing struct {
	*fluid
	size      int // members of the largest company with variables of its own
	companies [][]int
	gpus      int   // row (21)
	homes     []int // rows (22), by shape
	done      [][]rule
}

// rule is a row (23) and what a task counts in it, by depth.
type rule struct {
	row    int
	weight []int64
}

// mostCompanies bounds the companies with variables of their own.
const mostCompanies = 1000

// sharing adds the rows, unless there are too many classes.
func (f *fluid) sharing() {
	sizes := make([]int, len(f.shapes)) // jobs by shape
	jobs := 0
	for i := range f.shapes {
		if len(f.shapes[i].classes) > 1 {
			return
		}
		sizes[i] = int(f.shapes[i].jobs)
		jobs += sizes[i]
	}
	s := sharing{fluid: f}
	for size := 1; size <= jobs; size++ {
		list := companies(sizes, size, f.m.companies)
		if list == nil {
			break
		}
		s.size, s.companies = size, list
	}
	if s.size == 0 {
		return
	}
	s.rows()
	for _, company := range s.companies {
		s.company(company)
	}
	if s.size < jobs {
		s.crowd()
	}
}

// companies lists the multisets of up to size jobs, as shapes in ascending
// order; nil if there are more than most.
func companies(jobs []int, size, most int) [][]int {
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

// rows adds rows (21) to (23), still empty on the side of the companies.
func (s *sharing) rows() {
	all := make([]bool, len(s.m.gpus))
	total := int64(0)
	for t, n := range s.m.gpus {
		all[t] = n > 0
		total += n
	}
	s.gpus = s.p.row("share.gpus", atMost, total, about{"gpu", s.m.typesName(all, total), -1})
	for i := range s.shapes {
		shape := &s.shapes[i]
		job := shape.d.job
		s.homes = append(s.homes, s.p.row(shape.id+".homes", atMost, int64(job.Workers)*shape.jobs, about{}))
		var rules []rule
		add := func(name string, is sense, perIteration int64, weight func(depth int) int64) {
			r := rule{row: s.p.row(shape.id+".share."+name, is, 0, about{})}
			for _, x := range shape.does {
				s.p.term(r.row, x, -perIteration)
			}
			for depth := range job.Depths {
				r.weight = append(r.weight, weight(depth))
			}
			rules = append(rules, r)
		}
		only := func(depth int) func(int) int64 {
			return func(o int) int64 {
				if o == depth {
					return 1
				}
				return 0
			}
		}
		if fixed := job.Rule.Fixed; fixed != nil {
			for depth, count := range fixed {
				if count > 0 {
					add(fmt.Sprintf("d%d", depth), equal, int64(count), only(depth))
				}
			}
		} else {
			add("tasks", equal, int64(job.Workers), func(int) int64 { return 1 })
			add("full", atLeast, int64(job.Rule.MinFull), only(job.Full()))
			add("share", atLeast, job.Rule.MinShare, func(o int) int64 { return int64(job.Depths[o].Share) })
		}
		s.done = append(s.done, rules)
	}
}

// does adds the columns of the tasks of a shape in a company, at most so many,
// and returns them by depth; -1 where the depth cannot be. The deepest
// activations must fit beside the given parameters.
func (s *sharing) does(name string, i int, most int64, fits func(depth int) bool) []int {
	shape := &s.shapes[i]
	cols := make([]int, len(shape.d.job.Depths))
	for depth := range cols {
		cols[depth] = -1
		if shape.d.least[depth] < 0 || shape.d.job.Rule.Fixed != nil && shape.d.job.Rule.Fixed[depth] == 0 || !fits(depth) {
			continue
		}
		x := s.p.col(fmt.Sprintf("%s.%s.d%d", name, shape.id, depth), 0, most)
		for _, r := range s.done[i] {
			s.p.term(r.row, x, r.weight[depth])
		}
		cols[depth] = x
	}
	return cols
}

// each calls f with the columns there are and the lengths of their tasks.
func (s *sharing) each(i int, cols []int, f func(x int, length int64)) {
	for depth, x := range cols {
		if x >= 0 {
			f(x, int64(s.shapes[i].d.least[depth]))
		}
	}
}

// company adds a company of its own.
func (s *sharing) company(members []int) {
	name := "share"
	for _, i := range members {
		name += "." + s.shapes[i].id
	}
	kinds := slices.Compact(slices.Clone(members))
	times := make([]int64, len(kinds)) // how often each is in the company
	most := int64(math.MaxInt64)       // GPUs
	for n, i := range kinds {
		for _, o := range members {
			if o == i {
				times[n]++
			}
		}
		most = min(most, int64(s.shapes[i].d.job.Workers)*s.shapes[i].jobs/times[n])
	}
	gpus := s.p.col(name, 0, most)
	s.p.term(s.gpus, gpus, 1)
	busy := s.p.row(name+".busy", atMost, 0, about{})
	cols := make([][]int, len(kinds))
	for n, i := range kinds {
		step := int64(s.shapes[i].d.iteration)
		s.p.term(s.homes[i], gpus, times[n])
		limit := s.limit(most, times[n], step)
		cols[n] = s.does(name, i, limit, func(depth int) bool { return s.fits(members, i, depth) })
		chain := s.p.row(fmt.Sprintf("%s.%s.chain", name, s.shapes[i].id), atMost, 0, about{})
		s.each(i, cols[n], func(x int, length int64) {
			s.p.term(chain, x, step)
			s.p.term(busy, x, length)
		})
		s.p.term(chain, gpus, -s.period*times[n])
	}
	s.p.term(busy, gpus, -s.period)
	for n, i := range kinds {
		sync := int64(s.shapes[i].d.sync)
		if sync == 0 {
			continue
		}
		row := s.p.row(fmt.Sprintf("%s.%s.gaps", name, s.shapes[i].id), atMost, 0, about{})
		for o, k := range kinds {
			s.each(k, cols[o], func(x int, length int64) {
				if o == n {
					s.p.term(row, x, length+sync+(times[n]-1)*max(0, length-sync))
				} else {
					s.p.term(row, x, times[n]*max(0, length-sync))
				}
			})
		}
		s.p.term(row, gpus, -s.period*times[n])
	}
}

// limit is a number of tasks per period that so many GPUs do not exceed, one
// more than what they can do.
func (s *sharing) limit(gpus, times, step int64) int64 {
	return saturate(mul(gpus*times, s.period/max(1, step)+1)) + 1
}

// fits reports whether a GPU of some type holds the company while shape i does
// a task of the given depth.
func (s *sharing) fits(members []int, i, depth int) bool {
	for t, n := range s.m.gpus {
		if n == 0 {
			continue
		}
		left := s.m.in.Types[t].Memory
		for _, o := range members {
			costs := s.shapes[o].d.job.On[t]
			if costs == nil {
				left = -1
				break
			}
			left -= min(left+1, costs.Persistent)
		}
		if left >= 0 && s.shapes[i].d.fits[t][depth] && s.shapes[i].d.job.On[t].Ephemeral[depth] <= left {
			return true
		}
	}
	return false
}

// crowd adds all companies of more than size jobs together.
func (s *sharing) crowd() {
	total := int64(0)
	for _, n := range s.m.gpus {
		total += n
	}
	gpus := s.p.col("share.crowd", 0, total)
	s.p.term(s.gpus, gpus, 1)
	busy := s.p.row("share.crowd.busy", atMost, 0, about{})
	many := s.p.row("share.crowd.many", atLeast, 0, about{})
	for i := range s.shapes {
		shape := &s.shapes[i]
		step := int64(shape.d.iteration)
		most := min(int64(shape.d.job.Workers), total) * shape.jobs
		homes := s.p.col("share.crowd."+shape.id, 0, most)
		s.p.term(s.homes[i], homes, 1)
		s.p.term(many, homes, 1)
		here := s.p.row("share.crowd."+shape.id, atMost, 0, about{})
		s.p.term(here, homes, 1)
		s.p.term(here, gpus, -shape.jobs)
		chain := s.p.row("share.crowd."+shape.id+".chain", atMost, 0, about{})
		cols := s.does("share.crowd", i, s.limit(most, 1, step), func(int) bool { return true })
		s.each(i, cols, func(x int, length int64) {
			s.p.term(chain, x, step)
			s.p.term(busy, x, length)
		})
		s.p.term(chain, homes, -s.period)
	}
	s.p.term(busy, gpus, -s.period)
	s.p.term(many, gpus, -int64(s.size+1))
}
