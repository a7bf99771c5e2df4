package memory

import "jigsaw/formulation/instance"

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

// mostMultisets limits the multisets of a job that are told apart.
const mostMultisets = 256

// Multisets lists the multisets that the job's rule allows and from which no worker
// can be made shallower, shallow ones need least memory. It is false where there are
// too many.
func Multisets(j *instance.Job) ([][]int, bool) {
	if j.Rule.Fixed != nil {
		return [][]int{j.Rule.Fixed}, true
	}
	full := j.Full()
	counts := make([]int, full+1)
	var list [][]int
	tried := 0
	var walk func(d, left int) bool
	walk = func(d, left int) bool {
		if tried++; tried > 1<<16 {
			return false
		}
		if d == full {
			counts[full] = left
			if !j.Allows(counts) {
				return true
			}
			for s := 1; s <= full; s++ { // one worker shallower
				if counts[s] == 0 {
					continue
				}
				counts[s]--
				counts[s-1]++
				shallower := j.Allows(counts)
				counts[s]++
				counts[s-1]--
				if shallower {
					return true
				}
			}
			list = append(list, append([]int(nil), counts...))
			return len(list) <= mostMultisets
		}
		for n := left; n >= 0; n-- {
			counts[d] = n
			if !walk(d+1, left-n) {
				return false
			}
		}
		counts[d] = 0
		return true
	}
	if !walk(0, j.Workers) {
		return list, false
	}
	return list, true
}
