package formulation

import (
	"fmt"
	"math"
	"slices"
)

// contentCut is a row that forbids what a link cannot carry in whole synchronisations
// (see [linkItem]). With any weights w >= 0, and the most that w'n is for the contents n
// of a link, all links of a group together obey
//
//	(31) sum_i w_i (synchronisations of i, times links) <= links x max w'n.
type contentCut struct {
	group   int     // of the program's link groups
	weights []int64 // by item of the group
}

// linkItem is a shape that may send over a link of a group. In a period of P ticks a
// link has contents n: n_i synchronisations of item i, which are 0 or all the iterations
// of job i in the period, about which the limits of a node may tell. They take
//
//	sum_i u_i(n_i) <= P,
//
// where u_i(n) is the least time of the link at rate levels at which the chain of n
// iterations ends in the period. And they interlock. Between two synchronisations of job
// A, of s_A ticks or more, is a task of p_A ticks, at full depth. Those of others that
// are too fast to overlap with any of A come in such gaps, one after the other. So, as in
// (26), if e_i(n) of n synchronisations have to be so fast, which then take s_i ticks,
//
//	n_A (p_A + s_A) + sum_{B other than A} e_B(n_B) max(0, s_B - p_A) <= P where n_A > 0.
type linkItem struct {
	shape int
	uses  []use
	ticks []int64  // u_i by number of synchronisations, in parts of a tick
	limit interval // of their number, besides none
}

// items lists who uses the links of a group, shapes ascending.
func (f *fluid) items(g *linkGroup) []linkItem {
	var list []linkItem
	for _, u := range g.uses {
		ticks := f.linkTimes(&u)
		last := len(list) - 1
		if last < 0 || list[last].shape != u.shape {
			list = append(list, linkItem{shape: u.shape, uses: []use{u}, ticks: ticks})
			continue
		}
		it := &list[last]
		it.uses = append(it.uses, u)
		for n, t := range ticks {
			if n < len(it.ticks) {
				it.ticks[n] = min(it.ticks[n], t)
			} else {
				it.ticks = append(it.ticks, t)
			}
		}
	}
	for i := range list {
		it := &list[i]
		it.limit.to = int64(len(it.ticks) - 1)
		if f.rates != nil && f.rates.cols[it.shape] >= 0 {
			limit := f.rates.limits[it.shape]
			it.limit = interval{limit.from, min(limit.to, it.limit.to)}
		}
	}
	return list
}

// mostSyncs of a shape on a link are told apart.
const mostSyncs = 1 << 10

// linkTimes returns the times u_i(n) of a use.
func (f *fluid) linkTimes(u *use) (ticks []int64) {
	s := &f.shapes[u.shape]
	o := &s.d.modes[u.mode]
	most := s.jobs * (f.period / max(1, int64(o.iteration())))
	for n := range min(most, mostSyncs) + 1 {
		time := n * u.ticks
		if s.jobs == 1 && u.paces != nil {
			time = chained(u.paces, n, f.period-n*int64(o.full))
		}
		ticks = append(ticks, time)
	}
	return ticks
}

// chained returns the least time of a link that so many synchronisations take which
// last no longer than length together; never where there are none.
func chained(paces []linkPace, count, length int64) int64 {
	if count == 0 {
		return 0
	}
	least := int64(never)
	for n := int64(0); len(paces) > 0 && n <= count && n*paces[0].length <= length; n++ {
		least = min(least, n*paces[0].ticks+chained(paces[1:], count-n, length-n*paces[0].length))
	}
	return least
}

const never = math.MaxInt64 / 4

// gap is what job A leaves to others, see [linkItem]: p_A and p_A + s_A, at the most
// and at the least in its modes, and the share of a link, in parts of linkUnit,
// of synchronisations that no others of that share or more can overlap, nor one of A.
type gap struct{ task, cycle, share int64 }

// gap returns that of an item; false if it has none that is known.
func (f *fluid) gap(it *linkItem) (g gap, ok bool) {
	s := &f.shapes[it.shape]
	if s.jobs > 1 {
		return g, false
	}
	g = gap{cycle: never, share: linkUnit/2 + 1}
	for _, u := range it.uses {
		full := int64(s.d.modes[u.mode].full)
		if u.paces == nil {
			return g, false
		}
		g.task = max(g.task, full)
		for _, p := range u.paces {
			g.cycle, g.share = min(g.cycle, full+p.length), max(g.share, linkUnit+1-p.ticks/p.length)
		}
	}
	return g, true
}

// fills returns the ticks e_i(n) max(0, s_i - p_A) that n synchronisations of an item
// take beyond the tasks of the job whose gap it is.
func (f *fluid) fills(it *linkItem, n int64, g gap) int64 {
	s := &f.shapes[it.shape]
	least := int64(never)
	for _, u := range it.uses {
		fast, slow, all := int64(never), int64(never), int64(never) // shortest paces
		for _, p := range u.paces {
			if all = min(all, p.length); p.ticks/p.length >= g.share {
				fast = min(fast, p.length)
			} else {
				slow = min(slow, p.length)
			}
		}
		if fast == never || s.jobs > 1 && slow < never {
			return 0
		}
		spare := n
		if slow > all {
			spare = max(0, min(n, (f.period-n*(int64(s.d.modes[u.mode].full)+all))/(slow-all)))
		}
		least = min(least, (n-spare)*max(0, fast-g.task))
	}
	return least
}

// mostLinkRoom is how many units a period of a link has at the most, mostContents how
// many contents are looked at.
const (
	mostLinkRoom = 1 << 12
	mostContents = 20_000
)

// filling looks for the most valuable contents of a link.
type filling struct {
	items   []linkItem
	weights []int64
	period  int64
	room    int64
	sizes   [][]int64   // in units, by item and number
	gaps    []gap       // by item; of no cycle where there is none
	fills   [][][]int64 // by item whose gap it is, item and number
	worth   [][]int64   // of items from one on, by units of room, gaps forgotten
	steps   int
	loads   []int64 // of gaps
	now     []int64
	best    []int64
	value   int64
}

func (f *fluid) newFilling(items []linkItem) *filling {
	s := &filling{items: items, period: f.period, room: f.period * linkUnit, now: make([]int64, len(items)), loads: make([]int64, len(items))}
	unit := s.room
	for i := range items {
		for _, t := range items[i].ticks {
			unit = gcd(unit, t)
		}
	}
	unit = max(unit, (s.room+mostLinkRoom-1)/mostLinkRoom)
	s.room /= unit
	s.fills = make([][][]int64, len(items))
	for i := range items {
		var sizes []int64
		for _, t := range items[i].ticks {
			sizes = append(sizes, t/unit)
		}
		s.sizes = append(s.sizes, sizes)
		g, ok := f.gap(&items[i])
		s.gaps = append(s.gaps, g)
		for o := 0; o < len(items) && ok; o++ {
			fills := make([]int64, len(items[o].ticks))
			for n := range fills {
				if fills[n] = int64(n) * g.cycle; o != i {
					fills[n] = f.fills(&items[o], int64(n), g)
				}
			}
			s.fills[i] = append(s.fills[i], fills)
		}
	}
	return s
}

// most returns the contents that are worth the most at the weights among those with
// n of item first; and an upper limit on that, which is what they are worth unless there
// are too many to be looked at. It is negative if there are none.
func (s *filling) most(weights []int64, first int, n int64) (contents []int64, worth int64) {
	s.weights, s.steps, s.value, s.best = weights, 0, -1, nil
	s.worth = make([][]int64, len(s.items)+1)
	s.worth[len(s.items)] = make([]int64, s.room+1)
	for i := len(s.items) - 1; i >= 0; i-- {
		s.worth[i] = s.worth[i+1]
		if weights[i] == 0 {
			continue
		}
		s.worth[i] = slices.Clone(s.worth[i+1])
		for n := max(1, s.items[i].limit.from); n <= s.items[i].limit.to; n++ {
			for room := s.sizes[i][n]; room <= s.room; room++ {
				s.worth[i][room] = max(s.worth[i][room], s.worth[i+1][room-s.sizes[i][n]]+n*weights[i])
			}
		}
	}
	room := s.room
	if n > 0 {
		if room -= s.sizes[first][n]; room < 0 || !s.put(first, n) {
			s.take(first, n)
			return nil, -1
		}
	}
	s.fill(0, room, n*weights[first])
	if n > 0 {
		s.take(first, n)
	}
	if s.steps > mostContents {
		return nil, s.worth[0][room]
	}
	return s.best, s.value
}

// put adds to the contents, and reports whether all gaps hold what is in them.
func (s *filling) put(i int, n int64) bool {
	s.now[i] += n
	ok := true
	for a := range s.items {
		if s.fills[a] != nil {
			s.loads[a] += s.fills[a][i][n]
			ok = ok && (s.now[a] == 0 || s.loads[a] <= s.period)
		}
	}
	return ok
}

func (s *filling) take(i int, n int64) {
	s.now[i] -= n
	for a := range s.items {
		if s.fills[a] != nil {
			s.loads[a] -= s.fills[a][i][n]
		}
	}
}

// fill tries all contents of the items from i on.
func (s *filling) fill(i int, room, value int64) {
	if value > s.value {
		s.value, s.best = value, slices.Clone(s.now)
	}
	for ; i < len(s.items) && value+s.worth[i][room] > s.value; i++ {
		if s.weights[i] == 0 || s.now[i] > 0 {
			continue
		}
		for n := s.items[i].limit.to; n >= max(1, s.items[i].limit.from); n-- {
			if s.sizes[i][n] > room {
				continue
			}
			if s.steps++; s.steps > mostContents {
				return
			}
			if s.put(i, n) {
				s.fill(i+1, room-s.sizes[i][n], value+n*s.weights[i])
			}
			s.take(i, n)
		}
	}
}

// cut adds row (31).
func (f *fluid) cut(c *contentCut) {
	g := &f.groups[c.group]
	items := f.items(g)
	_, most := f.newFilling(items).most(c.weights, 0, 0)
	row := f.p.row(fmt.Sprintf("cut%d", len(f.p.rows)), atMost, g.links*most, about{})
	for i := range items {
		for _, u := range items[i].uses {
			f.p.term(row, u.col, c.weights[i]*u.times)
		}
	}
}

// mostWeight keeps sums of weights far from overflow.
const mostWeight = 1 << 20

// admits returns an error for a cut that makes no sense.
func (f *fluid) admits(c *contentCut) error {
	if c.group < 0 || c.group >= len(f.groups) || len(c.weights) != len(f.items(&f.groups[c.group])) ||
		slices.ContainsFunc(c.weights, func(w int64) bool { return w < 0 || w > mostWeight }) {
		return fmt.Errorf("formulation: the certificate has a cut of links %d that makes no sense", c.group)
	}
	return nil
}
