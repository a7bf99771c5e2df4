package tree

import (
	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"slices"
)

// allows reports whether a plan of the job meets the limits of the node.
func allows(b *cases.JobLimits, p *columns.Plan) bool {
	if !slices.Equal(b.Assignment, p.Assignment) {
		return false
	}
	for i, end := range p.Ends {
		if !b.Ends[i].Holds(end) {
			return false
		}
	}
	for i := range b.Tasks {
		for w, limit := range b.Tasks[i] {
			if !limit.Holds(p.Tasks[i][w].Start) {
				return false
			}
		}
	}
	for i, limit := range b.Syncs {
		if !limit.Holds(p.Syncs[i].Start) {
			return false
		}
	}
	return true
}

// settled reports whether all jobs have homes, and no other limits.
func settled(n *cases.Node) bool {
	return n.Decided() && !n.Single && !slices.ContainsFunc(n.Jobs, func(b *cases.JobLimits) bool {
		return b.Tasks != nil || b.Syncs != nil || slices.ContainsFunc(b.Ends, func(i relax.Interval) bool { return i != cases.AnyTime })
	})
}
