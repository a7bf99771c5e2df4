package formulation

import (
	"encoding/binary"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// charge takes amount units of a group of rows for some ticks.
type charge struct {
	group          int
	amount, length int64
}

// planPricer finds the cheapest plan of one class of jobs at given prices: the
// dynamic program over the ends of its synchronisations. f[i][m] is the least
// price of the first i blocks of iterations when the last synchronisation ends
// between the points m and m + 1, which the plan then treats as point m. Between two
// ends every task takes its cheapest start in the window on its own, and then
// the cheapest multiset is dealt.
//
// Most of the work are the prices of windows, of which there is a row for every
// point that they begin at. So they are looked at only as far as a plan cheaper
// than one at hand may need them: rest[i][m] bounds from below what remains after
// the first i blocks have ended at m, with iterations that cost no less than the
// cheapest that ends as early, nor than the cheapest that begins as late.
type planPricer struct {
	grid   grid
	menus  []menu
	ways   int   // as many as the menus are of
	stocks int   // alternatives of all menus
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

// kitchen is the scratch memory of a pricer.
type kitchen struct {
	stocks []stock   // of the alternatives
	prices [][]int64 // of the items of a menu, by item and the point the window ends at
	dealt  []int64   // of a dish, by the same
	window []int64   // of an iteration, by the same
	by     []int64   // least price of an iteration that ends by a point
	after  []int64   // least price of one that begins at a point or later
	f      [][]int64 // by block, point
	from   [][]int32 // the point before
	rest   [][]int64 // by block, point; rising
	reach  []int     // by block: the last point that its next one may end at, from the point at hand
}

// resize makes the scratch fit.
func (k *kitchen) resize(p *planPricer) {
	points, blocks, items := p.grid.points+1, p.grid.blocks+1, 0
	for i := range p.menus {
		items = max(items, len(p.menus[i].items))
	}
	for len(k.stocks) < p.stocks {
		k.stocks = append(k.stocks, stock{})
	}
	k.prices = square(k.prices, items, points)
	k.dealt, k.window = line(k.dealt, points), line(k.window, points)
	k.by, k.after = line(k.by, points), line(k.after, points)
	k.f, k.from, k.rest = square(k.f, blocks, points), square(k.from, blocks, points), square(k.rest, blocks, points)
	k.reach = line(k.reach, blocks)
}

// bounds fills kitchen.by, after and rest for a way.
func (p *planPricer) bounds(t *tariff, k *kitchen, way int) {
	g := &p.grid
	first := p.row(t, k, way, 0, g.points)
	for m := range k.by {
		k.by[m] = noPrice
		if m >= first {
			k.by[m] = k.window[m]
		}
	}
	for n := range k.after {
		k.after[n] = p.fromPoint(k, way, n)
	}
	left := int64(0) // ticks of the blocks that follow
	for m := range k.rest[g.blocks] {
		k.rest[g.blocks][m] = p.weight * g.tick(m)
	}
	for i := g.blocks - 1; i >= 0; i-- {
		steps, times := g.steps(i), int64(g.iterations(i))
		left += times * p.iteration
		next, rest := k.rest[i+1], k.rest[i]
		ends, later, least := int64(noPrice), int64(noPrice), int64(noPrice)
		for m := g.points; m >= 0; m-- {
			if e := m + steps; e <= g.points && next[e] < noPrice {
				later = min(later, next[e])
				if k.by[e] < noPrice {
					ends = min(ends, times*k.by[e]+next[e])
				}
			}
			if ends < noPrice && k.after[m] < noPrice {
				least = min(least, max(ends, times*k.after[m]+later))
			}
			if end := g.tick(m); p.complete(i, end, t.calendar.horizon) {
				least = min(least, p.weight*(end+left))
			}
			rest[m] = least
		}
	}
}

// solve returns the cheapest plan, and false where none is cheaper than the
// limit, which is [noPrice] for none.
func (p *planPricer) solve(t *tariff, k *kitchen, limit int64) (plan, bool) {
	g := &p.grid
	k.resize(p)
	for i := range p.menus {
		for n := range p.menus[i].items {
			item := &p.menus[i].items[n]
			for a := range item.alts {
				p.look(t, &k.stocks[item.stock+a], item, &item.alts[a])
			}
		}
	}
	best, found := plan{price: limit}, false
	for way := range p.ways {
		p.bounds(t, k, way)
		if k.rest[0][0] >= best.price {
			continue
		}
		p.chain(t, k, way, best.price)
		block, point, price, completion := p.cheapestEnd(t, k)
		if price >= best.price {
			continue
		}
		found = true
		best = plan{price: price, completion: completion, way: way}
		for i := block; i > 0; i-- {
			before := int(k.from[i][point])
			best.visits = p.trace(t, best.visits, way, before, point, int64(g.iterations(i-1)))
			best.ends = append(best.ends, g.tick(point))
			point = before
		}
		slices.Reverse(best.ends)
	}
	return best, found
}

// chain runs the recursion over the points, as far as plans below the limit may
// go.
func (p *planPricer) chain(t *tariff, k *kitchen, way int, limit int64) {
	g := &p.grid
	for i := range g.blocks + 1 {
		for m := range k.f[i] {
			k.f[i][m] = noPrice
		}
	}
	k.f[0][0] = 0
	for n := range g.points + 1 {
		if k.after[n] >= noPrice || p.due < 0 && g.tick(n) >= t.calendar.horizon && g.last == g.block {
			break // past the horizon nothing costs less than to go on for nothing, if no block is rounded
		}
		last, reached := -1, int64(noPrice) // a lower bound on f[i][n], once its row is done
		for i := range g.blocks {
			times := int64(g.iterations(i))
			reached = min(reached, k.f[i][n])
			k.reach[i] = -1
			if reached+k.rest[i][n] < limit {
				m, _ := slices.BinarySearch(k.rest[i+1], limit-reached-times*k.after[n])
				k.reach[i] = m - 1
				last = max(last, m-1)
			}
			if g.steps(i) > 0 {
				reached = noPrice
			}
		}
		if last < n {
			continue
		}
		first := p.row(t, k, way, n, last)
		for i, reach := range k.reach[:g.blocks] {
			if reach < first || k.f[i][n] >= noPrice {
				continue
			}
			start, times := k.f[i][n], int64(g.iterations(i))
			from, to := max(first, n+g.steps(i)), reach
			if p.ends != nil {
				from = max(from, int(min(int64(to)+1, p.ends[i].from-g.release)))
				to = min(to, int(max(-1, min(int64(to), p.ends[i].to-g.release))))
			}
			next, before := k.f[i+1], k.from[i+1]
			for m := from; m <= to; m++ {
				if sum := start + times*k.window[m]; k.window[m] < noPrice && sum < next[m] {
					next[m], before[m] = sum, int32(n)
				}
			}
		}
	}
}

// cheapestEnd returns where the cheapest of the plans that the recursion found
// ends.
func (p *planPricer) cheapestEnd(t *tariff, k *kitchen) (block, point int, price, completion int64) {
	g := &p.grid
	price = noPrice
	left := int64(0) // ticks of the blocks that follow
	for i := range g.blocks {
		left += int64(g.iterations(i)) * p.iteration
	}
	for i := range g.blocks + 1 {
		for m, sum := range k.f[i] {
			end := g.tick(m)
			if sum >= noPrice || !p.complete(i, end, t.calendar.horizon) {
				continue
			}
			if sum += p.weight * (end + left); sum < price {
				block, point, price, completion = i, m, sum, end+left
			}
		}
		if i < g.blocks {
			left -= int64(g.iterations(i)) * p.iteration
		}
	}
	return block, point, price, completion
}

// complete reports whether a plan whose first blocks end at a tick costs
// nothing more but the weight of its completion.
func (p *planPricer) complete(blocks int, end, horizon int64) bool {
	return blocks == p.grid.blocks || p.due < 0 && end >= horizon
}

// trace adds what an iteration in a window does, each item at its first
// cheapest start.
func (p *planPricer) trace(t *tariff, visits []visit, way, n, m int, times int64) []visit {
	best, kept := int64(math.MaxInt64), len(visits)
	for index := range p.menus {
		menu := &p.menus[index]
		if menu.way != way {
			continue
		}
		prices, at := make([]int64, len(menu.items)), make([]visit, len(menu.items))
		for i := range menu.items {
			prices[i], at[i] = p.place(t, &menu.items[i], n, m)
		}
		for d := range menu.dishes {
			dish, sum := &menu.dishes[d], int64(0)
			for i, item := range dish.items {
				if prices[item] == noPrice {
					sum = math.MaxInt64
					break
				}
				sum += dish.counts[i] * prices[item]
			}
			if sum >= best {
				continue
			}
			best, visits = sum, visits[:kept]
			for i, item := range dish.items {
				visits = append(visits, visit{at[item].charges, at[item].start, times * dish.counts[i]})
			}
		}
	}
	return visits
}

// priceOf returns what a plan costs at other prices than it was made for.
func (p *planPricer) priceOf(t *tariff, o *plan) int64 {
	sum := p.weight * o.completion
	for i := range o.visits {
		v := &o.visits[i]
		sum += v.repeat * (&alternative{charges: v.charges}).price(t, v.start)
	}
	return sum
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
