package exchange

import (
	"slices"

	"jigsaw/formulation/instance"
)

// group is some nodes with all jobs that live on any of them.
type group struct {
	nodes []instance.NodeID
	jobs  []instance.JobID
	// trunks that synchronisations of the jobs use.
	trunks []instance.LinkID
	gpus   int
	end    instance.Tick // of the last job
}

// groupsOf returns the smallest groups into which a schedule falls apart: no
// two have a job, a node or a trunk in common. So each can be rescheduled
// independently of the others.
func groupsOf(in *instance.Instance, s *instance.Schedule) []group {
	// Nodes, and links after them, are joined if a job uses both.
	nodes := len(in.Nodes)
	joined := instance.NewPartition(nodes + len(in.Links))
	trunks := make([]bool, len(in.Links))
	for j, residency := range s.Residency {
		first, last := in.GPUs[residency[0]].Node, in.GPUs[residency[len(residency)-1]].Node
		if first == last {
			continue
		}
		for _, g := range residency {
			joined.Join(int(in.GPUs[g].Node), int(first))
		}
		if in.Nodes[first].Rack == in.Nodes[last].Rack {
			continue
		}
		span, _ := in.SpanOf(&in.Jobs[j], residency)
		for _, l := range in.Trunks(span) {
			joined.Join(nodes+int(l), int(first))
			trunks[l] = true
		}
	}

	var list []group
	index := make([]int, len(joined)) // per root: its group, from 1
	for n := range in.Nodes {
		r := joined.Of(n)
		if index[r] == 0 {
			list = append(list, group{})
			index[r] = len(list)
		}
		g := &list[index[r]-1]
		g.nodes = append(g.nodes, instance.NodeID(n))
		g.gpus += in.Nodes[n].GPUs
	}
	for j, end := range s.Completion(in) {
		g := &list[index[joined.Of(int(in.GPUs[s.Residency[j][0]].Node))]-1]
		g.jobs = append(g.jobs, instance.JobID(j))
		g.end = max(g.end, end)
	}
	for l, used := range trunks {
		if used {
			g := &list[index[joined.Of(nodes+l)]-1]
			g.trunks = append(g.trunks, instance.LinkID(l))
		}
	}
	return list
}

// partOf returns the part of the instance formed by the chosen groups.
func partOf(in *instance.Instance, list []group, chosen []int) *instance.Part {
	var jobs []instance.JobID
	var nodes []instance.NodeID
	var taken []instance.LinkID
	for n := range list {
		if slices.Contains(chosen, n) {
			jobs, nodes = append(jobs, list[n].jobs...), append(nodes, list[n].nodes...)
		} else {
			taken = append(taken, list[n].trunks...)
		}
	}
	slices.Sort(jobs)
	slices.Sort(nodes)
	return in.Part(jobs, nodes, taken)
}
