package columns

import (
	"cmp"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"math"
	"math/big"
	"slices"
)

// Work is about how many steps pricing all classes once takes.
func (s *Program) Work() int64 {
	sum := int64(0)
	for c := range s.Classes {
		p := &s.Classes[c].Plans
		each := int64(p.Grid.Blocks) / 2
		for i := range p.Options {
			for d := range p.Options[i].Multisets {
				each += int64(len(p.Options[i].Multisets[d].Items))
			}
		}
		sum += int64(p.Grid.Points) * int64(p.Grid.Points) * each
	}
	return sum
}

// Program is the columns program of the package comment: one row for each group of GPUs or
// links and bucket, and the plans of each class.
type Program struct {
	Model    *relax.Model
	Calendar Calendar
	Groups   []Group
	Rows     int // of all groups
	Classes  []Class
	Horizon  int64 // as requested; the calendar's is rounded up
	Grain    Grain
	Due      int64 // D; -1 where plans may end at any time
	Theta    bool  // minimise theta, not weighted completion
	// For a node of branch-and-price: the group of the first GPU; all links that
	// could be overloaded get rows.
	FirstGPU  int
	Like      []instance.GPUID // by GPU: the first of those that share its rows
	EveryLink bool
	// Pooled are the groups of each link that others share; see [Program.LinkGroups].
	Pooled map[instance.LinkID][]int
	links  []relax.LinkClass // in the order of their groups
}

// Group is a group of identical GPUs or links with one row per bucket.
type Group struct {
	Name              string
	Resource, Subject string        // as in [relax.LinkClass]; those of single GPUs and links have none
	Speed             instance.Rate // of a link; what counts is shares of it
	Capacity          int64         // units; a GPU is one, a link [relax.LinkUnit]; 0: no rows
	// Alone is the shortest synchronisation on the links of the group, in ticks, if no two ever fit on a link at a time;
	// otherwise 0. A shorter gap between two synchronisations of a job leaves its links idle.
	Alone int64
	first int // its first row
}

// Class is a class of identical jobs in a master.
type Class struct {
	Class *relax.Class
	Modes []relax.ModeOptions
	Plans Plans
}

// Grain is the granularity of a master. As long as the horizon has no more
// ticks than points and buckets, nothing is rounded.
type Grain struct {
	Points, Buckets int64
}

// New builds the rows and pricers for plans up to the horizon. due is the
// latest end of all plans, or -1.
func New(m *relax.Model, horizon, due int64, grain Grain) *Program {
	s := &Program{
		Model: m, Due: due, Horizon: horizon, Grain: grain, Calendar: NewCalendar(horizon, grain.Buckets),
		Classes: make([]Class, len(m.Classes)), Theta: due >= 0,
	}
	for c := range m.Classes {
		d := &m.Classes[c]
		s.Classes[c] = Class{Class: d, Modes: m.ModeOptions(d)}
	}
	s.Supplies()
	s.Number()
	s.alone()
	for c := range s.Classes {
		s.Classes[c].Plans = s.PlansOf(&s.Classes[c])
	}
	return s
}

// Number assigns rows to every group.
func (s *Program) Number() {
	s.Rows = 0
	for g := range s.Groups {
		s.Groups[g].first = s.Rows
		if s.Groups[g].Capacity > 0 {
			s.Rows += s.Calendar.Buckets()
		}
	}
}

// Fits reports whether the numbers of the program are small enough for exact
// prices, and its time axes for memory.
func (s *Program) Fits() bool {
	if s.Calendar.Buckets() > maxPoints {
		return false
	}
	for c := range s.Classes {
		p := &s.Classes[c].Plans
		if p.Iteration > relax.MaxHorizon || p.Grid.Points > 2*maxPoints || p.Grid.Blocks*(p.Grid.Points+1) > mostStates {
			return false
		}
		end := new(big.Int).Mul(big.NewInt(int64(s.Classes[c].Class.Job.Iterations)), big.NewInt(p.Iteration))
		end.Add(end, big.NewInt(max(s.Calendar.Horizon, p.Grid.Release)))
		if end.Mul(end, big.NewInt(max(1, p.Weight))).BitLen() > 57 {
			return false
		}
	}
	return true
}

// Supplies lists the groups of rows: the GPUs of every pool, and the links. Links have rows only if
// all jobs together could overload them.
func (s *Program) Supplies() {
	n := s.Model.Network
	for p := range n.Pools {
		at := &n.Pools[p]
		s.Groups = append(s.Groups, Group{Name: at.ID + ".gpu", Resource: "gpu", Subject: at.GPUName(), Capacity: at.Size()})
	}
	s.links = n.Links()
	slices.SortStableFunc(s.links, func(a, b relax.LinkClass) int { return cmp.Compare(a.Resource, b.Resource) })
	for i := range s.links {
		l := &s.links[i]
		group := Group{Name: l.ID, Resource: l.Resource, Subject: l.Subject, Speed: l.Speed}
		if s.scarce(l) {
			group.Capacity = l.Count * relax.LinkUnit
		}
		s.Groups = append(s.Groups, group)
	}
}

// scarce reports whether all jobs together could overload the links of a class.
func (s *Program) scarce(l *relax.LinkClass) bool {
	if l.Resource == "uplink" && l.Speed == 0 {
		return false
	}
	capacity, peak, work := float64(l.Count*relax.LinkUnit), 0.0, 0.0
	for c := range s.Classes {
		class := &s.Classes[c]
		most, each := 0.0, 0.0
		for w := range class.Modes {
			o := class.Modes[w].Mode
			if where, _ := s.Model.Network.Reaches(o, l); where < 0 {
				continue
			}
			times := float64(o.Crosses(l))
			for r := range class.Modes[w].Options {
				for _, p := range s.paces(o, &class.Modes[w].Options[r]) {
					amount := times * float64(Share(p.Rate, l.Speed))
					most, each = max(most, amount), max(each, amount*float64(p.Length))
				}
			}
		}
		peak += float64(class.Class.Count()) * most
		work += float64(class.Class.Count()) * float64(class.Class.Job.Iterations) * each
	}
	return peak > capacity && (s.EveryLink || work >= capacity*float64(s.Calendar.Horizon)*leastLinkLoad)
}

// alone sets [Group.Alone], but not of waypoints. Dominated modes do not count: their plans are priced as plans that use no links with rows.
func (s *Program) alone() {
	for i := range s.uplinks() {
		l, g := &s.links[i], &s.Groups[s.fabric(i)]
		if g.Capacity == 0 {
			continue
		}
		g.Alone = math.MaxInt64
		for c := range s.Classes {
			modes := s.Classes[c].Modes
			for w := range modes {
				o := modes[w].Mode
				if where, _ := s.Model.Network.Reaches(o, l); where < 0 || s.beaten(modes, w) {
					continue
				}
				for r := range modes[w].Options {
					option := &modes[w].Options[r]
					g.Alone = min(g.Alone, option.Sync) // 0: an iteration may end without one
					for _, p := range s.paces(o, option) {
						if g.Alone = min(g.Alone, p.Length); o.Unpaced || 2*Share(p.Rate, l.Speed) <= relax.LinkUnit {
							g.Alone = 0 // two may share a link
						}
					}
				}
			}
		}
	}
}

// leastLinkLoad is the fraction of the capacity of links below which they get
// no rows.
const leastLinkLoad = 0.05

// uplinks is the number of links before the waypoints, which are the last.
func (s *Program) uplinks() int { return 2*len(s.Model.Network.Pools) + len(s.Model.Network.Racks) }

// Groups of rows, in order: GPUs, fabrics, NICs by pool, uplinks by rack class, waypoints.
func (s *Program) fabric(pool int) int { return len(s.Model.Network.Pools) + pool }

func (s *Program) nic(pool int) int { return 2*len(s.Model.Network.Pools) + pool }

func (s *Program) uplink(rack int) int { return 3*len(s.Model.Network.Pools) + rack }

// PlansOf makes the pricer of a class.
func (s *Program) PlansOf(class *Class) Plans {
	d := class.Class
	p := Plans{Due: s.Due}
	if s.Due >= 0 && d.Job.Deadline > 0 {
		p.Due = min(s.Due, int64(d.Job.Deadline))
	}
	iteration := int64(math.MaxInt64)
	for w := range class.Modes {
		mode := &class.Modes[w]
		if s.beaten(class.Modes, w) {
			continue
		}
		for r := range mode.Options {
			iteration = min(iteration, int64(mode.Mode.Full)+mode.Options[r].Sync)
			p.Options = append(p.Options, s.newOption(d, mode, w, &mode.Options[r]))
		}
	}
	for i := range p.Options {
		p.Modes = max(p.Modes, p.Options[i].Mode+1)
		for n := range p.Options[i].Items {
			p.Options[i].Items[n].First = p.Alternatives
			p.Alternatives += len(p.Options[i].Items[n].Alts)
		}
	}
	p.Iteration = max(1, iteration)
	if p.Iteration > relax.MaxHorizon {
		return p // see Fits; time axes would overflow
	}
	p.Grid = newGrid(int64(d.Job.Release), p.Iteration, d.Job.Iterations, s.Calendar.Horizon, s.Grain.Points)
	if p.Due >= 0 {
		p.Grid.Points = max(0, p.Grid.At(max(p.Due, p.Grid.Release)))
	} else {
		p.Grid.Points = p.Grid.At(max(s.Calendar.Horizon, p.Grid.Release)+p.Grid.Chain) + 1
	}
	return p
}

// beaten reports whether another mode dominates this one: it reaches at least
// the same pools, loads no link that has rows, and never synchronises longer.
func (s *Program) beaten(modes []relax.ModeOptions, w int) bool {
	last := func(v *relax.ModeOptions) int64 { return v.Options[len(v.Options)-1].Sync }
	for o := range modes {
		a, b := &modes[o], &modes[w]
		if o == w || last(a) > b.Options[0].Sync || s.loads(a.Mode) || last(a) == b.Options[0].Sync && len(a.Mode.Pools) == len(b.Mode.Pools) && o > w && !s.loads(b.Mode) {
			continue
		}
		covers := true
		for _, p := range b.Mode.Pools {
			covers = covers && slices.Contains(a.Mode.Pools, p)
		}
		if covers {
			return true
		}
	}
	return false
}

// loads reports whether a mode uses links that have rows.
func (s *Program) loads(o *relax.Mode) bool {
	for i := range s.links {
		if where, _ := s.Model.Network.Reaches(o, &s.links[i]); where >= 0 && s.Groups[s.fabric(i)].Capacity > 0 {
			return true
		}
	}
	return false
}

// newOption converts an option of a mode to items: the depths, and the
// synchronisation if its links have rows.
func (s *Program) newOption(d *relax.Class, w *relax.ModeOptions, index int, r *relax.Option) PricedOption {
	option := PricedOption{Mode: index}
	task := func(pool, depth int) (int64, bool) {
		t := s.Model.Network.Pools[pool].GPUType
		if !d.Fits[t][depth] {
			return 0, false
		}
		return int64(d.Job.On[t].Time[depth]), true
	}
	if d.Job.Gang && len(w.Mode.Pools) == 1 {
		// All start together, so a multiset is one item.
		pool := w.Mode.Pools[0]
		for _, counts := range r.Multisets {
			var alt Alternative
			for depth, n := range counts {
				if n > 0 {
					length, _ := task(pool, depth)
					alt.Length = max(alt.Length, length)
					alt.Uses = append(alt.Uses, Use{pool, int64(n), length})
				}
			}
			option.Multisets = append(option.Multisets, Multiset{[]int{len(option.Items)}, []int64{1}})
			option.Items = append(option.Items, Item{Tail: r.Sync, Alts: []Alternative{alt}})
		}
	} else {
		index := make([][]int, 1+len(w.Mode.Pools)) // of items plus 1, by pool, the last for any, and depth
		for _, counts := range r.Multisets {
			for _, way := range s.placements(d, w.Mode, counts) {
				var o Multiset
				for i, counts := range way {
					if index[i] == nil {
						index[i] = make([]int, len(d.Job.Depths)) // way[i] may be empty
					}
					for depth, n := range counts {
						if n == 0 {
							continue
						}
						if index[i][depth] == 0 {
							it := Item{Tail: r.Sync}
							for at, pool := range w.Mode.Pools {
								if length, ok := task(pool, depth); ok && (i == len(w.Mode.Pools) || i == at) {
									it.Alts = append(it.Alts, Alternative{Length: length, Uses: []Use{{pool, 1, length}}})
								}
							}
							option.Items = append(option.Items, it)
							index[i][depth] = len(option.Items)
						}
						o.Items, o.Counts = append(o.Items, index[i][depth]-1), append(o.Counts, int64(n))
					}
				}
				option.Multisets = append(option.Multisets, o)
			}
		}
	}
	if alts := s.syncs(w.Mode, r); len(alts) > 0 {
		for i := range option.Multisets {
			o := &option.Multisets[i]
			o.Items, o.Counts = append(o.Items, len(option.Items)), append(o.Counts, 1)
		}
		option.Items = append(option.Items, Item{Head: int64(w.Mode.Full), Alts: alts})
	}
	return option
}

// mostPlacements is the largest number of ways to divide a multiset among pools that are told apart.
const mostPlacements = 32

// placements lists the ways to divide the tasks of a multiset among the pools of a mode, as numbers by pool and depth. If
// each pool could hold all of them, or there are no such ways or too many, it is one way: after the pools come tasks that may be in any.
func (s *Program) placements(d *relax.Class, o *relax.Mode, counts []int) (ways [][][]int) {
	left, room := make([]int, len(o.Pools)), 0
	wide, now := false, make([][]int, len(o.Pools))
	for i, p := range o.Pools {
		left[i] = int(min(int64(d.Job.Workers), s.Model.Network.Reach(o, p)))
		room += left[i]
		wide, now[i] = wide || left[i] < d.Job.Workers, make([]int, len(counts))
	}
	fits := func(i, depth int) bool { return d.Fits[s.Model.Network.Pools[o.Pools[i]].GPUType][depth] }
	// divide places rest tasks of a depth on pools from i on, then those of shallower depths, which fit wherever deeper ones do.
	var divide func(depth, i, rest int)
	divide = func(depth, i, rest int) {
		if rest == 0 {
			if depth--; depth >= 0 {
				divide(depth, 0, counts[depth])
				return
			}
			way := make([][]int, len(o.Pools))
			for i := range way {
				way[i] = slices.Clone(now[i])
			}
			ways = append(ways, way)
			return
		}
		free := 0
		for at := i; at < len(left); at++ {
			if fits(at, depth) {
				free += left[at]
			}
		}
		if rest > free || len(ways) > mostPlacements {
			return
		}
		for here := min(rest, left[i]); here >= 0; here-- {
			if here > 0 && !fits(i, depth) {
				continue
			}
			now[i][depth] = here
			left[i] -= here
			divide(depth, i+1, rest-here)
			left[i] += here
		}
	}
	if wide && room >= d.Job.Workers {
		divide(len(counts), 0, 0)
	}
	if len(ways) == 0 || len(ways) > mostPlacements {
		ways = [][][]int{make([][]int, len(o.Pools)+1)}
		ways[0][len(o.Pools)] = counts
	}
	return ways
}

// Row is the row of a group in a bucket.
func (s *Program) Row(group, bucket int) int { return s.Groups[group].first + bucket }

// LinkGroups returns the groups of rows of each link: of its pool or class of racks, and its own if it is a waypoint. One of the two
// directions of a NIC or an uplink stands for both.
func (s *Program) LinkGroups() map[instance.LinkID][]int {
	in, n := s.Model.Instance, s.Model.Network
	groups := map[instance.LinkID][]int{}
	for i := range in.Nodes {
		groups[in.Nodes[i].Fabric], groups[in.Nodes[i].Up] = []int{s.fabric(n.PoolOf[i])}, []int{s.nic(n.PoolOf[i])}
	}
	out, _ := in.Exits()
	for k := range n.Racks {
		for _, r := range n.Racks[k].Racks {
			for _, l := range out[r] {
				groups[l] = []int{s.uplink(k)}
			}
		}
	}
	for i := s.uplinks(); i < len(s.links); i++ {
		l := instance.LinkID(s.links[i].At)
		groups[l] = append(groups[l], s.fabric(i))
	}
	return groups
}

// GPUGroup is the group of a GPU: that of the first GPU like it.
func (s *Program) GPUGroup(g instance.GPUID) int { return s.FirstGPU + int(s.Like[g]) }

// Sharers lists the GPUs that share the rows of one.
func (s *Program) Sharers(g instance.GPUID) (list []instance.GPUID) {
	for o := range s.Like {
		if s.Like[o] == s.Like[g] {
			list = append(list, instance.GPUID(o))
		}
	}
	return list
}

// LinkGroup is the group of a link.
func (s *Program) LinkGroup(l instance.LinkID) int {
	return s.FirstGPU + len(s.Model.Instance.GPUs) + int(l)
}
