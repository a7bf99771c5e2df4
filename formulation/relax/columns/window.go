package columns

import (
	"fmt"
	"jigsaw/formulation/relax/exact"
	"slices"
)

// startPrices finds the least price of an alternative in a range of starts. As
// a function of the start its price is linear between corners, the starts at
// which a charge begins or ends together with a bucket, so the least is at a
// corner or at an end of the range.
type startPrices struct {
	alt     *Alternative
	corners []int64 // rising
	minima  *exact.Minima
}

// of returns the prices of the starts of an alternative.
func (e *Examiner) of(alt *Alternative) *startPrices {
	key := fmt.Sprint(*alt)
	if s, ok := e.Starts[key]; ok {
		return s
	}
	if e.Starts == nil {
		e.Starts = map[string]*startPrices{}
	}
	s := &startPrices{alt: alt}
	for end := int64(0); end <= e.calendar.Horizon; end += e.calendar.Width {
		s.corners = append(s.corners, end)
		for _, use := range alt.Uses {
			if start := end - use.Length; start > 0 {
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
	s.minima = exact.NewMinima(prices)
	e.Starts[key] = s
	return s
}

// limit is the first or the last start that a window permits.
type limit struct {
	start, price int64
	corner       int // the first that is not before the start
}

// limits looks up ascending starts; those below 0 do not exist.
func (e *Examiner) limits(s *startPrices, starts []int64) []limit {
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

// windowPrices finds the least price of an alternative between two points of a
// time axis.
type windowPrices struct {
	first, last []limit // by the point at which the window begins, or ends
	minima      *exact.Minima
	held        []limit // by the point at which the window begins: the start and price of [Held]
}

// within returns the prices of an alternative of an item between points.
func (e *Examiner) within(p *Plans, item *Item, alt *Alternative) *windowPrices {
	first, last := make([]int64, p.Grid.Points+1), make([]int64, p.Grid.Points+1)
	for n := range first {
		first[n] = Late(p, item, alt, n)
		last[n] = p.Latest(n) - item.Tail - alt.Length
	}
	s := e.of(alt)
	w := &windowPrices{first: e.limits(s, first), last: e.limits(s, last), minima: s.minima, held: make([]limit, len(first))}
	for n := range w.held {
		w.held[n].start = first[n]
		if early := p.Grid.Tick(n) + item.Head; early < first[n] {
			held, start := Held(p, item, alt, n)
			w.held[n] = limit{start: early, price: e.price(&held, start)}
		}
	}
	return w
}

// least returns the lowest price between the points n and m; exact.NoPrice where the
// window is too short.
func (w *windowPrices) least(n, m int) int64 {
	a, b, best := &w.first[n], &w.last[m], int64(exact.NoPrice)
	if held := &w.held[n]; held.start < a.start && held.start <= b.start {
		best = held.price
	}
	if a.start > b.start {
		return best
	}
	best = min(best, a.price, b.price)
	if a.corner < b.corner { // a corner between a and b is at b
		best = min(best, w.minima.Least(a.corner, b.corner-1))
	}
	return best
}

// windows are the least prices of an iteration of a class in one mode between any
// two points, computed on demand.
type windows struct {
	e       *Examiner
	options []*PricedOption     // of the mode
	places  [][][]*windowPrices // by option, item, alternative
	known   [][]int64           // by the point where a window begins, and the number of points to its end
	least   []int64             // scratch, by item
}

// windows returns the prices of an iteration in a mode.
func (e *Examiner) windows(p *Plans, mode int) *windows {
	w := &windows{e: e, known: make([][]int64, p.Grid.Points+1)}
	for i := range p.Options {
		option := &p.Options[i]
		if option.Mode != mode {
			continue
		}
		places := make([][]*windowPrices, len(option.Items))
		for n := range option.Items {
			item := &option.Items[n]
			for a := range item.Alts {
				places[n] = append(places[n], e.within(p, item, &item.Alts[a]))
			}
		}
		w.options, w.places = append(w.options, option), append(w.places, places)
		w.least = make([]int64, max(len(w.least), len(option.Items)))
	}
	return w
}

// from returns the prices from point n on, at least to point m; exact.NoPrice if
// there is no room.
func (w *windows) from(n, m int) []int64 {
	list := w.known[n]
	for at := n + len(list); at <= m; at++ {
		best := int64(exact.NoPrice)
		for i, option := range w.options {
			if w.e.Over() {
				break
			}
			for item, alts := range w.places[i] {
				w.least[item] = exact.NoPrice
				for _, alt := range alts {
					w.least[item] = min(w.least[item], alt.least(n, at))
				}
			}
			for d := range option.Multisets {
				best = min(best, w.e.iteration(&option.Multisets[d], w.least))
			}
		}
		list = append(list, best)
	}
	w.known[n] = list
	return list
}

// iteration returns the price of a multiset, given the lowest prices of its items.
func (e *Examiner) iteration(multiset *Multiset, least []int64) int64 {
	sum := int64(0)
	for i, at := range multiset.Items {
		if least[at] == exact.NoPrice {
			return exact.NoPrice
		}
		sum = e.Add(sum, e.Mul(multiset.Counts[i], least[at]))
	}
	return sum
}
