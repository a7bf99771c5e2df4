package instance

import "slices"

// FullDepth returns the instance without structured partial backpropagation:
// a copy in which the rule of every job fixes all its workers at full depth, or
// the receiver where all do already.
// It shares what does not differ with the receiver. Schedules of the
// full-depth baselines are valid for it, whatever the rules of the receiver.
func (in *Instance) FullDepth() *Instance {
	workers := make([]int, len(in.Jobs))
	for j := range in.Jobs {
		workers[j] = in.Jobs[j].Workers
	}
	return in.FullDepthOn(workers)
}

// FullDepthOn is [Instance.FullDepth] with workers[j] workers for every job j, at least 1.
func (in *Instance) FullDepthOn(workers []int) *Instance {
	same := true
	for i := range in.Jobs {
		j := &in.Jobs[i]
		same = same && workers[i] == j.Workers && j.Rule.Fixed != nil && j.Rule.Fixed[j.Full()] == j.Workers
	}
	if same {
		return in
	}
	full := *in
	full.Jobs = slices.Clone(in.Jobs)
	for i := range full.Jobs {
		j := &full.Jobs[i]
		j.Workers = workers[i]
		fixed := make([]int, len(j.Depths))
		fixed[j.Full()] = j.Workers
		j.Rule = Rule{Fixed: fixed}
	}
	full.classes = classify(full.Jobs)
	return &full
}
