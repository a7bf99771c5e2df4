package formulation

import (
	"cmp"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// packing is the program of residencies on whole GPUs: a worker lives on one GPU, with one
// task in each iteration of its job, so that work cannot be spread evenly where few workers
// fit on a GPU. With contents n of the GPUs of a pool, sets of workers with the depths of
// their tasks, and multisets s of depths that a job's rule allows,
//
//	gpus[n]    GPUs with content n
//	mix[c,s]   part of the iterations of class c that have the multiset s
//
// every schedule that ends by the due is a solution with sigma = 0 of
//
//	min sigma
//	(1) sum_n (workers of c in n) gpus[n] + jobs k sigma = jobs k
//	(2) sum_n (tasks of c at depth d or deeper in n) gpus[n] >= jobs R sum_s (d or deeper in s) mix[c,s]
//	(3) sum_s mix[c,s] + sigma = 1
//	(4) sum_n gpus[n] = GPUs of pool p, over contents there
//
// so that there is none where sigma must be positive. A content has at most one worker of a
// job, its workers have the memory, and its tasks take no longer than [packing.limit] says. The
// relaxation forgets when anything happens; the columns of [master] remember that and forget
// where.
//
// At a node of a tree, contents have the workers of the jobs that are decided to live on those
// GPUs, and (1) is about the other jobs.
//
// Prices a of (1), of any sign, and b >= 0 of (2) prove that there is no such schedule where
//
//	sum_c jobs (k a_c + R min_s sum_d (d or deeper in s) b_cd) > sum_p GPUs (worth of the best content of p)
//
// Long times are counted in units, a content's room rounded down and a worker's tasks, too, so
// that a program stays tractable.
type packing struct {
	m       *model
	due     int64
	unit    int64 // ticks
	classes []packClass
	pools   []packPool
	prices  int
}

// packClass is what a class asks for.
type packClass struct {
	jobs, workers, iterations int64
	decided                   bool      // its home is, so that (1) says nothing
	depths                    []int     // that the rule knows, ascending
	deeper                    [][]int64 // by multiset, then depth from the second on: workers there or deeper
	at                        int       // its first price: of workers, then of tasks at depths from the second on
}

// packPool are the GPUs of a pool, or those of them on which the same decided jobs live, and
// who may live there.
type packPool struct {
	pool   int
	gpus   int64
	slots  []packSlot // by rising synchronisation
	fixed  []int      // the slots of decided jobs, ascending
	room   int64      // units, of any content
	memory instance.Bytes
}

// packSlot is a worker that a GPU may hold. Identical jobs have a slot each, side by side.
type packSlot struct {
	class         int
	ticks         []int64 // of all its tasks at one depth, by depth that the rule knows; never where there are none
	room          int64   // units, of a content without shorter synchronisations
	release, sync int64   // ticks
	fixed         bool    // the job is decided to live there
	// persistent and ephemeral are bytes, the latter at the least.
	persistent, ephemeral instance.Bytes
}

// mostRoom is how many units a GPU has at the most, leastRoom how many it has however many
// slots there are, if ticks permit, and mostCells bounds units times slots.
const (
	mostRoom  = 8192
	leastRoom = 512
	mostCells = 4 << 20
)

// newPacking states the program of a due at a node of a tree; nil for no tree.
func newPacking(m *model, due int64, n *branchNode) *packing {
	s := &packing{m: m, due: due}
	release := int64(never)
	for c := range m.demands {
		d := &m.demands[c]
		release = min(release, int64(d.job.Release))
		class := m.packClass(d, s.prices)
		class.decided = n != nil && n.jobs[c].home != nil
		s.classes = append(s.classes, class)
		s.prices += len(class.depths)
	}
	most := 0
	for _, group := range m.alike(n) {
		p := s.poolOf(group, max(0, due-release), n)
		s.pools = append(s.pools, p)
		most = max(most, len(p.slots))
	}
	room := max(leastRoom, min(mostRoom, int64(mostCells/max(1, most))))
	s.unit = max(1, (due+room-1)/room)
	for p := range s.pools {
		at := &s.pools[p]
		for i := range at.slots {
			at.slots[i].room /= s.unit
		}
		if len(at.slots) > 0 {
			at.room = at.slots[0].room
		}
	}
	return s
}

// gpuGroup are GPUs of a pool on which the same decided jobs live.
type gpuGroup struct {
	pool int
	gpus int64
	jobs []int
}

// alike lists the pools or, at a node of a tree, the groups of GPUs in them.
func (m *model) alike(n *branchNode) (list []gpuGroup) {
	if n == nil {
		for p := range m.network.pools {
			list = append(list, gpuGroup{pool: p, gpus: m.network.pools[p].size()})
		}
		return list
	}
	for g := range m.in.GPUs {
		group := gpuGroup{pool: m.network.of[m.in.GPUs[g].Node], gpus: 1}
		for j, b := range n.jobs {
			if slices.Contains(b.home, instance.GPUID(g)) {
				group.jobs = append(group.jobs, j)
			}
		}
		at := slices.IndexFunc(list, func(o gpuGroup) bool { return o.pool == group.pool && slices.Equal(o.jobs, group.jobs) })
		if at < 0 {
			list = append(list, group)
		} else {
			list[at].gpus++
		}
	}
	return list
}

func (m *model) packClass(d *demand, at int) packClass {
	c := packClass{jobs: d.count(), workers: int64(d.job.Workers), iterations: int64(d.job.Iterations), at: at}
	sets := m.multisets(d)
	least := d.job.Full()
	for _, counts := range sets {
		least = min(least, slices.IndexFunc(counts, func(n int) bool { return n > 0 }))
	}
	for depth := range d.job.Depths {
		if fixed := d.job.Rule.Fixed; depth >= least && (fixed == nil || fixed[depth] > 0) {
			c.depths = append(c.depths, depth)
		}
	}
	for _, counts := range sets {
		var deeper []int64
		for _, depth := range c.depths[1:] {
			n := 0
			for _, count := range counts[depth:] {
				n += count
			}
			deeper = append(deeper, int64(n))
		}
		c.deeper = append(c.deeper, deeper)
	}
	return c
}

// poolOf returns a group of GPUs, with rooms in ticks.
func (s *packing) poolOf(group gpuGroup, time int64, n *branchNode) packPool {
	at := &s.m.network.pools[group.pool]
	p := packPool{pool: group.pool, gpus: group.gpus, memory: at.memory}
	for c := range s.classes {
		d := &s.m.demands[c]
		fixed := slices.Contains(group.jobs, c)
		if s.classes[c].decided && !fixed {
			continue
		}
		slot := packSlot{class: c, release: int64(d.job.Release), sync: never}
		for _, o := range d.modes {
			if slices.Contains(o.pools, group.pool) {
				slot.sync = min(slot.sync, int64(o.sync))
			}
		}
		if fixed {
			slot.sync = int64(s.m.syncAt(d.job, n.jobs[c].home))
		}
		if slot.sync == never {
			continue
		}
		slot.room = max(0, time-slot.sync)
		on := d.job.On[at.gpuType]
		least := int64(never)
		for _, depth := range s.classes[c].depths {
			ticks := int64(never)
			if d.fits[at.gpuType][depth] {
				ticks = int64(d.job.Iterations) * int64(on.Time[depth])
				if slot.persistent = on.Persistent; least == never || on.Ephemeral[depth] < slot.ephemeral {
					slot.ephemeral = on.Ephemeral[depth]
				}
			}
			slot.ticks, least = append(slot.ticks, ticks), min(least, ticks)
		}
		if least > slot.room && !fixed || least == never {
			continue
		}
		slot.fixed = fixed
		for range min(s.classes[c].jobs, max(1, slot.room/max(1, least))) {
			p.slots = append(p.slots, slot)
		}
	}
	slices.SortStableFunc(p.slots, func(a, b packSlot) int { return -cmp.Compare(a.room, b.room) })
	for i := range p.slots {
		if p.slots[i].fixed {
			p.fixed = append(p.fixed, i)
		}
	}
	return p
}

// syncAt is how long a synchronisation of the job takes at the least from that home.
func (m *model) syncAt(j *instance.Job, home []instance.GPUID) instance.Tick {
	span, ok := m.in.Span(home)
	if !ok || !j.HasSync() {
		return 0
	}
	return min(maxSync, m.fastest(leastVolume(j, span.Parties), span.Slowest))
}

// limit returns how many units the tasks of a content in these slots take at the most; below 0
// where the GPU has not the memory.
//
// After each of its R tasks a worker waits for its synchronisation, s ticks at the least, and
// in that time the GPU is idle but for tasks of others, of which each is in one such gap only.
// So the tasks and the waits of a worker, less s for each task of others, fit in the time that
// there is.
func (s *packing) limit(p *packPool, slots []int) int64 {
	if len(slots) == 0 {
		return 0
	}
	release, sync, tasks := int64(never), int64(never), int64(0)
	var persistent, ephemeral instance.Bytes
	for _, i := range slots {
		slot := &p.slots[i]
		release, sync = min(release, slot.release), min(sync, slot.sync)
		tasks += s.classes[slot.class].iterations
		persistent, ephemeral = persistent+slot.persistent, max(ephemeral, slot.ephemeral)
	}
	if persistent+ephemeral > p.memory {
		return -1
	}
	lost := sync // after the last task
	for _, i := range slots {
		slot := &p.slots[i]
		lost = max(lost, (2*s.classes[slot.class].iterations-tasks)*slot.sync)
	}
	return max(0, s.due-release-lost) / s.unit
}

// worth is what the tasks of a worker are worth, by depth that the rule knows, if all have
// that depth.
func (c *packClass) worth(prices []int64) []int64 {
	worth := make([]int64, len(c.depths))
	for i := range worth {
		if i > 0 {
			worth[i] = worth[i-1] + c.iterations*prices[c.at+i]
		}
	}
	return worth
}

// pays returns what all jobs pay at the prices.
func (s *packing) pays(prices []int64) *big.Int {
	sum := new(big.Int)
	for i := range s.classes {
		c := &s.classes[i]
		var least *big.Int
		for _, deeper := range c.deeper {
			pays := mul(c.workers, prices[c.at])
			for d, n := range deeper {
				pays.Add(pays, mul(c.iterations*n, prices[c.at+1+d]))
			}
			if least == nil || pays.Cmp(least) < 0 {
				least = pays
			}
		}
		sum.Add(sum, least.Mul(least, big.NewInt(c.jobs)))
	}
	return sum
}

// packable reports whether there is a program: where some job fits nowhere there is nothing
// to pack.
func packable(m *model) bool {
	return m.in.Objective == instance.Makespan && !slices.ContainsFunc(m.demands, func(d demand) bool { return d.short || d.unplaced })
}
