package baseline

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
)

// orderBy returns the jobs by ascending key, ties by index.
func orderBy(jobs int, key func(instance.JobID) float64) []instance.JobID {
	order := make([]instance.JobID, jobs)
	keys := make([]float64, jobs)
	for j := range order {
		order[j] = instance.JobID(j)
		keys[j] = key(instance.JobID(j))
	}
	slices.SortFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})
	return order
}

// byRelease is the order of a queue: first come, first served.
func (p *problem) byRelease() []instance.JobID {
	return orderBy(len(p.in.Jobs), func(j instance.JobID) float64 { return float64(p.in.Jobs[j].Release) })
}

// byDeadline has jobs with early deadlines first, and those without last.
func (p *problem) byDeadline() []instance.JobID {
	return orderBy(len(p.in.Jobs), func(j instance.JobID) float64 {
		if d := p.in.Jobs[j].Deadline; d > 0 {
			return float64(d)
		}
		return float64(never)
	})
}

// orders that list schedulers sort jobs by: area, width and length, both together, and
// where weights count Smith's ratio, of area and of length.
func (p *problem) orders() [][]instance.JobID {
	in := p.in
	width := func(j instance.JobID) float64 { return float64(in.Jobs[j].Workers) / float64(len(in.GPUs)) }
	longest, total := 1.0, 0.0
	for j := range in.Jobs {
		longest = max(longest, float64(p.shortest(instance.JobID(j))))
		total += p.area(instance.JobID(j))
	}
	longest = max(longest, total/float64(len(in.GPUs)))
	length := func(j instance.JobID) float64 { return float64(p.shortest(j)) / longest }
	weight := func(j instance.JobID) float64 { return float64(in.Jobs[j].Weight) }
	keys := []func(instance.JobID) float64{
		func(j instance.JobID) float64 { return -width(j) * length(j) },
		func(j instance.JobID) float64 { return -length(j) },
		func(j instance.JobID) float64 { return -width(j) - 1e-6*length(j) },
		func(j instance.JobID) float64 { return -width(j) - length(j) },
	}
	if in.Objective == instance.WeightedCompletion {
		keys = []func(instance.JobID) float64{
			func(j instance.JobID) float64 { return width(j) * length(j) / weight(j) },
			func(j instance.JobID) float64 { return length(j) / weight(j) },
			func(j instance.JobID) float64 { return width(j) * length(j) },
			func(j instance.JobID) float64 { return length(j) },
		}
	}
	list := [][]instance.JobID{p.byRelease()}
	if slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }) {
		list = append(list, p.byDeadline())
	}
	for _, key := range keys {
		list = append(list, orderBy(len(in.Jobs), key))
	}
	return list
}

// cheapestCounts returns the multiset of least work of every job on the GPU type where it
// is fastest. Identical jobs share one.
func cheapestCounts(in *instance.Instance) [][]int {
	counts := make([][]int, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		c := multiset.Cheapest(job, fastestType(in, job))
		for _, j := range class {
			counts[j] = c
		}
	}
	return counts
}
