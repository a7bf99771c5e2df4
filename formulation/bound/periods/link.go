package periods

import (
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/periods"
	"slices"
)

// mostLinkRoom is how many units a period of a link has at the most, mostContents how
// many contents are looked at.
const (
	mostLinkRoom = 1 << 12
	mostContents = 5_000
)

// linkPacker looks for the most valuable contents of a link.
type linkPacker struct {
	*periods.Program
	items     []periods.LinkItem
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

func newLinkPacker(f *periods.Program, items []periods.LinkItem) *linkPacker {
	count := len(items)
	s := &linkPacker{
		Program: f, items: items, room: f.Period * relax.LinkUnit, stretches: make([][][]int64, count),
		now: make([]int64, count), loads: make([]int64, count),
	}
	unit := s.room
	for i := range items {
		for _, t := range items[i].Ticks {
			unit = exact.GCD(unit, t)
		}
	}
	unit = max(unit, (s.room+mostLinkRoom-1)/mostLinkRoom)
	s.room /= unit
	for i := range items {
		var sizes []int64
		for _, t := range items[i].Ticks {
			sizes = append(sizes, t/unit)
		}
		s.sizes = append(s.sizes, sizes)
	}
	return s
}

// watch makes the gap of an item matter.
func (s *linkPacker) watch(i int) {
	s.watched = append(s.watched, i)
	if s.stretches[i] != nil {
		return
	}
	g, ok := s.Gap(&s.items[i])
	for o := range s.items {
		ticks := make([]int64, len(s.items[o].Ticks))
		for n := range ticks {
			switch {
			case !ok:
			case o == i:
				ticks[n] = int64(n) * g.Cycle
			default:
				ticks[n] = s.Stretch(&s.items[o], int64(n), g)
			}
		}
		s.stretches[i] = append(s.stretches[i], ticks)
	}
}

// weigh gives the items weights.
func (s *linkPacker) weigh(weights []int64) {
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
		for n := max(1, s.items[i].Limit.From); n <= s.items[i].Limit.To; n++ {
			for room := s.sizes[i][n]; room <= s.room; room++ {
				s.worth[at][room] = max(s.worth[at][room], rest[room-s.sizes[i][n]]+n*weights[i])
			}
		}
	}
}

// most returns the contents that are worth the most among those with n of an item;
// and an upper limit on that, which is what they are worth unless there are too many to be
// looked at. It is negative if there are none.
func (s *linkPacker) most(i int, n int64) (contents []int64, worth int64) {
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
func (s *linkPacker) put(i int, n int64) bool {
	sign := int64(1)
	if n < 0 {
		sign, n = -1, -n
	}
	s.now[i] += sign * n
	ok := true
	for _, a := range s.watched {
		s.loads[a] += sign * s.stretches[a][i][n]
		ok = ok && (s.now[a] == 0 || s.loads[a] <= s.Period)
	}
	return ok
}

// fill tries all contents of the items from one on.
func (s *linkPacker) fill(at int, room, value int64) {
	if value > s.value {
		s.value, s.best = value, slices.Clone(s.now)
	}
	for ; at < len(s.order) && value+s.worth[at][room] > s.value; at++ {
		i := s.order[at]
		if s.now[i] > 0 {
			continue
		}
		for n := s.items[i].Limit.To; n >= max(1, s.items[i].Limit.From); n-- {
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
