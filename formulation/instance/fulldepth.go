package instance

import "slices"

// FullDepth returns the instance without structured partial backpropagation:
// a copy in which the rule of every job fixes all its workers at full depth, or
// the receiver where all do already.
// It shares what does not differ with the receiver. Schedules of the
// full-depth baselines are valid for it, whatever the rules of the receiver.
func (in *Instance) FullDepth() *Instance {
	if !slices.ContainsFunc(in.Jobs, func(j Job) bool { return j.Rule.Fixed == nil || j.Rule.Fixed[j.Full()] < j.Workers }) {
		return in
	}
	full := *in
	full.Jobs = slices.Clone(in.Jobs)
	for i := range full.Jobs {
		j := &full.Jobs[i]
		fixed := make([]int, len(j.Depths))
		fixed[j.Full()] = j.Workers
		j.Rule = Rule{Fixed: fixed}
	}
	full.classes = classify(full.Jobs)
	return &full
}
