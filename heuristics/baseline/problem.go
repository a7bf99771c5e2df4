package baseline

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// problem is the part of an instance that matters to whole jobs on GPUs of their own.
type problem struct {
	in *instance.Instance
	// counts[j] is the depth multiset of every iteration of job j: the cheapest of its rule.
	counts [][]int
	// kind of every node: nodes of a kind have GPUs of one type and equal fabrics, so that a
	// job is equally fast on each.
	kind   []int
	kinds  []instance.NodeID // one node of each
	inside [][]instance.Tick // per job and kind: its length on one such node; 0 if it cannot run there
	// shortest is, per job, its least length on one node or, if it is wider than that, without
	// synchronisations.
	shortest []instance.Tick
	// alike: a job is equally fast on all GPUs, and memory and links never bind.
	alike bool
	// memory may bind.
	memory bool
	scopes map[where][][]instance.NodeID
	// nearest: no job is faster on several nodes than on one.
	nearest bool
}

// where is what determines the nodes over which a job may be spread.
type where struct {
	policy int
	within instance.Within
}

// spreads are the sets of nodes that job j may be spread over: those of each rack, and of racks
// with routes between them.
func (p *problem) spreads(j instance.JobID) [][]instance.NodeID {
	job := &p.in.Jobs[j]
	return p.scopes[where{job.Policy, job.Within}]
}

func newProblem(in *instance.Instance) *problem {
	p := &problem{in: in, counts: state.CheapestMultisets(in), nearest: true, scopes: map[where][][]instance.NodeID{}}
	type kind struct {
		t      instance.TypeID
		fabric instance.BitRate
		failed bool
	}
	index := map[kind]int{}
	for n := range in.Nodes {
		node := &in.Nodes[n]
		fabric := in.Links[node.Fabric]
		k := kind{node.Type, fabric.Capacity, fabric.Failed}
		at, ok := index[k]
		if !ok {
			at = len(p.kinds)
			index[k] = at
			p.kinds = append(p.kinds, instance.NodeID(n))
		}
		p.kind = append(p.kind, at)
		p.nearest = p.nearest && fabric.Capacity >= in.Links[node.Up].Capacity && !fabric.Failed
	}
	p.inside, p.shortest = make([][]instance.Tick, len(in.Jobs)), make([]instance.Tick, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		lengths := make([]instance.Tick, len(p.kinds))
		for k, n := range p.kinds {
			span, ok := instance.Span{Parties: 1}, true
			if job.HasSync() {
				span, ok = in.SpanNodesOf(job, []instance.NodeID{n}, job.Workers)
			}
			if t := in.Nodes[n].Type; ok && job.Runs(t) {
				lengths[k] = p.length(class[0], job.On[t].Time[p.deepest(class[0])], &span)
			}
		}
		for _, j := range class {
			p.inside[j], p.shortest[j] = lengths, p.least(job, class[0], lengths)
		}
		if at := (where{job.Policy, job.Within}); p.scopes[at] == nil && job.Workers > 1 && job.Within != instance.WithinNode {
			racks, groups := in.Scopes(job)
			if job.Within == instance.WithinCluster && len(racks) > 1 {
				racks = append(racks, groups...)
			}
			p.scopes[at] = racks
		}
	}
	p.memory = state.MayLackMemory(in)
	p.alike = p.areAlike()
	return p
}

// deepest returns the deepest depth that job j runs at.
func (p *problem) deepest(j instance.JobID) int {
	d := len(p.counts[j]) - 1
	for p.counts[j][d] == 0 {
		d--
	}
	return d
}

// length returns the length of job j if its longest tasks take the given time and its
// synchronisations never wait.
func (p *problem) length(j instance.JobID, task instance.Tick, span *instance.Span) instance.Tick {
	return instance.Tick(p.in.Jobs[j].Iterations) * (task + state.FullSync(p.in, &p.in.Jobs[j], p.counts[j], span))
}

func (p *problem) areAlike() bool {
	in := p.in
	if p.memory || len(p.kinds) > 1 || slices.ContainsFunc(in.Links, func(l instance.Link) bool { return l.Failed }) {
		return false
	}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		if job.Group() > 1 && len(in.Nodes) > 1 || job.Within == instance.WithinNode && len(in.Nodes) > 1 || job.Within == instance.WithinRack && len(in.Racks) > 1 {
			return false
		}
		if job.HasSync() && (in.Latency > 0 || slices.ContainsFunc(job.SegmentBytes, func(b instance.Bytes) bool { return b > 0 })) {
			return false
		}
	}
	return true
}

// area returns the least GPU-ticks that job j takes.
func (p *problem) area(j instance.JobID) float64 {
	return float64(p.in.Jobs[j].Workers) * float64(p.shortest[j])
}

// least returns the shortest length of job j on one node of any kind.
func (p *problem) least(job *instance.Job, j instance.JobID, inside []instance.Tick) instance.Tick {
	least := instance.Tick(0)
	for k, n := range p.kinds {
		l := inside[k]
		if job.Workers > p.in.Nodes[n].GPUs && job.Runs(p.in.Nodes[n].Type) {
			l = instance.Tick(job.Iterations) * job.On[p.in.Nodes[n].Type].Time[p.deepest(j)]
		}
		if l > 0 && (least == 0 || l < least) {
			least = l
		}
	}
	return max(least, 1)
}

// deal returns the depth of the task on each of the GPUs: the deepest go to the fastest,
// so that iterations are as short as the multiset permits.
func (p *problem) deal(j instance.JobID, gpus []instance.GPUID) []int {
	order := instance.UpTo[int](len(gpus))
	job := &p.in.Jobs[j]
	full := func(n int) instance.Tick { return job.On[p.in.GPUs[gpus[n]].Type].Time[job.Full()] }
	slices.SortStableFunc(order, func(a, b int) int { return int(full(a) - full(b)) })
	return multiset.Deal(p.counts[j], order)
}
