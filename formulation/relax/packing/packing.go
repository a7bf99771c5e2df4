package packing

import (
	"cmp"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// Program is the packing program of schedules that end by a due, without its columns, the contents
// of GPUs; see the package comment.
type Program struct {
	Model   *relax.Model
	Due     int64
	Unit    int64 // ticks
	Classes []Class
	Pools   []Pool
	Prices  int
}

// Class holds the requirements of a class.
type Class struct {
	Jobs, Workers, Iterations int64
	Decided                   bool      // its home is decided, so (1) does not apply
	Depths                    []int     // known to the rule, ascending
	Deeper                    [][]int64 // by multiset, then depth from the second on: workers there or deeper
	At                        int       // index of its first price: of workers, then of tasks at depths from the second on
}

// Pool is the set of GPUs of a pool, or those of them on which the same decided jobs live,
// and the jobs that may live there.
type Pool struct {
	GPUs   int64
	Slots  []Slot // by rising synchronisation
	Fixed  []int  // the slots of decided jobs, ascending
	Room   int64  // units, for any content
	memory instance.Bytes
}

// Slot is a worker that a GPU may hold. Identical jobs have a slot each, side by side.
type Slot struct {
	Class         int
	Ticks         []int64 // by depth known to the rule: ticks of all its tasks at that depth; exact.Never if impossible
	Room          int64   // units, for a content without shorter synchronisations
	Release, Sync int64   // ticks
	Fixed         bool    // the job was decided to live there
	// Persistent memory, and the least ephemeral memory.
	Persistent, Ephemeral instance.Bytes
	Longest               int64 // ticks, of a task
}

// mostRoom is the largest number of units of a GPU, leastRoom the number it has at least,
// however many slots there are, if ticks permit, and mostCells bounds units times slots.
const (
	mostRoom  = 8192
	leastRoom = 512
	mostCells = 4 << 20
)

// New states the program of a due. homes are the homes of jobs, by class of one job each,
// nil for undecided jobs; nil if none is decided.
func New(m *relax.Model, due int64, homes [][]instance.GPUID) *Program {
	s := &Program{Model: m, Due: due}
	release := int64(exact.Never)
	for c := range m.Classes {
		d := &m.Classes[c]
		release = min(release, int64(d.Job.Release))
		class := newPackClass(m, d, s.Prices)
		class.Decided = homes != nil && homes[c] != nil
		s.Classes = append(s.Classes, class)
		s.Prices += len(class.Depths)
	}
	most := 0
	for _, group := range gpuGroups(m, homes) {
		p := s.poolOf(group, max(0, due-release), homes)
		s.Pools = append(s.Pools, p)
		most = max(most, len(p.Slots))
	}
	room := max(leastRoom, min(mostRoom, int64(mostCells/max(1, most))))
	s.Unit = max(1, (due+room-1)/room)
	for p := range s.Pools {
		at := &s.Pools[p]
		for i := range at.Slots {
			at.Slots[i].Room /= s.Unit
		}
		if len(at.Slots) > 0 {
			at.Room = at.Slots[0].Room
		}
	}
	return s
}

// gpuGroup is a set of GPUs of a pool on which the same decided jobs live.
type gpuGroup struct {
	pool int
	gpus int64
	jobs []int
}

// gpuGroups lists the pools or, if jobs are decided, the groups of GPUs in them.
func gpuGroups(m *relax.Model, homes [][]instance.GPUID) (list []gpuGroup) {
	if homes == nil {
		for p := range m.Network.Pools {
			list = append(list, gpuGroup{pool: p, gpus: m.Network.Pools[p].Size()})
		}
		return list
	}
	for g := range m.Instance.GPUs {
		group := gpuGroup{pool: m.Network.PoolOf[m.Instance.GPUs[g].Node], gpus: 1}
		for j, home := range homes {
			if slices.Contains(home, instance.GPUID(g)) {
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

func newPackClass(m *relax.Model, d *relax.Class, at int) Class {
	c := Class{Jobs: d.Count(), Workers: int64(d.Job.Workers), Iterations: int64(d.Job.Iterations), At: at}
	sets := m.Multisets(d)
	least := d.Job.Full()
	for _, counts := range sets {
		least = min(least, slices.IndexFunc(counts, func(n int) bool { return n > 0 }))
	}
	for depth := range d.Job.Depths {
		if fixed := d.Job.Rule.Fixed; depth >= least && (fixed == nil || fixed[depth] > 0) {
			c.Depths = append(c.Depths, depth)
		}
	}
	for _, counts := range sets {
		var deeper []int64
		for _, depth := range c.Depths[1:] {
			n := 0
			for _, count := range counts[depth:] {
				n += count
			}
			deeper = append(deeper, int64(n))
		}
		c.Deeper = append(c.Deeper, deeper)
	}
	return c
}

// poolOf returns a group of GPUs as a pool, with rooms in ticks.
func (s *Program) poolOf(group gpuGroup, time int64, homes [][]instance.GPUID) Pool {
	at := &s.Model.Network.Pools[group.pool]
	p := Pool{GPUs: group.gpus, memory: at.Memory}
	for c := range s.Classes {
		d := &s.Model.Classes[c]
		fixed := slices.Contains(group.jobs, c)
		if s.Classes[c].Decided && !fixed {
			continue
		}
		slot := Slot{Class: c, Release: int64(d.Job.Release), Sync: exact.Never}
		for _, o := range d.Modes {
			if slices.Contains(o.Pools, group.pool) {
				slot.Sync = min(slot.Sync, int64(o.Sync))
			}
		}
		if fixed {
			slot.Sync = int64(syncAt(s.Model, d.Job, homes[c]))
		}
		if slot.Sync == exact.Never {
			continue
		}
		slot.Room = max(0, time-slot.Sync)
		on := d.Job.On[at.GPUType]
		least := int64(exact.Never)
		for _, depth := range s.Classes[c].Depths {
			ticks := int64(exact.Never)
			if d.Fits[at.GPUType][depth] {
				ticks = int64(d.Job.Iterations) * int64(on.Time[depth])
				if slot.Persistent = on.Persistent; least == exact.Never || on.Ephemeral[depth] < slot.Ephemeral {
					slot.Ephemeral = on.Ephemeral[depth]
				}
			}
			slot.Ticks, least = append(slot.Ticks, ticks), min(least, ticks)
			if ticks < exact.Never {
				slot.Longest = max(slot.Longest, int64(on.Time[depth]))
			}
		}
		if least > slot.Room && !fixed || least == exact.Never {
			continue
		}
		slot.Fixed = fixed
		for range min(s.Classes[c].Jobs, max(1, slot.Room/max(1, least))) {
			p.Slots = append(p.Slots, slot)
		}
	}
	slices.SortStableFunc(p.Slots, func(a, b Slot) int { return -cmp.Compare(a.Room, b.Room) })
	for i := range p.Slots {
		if p.Slots[i].Fixed {
			p.Fixed = append(p.Fixed, i)
		}
	}
	return p
}

// syncAt is the least length of a synchronisation of the job from that home.
func syncAt(m *relax.Model, j *instance.Job, home []instance.GPUID) instance.Tick {
	span, ok := m.Instance.LeastSpan(j, home)
	if !ok || !j.HasSync() {
		return 0
	}
	return min(relax.MaxSync, m.Fastest(relax.LeastVolume(j, span.Parties), span.Slowest))
}

// Limit returns the most units that the tasks of a content in these slots take; below 0 if the
// GPU lacks the memory.
func (s *Program) Limit(p *Pool, slots []int) int64 {
	if len(slots) == 0 {
		return 0
	}
	release := int64(exact.Never)
	var persistent, ephemeral instance.Bytes
	for _, i := range slots {
		slot := &p.Slots[i]
		release = min(release, slot.Release)
		persistent, ephemeral = persistent+slot.Persistent, max(ephemeral, slot.Ephemeral)
	}
	if persistent+ephemeral > p.memory {
		return -1
	}
	return max(0, s.Due-release-s.lost(p, slots)) / s.Unit
}

// lost returns a lower limit on the ticks for which the GPU of a content in these slots is idle.
//
// After each of its R tasks a worker waits for its synchronisation, at least s ticks. In that time
// the GPU is idle except for tasks of others. Each of these is in one such gap only, and fills no
// more than the gap, or its own length.
func (s *Program) lost(p *Pool, slots []int) int64 {
	lost := int64(exact.Never)
	for _, i := range slots {
		lost = min(lost, p.Slots[i].Sync) // after the last task
	}
	for n, i := range slots {
		wait := p.Slots[i].Sync
		idle := s.Classes[p.Slots[i].Class].Iterations * wait
		for m, o := range slots {
			if m != n {
				idle -= s.Classes[p.Slots[o].Class].Iterations * min(wait, p.Slots[o].Longest)
			}
		}
		lost = max(lost, idle)
	}
	return lost
}

// Worth is the value of the tasks of a worker, by depth known to the rule, if all have that
// depth.
func (c *Class) Worth(prices []int64) []int64 {
	worth := make([]int64, len(c.Depths))
	for i := range worth {
		if i > 0 {
			worth[i] = worth[i-1] + c.Iterations*prices[c.At+i]
		}
	}
	return worth
}

// pays returns the payments of all jobs at the prices.
func (s *Program) pays(prices []int64) *big.Int {
	sum := new(big.Int)
	for i := range s.Classes {
		c := &s.Classes[i]
		var least *big.Int
		for _, deeper := range c.Deeper {
			pays := exact.Mul(c.Workers, prices[c.At])
			for d, n := range deeper {
				pays.Add(pays, exact.Mul(c.Iterations*n, prices[c.At+1+d]))
			}
			if least == nil || pays.Cmp(least) < 0 {
				least = pays
			}
		}
		sum.Add(sum, least.Mul(least, big.NewInt(c.Jobs)))
	}
	return sum
}

// Packable reports whether there is a program: if some job fits nowhere there is nothing to
// pack.
func Packable(m *relax.Model) bool {
	return m.Instance.Objective == instance.Makespan && m.AllRun()
}
