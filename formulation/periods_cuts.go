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

// items lists who uses the links of a group, shapes ascending; nil where they are too
// many, or do so too often.
func (f *fluid) items(g *linkGroup) []linkItem {
	var list []linkItem
	for _, u := range g.uses {
		ticks := f.linkTimes(&u)
		if ticks == nil {
			return nil
		}
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
	if len(list) > mostItems {
		return nil
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

// Links that more shapes use, or one of them more often, have no cuts: many small contents
// fill them anyway.
const (
	mostItems = 40
	mostSyncs = 128
)

// linkTimes returns the times u_i(n) of a use, nil if they are too many.
func (f *fluid) linkTimes(u *use) (ticks []int64) {
	s := &f.shapes[u.shape]
	o := &s.d.modes[u.mode]
	most := s.jobs * (f.period / max(1, int64(o.iteration())))
	if most > mostSyncs {
		return nil
	}
	for n := range most + 1 {
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

// stretch returns the ticks e_i(n) max(0, s_i - p_A) that n synchronisations of an item
// take beyond the task of the job whose gap it is.
func (f *fluid) stretch(it *linkItem, n int64, g gap) int64 {
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
	mostContents = 5_000
)

// carrier looks for the most valuable contents of a link.
type carrier struct {
	*fluid
	items     []linkItem
	room      int64       // in units
	sizes     [][]int64   // in units, by item and number
	stretches [][][]int64 // what an item takes of the period in a gap, by item whose gap it is, item, number; nil for none
	// At the weights at hand: the items that have one, and what those from one of
	// them on are worth, by units of room, gaps forgotten.
	weights []int64
	order   []int
	worth   [][]int64
	// Of the search:
	steps   int
	watched []int   // items whose gaps may matter
	loads   []int64 // of their gaps
	now     []int64
	best    []int64
	value   int64
}

// carrier returns that of the links of a group.
func (f *fluid) carrier(group int) *carrier {
	if f.carriers == nil {
		f.carriers = make([]*carrier, len(f.groups))
	}
	if f.carriers[group] == nil {
		f.carriers[group] = f.newCarrier(f.items(&f.groups[group]))
	}
	return f.carriers[group]
}

func (f *fluid) newCarrier(items []linkItem) *carrier {
	count := len(items)
	s := &carrier{
		fluid: f, items: items, room: f.period * linkUnit, stretches: make([][][]int64, count),
		now: make([]int64, count), loads: make([]int64, count),
	}
	unit := s.room
	for i := range items {
		for _, t := range items[i].ticks {
			unit = gcd(unit, t)
		}
	}
	unit = max(unit, (s.room+mostLinkRoom-1)/mostLinkRoom)
	s.room /= unit
	for i := range items {
		var sizes []int64
		for _, t := range items[i].ticks {
			sizes = append(sizes, t/unit)
		}
		s.sizes = append(s.sizes, sizes)
	}
	return s
}

// watch makes the gap of an item matter.
func (s *carrier) watch(i int) {
	s.watched = append(s.watched, i)
	if s.stretches[i] != nil {
		return
	}
	g, ok := s.gap(&s.items[i])
	for o := range s.items {
		ticks := make([]int64, len(s.items[o].ticks))
		for n := range ticks {
			switch {
			case !ok:
			case o == i:
				ticks[n] = int64(n) * g.cycle
			default:
				ticks[n] = s.stretch(&s.items[o], int64(n), g)
			}
		}
		s.stretches[i] = append(s.stretches[i], ticks)
	}
}

// weigh gives the items weights.
func (s *carrier) weigh(weights []int64) {
	s.weights, s.order = weights, nil
	for i, w := range weights {
		if w > 0 {
			s.order = append(s.order, i)
		}
	}
	s.worth = make([][]int64, len(s.order)+1)
	s.worth[len(s.order)] = make([]int64, s.room+1)
	for at := len(s.order) - 1; at >= 0; at-- {
		i, rest := s.order[at], s.worth[at+1]
		s.worth[at] = slices.Clone(rest)
		for n := max(1, s.items[i].limit.from); n <= s.items[i].limit.to; n++ {
			for room := s.sizes[i][n]; room <= s.room; room++ {
				s.worth[at][room] = max(s.worth[at][room], rest[room-s.sizes[i][n]]+n*weights[i])
			}
		}
	}
}

// most returns the contents that are worth the most among those with n of an item;
// and an upper limit on that, which is what they are worth unless there are too many to be
// looked at. It is negative if there are none.
func (s *carrier) most(i int, n int64) (contents []int64, worth int64) {
	s.steps, s.value, s.best, s.watched = 0, -1, nil, s.watched[:0]
	room := s.room - s.sizes[i][n]
	if room < 0 {
		return nil, -1
	}
	for _, o := range s.order {
		s.watch(o)
	}
	if n > 0 && s.weights[i] == 0 {
		s.watch(i)
	}
	if s.put(i, n) {
		s.fill(0, room, n*s.weights[i])
	}
	s.put(i, -n)
	if s.steps > mostContents {
		return nil, s.worth[0][room] + n*s.weights[i]
	}
	return s.best, s.value
}

// put adds to the contents, or takes the same away, and reports whether all gaps hold
// what is in them.
func (s *carrier) put(i int, n int64) bool {
	sign := int64(1)
	if n < 0 {
		sign, n = -1, -n
	}
	s.now[i] += sign * n
	ok := true
	for _, a := range s.watched {
		s.loads[a] += sign * s.stretches[a][i][n]
		ok = ok && (s.now[a] == 0 || s.loads[a] <= s.period)
	}
	return ok
}

// fill tries all contents of the items from one on.
func (s *carrier) fill(at int, room, value int64) {
	if value > s.value {
		s.value, s.best = value, slices.Clone(s.now)
	}
	for ; at < len(s.order) && value+s.worth[at][room] > s.value; at++ {
		i := s.order[at]
		if s.now[i] > 0 {
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
				s.fill(at+1, room-s.sizes[i][n], value+n*s.weights[i])
			}
			s.put(i, -n)
		}
	}
}

// cut adds row (31).
func (f *fluid) cut(c *contentCut) {
	g := &f.groups[c.group]
	link := f.carrier(c.group)
	link.weigh(c.weights)
	_, most := link.most(0, 0)
	row := f.p.row(fmt.Sprintf("cut%d", len(f.p.rows)), atMost, multiply(g.links, most), about{})
	for i := range link.items {
		for _, u := range link.items[i].uses {
			f.p.term(row, u.col, multiply(c.weights[i], u.times))
		}
	}
}

// mostWeight keeps sums of weights far from overflow.
const mostWeight = 1 << 20

// admits returns an error for a cut that makes no sense.
func (f *fluid) admits(c *contentCut) error {
	if c.group < 0 || c.group >= len(f.groups) || len(c.weights) == 0 || len(c.weights) != len(f.carrier(c.group).items) ||
		slices.ContainsFunc(c.weights, func(w int64) bool { return w < 0 || w > mostWeight }) {
		return fmt.Errorf("formulation: the certificate has a cut of links %d that makes no sense", c.group)
	}
	return nil
}
