package memory

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/depths"
)

// Components numbers the groups of nodes that can synchronise with each other; -1 is
// a node that can do so with none. Routes both ways are an equivalence.
func Components(in *instance.Instance) []int {
	of := make([]int, len(in.Nodes))
	var first []instance.NodeID // of each group
	for n := range in.Nodes {
		of[n] = -1
		node := &in.Nodes[n]
		if in.Links[node.Up].Failed || in.Links[node.Down].Failed {
			continue
		}
		for c, other := range first {
			if _, ok := in.SpanNodes([]instance.NodeID{other, instance.NodeID(n)}, 2); ok {
				of[n] = c
				break
			}
		}
		if of[n] < 0 {
			of[n] = len(first)
			first = append(first, instance.NodeID(n))
		}
	}
	return of
}

// Multisets lists the multisets that the job's rule allows and from which no worker
// can be made shallower: shallow ones need least memory. It is false where there are
// too many to be told apart.
func Multisets(j *instance.Job) ([][]int, bool) { return depths.Minimal(j, 256, 1<<16) }
