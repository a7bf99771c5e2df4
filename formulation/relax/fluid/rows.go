package fluid

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
)

// residency adds, if memory may bind, the columns of where jobs live and the
// rows
//
//	(1) every job lives somewhere (or, for rates, somewhere or nowhere),
//	(2) all workers of a mode of several pools are placed,
//	(3) the parameters of the resident workers of a pool fit in the memory that
//	    the smallest task there leaves free.
func (f *Program) residency() {
	if len(f.tight) == 0 {
		return
	}
	lives := linear.Equal
	if f.Model.Instance.Objective.Periodic() {
		lives = linear.AtMost
	}
	for i := range f.Shapes {
		s := &f.Shapes[i]
		k := int64(s.Class.Job.Workers)
		one := f.Linear.Row(s.ID+".lives", lives, s.Jobs, linear.About{})
		s.live = []int{}
		for i := range s.Class.Modes {
			o := &s.Class.Modes[i]
			y := f.Linear.Col(fmt.Sprintf("%s.live.%s", s.ID, o.ID()), 0, s.Jobs)
			f.Linear.Term(one, y, 1)
			s.live = append(s.live, y)
			var home []int
			if len(o.Pools) > 1 {
				all := f.Linear.Row(fmt.Sprintf("%s.home.%s", s.ID, o.ID()), linear.Equal, 0, linear.About{})
				f.Linear.Term(all, y, -k)
				for _, p := range o.Pools {
					at := &f.Model.Network.Pools[p]
					u := f.Linear.Col(fmt.Sprintf("%s.home.%s.%s", s.ID, o.ID(), at.ID), 0, s.Jobs*min(k, f.Model.Network.Reach(o, p)))
					f.Linear.Term(all, u, 1)
					home = append(home, u)
				}
			}
			s.home = append(s.home, home)
		}
	}
	for _, p := range f.tight {
		at := &f.Model.Network.Pools[p]
		free, unit := f.freeMemory(p), int64(1)
		for free/unit > 1<<20 { // in units of about a millionth of a GPU
			unit *= 2
		}
		row := f.Linear.Row(at.ID+".memory", linear.AtMost, (free+unit-1)/unit*at.Size(),
			linear.About{Resource: "memory", Subject: at.MemoryName(), Capacity: -1})
		for i := range f.Shapes {
			s := &f.Shapes[i]
			if !s.Class.Usable(at.GPUType) {
				continue
			}
			each := int64(s.Class.Job.On[at.GPUType].Persistent) / unit
			for i := range s.Class.Modes {
				switch where := slices.Index(s.Class.Modes[i].Pools, p); {
				case where < 0:
				case s.home[i] == nil:
					f.Linear.Term(row, s.live[i], exact.Multiply(each, int64(s.Class.Job.Workers)))
				default:
					f.Linear.Term(row, s.home[i][where], each)
				}
			}
		}
	}
}

// activity adds the columns of what is done where, at most limit iterations of
// each shape, and the rows
//
//	(4) all iterations are done (not for rates), by jobs and workers that live there,
//	(5) every worker has one task in an iteration,
//	(6) the depths meet the SPB rule,
//	(7) the nodes, and racks, that take part hold the workers, and are no fewer
//	    than any residency has.
func (f *Program) activity(limit func(*Shape) int64) {
	rates := f.Model.Instance.Objective.Periodic()
	for i := range f.Shapes {
		s := &f.Shapes[i]
		d, most, k := s.Class, limit(s), int64(s.Class.Job.Workers)
		all := -1
		if !rates {
			all = f.Linear.Row(s.ID+".iterations", linear.Equal, s.iterations, linear.About{})
		}
		s.node, s.rack = make([][]int, len(d.Modes)), make([][]int, len(d.Modes))
		for i := range d.Modes {
			o := &d.Modes[i]
			x := f.Linear.Col(fmt.Sprintf("%s.does.%s", s.ID, o.ID()), 0, most)
			s.does = append(s.does, x)
			if all >= 0 {
				f.Linear.Term(all, x, 1)
				if s.live != nil {
					f.tie(s, fmt.Sprintf("%s.tie.%s", s.ID, o.ID()), x, s.live[i])
				}
			}
			var busy []int
			if len(o.Pools) > 1 {
				workers := f.Linear.Row(fmt.Sprintf("%s.busy.%s", s.ID, o.ID()), linear.Equal, 0, linear.About{})
				f.Linear.Term(workers, x, -k)
				for at, p := range o.Pools {
					id := f.Model.Network.Pools[p].ID
					w := f.Linear.Col(fmt.Sprintf("%s.busy.%s.%s", s.ID, o.ID(), id), 0, exact.Multiply(most, min(k, f.Model.Network.Reach(o, p))))
					f.Linear.Term(workers, w, 1)
					busy = append(busy, w)
					if reach := f.Model.Network.Reach(o, p); reach < k {
						f.within(fmt.Sprintf("%s.reach.%s.%s", s.ID, o.ID(), id), w, x, reach)
					}
					if all >= 0 && s.live != nil {
						f.tie(s, fmt.Sprintf("%s.tie.%s.%s", s.ID, o.ID(), id), w, s.home[i][at])
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

// within adds the row that a column is at most a multiple of another.
func (f *Program) within(name string, col, other int, times int64) {
	row := f.Linear.Row(name, linear.AtMost, 0, linear.About{})
	f.Linear.Term(row, col, 1)
	f.Linear.Term(row, other, -times)
}

// tie adds the row that each resident does R iterations.
func (f *Program) tie(s *Shape, name string, does, live int) {
	if s.fewest == s.most {
		row := f.Linear.Row(name, linear.Equal, 0, linear.About{})
		f.Linear.Term(row, does, 1)
		f.Linear.Term(row, live, -s.most)
		return
	}
	row := f.Linear.Row(name+".most", linear.AtMost, 0, linear.About{})
	f.Linear.Term(row, does, 1)
	f.Linear.Term(row, live, -s.most)
	row = f.Linear.Row(name+".fewest", linear.AtLeast, 0, linear.About{})
	f.Linear.Term(row, does, 1)
	f.Linear.Term(row, live, -s.fewest)
}

// depths adds columns and rows (5) and (6). They concern the modes of several
// pools only: in one pool the cheapest depths are known.
func (f *Program) depths(s *Shape, most int64) {
	d, n := s.Class, f.Model.Network
	var several []int
	var pools []int
	for i := range d.Modes {
		if s.busy[i] != nil {
			several = append(several, i)
			for _, p := range d.Modes[i].Pools {
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
		row := f.Linear.Row(fmt.Sprintf("%s.tasks.%s", s.ID, n.Pools[p].ID), linear.Equal, 0, linear.About{})
		for _, i := range several {
			if at := slices.Index(d.Modes[i].Pools, p); at >= 0 {
				f.Linear.Term(row, s.busy[i][at], -1)
			}
		}
		s.tasks[p] = make([]int, len(d.Job.Depths))
		for depth, ok := range d.Fits[n.Pools[p].GPUType] {
			s.tasks[p][depth] = -1
			if ok && d.Knows(depth) {
				z := f.Linear.Col(fmt.Sprintf("%s.tasks.%s.d%d", s.ID, n.Pools[p].ID, depth), 0, exact.Multiply(most, min(int64(d.Job.Workers), n.Pools[p].Size())))
				f.Linear.Term(row, z, 1)
				s.tasks[p][depth] = z
			}
		}
	}
	for _, part := range d.RuleParts() { // (6)
		if part.Exact && part.Need == int64(d.Job.Workers) {
			continue // as (5)
		}
		row := f.Linear.Row(s.ID+"."+part.Name, senseOf(part), 0, linear.About{})
		for _, i := range several {
			f.Linear.Term(row, s.does[i], -part.Need)
		}
		for _, p := range pools {
			for depth, z := range s.tasks[p] {
				if z >= 0 {
					f.Linear.Term(row, z, part.Weights[depth])
				}
			}
		}
	}
}

// senseOf is the sense of a row about a part of a rule.
func senseOf(part relax.RulePart) linear.Sense {
	if part.Exact {
		return linear.Equal
	}
	return linear.AtLeast
}

// parties adds columns and rows (7) for one mode of several pools.
func (f *Program) parties(s *Shape, i int, most int64) {
	n, o := f.Model.Network, &s.Class.Modes[i]
	count := f.Linear.Row(fmt.Sprintf("%s.nodes.%s", s.ID, o.ID()), linear.AtLeast, 0, linear.About{})
	f.Linear.Term(count, s.does[i], -int64(o.Nodes))
	for at, p := range o.Pools {
		name := fmt.Sprintf("%s.nodes.%s.%s", s.ID, o.ID(), n.Pools[p].ID)
		nodes := f.Model.Network.Reach(o, p) / int64(n.Pools[p].GPUs)
		v := f.Linear.Col(name, 0, exact.Multiply(most, min(int64(s.Class.Job.Workers), nodes)))
		f.Linear.Term(count, v, 1)
		hold := f.Linear.Row(name, linear.AtLeast, 0, linear.About{})
		f.Linear.Term(hold, v, int64(n.Pools[p].GPUs))
		f.Linear.Term(hold, s.busy[i][at], -1)
		s.node[i] = append(s.node[i], v)
	}
	racks := f.Model.Network.RackClasses(o)
	if o.Kind != relax.Spread || len(racks) < 2 {
		return
	}
	count = f.Linear.Row(fmt.Sprintf("%s.racks.%s", s.ID, o.ID()), linear.AtLeast, 0, linear.About{})
	f.Linear.Term(count, s.does[i], -int64(o.Racks))
	for _, r := range racks {
		name := fmt.Sprintf("%s.racks%s.k%d", s.ID, strings.TrimPrefix(o.ID(), "spread"), r)
		h := f.Linear.Col(name, 0, exact.Multiply(most, min(int64(s.Class.Job.Workers), int64(len(n.Racks[r].Racks)))))
		f.Linear.Term(count, h, 1)
		hold := f.Linear.Row(name, linear.AtLeast, 0, linear.About{})
		gpus := int64(0)
		for at, p := range o.Pools {
			if n.Pools[p].Rack == r {
				gpus += int64(n.Pools[p].GPUs) * int64(n.Pools[p].PerRack)
				f.Linear.Term(hold, s.busy[i][at], -1)
			}
		}
		f.Linear.Term(hold, h, gpus)
		s.rack[i] = append(s.rack[i], h)
	}
}

// pay adds the GPU time of the shape in a pool to a row, times sign: whole
// iterations with their least work, and tasks of modes of several pools with
// their lengths.
func (f *Program) pay(row int, s *Shape, p int, sign int64) {
	t := f.Model.Network.Pools[p].GPUType
	for i := range s.Class.Modes {
		if o := &s.Class.Modes[i]; len(o.Pools) == 1 && o.Pools[0] == p {
			f.Linear.Term(row, s.does[i], sign*s.Class.WorkOn(t))
		}
	}
	for depth, z := range s.tasks[p] {
		if z >= 0 {
			f.Linear.Term(row, z, sign*int64(s.Class.Job.On[t].Time[depth]))
		}
	}
}

// linkTicks is the time of a link of that speed for volume bytes, in parts of a
// tick, rounded down.
func (f *Program) linkTicks(volume instance.Bytes, speed instance.Rate) int64 {
	num := exact.Mul(int64(volume), 8_000_000*relax.LinkUnit)
	num.Quo(num.Mul(num, big.NewInt(int64(f.Model.Instance.Rate(1)))), exact.Mul(int64(speed), f.Model.Instance.TickUS))
	if !num.IsInt64() {
		return math.MaxInt64
	}
	return min(num.Int64(), int64(relax.MaxSync))
}

// LinkPace is a way to synchronise: a lower limit on its length in ticks, and the time of
// a link that it takes, in parts of a tick.
type LinkPace struct{ Length, Ticks int64 }

// linkPaces lists the paces of a mode on a link of that speed, long ones first: a
// synchronisation lasts whole ticks, at a rate level of the slowest link. There are none
// if that link's speed is not known.
func (f *Program) linkPaces(o *relax.Mode, speed instance.Rate) (list []LinkPace) {
	if o.Unpaced {
		return nil
	}
	for _, p := range f.Model.Paces(o, o.Volume) {
		num := exact.Mul(p.Length, int64(p.Rate))
		num.Mul(num, big.NewInt(relax.LinkUnit)).Quo(num, big.NewInt(int64(speed)))
		list = append(list, LinkPace{p.Length, min(int64(relax.MaxSync), exact.Saturate(num))})
	}
	slices.Reverse(list)
	return list
}

// useOf returns the use of links of that speed by a mode, except the counting
// column.
func (f *Program) useOf(shape, mode int, speed instance.Rate) LinkUse {
	o := &f.Shapes[shape].Class.Modes[mode]
	u := LinkUse{Shape: shape, Mode: mode, Ticks: f.linkTicks(o.Volume, speed), Paces: f.linkPaces(o, speed)}
	if len(u.Paces) > 0 {
		u.Ticks = slices.MinFunc(u.Paces, func(a, b LinkPace) int { return cmp.Compare(a.Ticks, b.Ticks) }).Ticks
	}
	return u
}

// LinkGroup is a group of identical links, and their users.
type LinkGroup struct {
	Links int64
	Uses  []LinkUse
}

// LinkUse is the use of the links of a group by a shape in a mode: each of the
// iterations that the column counts takes at least a number of parts of a tick on a
// number of links.
type LinkUse struct {
	Shape, Mode, Col int
	Ticks, Times     int64
	Paces            []LinkPace // nil if they are not known
}

// links adds rows (9) to (11), fabrics, NICs and uplinks. Their time, times
// sign, goes into the row that open returns for the given shapes and number of
// links.
func (f *Program) links(sign int64, open func(name string, links int64, shapes []*Shape, a linear.About) int) {
	for _, l := range f.Model.Network.Links() {
		if l.Resource == "uplink" && l.Speed == 0 {
			continue
		}
		var uses []LinkUse
		var shapes []*Shape
		for i := range f.Shapes {
			s := &f.Shapes[i]
			for m := range s.Class.Modes {
				o := &s.Class.Modes[m]
				where, places := f.Model.Network.Reaches(o, &l)
				if where < 0 {
					continue
				}
				u := f.useOf(i, m, l.Speed)
				switch u.Col, u.Times = s.does[m], int64(o.Crosses(&l)); {
				case l.Resource == "waypoint": // one link, which a synchronisation may cross several times
					for i := range u.Paces {
						u.Paces[i].Ticks = exact.Multiply(u.Paces[i].Ticks, u.Times)
					}
					u.Ticks, u.Times = exact.Multiply(u.Ticks, u.Times), 1
				case places == 1:
				case l.Resource == "nic":
					u.Col, u.Times = s.node[m][where], 1
				default:
					u.Col, u.Times = s.rack[m][where], 1
				}
				if u.Ticks > 0 {
					uses = append(uses, u)
				}
			}
			if last := len(uses) - 1; last >= 0 && uses[last].Shape == i {
				shapes = append(shapes, s)
			}
		}
		if len(uses) == 0 {
			continue
		}
		row := open(l.ID, l.Count, shapes, linear.About{Resource: l.Resource, Subject: l.Subject, Capacity: f.time})
		for _, u := range uses {
			f.Linear.Term(row, u.Col, exact.Multiply(sign, u.Ticks, u.Times))
		}
		f.Groups = append(f.Groups, LinkGroup{l.Count, uses})
	}
}

// Limits on the heads, tails and deadlines that get rows of their own.
const (
	maxHeads     = 5
	maxTails     = 3
	maxDeadlines = 4
)
