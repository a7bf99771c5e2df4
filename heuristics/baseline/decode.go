package baseline

import (
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// decoder computes the times of an order of jobs, as if synchronisations never waited. It
// keeps its memory from call to call; one decoder serves one goroutine.
type decoder interface {
	// decode sets when jobs start and end; false if a job has no place, or the context ended.
	decode(ctx context.Context, order []instance.JobID) bool
	times() (start, end []instance.Tick)
	// sites of the jobs after the last decode.
	sites() []site
	// cost of decode in operations.
	cost() int
}

// pollEvery is the number of jobs after which a decoder checks the context.
const pollEvery = 64

// profile is a decoder for identical GPUs: jobs take, one after the other, the earliest gap
// with enough free GPUs for their whole length. The GPUs themselves are chosen at the end.
type profile struct {
	*problem
	steps      []step
	start, end []instance.Tick
}

// step is the number of free GPUs from a tick on, until the next step.
type step struct {
	at   instance.Tick
	free int
}

func newProfile(p *problem) *profile {
	n := len(p.in.Jobs)
	return &profile{problem: p, start: make([]instance.Tick, n), end: make([]instance.Tick, n)}
}

func (f *profile) times() (start, end []instance.Tick) { return f.start, f.end }

func (f *profile) cost() int { return len(f.start) * (8 + len(f.start)/4) / 8 }

func (f *profile) decode(ctx context.Context, order []instance.JobID) bool {
	f.steps = append(f.steps[:0], step{0, len(f.in.GPUs)})
	for n, j := range order {
		if n%pollEvery == pollEvery-1 && ctx.Err() != nil {
			return false
		}
		job := &f.in.Jobs[j]
		f.start[j] = f.put(job.Workers, f.shortest[j], job.Release)
		f.end[j] = f.start[j] + f.shortest[j]
	}
	return true
}

// put takes GPUs from the earliest tick on, not before release, at which enough are free
// for that length.
func (f *profile) put(workers int, length, release instance.Tick) instance.Tick {
	s := f.steps
	first := 0
	for first+1 < len(s) && s[first+1].at <= release {
		first++
	}
	for ; ; first++ {
		for s[first].free < workers {
			first++
		}
		from := max(s[first].at, release)
		end, last := from+length, first+1
		for last < len(s) && s[last].at < end && s[last].free >= workers {
			last++
		}
		if last < len(s) && s[last].at < end {
			first = last // too few are free there
			continue
		}
		if last == len(s) || s[last].at != end {
			s = slices.Insert(s, last, step{end, s[last-1].free})
		}
		if s[first].at < from {
			first++
			last++
			s = slices.Insert(s, first, step{from, s[first-1].free})
		}
		for n := first; n < last; n++ {
			s[n].free -= workers
		}
		if last < len(s) && s[last].free == s[last-1].free {
			s = slices.Delete(s, last, last+1)
		}
		if first > 0 && s[first].free == s[first-1].free {
			s = slices.Delete(s, first, first+1)
		}
		f.steps = s
		return from
	}
}

// sites gives every job GPUs that are free when it starts.
func (f *profile) sites() []site {
	order := byTick(f.start)
	ends := byTick(f.end)
	var free []instance.GPUID
	for g := range f.in.GPUs {
		free = append(free, instance.GPUID(g))
	}
	out := make([]site, len(order))
	placer := newPlacer(f.problem)
	for _, j := range order {
		for len(ends) > 0 && f.end[ends[0]] <= f.start[j] {
			free = append(free, out[ends[0]].gpus...)
			ends = ends[1:]
		}
		slices.Sort(free)
		k := f.in.Jobs[j].Workers
		out[j], _ = placer.at(j, slices.Clone(free[:k]))
		free = free[k:]
	}
	return out
}

// byTick orders the jobs by their ticks, ties by index.
func byTick(ticks []instance.Tick) []instance.JobID {
	return state.OrderBy(len(ticks), func(j instance.JobID) float64 { return float64(ticks[j]) })
}
