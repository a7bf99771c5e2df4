package check

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// stays finds when each job is in memory: from its load before its first task, or where it is in memory when the plan
// begins from then on, to its end, with its last synchronisation.
func (c *checker) stays() {
	if !c.in.Queues() {
		return
	}
	c.occupants = make([][]instance.JobID, len(c.in.GPUs))
	for j, gpus := range c.resident {
		for _, g := range gpus {
			c.occupants[g] = append(c.occupants[g], instance.JobID(j))
		}
	}
	c.admitted, c.left = make([]instance.Tick, len(c.in.Jobs)), make([]instance.Tick, len(c.in.Jobs))
	for j := range c.admitted {
		if c.admitted[j] = -1; c.in.Jobs[j].Resident != nil {
			c.admitted[j] = 0
		}
	}
	for n := range c.s.Tasks {
		t := &c.s.Tasks[n]
		// Before the release is a fault of its own (rule 4); memory is nobody's before tick 0.
		admission := max(0, t.Start-c.in.Jobs[t.Job].Load)
		if c.admitted[t.Job] < 0 || admission < c.admitted[t.Job] {
			c.admitted[t.Job] = admission
		}
		c.left[t.Job] = max(c.left[t.Job], t.End)
	}
	for n := range c.s.Syncs {
		y := &c.s.Syncs[n] // one before the first task is a fault of its own (rule 5)
		c.left[y.Job] = max(c.left[y.Job], y.End)
	}
}

// occupant is what a job asks of the memory of one GPU from its admission to its end.
type occupant struct {
	from, to              instance.Tick
	persistent, ephemeral instance.Bytes
	worst                 int // the task that needs most; -1: none there
	job                   instance.JobID
}

// memoryInTime tests rule 7 on one GPU, where jobs hold memory only while they run: at every tick
// the persistent bytes of all in residence, and the ephemeral ones of the most demanding
// task that any of these has there, fit. here are the tasks on the GPU.
func (c *checker) memoryInTime(g instance.GPUID, here []int) {
	kind := c.in.GPUs[g].Type
	var occupants []occupant
	for _, id := range c.occupants[g] {
		if costs := c.in.Jobs[id].On[kind]; costs != nil && c.admitted[id] >= 0 {
			occupants = append(occupants, occupant{c.admitted[id], c.left[id], costs.Persistent, 0, -1, id})
		}
	}
	slices.SortFunc(occupants, func(a, b occupant) int { return cmp.Compare(a.job, b.job) })
	for _, n := range here {
		t := &c.s.Tasks[n]
		i, found := slices.BinarySearchFunc(occupants, t.Job, func(l occupant, id instance.JobID) int { return cmp.Compare(l.job, id) })
		if !found {
			continue // rules 1 and 2
		}
		if e := c.in.Jobs[t.Job].On[kind].Ephemeral[t.Depth]; occupants[i].worst < 0 || e > occupants[i].ephemeral {
			occupants[i].ephemeral, occupants[i].worst = e, n
		}
	}
	slices.SortFunc(occupants, func(a, b occupant) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.job, b.job)) })
	memory := c.in.Types[kind].Memory
	var present []occupant
	for _, l := range occupants {
		present = append(slices.DeleteFunc(present, func(p occupant) bool { return p.to <= l.from }), l)
		persistent, worst := instance.Bytes(0), l
		for _, p := range present {
			persistent = addBytes(persistent, p.persistent)
			if p.ephemeral > worst.ephemeral {
				worst = p
			}
		}
		if addBytes(persistent, worst.ephemeral) > memory {
			iteration := 0
			if worst.worst >= 0 {
				iteration = c.s.Tasks[worst.worst].Iteration
			}
			c.report(7, worst.job, iteration, l.from, "%s needs %d bytes for the %d jobs in residence and %d for their largest task, but has %d",
				c.gpu(g), persistent, len(present), worst.ephemeral, memory)
		}
	}
}
