package formulation

import (
	"fmt"
	"math"
	"slices"
)

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
		for _, r := range s.rules[i] {
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

// meet adds a company.
func (s *sharing) meet(members []int) {
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
		s.p.term(chain, gpus, multiply(-s.period, times[n]))
	}
	s.p.term(busy, gpus, -s.period)
	c := company{members, gpus, map[int][]int{}}
	for n, i := range kinds {
		c.does[i] = cols[n]
	}
	s.companies = append(s.companies, c)
	for n := range kinds {
		s.gaps(name, c, kinds, times, n)
	}
}

// gaps adds rows (26) of a member of a company, one for each slack that its tasks may have.
func (s *sharing) gaps(name string, c company, kinds []int, times []int64, n int) {
	d := s.shapes[kinds[n]].d
	sync, step := int64(d.sync), int64(d.iteration)
	if sync == 0 {
		return
	}
	slack := func(length int64) int64 { return max(0, step-sync-length) }
	var known []int64
	s.each(kinds[n], c.does[kinds[n]], func(_ int, length int64) { known = append(known, slack(length)) })
	slices.Sort(known)
	for _, rho := range slices.Compact(append([]int64{0}, known...)) {
		long := sync + 2*rho // others of at most that many ticks are free
		if d.job.Gang {
			long = sync + rho
		}
		if rho > 0 && !slices.ContainsFunc(kinds, func(k int) bool {
			longer := false
			s.each(k, c.does[k], func(_ int, length int64) { longer = longer || length > long })
			return longer && (k != kinds[n] || times[n] > 1)
		}) {
			break
		}
		row := s.p.row(fmt.Sprintf("%s.%s.gaps%d", name, s.shapes[kinds[n]].id, rho), atMost, 0, about{})
		for o, k := range kinds {
			s.each(k, c.does[k], func(x int, length int64) {
				if o == n {
					s.p.term(row, x, max(step, length+sync)-max(0, slack(length)-rho)+multiply(times[n]-1, max(0, length-long)))
				} else {
					s.p.term(row, x, multiply(times[n], max(0, length-long)))
				}
			})
		}
		s.p.term(row, c.gpus, multiply(-s.period, times[n]))
	}
}

// limit is a number of tasks, step ticks apart, that a period has no room for
// on so many GPUs with so many members of a class on each.
func (s *sharing) limit(gpus, times, step int64) int64 {
	return saturate(mul(gpus*times, s.period/max(1, step)+1))
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

// gather adds the crowd.
func (s *sharing) gather() {
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
		s.crowd.homes, s.crowd.does = append(s.crowd.homes, homes), append(s.crowd.does, cols)
	}
	s.p.term(busy, gpus, -s.period)
	s.p.term(many, gpus, -int64(s.size+1))
}

// pace adds rows (27) and (28) for job i on the GPUs of job a.
func (s *sharing) pace(i, a int) {
	d := s.shapes[i].d
	k, step := int64(d.job.Workers), int64(d.iteration)
	most := min(k, int64(s.shapes[a].d.job.Workers))
	name := fmt.Sprintf("share.pace.%s.%s", s.shapes[i].id, s.shapes[a].id)
	row := s.p.row(name, atLeast, 0, about{})
	upper := s.p.row(name+".most", atMost, 0, about{})
	for _, x := range s.shapes[i].does {
		s.p.term(row, x, multiply(-k, step, most))
		s.p.term(upper, x, -most)
	}
	add := func(cols []int) {
		s.each(i, cols, func(x int, _ int64) { s.p.term(row, x, multiply(k, step)) })
	}
	for _, c := range s.companies {
		if !slices.Contains(c.members, i) {
			continue
		}
		weight := most
		if slices.Contains(c.members, a) {
			weight -= k
			add(c.does[i])
			s.each(i, c.does[i], func(x int, _ int64) { s.p.term(upper, x, 1) })
		}
		s.p.term(row, c.gpus, multiply(s.period, weight))
	}
	if s.crowd.homes != nil {
		add(s.crowd.does[i])
		s.p.term(row, s.crowd.homes[i], multiply(s.period, most))
	}
}
