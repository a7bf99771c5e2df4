package fluid

import (
	"fmt"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
	"slices"
)

// does adds the columns of the tasks of a shape in a co-resident set, with an upper
// limit on their number, and returns them by depth; -1 if the depth is impossible.
// The deepest activations must fit beside the given parameters.
func (s *sharing) does(name string, i int, most int64, fits func(depth int) bool) []int {
	shape := &s.Shapes[i]
	cols := make([]int, len(shape.Class.Job.Depths))
	for depth := range cols {
		cols[depth] = -1
		if shape.Class.Shortest[depth] < 0 || !shape.Class.Knows(depth) || !fits(depth) {
			continue
		}
		x := s.Linear.Col(fmt.Sprintf("%s.%s.d%d", name, shape.ID, depth), 0, most)
		for _, r := range s.rules[i] {
			s.Linear.Term(r.row, x, r.weight[depth])
		}
		cols[depth] = x
	}
	return cols
}

// each calls f with the existing columns and the lengths of their tasks.
func (s *sharing) each(i int, cols []int, f func(x int, length int64)) {
	for depth, x := range cols {
		if x >= 0 {
			f(x, int64(s.Shapes[i].Class.Shortest[depth]))
		}
	}
}

// meet adds a co-resident set.
func (s *sharing) meet(members []int) {
	name := s.name
	for _, i := range members {
		name += "." + s.Shapes[i].ID
	}
	kinds := slices.Compact(slices.Clone(members))
	times := make([]int64, len(kinds)) // how often each is in the co-resident set
	most := s.total()                  // GPUs
	for n, i := range kinds {
		for _, o := range members {
			if o == i {
				times[n]++
			}
		}
		most = min(most, int64(s.Shapes[i].Class.Job.Workers)*s.Shapes[i].Jobs/times[n])
	}
	gpus := s.Linear.Col(name, 0, most)
	s.Linear.Term(s.gpus, gpus, 1)
	busy := s.Linear.Row(name+".busy", linear.AtMost, 0, linear.About{})
	cols := make([][]int, len(kinds))
	for n, i := range kinds {
		step := int64(s.Shapes[i].Class.Iteration)
		s.Linear.Term(s.homes[i], gpus, times[n])
		limit := s.limit(most, times[n], step)
		cols[n] = s.does(name, i, limit, func(depth int) bool { return s.fits(members, i, depth) })
		chain := s.Linear.Row(fmt.Sprintf("%s.%s.chain", name, s.Shapes[i].ID), linear.AtMost, 0, linear.About{})
		s.each(i, cols[n], func(x int, length int64) {
			s.Linear.Term(chain, x, step)
			s.Linear.Term(busy, x, length)
		})
		s.Linear.Term(chain, gpus, exact.Multiply(-s.Period, times[n]))
	}
	s.Linear.Term(busy, gpus, -s.Period)
	if s.others >= 0 {
		x := s.Linear.Col(name+".others", 0, exact.Multiply(most, s.Period))
		s.Linear.Term(busy, x, 1)
		s.Linear.Term(s.others, x, -1)
	}
	c := coResidentSet{gpus, map[int][]int{}}
	for n, i := range kinds {
		c.does[i] = cols[n]
	}
	s.sets = append(s.sets, c)
	for n := range kinds {
		s.gaps(name, c, kinds, times, n)
	}
}

// gaps adds rows (26) of a member of a co-resident set, one for each slack that its tasks may have.
func (s *sharing) gaps(name string, c coResidentSet, kinds []int, times []int64, n int) {
	at := kinds[n]
	lengths := make([]int64, len(c.does[at])) // by depth; never where there is no such task
	for depth, x := range c.does[at] {
		if lengths[depth] = exact.Never; x >= 0 {
			lengths[depth] = int64(s.Shapes[at].Class.Shortest[depth])
		}
	}
	for _, g := range Gaps(s.Shapes[at].Class, lengths) {
		if g.tau > 0 && !slices.ContainsFunc(kinds, func(k int) bool {
			longer := false
			s.each(k, c.does[k], func(x int, length int64) { longer = longer || length > g.Free })
			return longer && (k != at || times[n] > 1)
		}) {
			break
		}
		row := s.Linear.Row(fmt.Sprintf("%s.%s.gaps%d", name, s.Shapes[at].ID, g.tau), linear.AtMost, 0, linear.About{})
		for o, k := range kinds {
			for depth, x := range c.does[k] {
				if x < 0 {
					continue
				}
				beyond := max(0, int64(s.Shapes[k].Class.Shortest[depth])-g.Free)
				if o == n {
					s.Linear.Term(row, x, g.own[depth]+exact.Multiply(times[n]-1, beyond))
				} else {
					s.Linear.Term(row, x, exact.Multiply(times[n], beyond))
				}
			}
		}
		s.Linear.Term(row, c.gpus, exact.Multiply(-s.Period, times[n]))
	}
}

// limit is a number of tasks, step ticks apart, that exceeds the room of a period on
// gpus GPUs with times members of a class on each.
func (s *sharing) limit(gpus, times, step int64) int64 {
	return exact.Saturate(exact.Mul(gpus*times, s.Period/max(1, step)+1))
}

// fits reports whether a GPU of some type holds the co-resident set while shape i does
// a task of the given depth.
func (s *sharing) fits(members []int, i, depth int) bool {
	for t, n := range s.Model.GPUs {
		if n == 0 {
			continue
		}
		if left := s.room(members, t); left >= 0 && s.Shapes[i].Class.Fits[t][depth] && s.Shapes[i].Class.Job.On[t].Ephemeral[depth] <= left {
			return true
		}
	}
	return false
}

// gather adds the aggregate set, of sets of more than size jobs.
func (s *sharing) gather(size int64) {
	total := s.total()
	gpus := s.Linear.Col("share.aggregate", 0, total)
	s.Linear.Term(s.gpus, gpus, 1)
	busy := s.Linear.Row("share.aggregate.busy", linear.AtMost, 0, linear.About{})
	many := s.Linear.Row("share.aggregate.many", linear.AtLeast, 0, linear.About{})
	for i := range s.Shapes {
		shape := &s.Shapes[i]
		step := int64(shape.Class.Iteration)
		most := min(int64(shape.Class.Job.Workers), total) * shape.Jobs
		homes := s.Linear.Col("share.aggregate."+shape.ID, 0, most)
		s.Linear.Term(s.homes[i], homes, 1)
		s.Linear.Term(many, homes, 1)
		here := s.Linear.Row("share.aggregate."+shape.ID, linear.AtMost, 0, linear.About{})
		s.Linear.Term(here, homes, 1)
		s.Linear.Term(here, gpus, -shape.Jobs)
		chain := s.Linear.Row("share.aggregate."+shape.ID+".chain", linear.AtMost, 0, linear.About{})
		cols := s.does("share.aggregate", i, s.limit(most, 1, step), func(int) bool { return true })
		s.each(i, cols, func(x int, length int64) {
			s.Linear.Term(chain, x, step)
			s.Linear.Term(busy, x, length)
		})
		s.Linear.Term(chain, homes, -s.Period)
		s.aggregate.homes, s.aggregate.does = append(s.aggregate.homes, homes), append(s.aggregate.does, cols)
	}
	s.Linear.Term(busy, gpus, -s.Period)
	s.Linear.Term(many, gpus, -(size + 1))
}

// total is the number of GPUs.
func (f *Program) total() (sum int64) {
	for _, n := range f.Model.GPUs {
		sum += n
	}
	return sum
}
