package formulation

import (
	"fmt"
	"math/bits"
	"slices"
)

// startPrices tells the least price of an alternative in a range of starts. As
// a function of the start its price is linear between corners, the starts at
// which a charge begins or ends together with a bucket, so that the least is at
// a corner or at an end of the range.
type startPrices struct {
	alt     *alternative
	corners []int64 // rising
	minima  *rangeMinima
}

// of returns the prices of the starts of an alternative.
func (e *planExaminer) of(alt *alternative) *startPrices {
	key := fmt.Sprint(*alt)
	if s, ok := e.starts[key]; ok {
		return s
	}
	if e.starts == nil {
		e.starts = map[string]*startPrices{}
	}
	s := &startPrices{alt: alt}
	for end := int64(0); end <= e.calendar.horizon; end += e.calendar.width {
		s.corners = append(s.corners, end)
		for _, use := range alt.charges {
			if start := end - use.length; start > 0 {
				s.corners = append(s.corners, start)
			}
		}
	}
	slices.Sort(s.corners)
	s.corners = slices.Compact(s.corners)
	prices := make([]int64, len(s.corners))
	for i, start := range s.corners {
		prices[i] = e.price(alt, start)
	}
	s.minima = newRangeMinima(prices)
	e.starts[key] = s
	return s
}

// limit is the first or the last start that a window permits.
type limit struct {
	start, price int64
	corner       int // the first that is not before the start
}

// limits looks up starts that rise; those below 0 are no starts.
func (e *planExaminer) limits(s *startPrices, starts []int64) []limit {
	list := make([]limit, len(starts))
	corner := 0
	for i, start := range starts {
		for corner < len(s.corners) && s.corners[corner] < start {
			corner++
		}
		list[i] = limit{start: start, corner: corner}
		if start >= 0 {
			list[i].price = e.price(s.alt, start)
		}
	}
	return list
}

// windowPrices tells the least price of an alternative between two points of a
// time axis.
type windowPrices struct {
	first, last []limit // by the point that the window begins at, ends at
	minima      *rangeMinima
}

// within returns the prices of an alternative of an item between points.
func (e *planExaminer) within(p *planPricer, item *item, alt *alternative) *windowPrices {
	first, last := make([]int64, p.grid.points+1), make([]int64, p.grid.points+1)
	for n := range first {
		first[n] = p.grid.tick(n) + item.head
		last[n] = p.latest(n) - item.tail - alt.length
	}
	s := e.of(alt)
	return &windowPrices{e.limits(s, first), e.limits(s, last), s.minima}
}

// least returns the lowest price between the points n and m; noPrice where the
// window is too short.
func (w *windowPrices) least(n, m int) int64 {
	a, b := &w.first[n], &w.last[m]
	if a.start > b.start {
		return noPrice
	}
	best := min(a.price, b.price)
	if a.corner < b.corner { // the corner at b, if there is one, is b
		best = min(best, w.minima.least(a.corner, b.corner-1))
	}
	return best
}

// windows are the least prices of an iteration of a class in one way between any
// two points, looked up when they are asked for.
type windows struct {
	e      *planExaminer
	menus  []*menu             // of the way
	places [][][]*windowPrices // by menu, item, alternative
	known  [][]int64           // by the point where a window begins, and how many points later it ends
	least  []int64             // scratch, by item
}

// windows returns the prices of an iteration in a way.
func (e *planExaminer) windows(p *planPricer, way int) *windows {
	w := &windows{e: e, known: make([][]int64, p.grid.points+1)}
	for i := range p.menus {
		menu := &p.menus[i]
		if menu.way != way {
			continue
		}
		places := make([][]*windowPrices, len(menu.items))
		for n := range menu.items {
			item := &menu.items[n]
			for a := range item.alts {
				places[n] = append(places[n], e.within(p, item, &item.alts[a]))
			}
		}
		w.menus, w.places = append(w.menus, menu), append(w.places, places)
		w.least = make([]int64, max(len(w.least), len(menu.items)))
	}
	return w
}

// from returns the prices from point n on, at least to point m; noPrice where
// there is no room.
func (w *windows) from(n, m int) []int64 {
	list := w.known[n]
	for at := n + len(list); at <= m; at++ {
		best := int64(noPrice)
		for i, menu := range w.menus {
			if w.e.over() {
				break
			}
			for item, alts := range w.places[i] {
				w.least[item] = noPrice
				for _, alt := range alts {
					w.least[item] = min(w.least[item], alt.least(n, at))
				}
			}
			for d := range menu.dishes {
				best = min(best, w.e.iteration(&menu.dishes[d], w.least))
			}
		}
		list = append(list, best)
	}
	w.known[n] = list
	return list
}

// iteration returns the price of a dish, given the lowest prices of the items.
func (e *planExaminer) iteration(dish *dish, least []int64) int64 {
	sum := int64(0)
	for i, at := range dish.items {
		if least[at] == noPrice {
			return noPrice
		}
		sum = e.add(sum, e.mul(dish.counts[i], least[at]))
	}
	return sum
}

// rangeMinima answers what the least of a range of a list is.
type rangeMinima struct {
	level [][]int64 // level[k][i] is the least of 2^k entries from i
}

func newRangeMinima(list []int64) *rangeMinima {
	r := &rangeMinima{level: [][]int64{list}}
	for step := 1; 2*step <= len(list); step *= 2 {
		below := r.level[len(r.level)-1]
		above := make([]int64, len(list)-2*step+1)
		for i := range above {
			above[i] = min(below[i], below[i+step])
		}
		r.level = append(r.level, above)
	}
	return r
}

// least of the entries from first to last, both included.
func (r *rangeMinima) least(first, last int) int64 {
	k := bits.Len(uint(last-first+1)) - 1
	return min(r.level[k][first], r.level[k][last-(1<<k)+1])
}
