package instance

import (
	"cmp"
	"slices"
)

// Together returns the sets of jobs that share a GPU at the same time, directly or by others, each ascending and in
// order of their first jobs; jobs without residency are in none. from[j] and to[j] are when job j has its GPUs. Pairs belong together whatever they share.
func (s *BlockSchedule) Together(from, to []Tick, pairs [][2]JobID) [][]JobID {
	parent := UpTo[JobID](len(s.Residency))
	find := func(j JobID) JobID {
		for parent[j] != j {
			parent[j] = parent[parent[j]]
			j = parent[j]
		}
		return j
	}
	for _, p := range pairs {
		parent[find(p[0])] = find(p[1])
	}
	here := map[GPUID][]JobID{}
	for j, gpus := range s.Residency {
		for _, g := range gpus {
			here[g] = append(here[g], JobID(j))
		}
	}
	for _, jobs := range here {
		slices.SortFunc(jobs, func(a, b JobID) int { return cmp.Or(cmp.Compare(from[a], from[b]), cmp.Compare(a, b)) })
		last := jobs[0] // of those so far the one that ends last
		for _, j := range jobs[1:] {
			if from[j] < to[last] {
				parent[find(j)] = find(last)
			}
			if to[j] > to[last] {
				last = j
			}
		}
	}
	at := map[JobID]int{}
	var sets [][]JobID
	for j, gpus := range s.Residency {
		if len(gpus) == 0 {
			continue
		}
		root := find(JobID(j))
		n, ok := at[root]
		if !ok {
			n = len(sets)
			at[root], sets = n, append(sets, nil)
		}
		sets[n] = append(sets[n], JobID(j))
	}
	return sets
}
