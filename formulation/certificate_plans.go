package formulation

import (
	"context"
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
func (m *model) provePlans(ctx context.Context, b *Bound, c *Certificate) error {
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
	if due < 0 {
		for i := range s.classes {
			weight := v.Mul(big.NewInt(s.classes[i].d.job.Weight), c.Denominator)
			if !weight.IsInt64() {
				return errPrices
			}
			s.classes[i].pricer.weight = weight.Int64()
		}
	}
	least, found, err := s.examine(ctx, prices)
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
func (s *master) examine(ctx context.Context, prices [][]int64) (least []int64, found []bool, err error) {
	least, found = make([]int64, len(s.classes)), make([]bool, len(s.classes))
	var next, overflows atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0), len(s.classes))) {
		wg.Go(func() {
			e := newPlanExaminer(s.calendar, prices)
			for i := int(next.Add(1)) - 1; i < len(s.classes) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				least[i], found[i] = e.cheapest(&s.classes[i].pricer)
				e.starts = nil
			}
			if e.overflow {
				overflows.Add(1)
			}
		})
	}
	wg.Wait()
	if overflows.Load() > 0 {
		return nil, nil, errPrices
	}
	return least, found, ctx.Err()
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
	calendar calendar
	prices   [][]int64 // by group, bucket
	// paid[g][b] is what a unit of group g costs in all buckets before b;
	// length buckets + 1.
	paid     [][]int64
	overflow bool
	starts   map[string]*startPrices // of the alternatives of a class
}

func newPlanExaminer(c calendar, prices [][]int64) *planExaminer {
	e := &planExaminer{calendar: c, prices: prices, paid: make([][]int64, len(prices))}
	for g, list := range prices {
		e.paid[g] = make([]int64, len(list)+1)
		for b, price := range list {
			e.paid[g][b+1] = e.add(e.paid[g][b], e.mul(price, c.width))
		}
	}
	return e
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
	if tick >= e.calendar.horizon {
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

// windows are the least prices of an iteration of a class in one way, by the
// points between which it is.
type windows struct {
	e      *planExaminer
	menus  []*menu
	places [][][]*windowPrices // by menu, item, alternative
	known  [][]int64           // by the point where it begins, and how many points later it ends
	least  []int64             // scratch, by item
}

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

// complete reports whether a plan whose first blocks end at a tick costs
// nothing more but the weight of its completion.
func (p *planPricer) complete(blocks int, end, horizon int64) bool {
	return blocks == p.grid.blocks || p.due < 0 && end >= horizon
}

// recur returns the price of the cheapest plan that lives in one way, if it is
// below the limit, and else the limit. Brisk plans go from the end of an iteration to
// the next in no more than twice the time it takes.
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
