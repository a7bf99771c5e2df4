// Package symmetry tells which nodes of a cluster are alike, and gives those of a plan a canonical order.
//
// A plan stays valid, and keeps its value, where nodes of one rack and kind change places, the GPUs of a
// node do, or whole racks that nothing but equal uplinks joins. Searches end in any of these plans; people who
// compare two of them look for a job where it was. So in the canonical order the node of the first job comes first, then that of
// the first job which does not live there, and so on; and likewise GPUs in a node, and racks.
package symmetry

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// Kinds numbers the kinds of nodes, by node: of those of one kind all is the same but names, racks and jobs.
func Kinds(in *instance.Instance) []int {
	type port struct {
		capacity instance.BitRate
		failed   bool
	}
	type kind struct {
		gpu              instance.TypeID
		gpus             int
		up, down, fabric port
	}
	kinds, known := make([]int, len(in.Nodes)), []kind(nil)
	for n := range in.Nodes {
		node := &in.Nodes[n]
		of := func(l instance.LinkID) port { return port{in.Links[l].Capacity, in.Links[l].Failed} }
		k := kind{node.Type, node.GPUs, of(node.Up), of(node.Down), of(node.Fabric)}
		if kinds[n] = slices.Index(known, k); kinds[n] < 0 {
			kinds[n], known = len(known), append(known, k)
		}
	}
	return kinds
}

// Racks groups the racks that are alike, given the kinds of nodes: node by node, with equal uplinks. There are none where
// uplinks differ, nor where routes between racks lead over more than these.
func Racks(in *instance.Instance, kinds []int) (groups [][]int) {
	var uplink *instance.Link
	for l := range in.Links {
		switch link := &in.Links[l]; link.Kind {
		case instance.Trunk:
			return nil
		case instance.RackUp, instance.RackDown:
			if link.Failed || uplink != nil && uplink.Capacity != link.Capacity {
				return nil
			}
			uplink = link
		}
	}
	for r := range in.Racks {
		at := slices.IndexFunc(groups, func(group []int) bool {
			return slices.EqualFunc(in.Racks[group[0]].Nodes, in.Racks[r].Nodes, func(m, n instance.NodeID) bool { return kinds[m] == kinds[n] })
		})
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], r)
	}
	return groups
}

// Canonical returns the plan with its GPUs in canonical order, itself where that is theirs. The order follows from
// where jobs live alone: in [Canonical] and [CanonicalBlocks] it is the same.
func Canonical(in *instance.Instance, s *instance.Schedule) *instance.Schedule {
	to := order(in, s.Residency)
	if to == nil {
		return s
	}
	c := s.Clone()
	for i := range c.Tasks {
		c.Tasks[i].GPU = to[c.Tasks[i].GPU]
	}
	c.Residency = renamed(s.Residency, to)
	slices.SortFunc(c.Tasks, instance.Task.Compare)
	return c
}

// CanonicalBlocks is [Canonical] of a plan in blocks.
func CanonicalBlocks(in *instance.Instance, s *instance.BlockSchedule) *instance.BlockSchedule {
	to := order(in, s.Residency)
	if to == nil {
		return s
	}
	c := &instance.BlockSchedule{Residency: renamed(s.Residency, to), Blocks: slices.Clone(s.Blocks)}
	for b := range c.Blocks {
		tasks := slices.Clone(c.Blocks[b].Tasks)
		for i := range tasks {
			tasks[i].GPU = to[tasks[i].GPU]
		}
		slices.SortFunc(tasks, instance.Task.Compare)
		c.Blocks[b].Tasks = tasks
	}
	return c
}

func renamed(residency [][]instance.GPUID, to []instance.GPUID) [][]instance.GPUID {
	now := make([][]instance.GPUID, len(residency))
	for j, gpus := range residency {
		for _, g := range gpus {
			now[j] = append(now[j], to[g])
		}
		slices.Sort(now[j])
	}
	return now
}

// order says which GPU is to stand for each; nil where every one stands for itself, and where GPUs have
// meaning beyond their symmetry: where jobs are in memory already, and where the order of its GPUs says which of them are a worker.
func order(in *instance.Instance, residency [][]instance.GPUID) []instance.GPUID {
	if in.Resumes() || in.Grouped() {
		return nil
	}
	jobs := make([][]instance.JobID, len(in.GPUs)) // that live on each GPU, ascending
	for j, gpus := range residency {
		for _, g := range gpus {
			jobs[g] = append(jobs[g], instance.JobID(j))
		}
	}
	gpus := make([][]instance.GPUID, len(in.Nodes)) // of each node, in their new order
	for n := range in.Nodes {
		for g := range in.Nodes[n].GPUs {
			g := in.Nodes[n].FirstGPU + instance.GPUID(g)
			gpus[n] = append(gpus[n], g)
		}
		slices.SortStableFunc(gpus[n], func(a, b instance.GPUID) int { return earlier(jobs[a], jobs[b]) })
	}
	byNode := func(a, b instance.NodeID) int {
		return slices.CompareFunc(gpus[a], gpus[b], func(g, h instance.GPUID) int { return earlier(jobs[g], jobs[h]) })
	}

	kinds, nodes := Kinds(in), in.AllNodes() // which node is to stand at the place of each
	for _, rack := range in.Racks {
		sorted := slices.Clone(rack.Nodes)
		slices.SortStableFunc(sorted, byNode)
		for _, n := range rack.Nodes {
			at := slices.IndexFunc(sorted, func(m instance.NodeID) bool { return kinds[m] == kinds[n] })
			nodes[n] = sorted[at]
			sorted = slices.Delete(sorted, at, at+1)
		}
	}
	for _, places := range Racks(in, kinds) {
		sorted, before := slices.Clone(places), slices.Clone(nodes)
		slices.SortStableFunc(sorted, func(a, b int) int {
			return slices.CompareFunc(in.Racks[a].Nodes, in.Racks[b].Nodes, func(m, n instance.NodeID) int { return byNode(nodes[m], nodes[n]) })
		})
		for i, r := range places {
			for at, n := range in.Racks[r].Nodes {
				nodes[n] = before[in.Racks[sorted[i]].Nodes[at]]
			}
		}
	}

	to, same := make([]instance.GPUID, len(in.GPUs)), true
	for place, n := range nodes {
		for i, g := range gpus[n] {
			to[g] = in.Nodes[place].FirstGPU + instance.GPUID(i)
			same = same && to[g] == g
		}
	}
	if same {
		return nil
	}
	return to
}

// earlier compares what lives at two places: by the first job that lives at one of them alone, nobody last.
func earlier(a, b []instance.JobID) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	return slices.Compare(a, b)
}
