package tree

import (
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/orders"
	"math"
	"slices"
)

// sooner reports whether a synchronisation after the tasks of one dish is as short as
// after those of another, whatever the rate.
func sooner(j *orders.PlacedJob, dish, than int) bool {
	if len(j.Links) == 0 {
		return j.Pause[dish] <= j.Pause[than]
	}
	for level, length := range j.Multisets[dish].Sync {
		if length > j.Multisets[than].Sync[level] {
			return false
		}
	}
	return true
}

// pending reports whether the tasks of the iteration at hand have all begun, and what
// is left of it is to synchronise.
func (s *sequenceSearch) pending(x []int16, j int) bool {
	return len(s.Jobs[j].Links) > 0 && s.full(x, j)
}

// departs is when a job could synchronise in a way, once its tasks are over.
func (s *sequenceSearch) departs(x []int16, j int, o *cases.SyncLevel, over int64) int64 {
	job := &s.Jobs[j]
	over = max(over, job.Limits.Ends[x[j]].From-o.Length)
	for i, l := range job.Links {
		if n := o.Shares[i]; n > 0 {
			over = max(over, int64(x[s.link[l]+n-1]))
		}
	}
	return over
}

// synced is when a job could have synchronised after the tasks of a dish, once they are over.
func (s *sequenceSearch) synced(x []int16, j, dish int, over int64) int64 {
	job := &s.Jobs[j]
	if len(job.Links) == 0 {
		return over + job.Pause[dish]
	}
	end := int64(exact.NoPrice)
	for i := range job.SyncLevels[dish] {
		o := &job.SyncLevels[dish][i]
		end = min(end, s.departs(x, j, o, over)+o.Length)
	}
	return end
}

// synchronise appends the synchronisation of a job that waits for it, in every way that
// starts before a tick.
func (s *sequenceSearch) synchronise(at int, x []int16, cost int64, j int, limit int64) {
	job := &s.Jobs[j]
	if !slices.ContainsFunc(job.Links, func(l int) bool { return s.chosen[len(s.Residents)+l] }) {
		return
	}
	latest := min(job.Due, job.Limits.Ends[x[j]].To)
	dealt, over := x[s.dealt[j]:], int64(x[s.over+j])
	_, dish := job.PauseOf(func(d int) int { return int(dealt[d]) })
	for i := range job.SyncLevels[dish] {
		o := &job.SyncLevels[dish][i]
		start := s.departs(x, j, o, over)
		end := start + o.Length
		if start >= limit || end > latest {
			continue
		}
		copy(s.child, x)
		for k, l := range job.Links {
			shares := s.child[s.link[l] : s.link[l]+s.Shares[l]]
			for n := range o.Shares[k] {
				shares[n] = int16(end)
			}
			slices.Sort(shares)
		}
		s.moved = append(s.moved[:0], appended{j, int(x[j]), -1, o.Level, start})
		for g := range s.Residents {
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
		if s.chosen[len(s.Residents)+l] {
			for i := range s.Shares[l] {
				s.child[first+i] = max(s.child[first+i], int16(until))
			}
		}
	}
}

// await raises when the shares of a link may be used again.
func (s *sequenceSearch) await(x []int16, l int) {
	first := int64(math.MaxInt64)
	for j := range s.Jobs {
		if !s.done(x, j) && slices.Contains(s.Jobs[j].Links, l) {
			first = min(first, s.overs[j])
		}
	}
	for i := range s.Shares[l] {
		word := &x[s.link[l]+i]
		if first == math.MaxInt64 {
			*word = 0
		} else {
			*word = max(*word, int16(first))
		}
	}
}
