package instance

import (
	"cmp"
	"slices"
)

// stays finds when each job is in memory: from its load before its first task to its end.
func (c *checker) stays() {
	if !c.in.Queues() {
		return
	}
	c.lodgers = make([][]JobID, len(c.in.GPUs))
	for j, gpus := range c.resident {
		for _, g := range gpus {
			c.lodgers[g] = append(c.lodgers[g], JobID(j))
		}
	}
	c.admitted, c.left = make([]Tick, len(c.in.Jobs)), make([]Tick, len(c.in.Jobs))
	for j := range c.admitted {
		c.admitted[j] = -1
	}
	for n := range c.s.Tasks {
		t := &c.s.Tasks[n]
		c.stay(t.Job, t.Start, t.End)
	}
	for n := range c.s.Syncs {
		c.stay(c.s.Syncs[n].Job, c.s.Syncs[n].Start, c.s.Syncs[n].End)
	}
}

// stay extends the residence of a job to what it does in [start, end) or, of repeats,
// from the first start to the last end.
func (c *checker) stay(id JobID, start, end Tick) {
	// Before the release is a fault of its own (rule 4); memory is nobody's before tick 0.
	admission := max(0, start-c.in.Jobs[id].Load)
	if c.admitted[id] < 0 || admission < c.admitted[id] {
		c.admitted[id] = admission
	}
	c.left[id] = max(c.left[id], end)
}

// lodger is what a job asks of the memory of one GPU from its admission to its end.
type lodger struct {
	from, to              Tick
	persistent, ephemeral Bytes
	worst                 int // the task that needs most; -1: none there
	job                   JobID
}

// memoryInTime tests rule 7 on one GPU, where jobs hold memory only while they run: at every tick
// the persistent bytes of all in residence, and the ephemeral ones of the most demanding
// task that any of these has there, fit. here are the tasks on the GPU.
func (c *checker) memoryInTime(g GPUID, here []int) {
	kind := c.in.GPUs[g].Type
	var lodgers []lodger
	for _, id := range c.lodgers[g] {
		if costs := c.in.Jobs[id].On[kind]; costs != nil && c.admitted[id] >= 0 {
			lodgers = append(lodgers, lodger{c.admitted[id], c.left[id], costs.Persistent, 0, -1, id})
		}
	}
	slices.SortFunc(lodgers, func(a, b lodger) int { return cmp.Compare(a.job, b.job) })
	for _, n := range here {
		t := &c.s.Tasks[n]
		i, found := slices.BinarySearchFunc(lodgers, t.Job, func(l lodger, id JobID) int { return cmp.Compare(l.job, id) })
		if !found {
			continue // rules 1 and 2
		}
		if e := c.in.Jobs[t.Job].On[kind].Ephemeral[t.Depth]; lodgers[i].worst < 0 || e > lodgers[i].ephemeral {
			lodgers[i].ephemeral, lodgers[i].worst = e, n
		}
	}
	slices.SortFunc(lodgers, func(a, b lodger) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.job, b.job)) })
	memory := c.in.Types[kind].Memory
	var present []lodger
	for _, l := range lodgers {
		present = append(slices.DeleteFunc(present, func(p lodger) bool { return p.to <= l.from }), l)
		persistent, worst := Bytes(0), l
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
