package periods

import (
	"errors"
	"slices"

	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// ErrCut reports a row (31) that some contents violate.
var ErrCut = errors.New("formulation: links may carry more than a cut of the certificate allows")

// Confirm proves the rows (31) of these cuts: no contents of a link are worth more than the
// right-hand sides.
func (f *Program) Confirm(cuts []*Cut) error {
	for i, c := range cuts {
		if f.Worth(c) > f.Rights[i] {
			return ErrCut
		}
	}
	return nil
}

// Worth is the largest value of the contents of a link at the weights of a cut.
func (f *Program) Worth(c *Cut) int64 {
	s := NewLinkContents(f, f.Items(&f.Groups[c.Group]))
	s.Weigh(c.Weights)
	_, worth := s.Most()
	return worth
}

// mostLinkRoom is the largest number of units of a period of a link, mostContents the
// largest number of contents examined. Both limits can only increase the value of
// contents.
const (
	mostLinkRoom = 1 << 12
	mostContents = 5_000
)

// LinkContents looks for the most valuable contents of a link, see [LinkItem].
type LinkContents struct {
	*Program
	Items     []LinkItem
	Room      int64       // of a period, in units
	Sizes     [][]int64   // in units, rounded down, by item and number
	stretches [][][]int64 // time that an item takes of the period in a gap, by item whose gap it is, item, number; nil for none
	// For the current weights: the items that have one, and the value of those from one of
	// them on, by units of room, ignoring gaps.
	weights []int64
	order   []int
	worth   [][]int64
	// Of the search:
	steps int
	loads []int64 // of gaps
	now   []int64
	best  []int64
	value int64
}

// NewLinkContents returns the contents of a link that the items may use.
func NewLinkContents(f *Program, items []LinkItem) *LinkContents {
	count := len(items)
	s := &LinkContents{
		Program: f, Items: items, Room: f.Period * relax.LinkUnit, stretches: make([][][]int64, count),
		now: make([]int64, count), loads: make([]int64, count),
	}
	unit := s.Room
	for i := range items {
		for _, t := range items[i].Ticks {
			unit = exact.GCD(unit, t)
		}
	}
	unit = max(unit, (s.Room+mostLinkRoom-1)/mostLinkRoom)
	s.Room /= unit
	for i := range items {
		var sizes []int64
		for _, t := range items[i].Ticks {
			sizes = append(sizes, t/unit)
		}
		s.Sizes = append(s.Sizes, sizes)
	}
	return s
}

// stretch computes the time of the period that items take in the gap of one item.
func (s *LinkContents) stretch(i int) {
	g, ok := s.Gap(&s.Items[i])
	for o := range s.Items {
		ticks := make([]int64, len(s.Items[o].Ticks))
		for n := range ticks {
			switch {
			case !ok:
			case o == i:
				ticks[n] = int64(n) * g.Cycle
			default:
				ticks[n] = s.Stretch(&s.Items[o], int64(n), g)
			}
		}
		s.stretches[i] = append(s.stretches[i], ticks)
	}
}

// Weigh gives the items weights.
func (s *LinkContents) Weigh(weights []int64) {
	s.weights, s.order = weights, nil
	for i, w := range weights {
		if w > 0 {
			s.order = append(s.order, i)
		}
	}
	s.worth = make([][]int64, len(s.order)+1)
	s.worth[len(s.order)] = make([]int64, s.Room+1)
	for at := len(s.order) - 1; at >= 0; at-- {
		i, rest := s.order[at], s.worth[at+1]
		s.worth[at] = slices.Clone(rest)
		for n := max(1, s.Items[i].Limit.From); n <= s.Items[i].Limit.To; n++ {
			for room := s.Sizes[i][n]; room <= s.Room; room++ {
				s.worth[at][room] = max(s.worth[at][room], rest[room-s.Sizes[i][n]]+n*weights[i])
			}
		}
	}
}

// Most returns the most valuable contents and an upper limit on their value, which equals
// their value unless there are too many contents to examine: then they are nil.
func (s *LinkContents) Most() (contents []int64, worth int64) {
	s.steps, s.value, s.best = 0, -1, nil
	for _, i := range s.order {
		if s.stretches[i] == nil {
			s.stretch(i)
		}
	}
	s.fill(0, s.Room, 0)
	if s.steps > mostContents {
		return nil, s.worth[0][s.Room]
	}
	return s.best, s.value
}

// put changes the number of an item in the contents, and reports whether all gaps still hold their
// contents.
func (s *LinkContents) put(i int, n int64) bool {
	ok, before := true, s.now[i]
	s.now[i] = n
	for _, a := range s.order {
		s.loads[a] += s.stretches[a][i][n] - s.stretches[a][i][before]
		ok = ok && (s.now[a] == 0 || s.loads[a] <= s.Period)
	}
	return ok
}

// fill tries all contents of the items from one on.
func (s *LinkContents) fill(at int, room, value int64) {
	if value > s.value {
		s.value, s.best = value, slices.Clone(s.now)
	}
	for ; at < len(s.order) && value+s.worth[at][room] > s.value; at++ {
		i := s.order[at]
		for n := s.Items[i].Limit.To; n >= max(1, s.Items[i].Limit.From); n-- {
			if s.Sizes[i][n] > room {
				continue
			}
			if s.steps++; s.steps > mostContents {
				return
			}
			if s.put(i, n) {
				s.fill(at+1, room-s.Sizes[i][n], value+n*s.weights[i])
			}
			s.put(i, 0)
		}
	}
}
