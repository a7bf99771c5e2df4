// Package repair carries a schedule over to what is left of its cluster: jobs stay where they
// can, and everything happens in the order in which it was planned. It searches for nothing,
// so that it answers at once; whoever has time plans anew from what it gives.
package repair

import (
	"cmp"
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// Result is a schedule carried over.
type Result struct {
	Schedule *instance.Schedule
	// Moved are the jobs that had to move, ascending.
	Moved []instance.JobID
}

// Repair carries over a schedule that runs once to an instance of the same jobs. gpu says
// what became of a GPU of the old cluster; of one that is lost it returns false. A job moves if
// it lost a GPU, or its GPUs have no routes between them any more. It fails where there is no
// room for a job that must move. Deadlines may be missed: [instance.Check] tells.
func Repair(in *instance.Instance, old *instance.Schedule, gpu func(instance.GPUID) (instance.GPUID, bool)) (*Result, error) {
	r := &repairer{
		in: in, old: old, homes: make([][]instance.GPUID, len(in.Jobs)), spans: make([]instance.Span, len(in.Jobs)),
		persistent: make([]instance.Bytes, len(in.GPUs)), ephemeral: make([]instance.Bytes, len(in.GPUs)), load: make([]instance.Tick, len(in.GPUs)),
		deepest: make([]int, len(in.Jobs)),
	}
	tasks := make([][]instance.Task, len(in.Jobs))
	for _, t := range old.Tasks {
		tasks[t.Job] = append(tasks[t.Job], t)
		r.deepest[t.Job] = max(r.deepest[t.Job], t.Depth)
	}
	out := &Result{}
	for j := range in.Jobs {
		if !r.stay(instance.JobID(j), tasks[j], gpu) {
			out.Moved = append(out.Moved, instance.JobID(j))
		}
	}
	// Jobs of much work choose first.
	work := func(j instance.JobID) int64 { return int64(in.Jobs[j].Workers) * int64(len(tasks[j])) }
	order := slices.Clone(out.Moved)
	slices.SortStableFunc(order, func(a, b instance.JobID) int { return cmp.Compare(work(b), work(a)) })
	for _, j := range order {
		if !r.move(j, tasks[j]) {
			return nil, fmt.Errorf("repair: job %q has nowhere to go beside the jobs that stay", in.Jobs[j].Name)
		}
	}
	out.Schedule = r.decode()
	return out, nil
}

type repairer struct {
	in  *instance.Instance
	old *instance.Schedule

	homes                 [][]instance.GPUID // ascending
	spans                 []instance.Span
	persistent, ephemeral []instance.Bytes // per GPU
	load                  []instance.Tick  // per GPU: ticks of tasks
	deepest               []int            // per job: depth of any of its tasks
}

// stay settles a job where it was, if it can.
func (r *repairer) stay(j instance.JobID, tasks []instance.Task, gpu func(instance.GPUID) (instance.GPUID, bool)) bool {
	home := make([]instance.GPUID, 0, len(r.old.Residency[j]))
	for _, g := range r.old.Residency[j] {
		now, ok := gpu(g)
		if !ok {
			return false
		}
		home = append(home, now)
	}
	slices.Sort(home)
	span, ok := r.in.SpanOf(&r.in.Jobs[j], home)
	if ok {
		r.settle(j, tasks, home, span)
	}
	return ok
}

// settle gives a job its GPUs, worker by worker in their order.
func (r *repairer) settle(j instance.JobID, tasks []instance.Task, home []instance.GPUID, span instance.Span) {
	r.homes[j], r.spans[j] = home, span
	for _, t := range tasks {
		g := r.gpuOf(t)
		costs := r.in.Jobs[j].On[r.in.GPUs[g].Type]
		r.ephemeral[g] = max(r.ephemeral[g], costs.Ephemeral[t.Depth])
		r.load[g] += costs.Time[t.Depth]
	}
	for _, g := range home {
		r.persistent[g] += r.in.Jobs[j].On[r.in.GPUs[g].Type].Persistent
	}
}

// gpuOf is where a task of the old schedule runs now.
func (r *repairer) gpuOf(t instance.Task) instance.GPUID {
	at, _ := slices.BinarySearch(r.old.Residency[t.Job], t.GPU)
	return r.homes[t.Job][at]
}

// fits reports whether GPU g has room for any task of the job.
func (r *repairer) fits(j instance.JobID, g instance.GPUID) bool {
	t := r.in.GPUs[g].Type
	costs := r.in.Jobs[j].On[t]
	return costs != nil && r.persistent[g]+costs.Persistent+max(r.ephemeral[g], slices.Max(costs.Ephemeral[:r.deepest[j]+1])) <= r.in.Types[t].Memory
}

// move finds the job new GPUs: of those of one node, one rack, and all racks that
// have routes between them, the least loaded ones, whichever group is done soonest with it.
func (r *repairer) move(j instance.JobID, tasks []instance.Task) bool {
	in, job := r.in, &r.in.Jobs[j]
	var best []instance.GPUID
	var bestSpan instance.Span
	bestEnd := instance.Tick(0)
	try := func(nodes []instance.NodeID) {
		var room []instance.GPUID
		for _, n := range nodes {
			node := &in.Nodes[n]
			for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
				if r.fits(j, g) {
					room = append(room, g)
				}
			}
		}
		if len(room) < job.Workers {
			return
		}
		slices.SortStableFunc(room, func(a, b instance.GPUID) int { return cmp.Compare(r.load[a], r.load[b]) })
		home := slices.Clone(room[:job.Workers])
		slices.Sort(home)
		span, ok := in.SpanOf(job, home)
		if !ok {
			return
		}
		longest, busiest := instance.Tick(0), instance.Tick(0)
		for _, g := range home {
			longest = max(longest, job.On[in.GPUs[g].Type].Time[r.deepest[j]])
			busiest = max(busiest, r.load[g])
		}
		if job.HasSync() {
			full := make([]int, len(job.Depths))
			full[job.Full()] = job.Workers
			longest += in.SyncTicks(job.Volume(full, span.Parties), span.Rate(in.RateLevels[0]))
		}
		if end := busiest + longest*instance.Tick(job.Iterations); best == nil || end < bestEnd {
			best, bestSpan, bestEnd = home, span, end
		}
	}
	joined := in.JoinedFor(job)
	groups := map[int][]instance.NodeID{}
	for rack := range in.Racks {
		var working []instance.NodeID
		for _, n := range in.Racks[rack].Nodes {
			try([]instance.NodeID{n})
			if node := &in.Nodes[n]; !in.Links[node.Up].Failed && !in.Links[node.Down].Failed && joined[rack] >= 0 {
				working = append(working, n)
			}
		}
		if job.Within != instance.WithinNode {
			try(working)
		}
		groups[joined[rack]] = append(groups[joined[rack]], working...)
	}
	if job.Within == instance.WithinCluster {
		for rack := range in.Racks {
			if joined[rack] == rack {
				try(groups[rack])
			}
		}
	}
	if best == nil {
		return false
	}
	r.settle(j, tasks, best, bestSpan)
	return true
}
