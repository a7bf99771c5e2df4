package columns

import (
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
)

// priceAt is the price of starting the alternative at a tick.
func priceAt(a *columns.Alternative, t *Tariff, start int64) int64 {
	sum := int64(0)
	for _, l := range a.Uses {
		sum += l.Amount * (t.Through(l.Group, start+l.Length) - t.Through(l.Group, start))
	}
	return sum
}

// cheapestStart returns the lowest price of a start in [from, to] and the first
// such start. Prices are linear between the starts at which a charge begins or
// ends at the end of a bucket, so only those and the two ends are examined.
func cheapestStart(a *columns.Alternative, t *Tariff, from, to int64) (price, at int64) {
	price, at = priceAt(a, t, from), from
	look := func(s int64) {
		if p := priceAt(a, t, s); p < price {
			price, at = p, s
		}
	}
	width := t.calendar.Width
	if width == 1 {
		for s := from + 1; s <= to; s++ {
			look(s)
		}
		return price, at
	}
	corner := func(offset int64) {
		for s := (from+offset)/width*width + width - offset; s < to; s += width {
			look(s)
		}
	}
	corner(0)
	for i, l := range a.Uses {
		if i == 0 || l.Length != a.Uses[i-1].Length {
			corner(l.Length)
		}
	}
	look(to)
	return price, at
}

// Visit is a start of an item that a plan chose.
type Visit struct {
	Charges []columns.Use
	Start   int64
	Repeat  int64
}

// startPrices are the costs of the starts of an alternative, by point. A window from n
// has room for it if it ends at first[n] or later.
type startPrices struct {
	first []int
	late  []int   // for one that nothing holds, see [columns.Late]
	more  []int64 // the cheapest start in a window to the point that is not in the window to the point before
	least []int64 // the least of these from the point on
}

// line returns s with another length; its contents are undefined.
func line[E any](s []E, length int) []E {
	if cap(s) < length {
		return make([]E, length)
	}
	return s[:length]
}

// Square returns a matrix of the given size in the memory of another; its contents are undefined.
func Square[E any](s [][]E, rows, cols int) [][]E {
	for len(s) < rows {
		s = append(s, nil)
	}
	for i := range rows {
		s[i] = line(s[i], cols)
	}
	return s
}

// look fills the prices of an alternative.
func (p *planPricer) look(t *Tariff, s *startPrices, item *columns.Item, alt *columns.Alternative) {
	g := &p.Grid
	s.first, s.late, s.more, s.least = line(s.first, g.Points+1), line(s.late, g.Points+1), line(s.more, g.Points+1), line(s.least, g.Points+2)
	before, m, late := int64(0), 0, 0
	for n := range g.Points + 1 {
		s.more[n] = exact.NoPrice
		if end := p.Latest(n) - item.Tail - alt.Length; end >= 0 {
			s.more[n], _ = cheapestStart(alt, t, min(before, end), end)
			before = end
		}
		need := g.Tick(n) + item.Head + alt.Length + item.Tail
		for m = max(m, n); m <= g.Points && p.Latest(m) < need; {
			m++
		}
		s.first[n] = m
		need = columns.Late(p.Plans, item, alt, n) + alt.Length + item.Tail
		for late = max(late, m); late <= g.Points && p.Latest(late) < need; {
			late++
		}
		s.late[n] = late
	}
	s.least[g.Points+1] = exact.NoPrice
	for m := g.Points; m >= 0; m-- {
		s.least[m] = min(s.least[m+1], s.more[m])
	}
}

// row fills Scratch.window: for a mode, the price of an iteration whose tasks
// start at or after point n and whose synchronisation is treated as ending at
// m, up to the point last. It returns the first m at which there is one.
func (p *planPricer) row(t *Tariff, k *Scratch, mode, n, last int) int {
	earliest := last + 1
	for m := n; m <= last; m++ {
		k.window[m] = exact.NoPrice
	}
	for index := range p.Options {
		option := &p.Options[index]
		if option.Mode != mode {
			continue
		}
		for i := range option.Items {
			k.fits[i] = p.itemPrices(t, k, &option.Items[i], k.prices[i], n, last)
		}
		for at := range option.Multisets {
			multiset, first := &option.Multisets[at], n
			for _, item := range multiset.Items {
				first = max(first, k.fits[item])
			}
			if first > last {
				continue
			}
			earliest = min(earliest, first)
			window, dealt := k.window[first:last+1], k.dealt[first:last+1]
			clear(dealt)
			for i, item := range multiset.Items {
				count := multiset.Counts[i]
				for m, price := range k.prices[item][first : last+1] {
					dealt[m] += count * price
				}
			}
			for m, price := range dealt {
				window[m] = min(window[m], price)
			}
		}
	}
	return earliest
}

// itemPrices fills row with the cheapest start of an item in the windows from
// point n to those up to last, and returns the first at which it fits.
func (p *planPricer) itemPrices(t *Tariff, k *Scratch, item *columns.Item, row []int64, n, last int) int {
	fits := last + 1 // first point at which some alternative fits
	for a := range item.Alts {
		alt, s := &item.Alts[a], &k.starts[item.First+a]
		first := s.first[n]
		if first > last {
			continue
		}
		late, best := s.late[n], int64(exact.NoPrice)
		if columns.Late(p.Plans, item, alt, n) > p.Grid.Tick(n)+item.Head {
			held, start := columns.Held(p.Plans, item, alt, n)
			best = priceAt(&held, t, start)
		}
		for m := first; m <= last; m++ {
			if m == late {
				price, _ := cheapestStart(alt, t, columns.Late(p.Plans, item, alt, n), p.Latest(late)-item.Tail-alt.Length)
				best = min(best, price)
			} else if m > late {
				best = min(best, s.more[m])
			}
			if m >= fits {
				row[m] = min(row[m], best)
			} else {
				row[m] = best
			}
		}
		fits = min(fits, first)
	}
	return fits
}

// fromPoint is a lower bound on the price of an iteration whose tasks start at or
// after point n.
func (p *planPricer) fromPoint(k *Scratch, mode, n int) int64 {
	best := int64(exact.NoPrice)
	for index := range p.Options {
		option := &p.Options[index]
		if option.Mode != mode {
			continue
		}
		for at := range option.Multisets {
			multiset, sum := &option.Multisets[at], int64(0)
			for i, number := range multiset.Items {
				item, least := &option.Items[number], int64(exact.NoPrice)
				for a := range item.Alts {
					s := &k.starts[item.First+a]
					least = min(least, s.least[s.first[n]])
				}
				if least == exact.NoPrice {
					sum = exact.NoPrice
					break
				}
				sum += multiset.Counts[i] * least
			}
			best = min(best, sum)
		}
	}
	return best
}

// place returns the price of an item in a window, exact.NoPrice if it does not
// fit, and the cheapest position.
func (p *planPricer) place(t *Tariff, item *columns.Item, n, m int) (price int64, at Visit) {
	price = exact.NoPrice
	for a := range item.Alts {
		alt := &item.Alts[a]
		from, to := columns.Late(p.Plans, item, alt, n), p.Latest(m)-item.Tail-alt.Length
		if early := p.Grid.Tick(n) + item.Head; early < from && early <= to {
			held, start := columns.Held(p.Plans, item, alt, n)
			if v := priceAt(&held, t, start); v < price {
				price, at = v, Visit{Charges: held.Uses, Start: start}
			}
		}
		if to < from {
			continue
		}
		if v, start := cheapestStart(alt, t, from, to); v < price {
			price, at = v, Visit{Charges: alt.Uses, Start: start}
		}
	}
	return price, at
}
