package pattern

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Occupants are jobs that come to some nodes, whose GPUs are numbered node by node, and leave when they have no
// iterations left.
type Occupants struct {
	In    *instance.Instance
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

// Enter assigns GPUs to the jobs, in this order, that are released by a time and find room, and returns them. busy
// grows by the load of each on its GPUs; most is as in [Occupants.room].
func (o *Occupants) Enter(order []int, by instance.Tick, busy []float64, most float64, load func(n int) float64) (came []int) {
	for _, n := range order {
		job := &o.In.Jobs[o.Jobs[n]]
		if o.Homes[n] != nil || job.Release > by {
			continue
		}
		if o.Homes[n] = o.room(job, busy, most); o.Homes[n] == nil {
			continue
		}
		for _, g := range o.Homes[n] {
			busy[g] += load(n)
		}
		came = append(came, n)
	}
	return came
}

// room returns GPUs for a job: the least busy ones, of one node if one has enough, all less busy than most. nil: there
// are none.
func (o *Occupants) room(job *instance.Job, busy []float64, most float64) (best []instance.GPUID) {
	least, first := 0.0, instance.GPUID(0)
	choose := func(gpus []instance.GPUID) {
		if len(gpus) < job.Workers {
			return
		}
		slices.SortStableFunc(gpus, func(a, b instance.GPUID) int { return cmp.Compare(busy[a], busy[b]) })
		sum := 0.0
		for _, g := range gpus[:job.Workers] {
			sum += busy[g]
		}
		if best == nil || sum < least {
			best, least = slices.Sorted(slices.Values(gpus[:job.Workers])), sum
		}
	}
	var all []instance.GPUID
	for _, n := range o.Nodes {
		node := &o.In.Nodes[n]
		var here []instance.GPUID
		for g := first; g < first+instance.GPUID(node.GPUs); g++ {
			if busy[g] < most && o.Fits(job, g, node.Type) {
				here = append(here, g)
			}
		}
		first += instance.GPUID(node.GPUs)
		here = here[:len(here)-len(here)%job.Group()]
		all = append(all, here...)
		choose(here)
	}
	if best == nil && job.Within != instance.WithinNode {
		choose(all)
	}
	return best
}

// Fits reports whether a job fits in the memory of a GPU, beside the jobs there or, if jobs are in memory for the whole
// plan, beside all that ever were there.
func (o *Occupants) Fits(job *instance.Job, g instance.GPUID, t instance.TypeID) bool {
	if !job.Runs(t) {
		return false
	}
	held := job.On[t].Memory(job.Full())
	for n, home := range o.Homes {
		if (o.Left[n] > 0 || !o.In.Queues()) && slices.Contains(home, g) {
			other := &o.In.Jobs[o.Jobs[n]]
			held = held.With(other.On[t].Memory(other.Full()))
		}
	}
	return held.Sum() <= o.In.Types[t].Memory
}
