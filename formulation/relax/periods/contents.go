package periods

import (
	"cmp"
	"errors"
	"jigsaw/formulation/relax"
	"slices"
)

// ErrCut is of a row (31) that some contents break.
var ErrCut = errors.New("formulation: links may carry more than a cut of the certificate allows")

// Confirm proves the rows (31) of these cuts: no contents of a link (see [LinkItem]) are worth
// more than the right sides say.
func (f *Program) Confirm(cuts []*Cut) error {
	for i, c := range cuts {
		if f.contents(c).exceed(0, f.Period*relax.LinkUnit, 0, f.Rights[i]) {
			return ErrCut
		}
	}
	return nil
}

// linkContents are those of a link that only items with a weight have a part in.
type linkContents struct {
	m       *relax.Model
	period  int64
	items   []LinkItem
	weights []int64
	gaps    []*gap      // nil where none is known
	stretch [][][]int64 // in a gap of the first item: ticks of the second, by number
	// rest lists what the items from one on may be, gaps forgotten: ticks and worth, both
	// ascending.
	rest   [][]filling
	number []int64
}

// filling is a part of the time of a link, in parts of a tick, and its worth.
type filling struct{ ticks, worth int64 }

func (f *Program) contents(c *Cut) *linkContents {
	s := &linkContents{m: f.Model, period: f.Period}
	for i, it := range f.Items(&f.Groups[c.Group]) {
		if c.Weights[i] > 0 {
			s.items, s.weights = append(s.items, it), append(s.weights, c.Weights[i])
		}
	}
	s.number, s.rest = make([]int64, len(s.items)), make([][]filling, len(s.items)+1)
	for a := range s.items {
		var gaps *gap
		var stretch [][]int64
		if g, ok := f.Gap(&s.items[a]); ok {
			gaps = &g
			for b := range s.items {
				var ticks []int64
				for n := range s.items[b].Ticks {
					ticks = append(ticks, f.Stretch(&s.items[b], int64(n), g))
				}
				stretch = append(stretch, ticks)
			}
		}
		s.gaps, s.stretch = append(s.gaps, gaps), append(s.stretch, stretch)
	}
	s.rest[len(s.items)] = []filling{{}}
	for i := len(s.items) - 1; i >= 0; i-- {
		list := slices.Clone(s.rest[i+1])
		s.numbers(i, f.Period*relax.LinkUnit, func(n int64) bool {
			for _, r := range s.rest[i+1] {
				if r.ticks += s.items[i].Ticks[n]; r.ticks <= f.Period*relax.LinkUnit {
					list = append(list, filling{r.ticks, r.worth + n*s.weights[i]})
				}
			}
			return false
		})
		s.rest[i] = undominated(list, f.Period*relax.LinkUnit, max(1, f.Period*relax.LinkUnit/mostFillings))
	}
	return s
}

// mostFillings is about how many of a list are told apart.
const mostFillings = 1 << 13

// undominated returns what of a list does not take as long as something worth no less, in rising
// order, the ticks rounded down to a multiple of the grain.
func undominated(list []filling, room, grain int64) (kept []filling) {
	best := make([]int64, room/grain+1)
	for _, r := range list {
		best[r.ticks/grain] = max(best[r.ticks/grain], 1+r.worth)
	}
	most := int64(0)
	for i, worth := range best {
		if worth > most {
			kept, most = append(kept, filling{int64(i) * grain, worth - 1}), worth
		}
	}
	return kept
}

// numbers calls f with the numbers that an item may have besides 0 in the room, in parts
// of a tick, until it returns true; and reports whether it did.
func (s *linkContents) numbers(i int, room int64, f func(n int64) bool) bool {
	limit := s.items[i].Limit
	for n := max(1, limit.From); n <= limit.To; n++ {
		if s.items[i].Ticks[n] <= room && f(n) {
			return true
		}
	}
	return false
}

// exceed reports whether some contents are worth more than that: those at hand, of this
// worth, with more of the items from one on in the room that is left.
func (s *linkContents) exceed(from int, room, worth, most int64) bool {
	if worth > most || s.m.Ended() {
		return true
	}
	rest := s.rest[from]
	last, _ := slices.BinarySearchFunc(rest, room+1, func(r filling, ticks int64) int { return cmp.Compare(r.ticks, ticks) })
	if worth+rest[last-1].worth <= most {
		return false
	}
	more := s.exceed(from+1, room, worth, most) || s.numbers(from, room, func(n int64) bool {
		s.number[from] = n
		return s.interlock() && s.exceed(from+1, room-s.items[from].Ticks[n], worth+n*s.weights[from], most)
	})
	s.number[from] = 0
	return more
}

// interlock reports whether the gaps of the contents at hand hold what comes in them.
func (s *linkContents) interlock() bool {
	for a, g := range s.gaps {
		if s.number[a] == 0 || g == nil {
			continue
		}
		load := s.number[a] * g.Cycle
		for b, n := range s.number {
			if b != a {
				load += s.stretch[a][b][n]
			}
		}
		if load > s.period {
			return false
		}
	}
	return true
}
