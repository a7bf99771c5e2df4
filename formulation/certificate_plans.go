package formulation

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"jigsaw/formulation/instance"
)

// provePlans evaluates the prices of a columns program: it looks for the
// cheapest plan of every class anew. Rows, ways and time axes are those of
// [newMaster]; the search is not that of [planPricer]. It tries every tick, by
// range minima, and knows no floating point.
func (m *model) provePlans(b *Bound, c *Certificate) error {
	terms := c.Plans
	switch {
	case terms == nil:
		return errors.New("formulation: the certificate does not say which columns program it is about")
	case m.in.Objective.Periodic():
		return errors.New("formulation: a columns certificate is not about periodic plans")
	case terms.Horizon < 1 || terms.Horizon > maxHorizon || terms.Points < 1 || terms.Points > maxPoints || terms.Buckets < 1 || terms.Buckets > terms.Horizon:
		return errors.New("formulation: the certificate's horizon, points or buckets are out of range")
	case terms.Due < 0 || (terms.Due > 0) != (m.in.Objective == instance.Makespan):
		return errors.New("formulation: the certificate's due does not go with the objective")
	case c.Denominator == nil || c.Denominator.Sign() <= 0 || !c.Denominator.IsInt64():
		return errPrices
	}
	due := terms.Due
	if due == 0 {
		due = -1
	}
	s := newMaster(m, terms.Horizon, due, planGrain{terms.Points, terms.Buckets})
	if !s.fits() || s.work() > mostWork {
		return errors.New("formulation: the certificate's program is too large to be checked")
	}
	if len(c.Prices) != s.rows {
		return fmt.Errorf("formulation: the certificate has %d prices for %d rows", len(c.Prices), s.rows)
	}
	prices := make([][]int64, len(s.groups))
	sum, v := new(big.Int), new(big.Int)
	highest := new(big.Int)
	for g := range s.groups {
		prices[g] = make([]int64, s.calendar.buckets())
		if s.groups[g].capacity == 0 {
			continue
		}
		for bucket := range prices[g] {
			price := c.Prices[s.row(g, bucket)]
			if price == nil || price.Sign() < 0 || !price.IsInt64() {
				return errPrices
			}
			prices[g][bucket] = price.Int64()
			if price.Cmp(highest) > 0 {
				highest = price
			}
			sum.Sub(sum, v.Mul(price, big.NewInt(s.groups[g].capacity*s.calendar.width)))
		}
	}
	e := planExaminer{calendar: s.calendar, prices: prices}
	for i := range s.classes {
		class := &s.classes[i]
		if due < 0 {
			weight := v.Mul(big.NewInt(class.d.job.Weight), c.Denominator)
			if !weight.IsInt64() {
				return errPrices
			}
			class.pricer.weight = weight.Int64()
		}
		least, ok := e.cheapest(&class.pricer)
		if e.overflow {
			return errPrices
		}
		e.starts = nil
		switch {
		case !ok && due < 0:
			return errPrices
		case !ok: // the class cannot end by the due: that alone is a proof
			b.Certified, b.exact, b.Value = true, new(big.Rat), new(big.Rat).SetInt64(due+1)
			return nil
		}
		sum.Add(sum, v.Mul(big.NewInt(class.d.count()), big.NewInt(least)))
	}
	b.exact = new(big.Rat).SetFrac(sum, c.Denominator)
	switch {
	case due < 0:
		b.Value = integral(m.in, b.exact)
	case sum.Sign() > 0:
		b.Value = new(big.Rat).SetInt64(due + 1)
	default:
		return errPrices
	}
	b.Certified = true
	return nil
}

// Limits on what a certificate may ask for: ticks, points of a time axis, and
// steps of the search as master.work counts them, an hour or so.
const (
	maxHorizon = 1 << 28
	maxPoints  = 1 << 12
	mostWork   = 1 << 42
)

// planExaminer finds cheapest plans in checked integer arithmetic.
type planExaminer struct {
	calendar calendar
	prices   [][]int64 // by group, bucket
	overflow bool
	starts   map[string]*rangeMinima // of the alternatives of a class
	sums     [][]int64               // prices from tick 0 on, by group, tick
}

// add returns a + b, and notes an overflow. Prices are not negative.
func (e *planExaminer) add(a, b int64) int64 {
	sum, carry := bits.Add64(uint64(a), uint64(b), 0)
	if carry > 0 || sum >= noPrice {
		e.overflow = true
		return noPrice
	}
	return int64(sum)
}

func (e *planExaminer) mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo >= noPrice {
		e.overflow = true
		return noPrice
	}
	return int64(lo)
}

// during is the price of amount units of a group in [from, to).
func (e *planExaminer) during(g int, amount, from, to int64) int64 {
	sum := int64(0)
	e.calendar.spread(from, to, func(bucket int, ticks int64) {
		sum = e.add(sum, e.mul(e.mul(amount, ticks), e.prices[g][bucket]))
	})
	return sum
}

// of returns the prices of all starts of an alternative.
func (e *planExaminer) of(alt *alternative) *rangeMinima {
	key := fmt.Sprint(*alt)
	if r, ok := e.starts[key]; ok {
		return r
	}
	if e.starts == nil {
		e.starts = map[string]*rangeMinima{}
	}
	list := make([]int64, e.calendar.horizon+1) // from the horizon on all is free
	for start := range list {
		for _, use := range alt.charges {
			list[start] = e.add(list[start], e.during(use.group, use.amount, int64(start), int64(start)+use.length))
		}
	}
	r := newRangeMinima(list)
	e.starts[key] = r
	return r
}

// cheapest returns the price of the cheapest plan of a class; ok is false
// where there is no plan.
func (e *planExaminer) cheapest(p *planPricer) (best int64, ok bool) {
	ways := 0
	for i := range p.menus {
		ways = max(ways, p.menus[i].way+1)
	}
	best = noPrice
	for way := range ways {
		best = min(best, e.inWay(p, way))
	}
	return best, best < noPrice
}

// inWay returns the price of the cheapest plan that lives in one way.
func (e *planExaminer) inWay(p *planPricer, way int) int64 {
	g := &p.grid
	window := make([][]int64, g.points+1)
	for n := range window {
		window[n] = make([]int64, g.points+1)
		for m := range window[n] {
			window[n][m] = noPrice
		}
	}
	for i := range p.menus {
		menu := &p.menus[i]
		if menu.way != way {
			continue
		}
		starts := make([][]*rangeMinima, len(menu.items))
		for n := range menu.items {
			for a := range menu.items[n].alts {
				starts[n] = append(starts[n], e.of(&menu.items[n].alts[a]))
			}
		}
		for n := range window {
			for m := n; m < len(window); m++ {
				for d := range menu.dishes {
					window[n][m] = min(window[n][m], e.iteration(p, menu, &menu.dishes[d], starts, n, m))
				}
			}
		}
	}
	now := make([]int64, g.points+1)
	for m := range now {
		now[m] = noPrice
	}
	now[0] = 0
	best := int64(noPrice)
	left := int64(0) // ticks of the blocks that follow
	for i := range g.blocks {
		left += int64(g.iterations(i)) * p.iteration
	}
	for i := 0; ; i++ {
		for m, price := range now {
			end := g.tick(m)
			if price == noPrice || i < g.blocks && (p.due >= 0 || end < e.calendar.horizon) {
				continue
			}
			best = min(best, e.add(price, e.mul(p.weight, end+left)))
		}
		if i == g.blocks {
			return best
		}
		left -= int64(g.iterations(i)) * p.iteration
		next := make([]int64, g.points+1)
		for m := range next {
			next[m] = noPrice
			if p.ends != nil && !p.ends[i].holds(g.tick(m)) {
				continue
			}
			for n := 0; n+g.steps(i) <= m; n++ {
				if now[n] < noPrice && window[n][m] < noPrice {
					next[m] = min(next[m], e.add(now[n], e.mul(int64(g.iterations(i)), window[n][m])))
				}
			}
		}
		now = next
	}
}

// iteration returns the price of an iteration of a dish from point n to m.
func (e *planExaminer) iteration(p *planPricer, menu *menu, dish *dish, starts [][]*rangeMinima, n, m int) int64 {
	sum := int64(0)
	for i, at := range dish.items {
		item := &menu.items[at]
		least := int64(noPrice)
		for a := range item.alts {
			from, to := p.grid.tick(n)+item.head, p.latest(m)-item.tail-item.alts[a].length
			if from <= to {
				least = min(least, starts[at][a].least(from, to))
			}
		}
		if least == noPrice {
			return noPrice
		}
		sum = e.add(sum, e.mul(dish.counts[i], least))
	}
	return sum
}

// rangeMinima answers what the least of a range of a list is. Past its end the
// list goes on with its last entry.
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

func (r *rangeMinima) least(from, to int64) int64 {
	last := int64(len(r.level[0]) - 1)
	from, to = min(from, last), min(to, last)
	k := bits.Len64(uint64(to-from+1)) - 1
	return min(r.level[k][from], r.level[k][to-(1<<k)+1])
}
