package formulation

import (
	"encoding/binary"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// item is one thing that an iteration does count times in some window: a task
// of some depth, or the synchronisation. Its alternatives differ in where.
type item struct {
	head int64 // ticks from the start of the window before it can begin
	tail int64 // ticks that must follow its end in the window
	alts []alternative
}

// alternative is one way to do an item: what it takes, from its start on.
type alternative struct {
	length  int64 // ticks, the largest of its charges
	charges []charge
}

// charge takes amount units of a group of rows for some ticks.
type charge struct {
	group          int
	amount, length int64
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

// planPricer finds the cheapest plan of one class of jobs at given prices: the
// dynamic program over the ends of its synchronisations. f[i][m] is the least
// price of the first i blocks of iterations when the last synchronisation ends
// between the points m and m + 1, which the plan then treats as point m. Between two
// ends every task takes its cheapest start in the window on its own, and then
// the cheapest multiset is dealt.
type planPricer struct {
	grid   grid
	menus  []menu
	weight int64 // price of a tick of completion, in units of the tariff's scale
	// due is the latest end of a plan, -1 for none: then a plan that has passed
	// the horizon goes on for nothing.
	due       int64
	iteration int64 // the shortest
	// ends limits the end of each block; nil for no limits. Only where every
	// tick is a point.
	ends []interval
}

// plan is a priced plan.
type plan struct {
	price      int64 // all of it, weight and charges
	completion int64 // tick
	way        int
	visits     []visit
	ends       []int64 // of its blocks; those after the horizon are left out
	// Of a plan with a home only: its tasks by iteration and worker, and its
	// synchronisations.
	home  []instance.GPUID
	tasks [][]homeTask
	syncs []homeSync
}

// visit is a start of an item that a plan chose.
type visit struct {
	charges []charge
	start   int64
	repeat  int64
}

// kitchen is the scratch memory of a pricer.
type kitchen struct {
	window [][]int64 // price of an iteration by its two points
	choice [][]int32 // menu and dish, by the same
	prices [][]int64 // of the items of a menu, by item and right point
	more   [][]int64 // see planPricer.segments; by alternative of a menu, point
	f      [][]int64 // by block, point
	from   [][]int32 // the point before
}

// resize makes the scratch fit.
func (k *kitchen) resize(g *grid, items, alternatives int) {
	k.window = square(k.window, g.points+1, g.points+1)
	k.choice = square(k.choice, g.points+1, g.points+1)
	k.prices = square(k.prices, items, g.points+1)
	k.more = square(k.more, alternatives, g.points+1)
	k.f = square(k.f, g.blocks+1, g.points+1)
	k.from = square(k.from, g.blocks+1, g.points+1)
}

func square[E any](s [][]E, rows, cols int) [][]E {
	for len(s) < rows {
		s = append(s, nil)
	}
	for i := range rows {
		if cap(s[i]) < cols {
			s[i] = make([]E, cols)
		}
		s[i] = s[i][:cols]
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

// windows fills kitchen.window: for the ways of one menu after the other, the
// price of an iteration whose tasks start at or after point n and whose
// synchronisation is treated as ending at m.
func (p *planPricer) windows(t *tariff, k *kitchen, way int) {
	g := &p.grid
	for n := range g.points + 1 {
		for m := range k.window[n] {
			k.window[n][m] = noPrice
		}
	}
	for index := range p.menus {
		menu := &p.menus[index]
		if menu.way != way {
			continue
		}
		p.segments(t, k, menu)
		for n := range g.points + 1 {
			first := p.itemPrices(t, k, menu, n)
			window, choice := k.window[n], k.choice[n]
			for at := range menu.dishes {
				dish := &menu.dishes[at]
				code := int32(index)<<12 | int32(at)
				for m := first; m <= g.points; m++ {
					sum := int64(0)
					for i, item := range dish.items {
						sum += dish.counts[i] * k.prices[item][m]
					}
					if sum < window[m] {
						window[m], choice[m] = sum, code
					}
				}
			}
		}
	}
}

// segments fills kitchen.more: for every alternative of the menu the cheapest
// start that the window up to a point has and the window up to the point
// before has not.
func (p *planPricer) segments(t *tariff, k *kitchen, menu *menu) {
	g := &p.grid
	number := 0
	for i := range menu.items {
		item := &menu.items[i]
		for a := range item.alts {
			alt := &item.alts[a]
			more := k.more[number]
			number++
			before := int64(0)
			for m := range g.points + 1 {
				end := p.latest(m) - item.tail - alt.length
				if end >= 0 {
					more[m], _ = alt.cheapest(t, min(before, end), end)
					before = end
				}
			}
		}
	}
}

// itemPrices fills kitchen.prices with the cheapest start of each item in the
// windows from point n on, and returns the first point at which all fit.
func (p *planPricer) itemPrices(t *tariff, k *kitchen, menu *menu, n int) int {
	g := &p.grid
	first, number := n, 0
	for i := range menu.items {
		item := &menu.items[i]
		earliest := g.tick(n) + item.head
		fits := g.points + 1 // first point at which some alternative fits
		row := k.prices[i]
		for a := range item.alts {
			alt := &item.alts[a]
			more := k.more[number]
			number++
			need := earliest + alt.length + item.tail
			m := max(n, min(g.points, g.at(need)))
			for m > n && p.latest(m-1) >= need {
				m--
			}
			for m <= g.points && p.latest(m) < need {
				m++
			}
			if m > g.points {
				continue
			}
			best, _ := alt.cheapest(t, earliest, p.latest(m)-item.tail-alt.length)
			for at := m; at <= g.points; at++ {
				if at > m {
					best = min(best, more[at])
				}
				if at >= fits {
					row[at] = min(row[at], best)
				} else {
					row[at] = best
				}
			}
			fits = min(fits, m)
		}
		first = max(first, fits)
	}
	return first
}

// solve returns the cheapest plan, and false where there is none.
func (p *planPricer) solve(t *tariff, k *kitchen) (plan, bool) {
	g := &p.grid
	items, alternatives, ways := 0, 0, 0
	for i := range p.menus {
		m, count := &p.menus[i], 0
		for a := range m.items {
			count += len(m.items[a].alts)
		}
		items, alternatives, ways = max(items, len(m.items)), max(alternatives, count), max(ways, m.way+1)
	}
	k.resize(g, items, alternatives)
	best, found := plan{price: noPrice}, false
	for way := range ways {
		p.windows(t, k, way)
		block, point, price, completion := p.chain(t, k)
		if price >= best.price {
			continue
		}
		found = true
		best = plan{price: price, completion: completion, way: way}
		for i := block; i > 0; i-- {
			before := int(k.from[i][point])
			best.visits = p.trace(t, k, best.visits, before, point, int64(g.iterations(i-1)))
			best.ends = append(best.ends, g.tick(point))
			point = before
		}
		slices.Reverse(best.ends)
	}
	return best, found
}

// chain runs the recursion over the blocks. It returns where the cheapest plan
// ends.
func (p *planPricer) chain(t *tariff, k *kitchen) (block, point int, price, completion int64) {
	g := &p.grid
	price = noPrice
	f := k.f[0]
	for m := range f {
		f[m] = noPrice
	}
	f[0] = 0
	finish := func(i, m int) {
		if k.f[i][m] >= noPrice {
			return
		}
		end := g.tick(m)
		if i < g.blocks {
			if p.due >= 0 || end < t.calendar.horizon {
				return
			}
			for b := i; b < g.blocks; b++ {
				end += int64(g.iterations(b)) * p.iteration
			}
		}
		if sum := k.f[i][m] + p.weight*end; sum < price {
			block, point, price, completion = i, m, sum, end
		}
	}
	lowest := 0
	for i := range g.blocks {
		for m := range g.points + 1 {
			finish(i, m)
		}
		steps, times := g.steps(i), int64(g.iterations(i))
		now, next, from := k.f[i], k.f[i+1], k.from[i+1]
		for m := range next {
			next[m] = noPrice
		}
		for n := lowest; n <= g.points; n++ {
			start := now[n]
			if start >= noPrice {
				continue
			}
			window := k.window[n]
			first, last := n+steps, g.points
			if p.ends != nil {
				first = max(first, int(min(int64(last)+1, p.ends[i].from-g.release)))
				last = min(last, int(max(-1, min(int64(last), p.ends[i].to-g.release))))
			}
			for m := first; m <= last; m++ {
				if sum := start + times*window[m]; window[m] < noPrice && sum < next[m] {
					next[m], from[m] = sum, int32(n)
				}
			}
		}
		lowest += steps
	}
	for m := range g.points + 1 {
		finish(g.blocks, m)
	}
	return block, point, price, completion
}

// trace adds what an iteration in a window does, each item at its first
// cheapest start.
func (p *planPricer) trace(t *tariff, k *kitchen, visits []visit, n, m int, times int64) []visit {
	code := k.choice[n][m]
	menu := &p.menus[code>>12]
	dish := &menu.dishes[code&(1<<12-1)]
	for i, index := range dish.items {
		item := &menu.items[index]
		price, start := int64(math.MaxInt64), int64(0)
		var charges []charge
		for a := range item.alts {
			alt := &item.alts[a]
			from, to := p.grid.tick(n)+item.head, p.latest(m)-item.tail-alt.length
			if to < from {
				continue
			}
			if v, at := alt.cheapest(t, from, to); v < price {
				price, start, charges = v, at, alt.charges
			}
		}
		visits = append(visits, visit{charges, start, times * dish.counts[i]})
	}
	return visits
}

// key tells plans apart by what they take when.
func (p *plan) key(class int) string {
	b := binary.AppendUvarint(nil, uint64(class))
	b = binary.AppendUvarint(b, uint64(p.completion))
	for _, v := range p.visits {
		b = binary.AppendUvarint(b, uint64(v.start))
		b = binary.AppendUvarint(b, uint64(v.repeat))
		for _, l := range v.charges {
			b = binary.AppendUvarint(b, uint64(l.group))
			b = binary.AppendUvarint(b, uint64(l.amount))
			b = binary.AppendUvarint(b, uint64(l.length))
		}
	}
	return string(b)
}
