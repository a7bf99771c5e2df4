package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// residencyTable makes the assignments of an instance.
type residencyTable struct {
	in *instance.Instance
	// twin[l]: link l can be left out, for it is the way down to a node that
	// can carry as much as the way up, and every ring goes both.
	twin []bool
}

func newResidencyTable(in *instance.Instance) *residencyTable {
	a := &residencyTable{in: in, twin: make([]bool, len(in.Links))}
	for n := range in.Nodes {
		node := &in.Nodes[n]
		a.twin[node.Down] = in.Capacity(node.Down) == in.Capacity(node.Up)
	}
	return a
}

// assignment is where a job lives, and what that means for it. It is not changed
// once it is made.
type assignment struct {
	gpus    []instance.GPUID   // by worker
	time    [][]instance.Tick  // by worker and depth
	parties int                // of synchronisations
	rate    []instance.Rate    // of synchronisations, by level
	uses    []instance.LinkUse // by synchronisations, of links that may bind
}

// assignment returns that of job j on the given GPUs, by worker; nil where its
// limits or the network rule them out.
func (a *residencyTable) assignment(j int32, gpus []instance.GPUID) *assignment {
	in, job := a.in, &a.in.Jobs[j]
	residency := &assignment{gpus: gpus}
	first := in.GPUs[gpus[0]].Node
	for w, g := range gpus {
		node := in.GPUs[g].Node
		if !job.Runs(in.GPUs[g].Type) || slices.Contains(gpus[:w], g) || job.Within == instance.WithinNode && node != first ||
			job.Within == instance.WithinRack && in.Nodes[node].Rack != in.Nodes[first].Rack {
			return nil
		}
		residency.time = append(residency.time, job.On[in.GPUs[g].Type].Time)
	}
	if !job.HasSync() {
		return residency
	}
	span, ok := in.SpanOf(job, gpus)
	if !ok {
		return nil
	}
	residency.parties = span.Parties
	for _, level := range in.RateLevels {
		residency.rate = append(residency.rate, span.Rate(level))
	}
	for _, u := range span.Uses {
		if !a.twin[u.Link] {
			residency.uses = append(residency.uses, u)
		}
	}
	return residency
}
