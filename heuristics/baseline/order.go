package baseline

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// byRelease is the order of a queue: first come, first served.
func (p *problem) byRelease() []instance.JobID {
	return state.OrderBy(len(p.in.Jobs), func(j instance.JobID) float64 { return float64(p.in.Jobs[j].Release) })
}

// byDeadline puts jobs with early deadlines first, and those without last.
func (p *problem) byDeadline() []instance.JobID {
	return state.OrderBy(len(p.in.Jobs), func(j instance.JobID) float64 {
		if d := p.in.Jobs[j].Deadline; d > 0 {
			return float64(d)
		}
		return float64(state.Never)
	})
}

// orders returns the orders used by list schedulers: area, width and length, both
// together, and with weights Smith's ratio, of area and of length.
func (p *problem) orders() [][]instance.JobID {
	in := p.in
	width := func(j instance.JobID) float64 { return float64(in.Jobs[j].Workers) / float64(len(in.GPUs)) }
	longest, total := 1.0, 0.0
	for j := range in.Jobs {
		longest = max(longest, float64(p.shortest[j]))
		total += p.area(instance.JobID(j))
	}
	longest = max(longest, total/float64(len(in.GPUs)))
	length := func(j instance.JobID) float64 { return float64(p.shortest[j]) / longest }
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
		list = append(list, state.OrderBy(len(in.Jobs), key))
	}
	return list
}
