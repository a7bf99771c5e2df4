package formulation

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// residency adds, where memory may bind, the columns of where jobs live and rows
//
//	(1) every job lives somewhere (or, for rates, somewhere or nowhere),
//	(2) all workers of a mode of several pools are placed,
//	(3) the parameters of the resident workers of a pool fit in the memory that
//	    the smallest task there leaves free.
func (f *fluid) residency() {
	if len(f.tight) == 0 {
		return
	}
	lives := equal
	if f.m.in.Objective.Periodic() {
		lives = atMost
	}
	for i := range f.shapes {
		s := &f.shapes[i]
		k := int64(s.d.job.Workers)
		one := f.p.row(s.id+".lives", lives, s.jobs, about{})
		s.live = []int{}
		for i := range s.d.modes {
			o := &s.d.modes[i]
			y := f.p.col(fmt.Sprintf("%s.live.%s", s.id, o.id()), 0, s.jobs)
			f.p.term(one, y, 1)
			s.live = append(s.live, y)
			var home []int
			if len(o.pools) > 1 {
				all := f.p.row(fmt.Sprintf("%s.home.%s", s.id, o.id()), equal, 0, about{})
				f.p.term(all, y, -k)
				for _, p := range o.pools {
					at := &f.m.network.pools[p]
					u := f.p.col(fmt.Sprintf("%s.home.%s.%s", s.id, o.id(), at.id), 0, s.jobs*min(k, f.inReach(o, p)))
					f.p.term(all, u, 1)
					home = append(home, u)
				}
			}
			s.home = append(s.home, home)
		}
	}
	for _, p := range f.tight {
		at := &f.m.network.pools[p]
		free, unit := f.freeMemory(p), int64(1)
		for free/unit > 1<<20 { // in units of which a GPU holds about a million
			unit *= 2
		}
		row := f.p.row(at.id+".memory", atMost, (free+unit-1)/unit*at.size(),
			about{"memory", at.memoryName(), -1})
		for i := range f.shapes {
			s := &f.shapes[i]
			if !s.d.usable(at.gpuType) {
				continue
			}
			each := int64(s.d.job.On[at.gpuType].Persistent) / unit
			for i := range s.d.modes {
				switch where := slices.Index(s.d.modes[i].pools, p); {
				case where < 0:
				case s.home[i] == nil:
					f.p.term(row, s.live[i], multiply(each, int64(s.d.job.Workers)))
				default:
					f.p.term(row, s.home[i][where], each)
				}
			}
		}
	}
}

// activity adds the columns of what is done where, at most limit iterations of
// each shape, and rows
//
//	(4) all iterations are done (not for rates), by jobs and workers that live there,
//	(5) every worker has one task in an iteration,
//	(6) the depths meet the SPB rule,
//	(7) the nodes, and racks, that take part hold the workers, and are no fewer
//	    than any residency has.
func (f *fluid) activity(limit func(*shape) int64) {
	rates := f.m.in.Objective.Periodic()
	for i := range f.shapes {
		s := &f.shapes[i]
		d, most, k := s.d, limit(s), int64(s.d.job.Workers)
		all := -1
		if !rates {
			all = f.p.row(s.id+".iterations", equal, s.iterations, about{})
		}
		s.node, s.rack = make([][]int, len(d.modes)), make([][]int, len(d.modes))
		for i := range d.modes {
			o := &d.modes[i]
			x := f.p.col(fmt.Sprintf("%s.does.%s", s.id, o.id()), 0, most)
			s.does = append(s.does, x)
			if all >= 0 {
				f.p.term(all, x, 1)
				if s.live != nil {
					f.tie(s, fmt.Sprintf("%s.tie.%s", s.id, o.id()), x, s.live[i])
				}
			}
			var busy []int
			if len(o.pools) > 1 {
				workers := f.p.row(fmt.Sprintf("%s.busy.%s", s.id, o.id()), equal, 0, about{})
				f.p.term(workers, x, -k)
				for at, p := range o.pools {
					id := f.m.network.pools[p].id
					w := f.p.col(fmt.Sprintf("%s.busy.%s.%s", s.id, o.id(), id), 0, multiply(most, min(k, f.inReach(o, p))))
					f.p.term(workers, w, 1)
					busy = append(busy, w)
					if all >= 0 && s.live != nil {
						f.tie(s, fmt.Sprintf("%s.tie.%s.%s", s.id, o.id(), id), w, s.home[i][at])
					}
				}
			}
			s.busy = append(s.busy, busy)
			if busy != nil {
				f.parties(s, i, most)
			}
		}
		f.depths(s, most)
	}
}

// inReach is how many GPUs of a pool one job can use in a mode.
func (f *fluid) inReach(o *mode, p int) int64 {
	at := &f.m.network.pools[p]
	if o.kind == inRack {
		return int64(at.gpus) * int64(at.perRack)
	}
	return at.size()
}

// tie adds the row that says that each of the residents does R iterations.
func (f *fluid) tie(s *shape, name string, does, live int) {
	if s.fewest == s.most {
		row := f.p.row(name, equal, 0, about{})
		f.p.term(row, does, 1)
		f.p.term(row, live, -s.most)
		return
	}
	row := f.p.row(name+".most", atMost, 0, about{})
	f.p.term(row, does, 1)
	f.p.term(row, live, -s.most)
	row = f.p.row(name+".fewest", atLeast, 0, about{})
	f.p.term(row, does, 1)
	f.p.term(row, live, -s.fewest)
}

// depths adds columns and rows (5) and (6). They concern the modes of several
// pools only: in one pool the cheapest depths are known.
func (f *fluid) depths(s *shape, most int64) {
	d, n := s.d, f.m.network
	var several []int
	var pools []int
	for i := range d.modes {
		if s.busy[i] != nil {
			several = append(several, i)
			for _, p := range d.modes[i].pools {
				if !slices.Contains(pools, p) {
					pools = append(pools, p)
				}
			}
		}
	}
	if several == nil {
		return
	}
	slices.Sort(pools)
	s.tasks = map[int][]int{}
	for _, p := range pools { // (5)
		row := f.p.row(fmt.Sprintf("%s.tasks.%s", s.id, n.pools[p].id), equal, 0, about{})
		for _, i := range several {
			if at := slices.Index(d.modes[i].pools, p); at >= 0 {
				f.p.term(row, s.busy[i][at], -1)
			}
		}
		s.tasks[p] = make([]int, len(d.job.Depths))
		for depth, ok := range d.fits[n.pools[p].gpuType] {
			s.tasks[p][depth] = -1
			if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 {
				ok = false
			}
			if ok {
				z := f.p.col(fmt.Sprintf("%s.tasks.%s.d%d", s.id, n.pools[p].id, depth), 0, multiply(most, min(int64(d.job.Workers), n.pools[p].size())))
				f.p.term(row, z, 1)
				s.tasks[p][depth] = z
			}
		}
	}
	// (6)
	rule := func(name string, is sense, perIteration int64, weight func(depth int) int64) {
		row := f.p.row(s.id+"."+name, is, 0, about{})
		for _, i := range several {
			f.p.term(row, s.does[i], -perIteration)
		}
		for _, p := range pools {
			for depth, z := range s.tasks[p] {
				if z >= 0 {
					f.p.term(row, z, weight(depth))
				}
			}
		}
	}
	only := func(depth int) func(int) int64 {
		return func(o int) int64 {
			if o == depth {
				return 1
			}
			return 0
		}
	}
	if fixed := d.job.Rule.Fixed; fixed != nil {
		for depth, count := range fixed {
			if count > 0 && count < d.job.Workers {
				rule(fmt.Sprintf("depth.d%d", depth), equal, int64(count), only(depth))
			}
		}
		return
	}
	rule("full", atLeast, int64(d.job.Rule.MinFull), only(d.job.Full()))
	rule("share", atLeast, d.job.Rule.MinShare, func(o int) int64 { return int64(d.job.Depths[o].Share) })
}

// parties adds columns and rows (7) for one mode of several pools.
func (f *fluid) parties(s *shape, i int, most int64) {
	n, o := f.m.network, &s.d.modes[i]
	count := f.p.row(fmt.Sprintf("%s.nodes.%s", s.id, o.id()), atLeast, 0, about{})
	f.p.term(count, s.does[i], -int64(o.nodes))
	for at, p := range o.pools {
		name := fmt.Sprintf("%s.nodes.%s.%s", s.id, o.id(), n.pools[p].id)
		nodes := f.inReach(o, p) / int64(n.pools[p].gpus)
		v := f.p.col(name, 0, multiply(most, min(int64(s.d.job.Workers), nodes)))
		f.p.term(count, v, 1)
		hold := f.p.row(name, atLeast, 0, about{})
		f.p.term(hold, v, int64(n.pools[p].gpus))
		f.p.term(hold, s.busy[i][at], -1)
		s.node[i] = append(s.node[i], v)
	}
	racks := f.rackList(o)
	if o.kind != spread || len(racks) < 2 {
		return
	}
	count = f.p.row(fmt.Sprintf("%s.racks.%s", s.id, o.id()), atLeast, 0, about{})
	f.p.term(count, s.does[i], -int64(o.racks))
	for _, r := range racks {
		name := fmt.Sprintf("%s.racks.k%d", s.id, r)
		h := f.p.col(name, 0, multiply(most, min(int64(s.d.job.Workers), int64(len(n.racks[r].racks)))))
		f.p.term(count, h, 1)
		hold := f.p.row(name, atLeast, 0, about{})
		gpus := int64(0)
		for at, p := range o.pools {
			if n.pools[p].rack == r {
				gpus += int64(n.pools[p].gpus) * int64(n.pools[p].perRack)
				f.p.term(hold, s.busy[i][at], -1)
			}
		}
		f.p.term(hold, h, gpus)
		s.rack[i] = append(s.rack[i], h)
	}
}

// pay adds the GPU time that the shape takes in a pool to a row, times sign:
// whole iterations at the least work, and tasks of modes of several pools at
// their lengths.
func (f *fluid) pay(row int, s *shape, p int, sign int64) {
	t := f.m.network.pools[p].gpuType
	for i := range s.d.modes {
		if o := &s.d.modes[i]; len(o.pools) == 1 && o.pools[0] == p {
			f.p.term(row, s.does[i], sign*s.d.workOn(t))
		}
	}
	for depth, z := range s.tasks[p] {
		if z >= 0 {
			f.p.term(row, z, sign*int64(s.d.job.On[t].Time[depth]))
		}
	}
}

// workOn is the least work of an iteration whose tasks all run on type t.
func (d *demand) workOn(t instance.TypeID) int64 {
	least := make([]instance.Tick, len(d.job.Depths))
	for depth, ok := range d.fits[t] {
		least[depth] = -1
		if ok {
			least[depth] = d.job.On[t].Time[depth]
		}
	}
	work, _ := leastWork(d.job, least)
	return work
}

// linkUnit is how many parts of a tick link times are counted in.
const linkUnit = 1000

// linkTicks is how long volume bytes take a link of that speed, in parts of a
// tick, rounded down.
func (f *fluid) linkTicks(volume instance.Bytes, speed instance.BitRate) int64 {
	num := mul(int64(volume), 8_000_000*linkUnit)
	num.Quo(num, mul(int64(speed), f.m.in.TickUS))
	if !num.IsInt64() {
		return math.MaxInt64
	}
	return min(num.Int64(), int64(maxSync))
}

// linkPace is a way to synchronise: how many ticks it lasts at the least, and the time of
// a link that it takes, in parts of a tick.
type linkPace struct{ length, ticks int64 }

// linkPaces lists those of a mode on a link of that speed, long ones first: a
// synchronisation lasts whole ticks, at a rate level of the slowest link. There are none
// where the instance does not tell of what.
func (f *fluid) linkPaces(o *mode, speed instance.BitRate) (list []linkPace) {
	if f.m.untold(o) {
		return nil
	}
	for _, p := range f.m.paces(o, o.volume) {
		num := mul(p.length, int64(p.rate))
		num.Mul(num, big.NewInt(linkUnit)).Quo(num, big.NewInt(int64(speed)))
		list = append(list, linkPace{p.length, min(int64(maxSync), saturate(num))})
	}
	slices.Reverse(list)
	return list
}

// useOf returns the use of links of that speed by a mode, but for who counts it.
func (f *fluid) useOf(shape, mode int, speed instance.BitRate) use {
	o := &f.shapes[shape].d.modes[mode]
	u := use{shape: shape, mode: mode, ticks: f.linkTicks(o.volume, speed), paces: f.linkPaces(o, speed)}
	if len(u.paces) > 0 {
		u.ticks = slices.MinFunc(u.paces, func(a, b linkPace) int { return cmp.Compare(a.ticks, b.ticks) }).ticks
	}
	return u
}

// linkGroup is a group of alike links, and who uses them.
type linkGroup struct {
	links int64
	uses  []use
}

// use of the links of a group by a shape in a mode: each of the iterations that the
// column counts takes so many parts of a tick, at the least, of so many links.
type use struct {
	shape, mode, col int
	ticks, times     int64
	paces            []linkPace // nil where they are not known
}

// links adds rows (9) to (11), fabrics, NICs and uplinks. Their time, times
// sign, goes into the row that open returns for the given shapes and number of
// links.
func (f *fluid) links(sign int64, open func(name string, links int64, shapes []*shape, a about) int) {
	n := f.m.network
	add := func(name string, links int64, uses []use, a about) {
		if len(uses) == 0 {
			return
		}
		var shapes []*shape
		for _, u := range uses {
			if s, last := &f.shapes[u.shape], len(shapes)-1; last < 0 || shapes[last] != s {
				shapes = append(shapes, s)
			}
		}
		row := open(name, links, shapes, a)
		for _, u := range uses {
			f.p.term(row, u.col, multiply(sign, u.ticks, u.times))
		}
		f.groups = append(f.groups, linkGroup{links, uses})
	}
	for p := range n.pools {
		at := &n.pools[p]
		var fabric, nic []use
		for i := range f.shapes {
			s := &f.shapes[i]
			for m := range s.d.modes {
				o := &s.d.modes[m]
				where := slices.Index(o.pools, p)
				if where < 0 || o.kind == lone {
					continue
				}
				if o.kind == inNode {
					u := f.useOf(i, m, at.fabric)
					if u.col, u.times = s.does[m], 1; u.ticks > 0 {
						fabric = append(fabric, u)
					}
					continue
				}
				u := f.useOf(i, m, at.nic)
				if u.col, u.times = s.does[m], int64(o.nodes); len(o.pools) > 1 {
					u.col, u.times = s.node[m][where], 1
				}
				if u.ticks > 0 {
					nic = append(nic, u)
				}
			}
		}
		add(at.id+".fabric", int64(at.nodes), fabric, about{"fabric", at.fabricName(), f.time})
		add(at.id+".nic", int64(at.nodes), nic, about{"nic", at.nicName(), f.time})
	}
	for r := range n.racks {
		rack := &n.racks[r]
		if rack.uplink == 0 || rack.uplink == unlimited {
			continue
		}
		var uplink []use
		for i := range f.shapes {
			s := &f.shapes[i]
			for m := range s.d.modes {
				o := &s.d.modes[m]
				if o.kind != spread {
					continue
				}
				racks := f.rackList(o)
				where := slices.Index(racks, r)
				if where < 0 {
					continue
				}
				u := f.useOf(i, m, rack.uplink)
				if u.col, u.times = s.does[m], int64(o.racks); len(racks) > 1 {
					u.col, u.times = s.rack[m][where], 1
				}
				if u.ticks > 0 {
					uplink = append(uplink, u)
				}
			}
		}
		add(fmt.Sprintf("k%d.uplink", r), int64(len(rack.racks)), uplink, about{"uplink", rack.uplinkName(), f.time})
	}
}

// Limits on the heads, tails and deadlines that get rows of their own.
const (
	maxHeads     = 5
	maxTails     = 3
	maxDeadlines = 4
)
