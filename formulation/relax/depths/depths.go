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
	full := j.Full()
	counts := make([]int, full+1)
	var deal func(depth, left int) bool
	deal = func(depth, left int) bool {
		if depth < full {
			for n := left; n >= 0; n-- {
				counts[depth] = n
				if !deal(depth+1, left-n) {
					return false
				}
			}
			return true
		}
		if tries--; tries < 0 {
			return false
		}
		counts[full] = left
		if !j.Allows(counts) || deeper(j, counts) {
			return true
		}
		list = append(list, slices.Clone(counts))
		return len(list) <= most
	}
	return list, deal(0, j.Workers)
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
