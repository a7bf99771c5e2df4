package horizon

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// copies plans a part of the jobs on a part of the nodes such that several copies of the part make up the whole, and
// repeats its plan: eight identical racks with eight times the jobs of one are planned as one. nil: there is no such
// part, or no plan of it.
func (c Config) copies(ctx context.Context, in *instance.Instance, rng *rand.Rand) *instance.BlockSchedule {
	if slices.Contains(pattern.Strays(in), true) {
		return nil // copies would have links in common
	}
	classes := in.Classes()
	most := len(in.Nodes)
	for _, class := range classes {
		most = min(most, len(class))
	}
	if in.Objective != instance.Makespan {
		c.Improved = nil // it would be called with the value of a part
	}
	for times := most; times > 1; times-- {
		if slices.ContainsFunc(classes, func(class []instance.JobID) bool { return len(class)%times != 0 }) {
			continue
		}
		nodes := apportion(in, times)
		if nodes == nil {
			continue
		}
		jobs := make([][]instance.JobID, times) // class by class
		for _, class := range classes {
			for n := range jobs {
				each := len(class) / times
				jobs[n] = append(jobs[n], class[n*each:(n+1)*each]...)
			}
		}
		part := in.Part(slices.Sorted(slices.Values(jobs[0])), nodes[0], nil)
		s, err := c.Cells(ctx, part.Instance, rng)
		if err != nil {
			continue
		}
		at := make([]int, len(part.Jobs)) // positions of a job of the part in a list of jobs
		for n, j := range part.JobsOf {
			at[n] = slices.Index(jobs[0], j)
		}
		plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
		for n := range times {
			gpus := in.GPUsOn(nodes[n])
			for j, home := range s.Residency {
				plan.Residency[jobs[n][at[j]]] = state.Pick(gpus, home)
			}
			for _, b := range s.Blocks {
				plan.Blocks = append(plan.Blocks, pattern.Renumbered(b, func(j instance.JobID) instance.JobID { return jobs[n][at[j]] }, pattern.Through(gpus)))
			}
		}
		plan.Sort()
		return plan
	}
	return nil
}

// apportion returns the given number of lists of nodes that are identical one by one and together contain all nodes:
// whole racks or, if these do not divide evenly, an equal part of every rack. nil if neither divides.
func apportion(in *instance.Instance, times int) [][]instance.NodeID {
	kinds := symmetry.Kinds(in)
	like := func(nodes []instance.NodeID) string {
		var keys []string
		for n, id := range nodes {
			if n > 0 && in.Nodes[id].Rack != in.Nodes[nodes[n-1]].Rack {
				keys = append(keys, "next rack")
			}
			keys = append(keys, strconv.Itoa(kinds[id]))
		}
		return strings.Join(keys, ", ")
	}
	var racks, single [][]instance.NodeID
	for _, rack := range in.Racks {
		racks = append(racks, rack.Nodes)
		for _, n := range rack.Nodes {
			single = append(single, []instance.NodeID{n})
		}
	}
	for which, lots := range [][][]instance.NodeID{racks, single} {
		group := make([]string, len(lots))
		count, seen := map[string]int{}, map[string]int{}
		for n, lot := range lots {
			group[n] = like(lot)
			if which == 1 {
				group[n] += in.Racks[in.Nodes[lot[0]].Rack].Name
			}
			count[group[n]]++
		}
		lists := make([][]instance.NodeID, times)
		divides := true
		for n, lot := range lots {
			g := group[n]
			divides = divides && count[g]%times == 0
			to := seen[g] * times / count[g]
			lists[to] = append(lists[to], lot...)
			seen[g]++
		}
		for n := range lists {
			slices.Sort(lists[n])
			divides = divides && like(lists[n]) == like(lists[0])
		}
		if divides {
			return lists
		}
	}
	return nil
}
