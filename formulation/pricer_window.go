package formulation

// item is one thing that an iteration does count times in some window: a task
// of some depth, or the synchronisation. Its alternatives differ in where.
type item struct {
	head int64 // ticks from the start of the window before it can begin
	tail int64 // ticks that must follow its end in the window
	alts []alternative
	// stock is the number of the first alternative among all of the pricer.
	stock int
}

// alternative is one way to do an item: what it takes, from its start on.
type alternative struct {
	length  int64 // ticks, the largest of its charges
	charges []charge
}

// price of starting the alternative at a tick.
func (a *alternative) price(t *tariff, start int64) int64 {
	sum := int64(0)
	for _, l := range a.charges {
		sum += l.amount * (t.through(l.group, start+l.length) - t.through(l.group, start))
	}
	return sum
}

// cheapest returns the lowest price of a start in [from, to] and the first
// such start. Prices are linear between the bucket ends that start or end of a
// charge meets, so only those and the two ends are looked at.
func (a *alternative) cheapest(t *tariff, from, to int64) (price, at int64) {
	price, at = a.price(t, from), from
	look := func(s int64) {
		if p := a.price(t, s); p < price {
			price, at = p, s
		}
	}
	width := t.calendar.width
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
	for i, l := range a.charges {
		if i == 0 || l.length != a.charges[i-1].length {
			corner(l.length)
		}
	}
	look(to)
	return price, at
}

// dish is a multiset of a recipe as items: counts[i] times item i.
type dish struct {
	items  []int
	counts []int64
}

// menu is a recipe in a way as the pricer uses it.
type menu struct {
	way    int
	sync   int64
	items  []item
	dishes []dish
}

// visit is a start of an item that a plan chose.
type visit struct {
	charges []charge
	start   int64
	repeat  int64
}

// stock is what the starts of an alternative cost, by point. A window from n has
// room for it if it ends at first[n] or later.
type stock struct {
	first []int
	more  []int64 // the cheapest start that a window to the point has, and to the point before has not
	least []int64 // the least of these from the point on
}

// line returns s with another length, and anything in it.
func line[E any](s []E, length int) []E {
	if cap(s) < length {
		return make([]E, length)
	}
	return s[:length]
}

func square[E any](s [][]E, rows, cols int) [][]E {
	for len(s) < rows {
		s = append(s, nil)
	}
	for i := range rows {
		s[i] = line(s[i], cols)
	}
	return s
}

// latest returns the latest tick that a synchronisation may end at when its
// plan treats it as ending at point m.
func (p *planPricer) latest(m int) int64 {
	end := p.grid.tick(m+1) - 1
	if p.due >= 0 {
		end = min(end, p.due)
	}
	return end
}

// look fills the stock of an alternative.
func (p *planPricer) look(t *tariff, s *stock, item *item, alt *alternative) {
	g := &p.grid
	s.first, s.more, s.least = line(s.first, g.points+1), line(s.more, g.points+1), line(s.least, g.points+2)
	before, m := int64(0), 0
	for n := range g.points + 1 {
		s.more[n] = noPrice
		if end := p.latest(n) - item.tail - alt.length; end >= 0 {
			s.more[n], _ = alt.cheapest(t, min(before, end), end)
			before = end
		}
		need := g.tick(n) + item.head + alt.length + item.tail
		for m = max(m, n); m <= g.points && p.latest(m) < need; {
			m++
		}
		s.first[n] = m
	}
	s.least[g.points+1] = noPrice
	for m := g.points; m >= 0; m-- {
		s.least[m] = min(s.least[m+1], s.more[m])
	}
}

// row fills kitchen.window: for a way, the price of an iteration whose tasks
// start at or after point n and whose synchronisation is treated as ending at
// m, up to the point last. It returns the first m at which there is one.
func (p *planPricer) row(t *tariff, k *kitchen, way, n, last int) int {
	earliest := last + 1
	for m := n; m <= last; m++ {
		k.window[m] = noPrice
	}
	for index := range p.menus {
		menu := &p.menus[index]
		if menu.way != way {
			continue
		}
		first := n
		for i := range menu.items {
			first = max(first, p.itemPrices(t, k, &menu.items[i], k.prices[i], n, last))
		}
		if first > last {
			continue
		}
		earliest = min(earliest, first)
		window, dealt := k.window[first:last+1], k.dealt[first:last+1]
		for at := range menu.dishes {
			dish := &menu.dishes[at]
			clear(dealt)
			for i, item := range dish.items {
				count := dish.counts[i]
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
func (p *planPricer) itemPrices(t *tariff, k *kitchen, item *item, row []int64, n, last int) int {
	fits := last + 1 // first point at which some alternative fits
	for a := range item.alts {
		alt, s := &item.alts[a], &k.stocks[item.stock+a]
		first := s.first[n]
		if first > last {
			continue
		}
		best, _ := alt.cheapest(t, p.grid.tick(n)+item.head, p.latest(first)-item.tail-alt.length)
		for m := first; m <= last; m++ {
			if m > first {
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
func (p *planPricer) fromPoint(k *kitchen, way, n int) int64 {
	best := int64(noPrice)
	for index := range p.menus {
		menu := &p.menus[index]
		if menu.way != way {
			continue
		}
		for at := range menu.dishes {
			dish, sum := &menu.dishes[at], int64(0)
			for i, number := range dish.items {
				item, least := &menu.items[number], int64(noPrice)
				for a := range item.alts {
					s := &k.stocks[item.stock+a]
					least = min(least, s.least[s.first[n]])
				}
				if least == noPrice {
					sum = noPrice
					break
				}
				sum += dish.counts[i] * least
			}
			best = min(best, sum)
		}
	}
	return best
}

// place returns the price of an item in a window, noPrice where it does not
// fit, and where it is cheapest.
func (p *planPricer) place(t *tariff, item *item, n, m int) (price int64, at visit) {
	price = noPrice
	for a := range item.alts {
		alt := &item.alts[a]
		from, to := p.grid.tick(n)+item.head, p.latest(m)-item.tail-alt.length
		if to < from {
			continue
		}
		if v, start := alt.cheapest(t, from, to); v < price {
			price, at = v, visit{charges: alt.charges, start: start}
		}
	}
	return price, at
}
