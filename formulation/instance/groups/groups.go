// Package groups finds what a schedule falls apart into: groups of nodes that share no job and no link between switches ([Of]),
// and sets of jobs that share no GPU ([Sharing]). Each can be planned, or drawn, without the others.
package groups

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// Group is some nodes with all jobs that live on any of them.
type Group struct {
	Nodes []instance.NodeID
	Jobs  []instance.JobID
	// Trunks that synchronisations of the jobs use.
	Trunks []instance.LinkID
	GPUs   int
	End    instance.Tick // of the last job
}

// Of returns the smallest groups into which a schedule that runs once falls apart: no
// two have a job, a node or a trunk in common. So each can be rescheduled
// independently of the others; see [Part]. They are in the order of their first nodes.
func Of(in *instance.Instance, s *instance.Schedule) []Group {
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
		if in.Nodes[first].Rack == in.Nodes[last].Rack && in.Jobs[j].Policy == 0 {
			continue
		}
		span, _ := in.SpanOf(&in.Jobs[j], residency)
		for _, l := range in.Trunks(span.Links()) {
			joined.Join(nodes+int(l), int(first))
			trunks[l] = true
		}
	}

	var list []Group
	index := make([]int, len(joined)) // per root: its group, from 1
	for n := range in.Nodes {
		r := joined.Of(n)
		if index[r] == 0 {
			list = append(list, Group{})
			index[r] = len(list)
		}
		g := &list[index[r]-1]
		g.Nodes = append(g.Nodes, instance.NodeID(n))
		g.GPUs += in.Nodes[n].GPUs
	}
	for j, end := range s.Completion(in) {
		g := &list[index[joined.Of(int(in.GPUs[s.Residency[j][0]].Node))]-1]
		g.Jobs = append(g.Jobs, instance.JobID(j))
		g.End = max(g.End, end)
	}
	for l, used := range trunks {
		if used {
			g := &list[index[joined.Of(nodes+l)]-1]
			g.Trunks = append(g.Trunks, instance.LinkID(l))
		}
	}
	return list
}

// Part returns the part of the instance formed by the chosen groups of a list. It leaves to others
// the trunks that are taken, and those of the other groups.
func Part(in *instance.Instance, list []Group, taken []instance.LinkID, chosen ...int) *instance.Part {
	var jobs []instance.JobID
	var nodes []instance.NodeID
	taken = slices.Clip(taken)
	for n := range list {
		if slices.Contains(chosen, n) {
			jobs, nodes = append(jobs, list[n].Jobs...), append(nodes, list[n].Nodes...)
		} else {
			taken = append(taken, list[n].Trunks...)
		}
	}
	slices.Sort(jobs)
	slices.Sort(nodes)
	return in.Part(jobs, nodes, taken)
}

// Sharing returns the sets of jobs that share a GPU at the same time, directly or by others, each ascending and in
// order of their first jobs; jobs without residency are in none. from[j] and to[j] are when job j has its GPUs. Pairs belong together whatever they share.
func Sharing(s *instance.BlockSchedule, from, to []instance.Tick, pairs [][2]instance.JobID) [][]instance.JobID {
	shared := instance.NewPartition(len(s.Residency))
	for _, p := range pairs {
		shared.Join(int(p[0]), int(p[1]))
	}
	here := map[instance.GPUID][]instance.JobID{}
	for j, gpus := range s.Residency {
		for _, g := range gpus {
			here[g] = append(here[g], instance.JobID(j))
		}
	}
	for _, jobs := range here {
		slices.SortFunc(jobs, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(from[a], from[b]), cmp.Compare(a, b)) })
		last := jobs[0] // of those so far the one that ends last
		for _, j := range jobs[1:] {
			if from[j] < to[last] {
				shared.Join(int(j), int(last))
			}
			if to[j] > to[last] {
				last = j
			}
		}
	}
	at := map[int]int{}
	var sets [][]instance.JobID
	for j, gpus := range s.Residency {
		if len(gpus) == 0 {
			continue
		}
		root := shared.Of(j)
		n, ok := at[root]
		if !ok {
			n = len(sets)
			at[root], sets = n, append(sets, nil)
		}
		sets[n] = append(sets[n], instance.JobID(j))
	}
	return sets
}
