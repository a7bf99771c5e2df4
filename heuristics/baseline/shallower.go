package baseline

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Shallower returns a plan of in.FullDepth at the depths that the rules of in require: every iteration has the
// cheapest multiset, and tasks and synchronisations, none of which gets longer, start as before. If rules require
// certain depths, full depth violates them, and the plan would not be valid for in.
func Shallower(in *instance.Instance, plan *instance.BlockSchedule) *instance.BlockSchedule {
	counts := state.CheapestMultisets(in)
	depths := make([][]int, len(in.Jobs))            // by GPU of the job
	syncs := make([][]state.SyncLevel, len(in.Jobs)) // by rate level
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for d, n := range counts[j] {
			depths[j] = append(depths[j], slices.Repeat([]int{d}, n)...)
		}
		if span, ok := in.SpanOf(job, plan.Residency[j]); ok && len(plan.Residency[j]) > 0 { // plans that repeat may leave jobs out
			syncs[j] = state.AppendSyncLevels(nil, in, job, counts[j], &span, 0)
		}
	}
	shallow := &instance.BlockSchedule{Residency: plan.Residency}
	for _, b := range plan.Blocks {
		b.Tasks, b.Syncs = slices.Clone(b.Tasks), slices.Clone(b.Syncs)
		for n := range b.Tasks {
			t := &b.Tasks[n]
			at, _ := slices.BinarySearch(plan.Residency[t.Job], t.GPU)
			t.Depth = depths[t.Job][at]
			t.End = t.Start + in.Jobs[t.Job].On[in.GPUs[t.GPU].Type].Time[t.Depth]
		}
		for n := range b.Syncs {
			y := &b.Syncs[n]
			y.End = y.Start + syncs[y.Job][slices.Index(in.RateLevels, y.Rate)].Length
		}
		shallow.Blocks = append(shallow.Blocks, b)
	}
	return shallow
}
