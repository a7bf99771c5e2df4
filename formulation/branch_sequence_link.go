package formulation

import (
	"fmt"
	"math"
	"slices"
)

// tempo is a way to synchronise.
type tempo struct {
	level  int // rate level
	length int64
	shares []int // by link of the job: how many of its shares it takes
}

// mostShares is into how many shares a link is divided, at most.
const mostShares = 16

// tempos lists the ways to synchronise after the tasks of a dish, from short to long:
// of rate levels at which it takes as long, the lowest. Shares are not known yet.
func (p *homePricer) tempos(dish int) (list []tempo) {
	if !p.job.HasSync() {
		return nil
	}
	lengths := p.dishes[dish].sync
	for level, length := range lengths {
		if level+1 == len(lengths) || lengths[level+1] > length {
			list = append(list, tempo{level: level, length: length})
		}
	}
	return list
}

// crowded returns the links, as groups of rows, that the jobs with homes could overload,
// if each synchronises at a rate that makes it short.
func (s *master) crowded(n *branchNode) []int {
	peak := map[int]int64{}
	for j := range n.jobs {
		p := s.classes[j].home
		if p == nil {
			continue
		}
		for _, c := range p.links {
			most := int64(0)
			for d := range p.dishes {
				for _, o := range p.tempos(d) {
					if o.length > 0 {
						most = max(most, c.amounts[o.level])
					}
				}
			}
			peak[c.group] += most
		}
	}
	var list []int
	for group, sum := range peak {
		if capacity := s.groups[group].capacity; capacity > 0 && sum > capacity {
			list = append(list, group)
		}
	}
	slices.Sort(list)
	return list
}

// meet reports whether two jobs synchronise over a link that is crowded.
func (s *master) meet(a, b int, crowded []int) bool {
	p, o := s.classes[a].home, s.classes[b].home
	return o != nil && slices.ContainsFunc(crowded, func(group int) bool {
		over := func(c linkCharge) bool { return c.group == group }
		return slices.ContainsFunc(p.links, over) && slices.ContainsFunc(o.links, over)
	})
}

// share divides crowded links into equal shares, the fewest that lose least of what
// synchronisations take, and tells how many each of these takes.
func (q *sequencing) share(s *master, crowded []int) {
	known := map[string]bool{}
	for _, group := range crowded {
		capacity := s.groups[group].capacity
		taken := func(shares int64) (sum int64) {
			for j := range q.jobs {
				for _, c := range q.jobs[j].homePricer.links {
					for level := 0; c.group == group && level < len(c.amounts); level++ {
						sum += c.amounts[level] * shares / capacity
					}
				}
			}
			return sum
		}
		best := int64(1)
		for n := int64(2); n <= mostShares; n++ {
			if taken(n)*best > taken(best)*n {
				best = n
			}
		}
		key := fmt.Sprint(best)
		for j := range q.jobs {
			for _, c := range q.jobs[j].homePricer.links {
				for level := 0; c.group == group && level < len(c.amounts); level++ {
					key += fmt.Sprint(" ", j, c.amounts[level]*best/capacity)
				}
			}
		}
		if taken(best) == 0 || known[key] { // nothing, or as over another
			continue
		}
		known[key] = true
		for j := range q.jobs {
			job := &q.jobs[j]
			at := slices.IndexFunc(job.homePricer.links, func(c linkCharge) bool { return c.group == group })
			if at < 0 || job.homePricer.links[at].amounts[0]*best < capacity || slices.Max(job.pause) == 0 {
				continue
			}
			job.links = append(job.links, len(q.shares))
			for d := range job.tempos {
				for i := range job.tempos[d] {
					o, shares := &job.tempos[d][i], int64(0)
					if o.length > 0 {
						shares = job.homePricer.links[at].amounts[o.level] * best / capacity
					}
					o.shares = append(o.shares, int(shares))
				}
			}
		}
		q.shares = append(q.shares, int(best))
	}
	for j := range q.jobs {
		job := &q.jobs[j]
		for d := range job.tempos {
			if len(job.links) == 0 {
				job.tempos[d] = job.tempos[d][:min(1, len(job.tempos[d]))]
			}
		}
	}
}

// toll is how many ticks of shares of a link a synchronisation takes after the tasks of a
// dish, at the least; at is the number of the link among those of the job.
func (j *sequenced) toll(dish, at int) int64 {
	least := int64(noPrice)
	for _, o := range j.tempos[dish] {
		least = min(least, o.length*int64(o.shares[at]))
	}
	return least
}

// sooner reports whether a synchronisation after the tasks of one dish is as short as
// after those of another, whatever the rate.
func (j *sequenced) sooner(dish, than int) bool {
	if len(j.links) == 0 {
		return j.pause[dish] <= j.pause[than]
	}
	for level, length := range j.dishes[dish].sync {
		if length > j.dishes[than].sync[level] {
			return false
		}
	}
	return true
}

// pending reports whether the tasks of the iteration at hand have all begun, and what
// is left of it is to synchronise.
func (s *sequenceSearch) pending(x []int16, j int) bool {
	return len(s.jobs[j].links) > 0 && s.full(x, j)
}

// departs is when a job could synchronise in a way, once its tasks are over.
func (s *sequenceSearch) departs(x []int16, j int, o *tempo, over int64) int64 {
	job := &s.jobs[j]
	over = max(over, job.limits.ends[x[j]].from-o.length)
	for i, l := range job.links {
		if n := o.shares[i]; n > 0 {
			over = max(over, int64(x[s.link[l]+n-1]))
		}
	}
	return over
}

// synced is when a job could have synchronised after the tasks of a dish, once they are over.
func (s *sequenceSearch) synced(x []int16, j, dish int, over int64) int64 {
	job := &s.jobs[j]
	if len(job.links) == 0 {
		return over + job.pause[dish]
	}
	end := int64(noPrice)
	for i := range job.tempos[dish] {
		o := &job.tempos[dish][i]
		end = min(end, s.departs(x, j, o, over)+o.length)
	}
	return end
}

// synchronise appends the synchronisation of a job that waits for it, in every way that
// starts before a tick.
func (s *sequenceSearch) synchronise(at int, x []int16, cost int64, j int, limit int64) {
	job := &s.jobs[j]
	if !slices.ContainsFunc(job.links, func(l int) bool { return s.chosen[len(s.residents)+l] }) {
		return
	}
	latest := min(job.due, job.limits.ends[x[j]].to)
	dealt, over := x[s.dealt[j]:], int64(x[s.over+j])
	_, dish := job.pauseOf(func(d int) int { return int(dealt[d]) })
	for i := range job.tempos[dish] {
		o := &job.tempos[dish][i]
		start := s.departs(x, j, o, over)
		end := start + o.length
		if start >= limit || end > latest {
			continue
		}
		copy(s.child, x)
		for k, l := range job.links {
			shares := s.child[s.link[l] : s.link[l]+s.shares[l]]
			for n := range o.shares[k] {
				shares[n] = int16(end)
			}
			slices.Sort(shares)
		}
		s.moved = append(s.moved[:0], appended{j, int(x[j]), -1, o.level, start})
		for g := range s.residents {
			if s.chosen[g] {
				s.child[s.free+g] = max(s.child[s.free+g], int16(start))
			}
		}
		s.hold(start)
		s.enter(at+1, cost+s.finish(j, end))
	}
}

// hold lets nothing more start on the chosen links before a tick.
func (s *sequenceSearch) hold(until int64) {
	for l, first := range s.link {
		if s.chosen[len(s.residents)+l] {
			for i := range s.shares[l] {
				s.child[first+i] = max(s.child[first+i], int16(until))
			}
		}
	}
}

// await raises when the shares of a link may be used again.
func (s *sequenceSearch) await(x []int16, l int) {
	first := int64(math.MaxInt64)
	for j := range s.jobs {
		if !s.done(x, j) && slices.Contains(s.jobs[j].links, l) {
			first = min(first, s.overs[j])
		}
	}
	for i := range s.shares[l] {
		word := &x[s.link[l]+i]
		if first == math.MaxInt64 {
			*word = 0
		} else {
			*word = max(*word, int16(first))
		}
	}
}
