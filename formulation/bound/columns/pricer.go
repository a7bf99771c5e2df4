package columns

import (
	"encoding/binary"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"jigsaw/solver/eventloop"
	"math"
	"slices"
)

// planPricer finds the cheapest plan of one class of jobs at given prices: the
// dynamic program over the ends of its synchronisations. f[i][m] is the least
// price of the first i blocks of iterations when the last synchronisation ends
// between the points m and m + 1, which the plan then treats as point m. Between
// two ends every task independently takes its cheapest start in the window, and
// then the cheapest multiset is chosen.
//
// Most of the work is computing the prices of windows, with a row for every
// starting point. So they are computed only as far as a plan cheaper than the
// known one may need them: rest[i][m] bounds from below what remains after the
// first i blocks have ended at m, with iterations that cost no less than the
// cheapest that ends as early, nor than the cheapest that begins as late.
type planPricer struct{ *columns.Plans }

// Scratch is the scratch memory of a pricer.
type Scratch struct {
	starts []startPrices // of the alternatives' starts
	ticks  []int64       // of the points
	prices [][]int64     // of the items of an option, by item and the point the window ends at
	fits   []int         // the first such point, by item
	dealt  []int64       // of a multiset, likewise
	window []int64       // of an iteration, likewise
	by     []int64       // least price of an iteration that ends by a point
	after  []int64       // least price of one that begins at a point or later
	f      [][]int64     // by block, point
	from   [][]int32     // the point before
	rest   [][]int64     // by block, point; rising
	reach  []int         // by block: the last point at which the next block may end, from the current point
}

// resize makes the scratch fit.
func (k *Scratch) resize(p *planPricer) {
	points, blocks, items := p.Grid.Points+1, p.Grid.Blocks+1, 0
	for i := range p.Options {
		items = max(items, len(p.Options[i].Items))
	}
	for len(k.starts) < p.Alternatives {
		k.starts = append(k.starts, startPrices{})
	}
	k.prices, k.fits = Square(k.prices, items, points), line(k.fits, items)
	k.dealt, k.window = line(k.dealt, points), line(k.window, points)
	k.by, k.after = line(k.by, points), line(k.after, points)
	k.f, k.from, k.rest = Square(k.f, blocks, points), Square(k.from, blocks, points), Square(k.rest, blocks, points)
	k.reach, k.ticks = line(k.reach, blocks), line(k.ticks, points)
	for n := range k.ticks {
		k.ticks[n] = p.Grid.Tick(n)
	}
}

// bounds fills Scratch.by, after and rest for a mode.
func (p *planPricer) bounds(t *Tariff, k *Scratch, mode int) {
	g := &p.Grid
	first := p.row(t, k, mode, 0, g.Points)
	for m := range k.by {
		k.by[m] = exact.NoPrice
		if m >= first {
			k.by[m] = k.window[m]
		}
	}
	for n := range k.after {
		k.after[n] = p.fromPoint(k, mode, n)
	}
	left := int64(0) // ticks of the blocks that follow
	for m := range k.rest[g.Blocks] {
		k.rest[g.Blocks][m] = p.Weight * k.ticks[m]
	}
	for i := g.Blocks - 1; i >= 0; i-- {
		steps, times := g.Steps(i), int64(g.Iterations(i))
		left += times * p.Iteration
		next, rest := k.rest[i+1], k.rest[i]
		ends, later, least := int64(exact.NoPrice), int64(exact.NoPrice), int64(exact.NoPrice)
		reached := min(g.Points+1, i*int(g.Parts)) // the first point that is
		for m := g.Points; m >= reached; m-- {
			if e := m + steps; e <= g.Points && next[e] < exact.NoPrice {
				later = min(later, next[e])
				if k.by[e] < exact.NoPrice {
					ends = min(ends, times*k.by[e]+next[e])
				}
			}
			if ends < exact.NoPrice && k.after[m] < exact.NoPrice {
				least = min(least, max(ends, times*k.after[m]+later))
			}
			if p.Complete(i, k.ticks[m], t.calendar.Horizon) {
				least = min(least, p.Weight*(k.ticks[m]+left))
			}
			rest[m] = least
		}
		for m := range reached {
			rest[m] = least
		}
	}
}

// Solve returns the cheapest plan, and false where none is cheaper than the
// limit, which is [exact.NoPrice] for none.
func (p *planPricer) Solve(t *Tariff, k *Scratch, limit int64) (Plan, bool) {
	best, found := Plan{Price: limit}, false
	if p.Modes == 0 {
		return best, false
	}
	g := &p.Grid
	k.resize(p)
	for i := range p.Options {
		for n := range p.Options[i].Items {
			item := &p.Options[i].Items[n]
			for a := range item.Alts {
				p.look(t, &k.starts[item.First+a], item, &item.Alts[a])
			}
		}
	}
	for mode := range p.Modes {
		p.bounds(t, k, mode)
		if k.rest[0][0] >= best.Price {
			continue
		}
		p.chain(t, k, mode, best.Price)
		block, point, price, completion := p.cheapestEnd(t, k)
		if price >= best.Price {
			continue
		}
		found = true
		best = Plan{Price: price, Completion: completion}
		for i := block; i > 0; i-- {
			before := int(k.from[i][point])
			best.Visits = p.trace(t, best.Visits, mode, before, point, int64(g.Iterations(i-1)))
			best.Ends = append(best.Ends, k.ticks[point])
			point = before
		}
		slices.Reverse(best.Ends)
	}
	return best, found
}

// chain runs the recursion over the points, as far as plans below the limit may
// reach.
func (p *planPricer) chain(t *Tariff, k *Scratch, mode int, limit int64) {
	g := &p.Grid
	for i := range g.Blocks + 1 {
		for m := range k.f[i] {
			k.f[i][m] = exact.NoPrice
		}
	}
	k.f[0][0] = 0
	for n := range g.Points + 1 {
		eventloop.Yield() // a class of a long plan takes a second, too long to block a browser
		if k.after[n] >= exact.NoPrice || p.Due < 0 && k.ticks[n] >= t.calendar.Horizon && g.Last == g.Block {
			break // past the horizon continuing is free, so that nothing is cheaper, if no block is rounded
		}
		last, reached := -1, int64(exact.NoPrice) // a lower bound on f[i][n], once its row is done
		begun := min(g.Blocks, n/int(g.Parts)+1)  // blocks of which some may have begun
		for i := range begun {
			times := int64(g.Iterations(i))
			reached = min(reached, k.f[i][n])
			k.reach[i] = -1
			if reached+k.rest[i][n] < limit {
				m, _ := slices.BinarySearch(k.rest[i+1], limit-reached-times*k.after[n])
				k.reach[i] = m - 1
				last = max(last, m-1)
			}
			if g.Steps(i) > 0 {
				reached = exact.NoPrice
			}
		}
		if last < n {
			continue
		}
		first := p.row(t, k, mode, n, last)
		for i, reach := range k.reach[:begun] {
			if reach < first || k.f[i][n] >= exact.NoPrice {
				continue
			}
			start, times := k.f[i][n], int64(g.Iterations(i))
			from, to := max(first, n+g.Steps(i)), reach
			if p.Ends != nil {
				from = max(from, int(min(int64(to)+1, p.Ends[i].From-g.Release)))
				to = min(to, int(max(-1, min(int64(to), p.Ends[i].To-g.Release))))
			}
			next, before := k.f[i+1], k.from[i+1]
			for m := from; m <= to; m++ {
				if sum := start + times*k.window[m]; k.window[m] < exact.NoPrice && sum < next[m] {
					next[m], before[m] = sum, int32(n)
				}
			}
		}
	}
}

// cheapestEnd returns where the cheapest of the plans that the recursion found
// ends.
func (p *planPricer) cheapestEnd(t *Tariff, k *Scratch) (block, point int, price, completion int64) {
	g := &p.Grid
	price = exact.NoPrice
	left := int64(0) // ticks of the blocks that follow
	for i := range g.Blocks {
		left += int64(g.Iterations(i)) * p.Iteration
	}
	for i := range g.Blocks + 1 {
		for m, sum := range k.f[i] {
			end := k.ticks[m]
			if sum >= exact.NoPrice || !p.Complete(i, end, t.calendar.Horizon) {
				continue
			}
			if sum += p.Weight * (end + left); sum < price {
				block, point, price, completion = i, m, sum, end+left
			}
		}
		if i < g.Blocks {
			left -= int64(g.Iterations(i)) * p.Iteration
		}
	}
	return block, point, price, completion
}

// trace adds the visits of an iteration in a window, each item at its first
// cheapest start.
func (p *planPricer) trace(t *Tariff, visits []Visit, mode, n, m int, times int64) []Visit {
	best, kept := int64(math.MaxInt64), len(visits)
	for index := range p.Options {
		option := &p.Options[index]
		if option.Mode != mode {
			continue
		}
		prices, at := make([]int64, len(option.Items)), make([]Visit, len(option.Items))
		for i := range option.Items {
			prices[i], at[i] = p.place(t, &option.Items[i], n, m)
		}
		for d := range option.Multisets {
			multiset, sum := &option.Multisets[d], int64(0)
			for i, item := range multiset.Items {
				if prices[item] == exact.NoPrice {
					sum = math.MaxInt64
					break
				}
				sum += multiset.Counts[i] * prices[item]
			}
			if sum >= best {
				continue
			}
			best, visits = sum, visits[:kept]
			for i, item := range multiset.Items {
				visits = append(visits, Visit{at[item].Charges, at[item].Start, times * multiset.Counts[i]})
			}
		}
	}
	return visits
}

// priceOf returns the cost of a plan at prices other than those it was made
// for.
func (p *planPricer) priceOf(t *Tariff, o *Plan) int64 {
	sum := p.Weight * o.Completion
	for i := range o.Visits {
		v := &o.Visits[i]
		sum += v.Repeat * priceAt(&columns.Alternative{Uses: v.Charges}, t, v.Start)
	}
	return sum
}

// key identifies a plan by what it takes when.
func (p *Plan) key(class int) string {
	b := binary.AppendUvarint(nil, uint64(class))
	b = binary.AppendUvarint(b, uint64(p.Completion))
	for _, v := range p.Visits {
		b = binary.AppendUvarint(b, uint64(v.Start))
		b = binary.AppendUvarint(b, uint64(v.Repeat))
		for _, l := range v.Charges {
			b = binary.AppendUvarint(b, uint64(l.Group))
			b = binary.AppendUvarint(b, uint64(l.Amount))
			b = binary.AppendUvarint(b, uint64(l.Length))
		}
	}
	return string(b)
}

// Charges lists everything that an item may take.
func (p *planPricer) Charges(add func(columns.Use)) {
	for i := range p.Options {
		for _, item := range p.Options[i].Items {
			for _, alt := range item.Alts {
				for _, c := range alt.Uses {
					c.Length += alt.Alone
					add(c)
				}
			}
		}
	}
}
