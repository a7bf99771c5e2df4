package tree

import (
	"jigsaw/formulation/relax/orders"
	"math"
	"math/bits"
	"slices"
)

// gpuSet is the workers on some GPUs: one, those of a home, or all.
type gpuSet struct {
	words   []int // of a state: when each of the GPUs is free
	gpu     int   // if there is one; else -1
	members []member
}

// member is a job with so many workers among a gpuSet.
type member struct {
	job     int
	workers []int
}

// assemble lists the sets of GPUs whose time is looked at; all GPUs come last.
func (s *sequenceSearch) assemble() (list []gpuSet) {
	q := s.Problem
	var sets [][]int
	var all []int
	for g := range q.Residents {
		sets, all = append(sets, []int{g}), append(all, g)
	}
	add := func(gpus []int) {
		gpus = slices.Sorted(slices.Values(gpus))
		if !slices.ContainsFunc(sets, func(o []int) bool { return slices.Equal(o, gpus) }) {
			sets = append(sets, gpus)
		}
	}
	for j := range q.Jobs {
		if n := len(q.Jobs[j].GPUs); n > 0 && n < len(all) {
			add(q.Jobs[j].GPUs)
		}
	}
	add(all)
	for _, gpus := range sets {
		c := gpuSet{gpu: -1}
		if len(gpus) == 1 {
			c.gpu = gpus[0]
		}
		for _, g := range gpus {
			c.words = append(c.words, s.free+g)
		}
		for j := range q.Jobs {
			m := member{job: j}
			for w, g := range q.Jobs[j].GPUs {
				if slices.Contains(gpus, g) {
					m.workers = append(m.workers, w)
				}
			}
			if len(m.workers) > 0 {
				c.members = append(c.members, m)
			}
		}
		list = append(list, c)
	}
	return list
}

// promising raises the times of a state, and reports whether it may lead to an end
// in time as far as what jobs and GPUs have to do can tell.
func (s *sequenceSearch) promising(x []int16, cost int64) bool {
	for j := range s.Jobs {
		if !s.done(x, j) {
			if !s.chain(x, j) {
				return false
			}
			cost += s.Jobs[j].Job.Weight * s.ends[j]
		}
	}
	if s.Weighted && cost > s.most {
		return false
	}
	for g := range s.Residents {
		if !s.load(x, g) {
			return false
		}
	}
	for j := range s.Jobs {
		job := &s.Jobs[j]
		s.dues[j] = job.Due
		if s.Weighted && !s.done(x, j) {
			s.dues[j] = min(job.Due, s.ends[j]+(s.most-cost)/job.Job.Weight)
		}
	}
	if !s.timely(x) {
		return false
	}
	if s.Weighted {
		s.score = cost + s.waiting(x)
		return s.score <= s.most
	}
	// What is taken of the GPUs, and will be.
	s.score = 0
	for g := range s.Residents {
		s.score += int64(x[s.free+g])
	}
	for _, e := range s.list(x, &s.gpuSets[len(s.gpuSets)-1]) {
		s.score += e.now + e.after*e.each + s.ends[e.job]
	}
	return true
}

// chain tells when a job can go on and end, at the earliest.
func (s *sequenceSearch) chain(x []int16, j int) bool {
	job := &s.Jobs[j]
	s.left[j] = s.deals[j].at(x[s.dealt[j]:])
	first := s.together(x, j)
	s.starts = s.starts[:0]
	for w, g := range job.GPUs {
		if !s.hasBegun(x, g, job.Place[w]) {
			start := first
			if !job.Job.Gang {
				start = s.start(x, j, g)
			}
			at := len(s.starts)
			s.starts = append(s.starts, start)
			for ; at > 0 && s.starts[at-1] > start; at-- {
				s.starts[at] = s.starts[at-1]
			}
			s.starts[at] = start
		}
	}
	first = s.starts[0]
	// The deepest task where it may begin first.
	earliest, next := int64(math.MaxInt64), int64(math.MaxInt64)
	for i := range s.left[j].rests {
		r := &s.left[j].rests[i]
		end := int64(x[s.over+j])
		for k, d := range r.depths {
			end = max(end, s.starts[len(s.starts)-1-k]+job.Fastest[d])
		}
		earliest, next = min(earliest, end), min(next, end+r.pause)
	}
	s.next[j] = next
	if len(s.starts) < len(job.GPUs) {
		x[s.over+j] = int16(earliest)
	} else {
		s.next[j] = max(s.next[j], first+job.Iteration)
	}
	x[s.ready+j] = int16(first)
	ends := job.Limits.Ends[x[j]]
	s.next[j] = max(s.next[j], ends.From)
	s.ends[j] = s.next[j] + int64(job.Job.Iterations-1-int(x[j]))*job.Iteration
	return s.next[j] <= ends.To && s.ends[j] <= job.Due
}

// load raises when a GPU may run a task again, and reports whether it has the time for
// all of them.
func (s *sequenceSearch) load(x []int16, g int) bool {
	first, rest, latest := int64(math.MaxInt64), int64(0), int64(0)
	for i, r := range s.Residents[g] {
		left := s.tasks(x, g, i)
		if left == 0 {
			continue
		}
		job := &s.Jobs[r.Job]
		start := s.next[r.Job]
		if !s.hasBegun(x, g, i) {
			start = s.start(x, r.Job, g)
		}
		first, rest = min(first, start), rest+left*job.Least[r.Worker]
		latest = max(latest, job.Due-job.Pauses)
	}
	if rest == 0 {
		x[s.free+g] = 0
		return true
	}
	x[s.free+g] = max(x[s.free+g], int16(first))
	return int64(x[s.free+g])+rest <= latest
}

// jobLoad is what a job has left to do on the GPUs of a gpuSet: ticks in the iteration at
// hand and in each after it, and by when the tasks of these must be over.
type jobLoad struct {
	now, each, after, first, period int64
	job                             int
}

// list returns what there is to do for a gpuSet.
func (s *sequenceSearch) list(x []int16, c *gpuSet) []jobLoad {
	s.jobLoads = s.jobLoads[:0]
	for i := range c.members {
		m := &c.members[i]
		job := &s.Jobs[m.job]
		if s.done(x, m.job) {
			continue
		}
		after := int64(job.Job.Iterations - 1 - int(x[m.job]))
		waiting := 0
		for _, w := range m.workers {
			if !s.hasBegun(x, job.GPUs[w], job.Place[w]) {
				waiting++
			}
		}
		e := jobLoad{job: m.job, now: s.left[m.job].work[waiting], each: s.deals[m.job].fresh.work[len(m.workers)], after: after, period: job.Iteration}
		e.first = s.dues[m.job] - job.Pauses - after*job.Iteration
		if e.now > 0 || e.after > 0 {
			s.jobLoads = append(s.jobLoads, e)
		}
	}
	return s.jobLoads
}

// room is how much time some GPUs have until a tick.
func (s *sequenceSearch) room(x []int16, c *gpuSet, until int64) (sum int64) {
	for _, at := range c.words {
		sum += max(0, until-int64(x[at]))
	}
	return sum
}

// repeats reports whether a gpuSet is a GPU in the same state as the one before it among
// those alike.
func (s *sequenceSearch) repeats(x []int16, c *gpuSet) bool {
	if c.gpu < 0 {
		return false
	}
	o := s.Twins[c.gpu]
	return o >= 0 && x[s.begun+o] == x[s.begun+c.gpu] && x[s.free+o] == x[s.free+c.gpu]
}

// timely reports whether each gpuSet has the time for all tasks by when they must be
// over so that the jobs can end by their dues.
func (s *sequenceSearch) timely(x []int16) bool {
	for i := range s.gpuSets {
		c := &s.gpuSets[i]
		if s.repeats(x, c) {
			continue
		}
		list := s.list(x, c)
		all, soonest := int64(0), int64(math.MaxInt64)
		for k := range list {
			e := &list[k]
			all += e.now + e.after*e.each
			if e.now > 0 {
				soonest = min(soonest, e.first)
			} else {
				soonest = min(soonest, e.first+e.period)
			}
		}
		if all <= s.room(x, c, soonest) {
			continue
		}
		for k := range list {
			for m := range list[k].after + 1 {
				by, need := list[k].first+m*list[k].period, int64(0)
				for l := range list {
					if e := &list[l]; by >= e.first {
						need += e.now + e.each*min(e.after, (by-e.first)/e.period)
					}
				}
				if need > s.room(x, c, by) {
					return false
				}
			}
		}
	}
	return true
}

// waiting tells what jobs cost beyond their chains because those of a gpuSet wait
// for each other: the last of them ends after all tasks that are left there.
func (s *sequenceSearch) waiting(x []int16) int64 {
	type waits struct{ weight, ticks, end, least, most int64 }
	most := int64(0)
	var list [orders.MostTogether]waits
	var f, ticks [1 << orders.MostTogether]int64 // by set: what they cost beyond, their ticks here
	for i := range s.gpuSets {
		c := &s.gpuSets[i]
		if s.repeats(x, c) {
			continue
		}
		n := 0
		for _, e := range s.list(x, c) {
			if n < len(list) {
				job := &s.Jobs[e.job]
				list[n] = waits{weight: job.Job.Weight, ticks: e.now + e.after*e.each, end: s.ends[e.job], least: job.Pauses, most: job.Due + 1}
				n++
			}
		}
		if n < 2 && c.gpu >= 0 {
			continue
		}
		s.starts = s.starts[:0]
		for _, word := range c.words {
			free := int64(x[word])
			at := len(s.starts)
			s.starts = append(s.starts, free)
			for ; at > 0 && s.starts[at-1] > free; at-- {
				s.starts[at] = s.starts[at-1]
			}
			s.starts[at] = free
		}
		for set := 1; set < 1<<n; set++ {
			last := bits.TrailingZeros(uint(set))
			ticks[set] = ticks[set&(set-1)] + list[last].ticks
			f[set] = math.MaxInt64
			over := filled(s.starts, ticks[set])
			for i := range n {
				if set>>i&1 == 1 {
					w := &list[i]
					f[set] = min(f[set], f[set&^(1<<i)]+w.weight*max(0, min(w.most, over+w.least)-w.end))
				}
			}
		}
		most = max(most, f[1<<n-1])
	}
	return most
}

// filled is when GPUs that are free from some ticks on, ascending, have done so much
// work, at the earliest.
func filled(free []int64, ticks int64) int64 {
	sum := int64(0)
	for n, at := range free {
		sum += at
		count := int64(n + 1)
		over := (ticks + sum + count - 1) / count
		if n+1 == len(free) || over <= free[n+1] {
			return over
		}
	}
	return 0
}
