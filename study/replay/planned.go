package replay

import (
	"cmp"
	"slices"
)

// Stay is an interval in which a job is in memory, on GPUs numbered node by node.
type Stay struct {
	GPUs     []int
	From, To float64
}

// Timetable is the outcome of a workload under a [Planner].
type Timetable struct {
	// Stays by job, in order: every one after the first is a restart.
	Stays [][]Stay
	// Finish by job; negative if it has not ended.
	Finish []float64
	// Decisions taken.
	Decisions int
	// Cut reports that the replay was ended early, at End.
	Cut bool
	End float64
}

// result computes the result of a timetable. It does not know of unfinished iterations.
func (t *Timetable) result(w *Workload, c *Cluster, p Policy) *Result {
	r := newResult(w, c, p)
	r.Finish, r.Decisions, r.Cut, r.End = t.Finish, t.Decisions, t.Cut, t.End
	on := make([][]Stay, c.Total()) // by GPU
	var ended []int
	for i, stays := range t.Stays {
		class := w.ClassOf(i)
		for n, s := range stays {
			if n == 0 {
				r.Start[i] = s.From
			} else {
				r.Restarts++
			}
			r.Served[i] += s.To - s.From
			for _, g := range s.GPUs {
				on[g] = append(on[g], s)
			}
		}
		if t.Finish[i] >= 0 {
			ended = append(ended, i)
			r.Work += float64(w.Jobs[i].Iterations) * class.Stages.GPU * class.Fastest() * float64(class.GPUs)
			if !t.Cut {
				r.End = max(r.End, t.Finish[i])
			}
		}
	}
	for _, stays := range on {
		slices.SortFunc(stays, func(a, b Stay) int { return cmp.Compare(a.From, b.From) })
		until := 0.0 // until when it was held
		for _, s := range stays {
			r.Held += max(0, s.To-max(until, s.From))
			until = max(until, s.To)
		}
	}
	fair, next := newFairClock(c), 0
	arrive := func(until float64) {
		for ; next < len(w.Jobs) && w.Jobs[next].Arrival < until; next++ {
			fair.arrive(w.Jobs[next].Arrival, next, w.Alone(next), float64(w.ClassOf(next).GPUs))
		}
	}
	slices.SortStableFunc(ended, func(a, b int) int { return cmp.Compare(t.Finish[a], t.Finish[b]) })
	for _, i := range ended {
		arrive(t.Finish[i])
		fair.leave(t.Finish[i], float64(w.ClassOf(i).GPUs))
	}
	arrive(r.End)
	r.fairness(&fair)
	return r
}
