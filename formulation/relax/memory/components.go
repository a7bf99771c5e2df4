package memory

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/depths"
)

// Components numbers the groups of nodes that can synchronise with each other; -1 is
// a node that can do so with none. Routes both ways are an equivalence.
func Components(in *instance.Instance) []int {
	of, joined := make([]int, len(in.Nodes)), in.Joined()
	for n := range in.Nodes {
		node := &in.Nodes[n]
		if of[n] = joined[node.Rack]; in.Links[node.Up].Failed || in.Links[node.Down].Failed {
			of[n] = -1
		}
	}
	return of
}

// Multisets lists the multisets that the job's rule allows and from which no worker
// can be made shallower, as GPUs by depth: shallow ones need least memory. It is false where there are
// too many to be told apart.
func Multisets(j *instance.Job) ([][]int, bool) {
	list, ok := depths.Minimal(j.OneGPUEach(), 256, 1<<16)
	if g := j.Group(); g > 1 {
		for _, counts := range list {
			for d := range counts {
				counts[d] *= g
			}
		}
	}
	return list, ok
}
