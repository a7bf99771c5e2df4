package periodic

import (
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// assignJobs gives jobs GPUs of their own, in order, as long as there are enough. Residents are
// by descending weight density. If the context ends, only those that have chosen by then are
// included.
func assignJobs(ctx context.Context, in *instance.Instance, counts [][]int, order []instance.JobID) []*resident {
	once := slices.Repeat([]int64{1}, len(in.Jobs))
	p := placement.NewPlacer(in, placement.Options{Counts: counts, Iterations: once})
	for _, j := range order {
		if ctx.Err() != nil {
			break
		}
		full := in.Jobs[j].Full()
		p.Price(j)
		p.Collect(j, func(g instance.GPUID) bool { return p.Load[g] == 0 && p.Room(j, g, full) >= 0 })
		p.Take(j)
	}
	return residents(in, p.Out, counts)
}

// lightSync estimates the ticks of a synchronisation of job j within the first
// node large enough, or across the first two nodes.
func lightSync(in *instance.Instance, j instance.JobID, counts []int) float64 {
	job := &in.Jobs[j]
	if !job.HasSync() {
		return 0
	}
	parties, rate := 2, in.Capacity(in.Nodes[0].Up)
	for n := range in.Nodes {
		if node := &in.Nodes[n]; job.Runs(node.Type) && node.GPUs >= job.Workers {
			parties, rate = job.Workers, in.Capacity(node.Fabric)
			break
		}
	}
	return float64(in.SyncTicks(job.Volume(counts, parties), rate))
}

// byDensity orders the jobs by descending weight per GPU-tick.
func byDensity(in *instance.Instance, ticks func(instance.JobID) float64) []instance.JobID {
	return state.OrderBy(len(in.Jobs), func(j instance.JobID) float64 { return -float64(in.Jobs[j].Weight) / ticks(j) })
}

// byWork orders the jobs by descending weight per GPU-tick computed.
func byWork(in *instance.Instance, counts [][]int) []instance.JobID {
	return byDensity(in, func(j instance.JobID) float64 {
		job := &in.Jobs[j]
		return float64(job.Workers) * float64(state.LeastOverTypes(job, func(t instance.TypeID) int64 { return int64(state.MeanTime(job, t, counts[j])) }))
	})
}

// byHold orders the jobs by descending weight per GPU-tick for which they keep
// GPUs of their own: until the end of the synchronisation.
func byHold(in *instance.Instance, counts [][]int) []instance.JobID {
	return byDensity(in, func(j instance.JobID) float64 {
		job := &in.Jobs[j]
		return float64(job.Workers) * (float64(job.FastestFull()) + lightSync(in, j, counts[j]))
	})
}

// residents describes the placed jobs for the modulo scheduler, by descending
// density.
func residents(in *instance.Instance, p *placement.Placement, counts [][]int) []*resident {
	room := make([]instance.Bytes, len(in.GPUs)) // left by the jobs there
	for g := range room {
		room[g] = in.Types[in.GPUs[g].Type].Memory
	}
	for j, gpus := range p.GPUs {
		for _, g := range gpus {
			room[g] -= in.Jobs[j].On[in.GPUs[g].Type].Persistent
		}
	}
	var list []*resident
	for _, j := range byWork(in, counts) {
		if len(p.GPUs[j]) == 0 {
			continue
		}
		l := &resident{id: j, job: &in.Jobs[j], gpus: p.GPUs[j], counts: counts[j], span: p.Span[j]}
		for _, g := range l.gpus {
			l.deepest = append(l.deepest, max(0, l.job.On[in.GPUs[g].Type].Deepest(room[g])))
		}
		l.describe(in)
		list = append(list, l)
	}
	return list
}

// describe completes a resident from its GPUs, their span, its multiset and greatest depths.
func (l *resident) describe(in *instance.Instance) {
	l.time = make([][]instance.Tick, len(l.gpus))
	for w, g := range l.gpus {
		l.time[w] = l.job.On[in.GPUs[g].Type].Time
		if full := l.job.Full(); l.deepest[w] == full && (l.cycle == 0 || l.time[w][full] < l.cycle) {
			l.cycle = l.time[w][full] // full depth may take the fastest GPU
		}
	}
	if l.syncs = state.AppendSyncLevels(nil, in, l.job, l.counts, &l.span, 0); len(l.syncs) > 0 {
		l.cycle += l.syncs[0].Length
	}
}
