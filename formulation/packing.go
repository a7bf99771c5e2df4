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
// job, and its tasks fit in the time from the earliest release to the due less the shortest
// synchronisation of its jobs, which follows the last task; so do those of its jobs whose
// synchronisations last longer, less theirs. The relaxation forgets when anything happens; the
// columns of [master] remember that and forget where.
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
	depths                    []int     // that the rule knows, ascending
	deeper                    [][]int64 // by multiset, then depth from the second on: workers there or deeper
	at                        int       // its first price: of workers, then of tasks at depths from the second on
}

// packPool are the GPUs of a pool and who may live there.
type packPool struct {
	pool  int
	gpus  int64
	slots []packSlot // by rising synchronisation
	room  int64      // units, of any content
}

// packSlot is a worker that a GPU may hold. Identical jobs have a slot each.
type packSlot struct {
	class int
	ticks []int64 // of all its tasks at one depth, by depth that the rule knows; never where there are none
	room  int64   // units, of a content without shorter synchronisations
}

// mostRoom is how many units a GPU has at the most, leastRoom how many it has however many
// slots there are, if ticks permit, and mostCells bounds units times slots.
const (
	mostRoom  = 8192
	leastRoom = 512
	mostCells = 4 << 20
)

func newPacking(m *model, due int64) *packing {
	s := &packing{m: m, due: due}
	release := int64(never)
	for c := range m.demands {
		d := &m.demands[c]
		release = min(release, int64(d.job.Release))
		class := packClass{jobs: d.count(), workers: int64(d.job.Workers), iterations: int64(d.job.Iterations), at: s.prices}
		sets := m.multisets(d)
		for depth := range d.job.Depths {
			if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 || d.job.Rule.Fixed == nil && depth < shallowest(sets) {
				continue
			}
			class.depths = append(class.depths, depth)
		}
		for _, counts := range sets {
			var deeper []int64
			for _, depth := range class.depths[1:] {
				n := 0
				for _, count := range counts[depth:] {
					n += count
				}
				deeper = append(deeper, int64(n))
			}
			class.deeper = append(class.deeper, deeper)
		}
		s.classes = append(s.classes, class)
		s.prices += len(class.depths)
	}
	most := 0
	for p := range m.network.pools {
		s.pools = append(s.pools, s.poolOf(p, max(0, due-release)))
		most = max(most, len(s.pools[p].slots))
	}
	room := max(leastRoom, min(mostRoom, int64(mostCells/max(1, most))))
	s.unit = (due + room - 1) / room
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

// shallowest is the least depth in a list of multisets.
func shallowest(sets [][]int) int {
	least := len(sets[0]) - 1
	for _, counts := range sets {
		least = min(least, slices.IndexFunc(counts, func(n int) bool { return n > 0 }))
	}
	return least
}

// poolOf returns the GPUs of a pool, with rooms in ticks.
func (s *packing) poolOf(pool int, time int64) packPool {
	at := &s.m.network.pools[pool]
	p := packPool{pool: pool, gpus: at.size()}
	for c := range s.classes {
		d := &s.m.demands[c]
		sync := int64(never)
		for _, o := range d.modes {
			if slices.Contains(o.pools, pool) {
				sync = min(sync, int64(o.sync))
			}
		}
		slot := packSlot{class: c, room: max(0, time-sync)}
		least := int64(never)
		for _, depth := range s.classes[c].depths {
			ticks := int64(never)
			if d.fits[at.gpuType][depth] {
				ticks = int64(d.job.Iterations) * int64(d.job.On[at.gpuType].Time[depth])
			}
			slot.ticks, least = append(slot.ticks, ticks), min(least, ticks)
		}
		if sync == never || least > slot.room {
			continue
		}
		for range min(s.classes[c].jobs, slot.room/max(1, least)) {
			p.slots = append(p.slots, slot)
		}
	}
	slices.SortStableFunc(p.slots, func(a, b packSlot) int { return -cmp.Compare(a.room, b.room) })
	return p
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
