package memory

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/depths"
)

// Components numbers the groups of nodes that can synchronise with each other; -1 is
// a node that can synchronise with none. Routes both ways are an equivalence
// relation.
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

// Multisets lists the multisets that the job's rule allows and in which no worker can become
// shallower, as GPUs by depth: shallow tasks need the least memory. It is false if there are too many
// to enumerate.
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
