package cases

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Assignments lists the sets of GPUs that the job may live on, one of each orbit of the
// permutations of GPUs that keep the decided homes and the GPUs whose tasks have limits.
// GPUs of one node that hold the same decided jobs, without such limits, are alike; so are
// nodes of one rack and pool with alike GPUs, and racks of one class with alike nodes,
// unless racks are [meshed]. ok is false if more than most sets would have to be examined.
func (n *Node) Assignments(in *instance.Instance, j, most int) (list [][]instance.GPUID, ok bool) {
	job := &in.Jobs[j]
	network := relax.NewNetwork(in)
	kinds := n.kinds(in)
	// The first set of an orbit takes, of alike GPUs in a node, the first ones.
	before := make([]instance.GPUID, len(in.GPUs)) // the last one like it; -1: none
	for g := range in.GPUs {
		before[g] = -1
		for o := in.Nodes[in.GPUs[g].Node].FirstGPU; o < instance.GPUID(g); o++ {
			if kinds[o] == kinds[g] {
				before[g] = o
			}
		}
	}
	seen := map[string]bool{}
	looked := 0
	var chosen []instance.GPUID
	var choose func(from int) bool
	choose = func(from int) bool {
		if len(chosen) == job.Workers {
			if looked++; looked > most {
				return false
			}
			if key := homeKey(in, network, kinds, chosen); !seen[key] && n.habitable(in, j, chosen) {
				seen[key] = true
				list = append(list, slices.Clone(chosen))
			}
			return true
		}
		for g := from; g+job.Workers-len(chosen) <= len(in.GPUs); g++ {
			if !job.Runs(in.GPUs[g].Type) || before[g] >= 0 && !slices.Contains(chosen, before[g]) {
				continue
			}
			chosen = append(chosen, instance.GPUID(g))
			more := choose(g + 1)
			chosen = chosen[:len(chosen)-1]
			if !more {
				return false
			}
		}
		return true
	}
	return list, choose(0)
}

// kinds numbers the GPUs by what lives on them: those with the same decided jobs are alike.
// A GPU on which a job's tasks have limits of their own is like no other.
func (n *Node) kinds(in *instance.Instance) []int {
	residents := make([]string, len(in.GPUs))
	for j, b := range n.Jobs {
		for w, g := range b.Assignment {
			residents[g] += fmt.Sprint(" ", j)
			if b.Tasks != nil {
				residents[g] += fmt.Sprint(".", w)
			}
		}
	}
	known := map[string]int{}
	kinds := make([]int, len(in.GPUs))
	for g, key := range residents {
		if _, ok := known[key]; !ok {
			known[key] = len(known)
		}
		kinds[g] = known[key]
	}
	return kinds
}

// homeKey is equal for sets of GPUs of one orbit.
func homeKey(in *instance.Instance, network *relax.Network, kinds []int, chosen []instance.GPUID) string {
	racks := make([][]string, len(in.Racks)) // a key of each node
	for i := range in.Nodes {
		var gpus []uint64
		for g := range in.Nodes[i].All() {
			key := 2 * uint64(kinds[g])
			if slices.Contains(chosen, g) {
				key++
			}
			gpus = append(gpus, key)
		}
		slices.Sort(gpus)
		key := binary.AppendUvarint(nil, uint64(network.PoolOf[i])) // which implies how many GPUs follow
		for _, gpu := range gpus {
			key = binary.AppendUvarint(key, gpu)
		}
		r := in.Nodes[i].Rack
		racks[r] = append(racks[r], string(key))
	}
	keys := make([]string, len(racks))
	for r, nodes := range racks {
		slices.Sort(nodes)
		keys[r] = strings.Join(nodes, "") // pools imply the class of the rack
	}
	if !meshed(in) {
		slices.Sort(keys)
	}
	return strings.Join(keys, "")
}

// meshed reports whether trunks join racks in pairs instead of one core switch joining all:
// then the links of a job depend on the racks it lives in, and no two racks are alike.
func meshed(in *instance.Instance) bool {
	return slices.ContainsFunc(in.Links, func(l instance.Link) bool { return l.Kind == instance.Trunk })
}

// habitable reports whether the job may live there: placement limits, links, and the memory
// that decided jobs leave.
func (n *Node) habitable(in *instance.Instance, j int, home []instance.GPUID) bool {
	job := &in.Jobs[j]
	first := in.GPUs[home[0]].Node
	for _, g := range home {
		if !in.MayJoin(job, first, in.GPUs[g].Node) || n.depthsOn(in, j, g) == 0 {
			return false
		}
	}
	_, ok := in.LeastSpan(job, home)
	return ok
}

// depthsOn returns the depths, as bits, for which a GPU has the memory beside the other
// jobs that were decided to live there.
func (n *Node) depthsOn(in *instance.Instance, j int, g instance.GPUID) uint64 {
	t := in.GPUs[g].Type
	free := in.Types[t].Memory
	for other, b := range n.Jobs {
		if other != j && slices.Contains(b.Assignment, g) {
			free -= in.Jobs[other].On[t].Persistent
		}
	}
	costs := in.Jobs[j].On[t]
	set := uint64(0)
	for d := range costs.Time {
		if costs.Persistent+costs.Ephemeral[d] <= free {
			set |= 1 << d
		}
	}
	return set
}
