package formulation

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"jigsaw/formulation/instance"
)

// provePlans evaluates the prices of a columns program: it looks for the
// cheapest plan of every class anew. Rows, ways and time axes are those of
// [newMaster]; the search is not that of [planPricer]: it goes window by window,
// by range minima, in checked arithmetic, and knows no floating point.
func (m *model) provePlans(b *Bound, c *Certificate) error {
	terms := c.Plans
	switch {
	case terms == nil:
		return errors.New("formulation: the certificate does not say which columns program it is about")
	case m.in.Objective.Periodic():
		return errors.New("formulation: a columns certificate is not about periodic plans")
	case terms.Horizon < 1 || terms.Horizon > maxHorizon || terms.Points < 1 || terms.Points > maxPoints || terms.Buckets < 1 || terms.Buckets > terms.Horizon:
		return errors.New("formulation: the certificate's horizon, points or buckets are out of range")
	case terms.Due < 0 || terms.Due > maxHorizon || (terms.Due > 0) != (m.in.Objective == instance.Makespan):
		return errors.New("formulation: the certificate's due is out of range, or does not go with the objective")
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
		if s.groups[g].capacity == 0 {
			continue
		}
		prices[g] = make([]int64, s.calendar.buckets())
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
	if due < 0 {
		for i := range s.classes {
			weight := v.Mul(big.NewInt(s.classes[i].d.job.Weight), c.Denominator)
			if !weight.IsInt64() {
				return errPrices
			}
			s.classes[i].pricer.weight = weight.Int64()
		}
	}
	least, found, err := s.examine(prices)
	if err != nil {
		return err
	}
	for i := range s.classes {
		switch {
		case !found[i] && due < 0:
			return errPrices
		case !found[i]: // the class cannot end by the due: that alone is a proof
			b.Certified, b.exact, b.Value = true, new(big.Rat), new(big.Rat).SetInt64(due+1)
			return nil
		}
		sum.Add(sum, v.Mul(big.NewInt(s.classes[i].d.count()), big.NewInt(least[i])))
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

// examine returns the price of the cheapest plan of every class, and whether
// it has any. The classes are shared out among the cores.
func (s *master) examine(prices [][]int64) (least []int64, found []bool, err error) {
	least, found = make([]int64, len(s.classes)), make([]bool, len(s.classes))
	var next, overflows atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0), len(s.classes))) {
		wg.Go(func() {
			e := newPlanExaminer(s.m, s.calendar, prices)
			for i := int(next.Add(1)) - 1; i < len(s.classes) && !s.m.ended(); i = int(next.Add(1)) - 1 {
				least[i], found[i] = e.cheapest(&s.classes[i].pricer)
				e.starts = nil
			}
			if e.overflow {
				overflows.Add(1)
			}
		})
	}
	wg.Wait()
	if overflows.Load() > 0 || s.m.ended() {
		return nil, nil, errPrices
	}
	return least, found, nil
}

// Limits on what a certificate may ask for: ticks, points of a time axis, and
// steps of the search as master.work counts them, an hour or so.
const (
	maxHorizon = 1 << 28
	maxPoints  = 1 << 12
	mostWork   = 1 << 40
)

// planExaminer finds cheapest plans in checked integer arithmetic.
type planExaminer struct {
	m        *model
	calendar calendar
	prices   [][]int64 // by group, bucket; nil where nothing has a price
	// paid[g][b] is what a unit of group g costs in all buckets before b;
	// length buckets + 1.
	paid     [][]int64
	overflow bool
	starts   map[string]*startPrices // of the alternatives of a class
}

func newPlanExaminer(m *model, c calendar, prices [][]int64) *planExaminer {
	e := &planExaminer{m: m, calendar: c, prices: prices, paid: make([][]int64, len(prices))}
	for g, list := range prices {
		e.paid[g] = make([]int64, len(list)+1)
		for b, price := range list {
			e.paid[g][b+1] = e.add(e.paid[g][b], e.mul(price, c.width))
		}
	}
	return e
}

// over reports whether nothing can be proven any more.
func (e *planExaminer) over() bool {
	e.overflow = e.overflow || e.m.ended()
	return e.overflow
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

// before is the price of a unit of a group in [0, tick).
func (e *planExaminer) before(g int, tick int64) int64 {
	if tick >= e.calendar.horizon || e.prices[g] == nil {
		return e.paid[g][len(e.prices[g])]
	}
	b := tick / e.calendar.width
	return e.add(e.paid[g][b], e.mul(tick%e.calendar.width, e.prices[g][b]))
}

// price of starting an alternative at a tick.
func (e *planExaminer) price(alt *alternative, start int64) int64 {
	sum := int64(0)
	for _, use := range alt.charges {
		sum = e.add(sum, e.mul(use.amount, e.before(use.group, start+use.length)-e.before(use.group, start)))
	}
	return sum
}

// cheapest returns the price of the cheapest plan of a class; ok is false
// where there is no plan. Plans that hardly wait between their iterations are
// quickly looked through, and then only those others that may be cheaper.
func (e *planExaminer) cheapest(p *planPricer) (best int64, ok bool) {
	best = noPrice
	for way := range p.ways {
		w := e.windows(p, way)
		rest := e.rest(p, w)
		best = e.recur(p, w, rest, best, true)
		best = e.recur(p, w, rest, best, false)
	}
	return best, best < noPrice
}

// rest returns lower bounds, rising with the point, on what a plan costs from the
// end of its first blocks on, by their number and the point: none of its iterations
// costs less than one that ends as early and may begin at any time.
func (e *planExaminer) rest(p *planPricer, w *windows) [][]int64 {
	g := &p.grid
	by, left := w.from(0, g.points), int64(0)
	rest := make([][]int64, g.blocks+1)
	for i := g.blocks; i >= 0; i-- {
		rest[i] = make([]int64, g.points+1)
		least, follow := int64(noPrice), int64(noPrice)
		for m := g.points; m >= 0; m-- {
			if i < g.blocks && m+g.steps(i) <= g.points {
				if end := m + g.steps(i); by[end] < noPrice && rest[i+1][end] < noPrice {
					follow = min(follow, e.add(rest[i+1][end], e.mul(int64(g.iterations(i)), by[end])))
				}
			}
			least = min(least, follow)
			if end := g.tick(m); p.complete(i, end, e.calendar.horizon) {
				least = min(least, e.mul(p.weight, end+left))
			}
			rest[i][m] = least
		}
		if i > 0 {
			left += int64(g.iterations(i-1)) * p.iteration
		}
	}
	return rest
}

// recur returns the price of the cheapest plan that lives in one way, if it is
// below the limit, and else the limit. Brisk plans go from the end of an iteration to
// the next in no more than twice the time that it takes at least.
func (e *planExaminer) recur(p *planPricer, w *windows, rest [][]int64, limit int64, brisk bool) int64 {
	g := &p.grid
	left := int64(0) // ticks of the blocks that follow
	for i := range g.blocks {
		left += int64(g.iterations(i)) * p.iteration
	}
	now, next := make([]int64, g.points+1), make([]int64, g.points+1)
	for m := range now {
		now[m] = noPrice
	}
	now[0] = 0
	for i := 0; ; i++ {
		for m, price := range now {
			if end := g.tick(m); price < noPrice && p.complete(i, end, e.calendar.horizon) {
				limit = min(limit, e.add(price, e.mul(p.weight, end+left)))
			}
		}
		if i == g.blocks {
			return limit
		}
		times, steps := int64(g.iterations(i)), g.steps(i)
		left -= times * p.iteration
		for m := range next {
			next[m] = noPrice
		}
		for n, price := range now {
			if price >= limit || rest[i][n] >= limit-price {
				continue
			}
			if e.over() {
				return limit
			}
			after, _ := slices.BinarySearch(rest[i+1], limit-price) // the last that helps is before
			if brisk && i > 0 {
				after = min(after, n+2*steps+1)
			}
			window := w.from(n, after-1)
			for m := n + steps; m < after; m++ {
				if window[m-n] == noPrice || p.ends != nil && !p.ends[i].holds(g.tick(m)) {
					continue
				}
				next[m] = min(next[m], e.add(price, e.mul(times, window[m-n])))
			}
		}
		now, next = next, now
	}
}
