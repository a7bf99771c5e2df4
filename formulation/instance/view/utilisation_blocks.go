package view

import (
	"iter"

	"jigsaw/formulation/instance"
)

// UtilisationOfBlocks is [Utilisation] of a plan in blocks, which it does not write out, or of a plan of one block that repeats with a period;
// 0: it runs once. The peaks of links are left out. The plan must be valid.
func UtilisationOfBlocks(in *instance.Instance, s *instance.BlockSchedule, period instance.Tick) *Usage {
	u := &Usage{Span: period, GPUs: make([]GPUUsage, len(in.GPUs)), Links: make([]LinkUsage, len(in.Links))}
	var first, ends []instance.Tick
	if period == 0 {
		u.Span = s.Makespan(in)
		if in.Queues() {
			first, ends = s.Spans(in)
		}
	}
	bytes := make([]float64, len(in.Links))
	for i := range s.Blocks {
		b := &s.Blocks[i]
		for _, t := range b.Tasks {
			u.GPUs[t.GPU].Busy += (t.End - t.Start) * instance.Tick(b.Repeats)
		}
		carry(in, s.Residency, b, bytes)
	}
	for g, stays := range staysOf(in, s.Residency, first, ends, tasksOfBlocks(s)) {
		u.GPUs[g].Memory = peak(stays)
		u.GPUs[g].Share = float64(u.GPUs[g].Busy) / float64(max(1, u.Span))
	}
	for l := range u.Links {
		u.Links[l].Bytes = instance.Bytes(min(bytes[l], 1<<62))
		if c := in.Links[l].Capacity; c > 0 {
			u.Links[l].Share = bytes[l] * 8e6 / (float64(c) * float64(max(1, u.Span)) * float64(in.TickUS))
		}
	}
	return u
}

// tasksOfBlocks yields the tasks of all patterns, once each.
func tasksOfBlocks(s *instance.BlockSchedule) iter.Seq[instance.Task] {
	return func(yield func(instance.Task) bool) {
		for i := range s.Blocks {
			for _, t := range s.Blocks[i].Tasks {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// carry adds what the synchronisations of a block move, by link.
func carry(in *instance.Instance, residency [][]instance.GPUID, b *instance.Block, bytes []float64) {
	if len(b.Syncs) == 0 {
		return
	}
	type iteration struct {
		job instance.JobID
		of  int
	}
	depths := map[iteration][]int{}
	for _, t := range b.Tasks {
		key := iteration{t.Job, t.Iteration}
		if depths[key] == nil {
			depths[key] = make([]int, len(in.Jobs[t.Job].Depths))
		}
		depths[key][t.Depth]++
	}
	spans := map[instance.JobID]instance.Span{}
	for _, y := range b.Syncs {
		job := &in.Jobs[y.Job]
		span, ok := spans[y.Job]
		if !ok {
			span, _ = in.SpanOf(job, residency[y.Job])
			spans[y.Job] = span
		}
		volume := float64(job.Volume(depths[iteration{y.Job, y.Iteration}], max(1, span.Parties))) * float64(b.Repeats)
		for _, l := range span.Uses {
			bytes[l.Link] += volume * float64(l.Times)
		}
	}
}
