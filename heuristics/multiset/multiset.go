// Package multiset chooses depth multisets: counts[d] workers at each allowed depth d
// of a job, summing to its k workers, that meet the job's rule. The heuristics fix one
// multiset per job and use it in every iteration; which GPU takes which depth may change.
package multiset

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/depths"
)

// searchBudget limits the search of [Cheapest]: partial multisets examined.
// With four depths it is exact for up to about 600 workers.
const searchBudget = 200_000

// Cheapest returns the multiset of least total task time on GPU type t that
// meets the job's rule; the job must run on t. A fixed rule has only one
// multiset. For a free rule the result is the exact minimum unless the job is
// so large that [searchBudget] cuts the search short; then it is the best
// mixture found. The GPUs of a worker have one depth. The caller must not
// change the slice.
func Cheapest(j *instance.Job, t instance.TypeID) []int {
	if j.Rule.Fixed != nil {
		return j.Rule.Fixed
	}
	costs := make([]int64, len(j.Depths))
	for d, p := range j.On[t].Time {
		costs[d] = int64(p)
	}
	counts := cheapestBy(j.OneGPUEach(), costs)
	for d := range counts {
		counts[d] *= j.Group()
	}
	return counts
}

// cheapestBy minimises the sum of cost[d] over the workers, for costs that do
// not decrease with depth. MinFull workers are full; the others are a knapsack
// cover: enumerate how many take each deeper depth, deepest first, and mix the
// two shallowest depths in closed form.
func cheapestBy(j *instance.Job, cost []int64) []int {
	full := j.Full()
	counts := make([]int, full+1)
	counts[full] = j.Rule.MinFull
	s := search{
		job: j, cost: cost, counts: counts, budget: searchBudget,
		best: make([]int, full+1),
	}
	// All at full depth always meets the rule.
	s.best[full] = j.Workers
	s.bestCost = int64(j.Workers) * cost[full]
	rest := j.Workers - j.Rule.MinFull
	need := j.Rule.MinShare - int64(j.Rule.MinFull)*j.Depths[full].Share
	// Mixtures of two depths first: they are near the optimum, so that the result
	// of a search cut short is still good.
	for a := range counts {
		for b := a; b <= full; b++ {
			s.mix(a, b, rest, need, int64(j.Rule.MinFull)*cost[full])
		}
	}
	s.walk(full, rest, need, int64(j.Rule.MinFull)*cost[full])
	return s.best
}

type search struct {
	job      *instance.Job
	cost     []int64
	counts   []int
	best     []int
	bestCost int64
	budget   int
}

// mix completes the counts with rest workers at depths a <= b, as few at b as
// the share still needed permits, and keeps the result if it is the cheapest.
func (s *search) mix(a, b, rest int, need, cost int64) {
	atA, atB := s.job.Depths[a].Share, s.job.Depths[b].Share
	n := 0
	if lack := need - int64(rest)*atA; lack > 0 {
		if atB == atA {
			return
		}
		n = int((lack + atB - atA - 1) / (atB - atA))
		if n > rest {
			return
		}
	}
	cost += int64(n)*s.cost[b] + int64(rest-n)*s.cost[a]
	if cost >= s.bestCost {
		return
	}
	s.bestCost = cost
	copy(s.best, s.counts)
	s.best[a] += rest - n
	s.best[b] += n
}

// walk chooses how many of the rest workers take depth d, and recurses.
func (s *search) walk(d, rest int, need, cost int64) {
	if s.budget--; s.budget < 0 || cost+int64(rest)*s.cost[0] >= s.bestCost {
		return
	}
	if d <= 1 {
		s.mix(0, d, rest, need, cost)
		return
	}
	share := s.job.Depths[d].Share
	for n := 0; n <= rest && s.budget >= 0; n++ {
		// The others can reach at most the share of depth d-1 each.
		if left := need - int64(n)*share; left <= int64(rest-n)*s.job.Depths[d-1].Share {
			s.counts[d] += n
			s.walk(d-1, rest-n, left, cost+int64(n)*s.cost[d])
			s.counts[d] -= n
		}
	}
}

// Choices returns the multisets worth trying for a job on GPU type t, each
// once: the cheapest by task time, the one that moves (nearly) the fewest bytes
// per synchronisation among the given number of parties, and the ladder-like
// even spread if it meets the rule. Fixed rules have one. The caller must not
// change the slices.
func Choices(j *instance.Job, t instance.TypeID) [][]int {
	list := [][]int{Cheapest(j, t)}
	if j.Rule.Fixed != nil {
		return list
	}
	add := func(counts []int) {
		for _, other := range list {
			if slices.Equal(other, counts) {
				return
			}
		}
		if j.Allows(counts) {
			list = append(list, counts)
		}
	}
	// Bytes contributed do not decrease with depth and are used instead of the
	// volume.
	bytes := make([]int64, len(j.Depths))
	memory := make([]int64, len(j.Depths))
	sum := int64(0)
	for d, b := range j.SegmentBytes {
		sum += int64(b)
		bytes[d] = sum
		memory[d] = int64(j.On[t].Ephemeral[d])
	}
	add(cheapestBy(j, bytes))
	add(cheapestBy(j, memory))
	even := make([]int, len(j.Depths))
	even[j.Full()] = j.Rule.MinFull
	for i := range j.Workers - j.Rule.MinFull {
		even[i*len(even)/max(1, j.Workers-j.Rule.MinFull)]++
	}
	add(even)
	return list
}

// Limits of [Minimal]: multisets examined, and returned.
const (
	minimalBudget = 3000
	mostMinimal   = 32
)

// Minimal returns multisets in which no worker can be any shallower: all of them or, if
// there are many, some of each kind from even to uneven ones. There are none for a fixed
// rule, nor if there are so many workers and depths that [minimalBudget] is exhausted first.
func Minimal(j *instance.Job) [][]int {
	if j.Rule.Fixed != nil {
		return nil
	}
	list, ok := depths.Minimal(j, minimalBudget, minimalBudget)
	if !ok {
		return nil
	}
	most := min(mostMinimal, len(list))
	for n := range most {
		list[n] = list[n*len(list)/most]
	}
	return list[:most]
}

// Deal gives the depths of a multiset to workers, the deepest to the first of order: depths[n] is that of worker n.
func Deal(counts, order []int) (depths []int) {
	depths = make([]int, len(order))
	for d, n := range slices.Backward(counts) {
		for range n {
			depths[order[0]], order = d, order[1:]
		}
	}
	return depths
}

// Fits reports whether workers of which each may be at most so deep can have the depths of a multiset.
func Fits(counts, deepest []int) bool {
	deep := 0 // workers at depth d or deeper
	for d := len(counts) - 1; d >= 0; d-- {
		able := 0
		for _, most := range deepest {
			if most >= d {
				able++
			}
		}
		if deep += counts[d]; able < deep {
			return false
		}
	}
	return true
}
