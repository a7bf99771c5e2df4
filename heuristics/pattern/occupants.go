package pattern

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Occupants are jobs that come to some nodes, whose GPUs are numbered node by node, and leave when they have no
// iterations left.
type Occupants struct {
	Nodes []instance.NodeID
	Jobs  []instance.JobID
	Homes [][]instance.GPUID // of each job; nil: it has not come yet
	Left  []int              // iterations of each job
	Work  []int              // the running jobs, ascending
}

// Step repeats a pattern of the running jobs until one of them ends or until a time, 0: none, and returns the blocks,
// for these numbers of jobs and GPUs, their end and the iterations then left.
func (o *Occupants) Step(p *Pattern, jobs []instance.JobID, gpus []instance.GPUID, from, until instance.Tick) (blocks []instance.Block, now instance.Tick, left []int) {
	at := state.Pick(o.Work, p.At)
	some := state.Pick(o.Left, at)
	blocks, now = p.Phase(state.Pick(jobs, at), gpus, some, from, until)
	left = slices.Clone(o.Left)
	for i, n := range at {
		left[n] = some[i]
	}
	return blocks, now, left
}
