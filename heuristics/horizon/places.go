package horizon

import (
	"slices"

	"jigsaw/formulation/instance"
)

// nodesAndTrunks numbers the nodes of a job on some GPUs, and after all nodes the links between switches that it uses. Jobs with one
// in common are planned together.
func nodesAndTrunks(in *instance.Instance, job *instance.Job, home []instance.GPUID) (places []int) {
	nodes := in.NodesOf(home)
	for _, n := range nodes {
		places = append(places, int(n))
	}
	if len(nodes) > 1 {
		span, _ := in.SpanOf(job, home)
		for _, l := range in.Trunks(span.Links()) {
			places = append(places, len(in.Nodes)+int(l))
		}
	}
	return places
}

// meet reports whether two jobs have a place in common.
func meet(j, k []int) bool {
	return slices.ContainsFunc(j, func(at int) bool { return slices.Contains(k, at) })
}

// connected divides jobs into sets that have places in common, directly or through others. places are those of each job, numbered up to most.
func connected(jobs []int, places [][]int, most int) (sets [][]int) {
	joined := instance.NewPartition(most)
	for _, j := range jobs {
		for _, at := range places[j] {
			joined.Join(at, places[j][0])
		}
	}
	of := map[int]int{} // its set by what stands for it, from 1
	for _, j := range jobs {
		root := joined.Of(places[j][0])
		if of[root] == 0 {
			sets = append(sets, nil)
			of[root] = len(sets)
		}
		sets[of[root]-1] = append(sets[of[root]-1], j)
	}
	return sets
}
