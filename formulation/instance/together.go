package instance

import (
	"cmp"
	"slices"
)

// Partition divides the numbers from 0 to n - 1 into sets; NewPartition has each by itself.
type Partition []int

// NewPartition returns n sets.
func NewPartition(n int) Partition { return UpTo[int](n) }

// Of returns the number that stands for the set of i.
func (p Partition) Of(i int) int {
	for p[i] != i {
		p[i] = p[p[i]]
		i = p[i]
	}
	return i
}

// Join makes the sets of i and j one, for which the number stands that stood for that of j.
func (p Partition) Join(i, j int) { p[p.Of(i)] = p.Of(j) }

// Together returns the sets of jobs that share a GPU at the same time, directly or by others, each ascending and in
// order of their first jobs; jobs without residency are in none. from[j] and to[j] are when job j has its GPUs. Pairs belong together whatever they share.
func (s *BlockSchedule) Together(from, to []Tick, pairs [][2]JobID) [][]JobID {
	shared := NewPartition(len(s.Residency))
	for _, p := range pairs {
		shared.Join(int(p[0]), int(p[1]))
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
				shared.Join(int(j), int(last))
			}
			if to[j] > to[last] {
				last = j
			}
		}
	}
	at := map[int]int{}
	var sets [][]JobID
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
		sets[n] = append(sets[n], JobID(j))
	}
	return sets
}
