package list

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Key is the priority of a job after so many iterations; less goes first.
func (d *Decision) Key(j, iterations int) int64 { return d.key(int32(j), int32(iterations)) }

// Part is the decision about some jobs, at, on a part of the GPUs: where they live there, and their priorities.
func (d *Decision) Part(in *instance.Instance, at []int, homes [][]instance.GPUID, base, slope []int64) *Decision {
	part := *d
	part.Counts, part.Base, part.Slope = state.Pick(d.Counts, at), base, slope
	part.Where = &placement.Placement{GPUs: homes, Limit: state.Pick(d.Where.Limit, at), Span: make([]instance.Span, len(at))}
	if d.Slow != nil {
		part.Slow = state.Pick(d.Slow, at)
	}
	for n := range at {
		part.Where.Span[n], _ = in.SpanOf(&in.Jobs[n], homes[n])
	}
	return &part
}

// Sample decodes a decision until a time and returns how many iterations of each job end by a moment in the second half
// of that time; nil if the context ends. It is the one until which GPUs are busiest or, if left has numbers of iterations, at which the job
// that has done the least part of them has done most per tick.
func (s *Dispatcher) Sample(ctx context.Context, d *Decision, out *Record, until instance.Tick, left []int) []int {
	s.until = until
	defer func() { s.until = 0 }()
	if s.Decode(ctx, d, out) != nil {
		return nil
	}
	type ended struct {
		at  instance.Tick
		job int
	}
	var ends []ended
	for j := range s.jobs {
		for i := range int(s.jobs[j].iteration) { // those before the one under way
			ends = append(ends, ended{s.endOf(j, i), j})
		}
	}
	slices.SortFunc(ends, func(a, b ended) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job)) })
	counts, best := make([]int, len(s.jobs)), make([]int, len(s.jobs))
	work, busiest, most := 0.0, 0.0, 0.0
	for n, e := range ends {
		job := &s.jobs[e.job]
		counts[e.job]++
		for _, ticks := range s.mean[job.slot : job.slot+job.k] {
			work += float64(ticks)
		}
		last := n == len(ends)-1
		if !last && (ends[n+1].at == e.at || 2*e.at < until) {
			continue
		}
		busy, done := work/float64(max(1, e.at)), math.Inf(1)
		for j := range left {
			done = min(done, float64(counts[j])/float64(left[j])/float64(max(1, e.at)))
		}
		if done > most || done == most && busy > busiest {
			busiest, most = busy, done
			copy(best, counts)
		}
	}
	return best
}

// endOf is the end of an iteration, from 0, that has ended.
func (s *Dispatcher) endOf(j, i int) (end instance.Tick) {
	job := &s.in.Jobs[j]
	if job.HasSync() {
		return s.out.times.SyncEnd[s.layout.SyncAt[j]+i]
	}
	for n, g := range s.d.Where.GPUs[j] {
		at := s.layout.TaskAt[j] + i*job.Workers + n
		end = max(end, s.out.times.Start[at]+job.On[s.in.GPUs[g].Type].Time[s.out.times.Depth[at]])
	}
	return end
}

// First returns the schedule of the first iterations of each job.
func (r *Record) First(in *instance.Instance, l *state.Layout, iterations []int) *instance.Schedule {
	s := r.Schedule(in, l)
	s.Tasks = slices.DeleteFunc(s.Tasks, func(t instance.Task) bool { return t.Iteration > iterations[t.Job] })
	s.Syncs = slices.DeleteFunc(s.Syncs, func(y instance.Sync) bool { return y.Iteration > iterations[y.Job] })
	return s
}
