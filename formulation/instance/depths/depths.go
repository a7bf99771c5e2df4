// Package depths lists the depth multisets of a job that matter: those from which no worker can take
// a shallower depth. Deeper tasks take longer, more memory and larger synchronisations.
package depths

import (
	"slices"

	"jigsaw/formulation/instance"
)

// Minimal lists the multisets, as workers by depth, that the job's rule allows and from which no
// worker can take one depth less, those with the most workers at shallow depths first. ok is false
// where they are more than that, or more multisets than may be tried.
func Minimal(j *instance.Job, most, tries int) (list [][]int, ok bool) {
	if j.Rule.Fixed != nil {
		return [][]int{j.Rule.Fixed}, true
	}
	return list, Each(j.Workers, len(j.Depths), func(counts []int) bool {
		if tries--; tries < 0 {
			return false
		}
		if j.Allows(counts) && !deeper(j, counts) {
			list = append(list, slices.Clone(counts))
		}
		return len(list) <= most
	})
}

// Each calls f with every multiset of depths of so many workers, those with the most at shallow
// depths first, until it returns false; and reports whether it never did.
func Each(workers, depths int, f func(counts []int) bool) bool {
	counts := make([]int, depths)
	var deal func(depth, left int) bool
	deal = func(depth, left int) bool {
		if counts[depth] = left; depth == depths-1 {
			return f(counts)
		}
		for ; counts[depth] >= 0; counts[depth]-- {
			if !deal(depth+1, left-counts[depth]) {
				return false
			}
		}
		return true
	}
	return deal(0, workers)
}

// deeper reports whether a worker could take one depth less.
func deeper(j *instance.Job, counts []int) bool {
	for d := 1; d < len(counts); d++ {
		if counts[d] == 0 {
			continue
		}
		counts[d]--
		counts[d-1]++
		less := j.Allows(counts)
		counts[d]++
		counts[d-1]--
		if less {
			return true
		}
	}
	return false
}
