package columns

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
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// Prove evaluates the prices of a columns program: it searches for the cheapest
// plan of every class anew. Rows, modes and time axes are those of [New]. The
// search differs from that of the bound: it goes window by window, by range
// minima, in overflow-checked integers, without floating point.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate) error {
	terms := c.Plans
	switch {
	case terms == nil:
		return errors.New("formulation: the certificate does not say which columns program it is about")
	case m.Instance.Objective.Periodic():
		return errors.New("formulation: a columns certificate is not about periodic plans")
	case terms.Horizon < 1 || terms.Horizon > MaxHorizon || terms.Points < 1 || terms.Points > maxPoints || terms.Buckets < 1 || terms.Buckets > terms.Horizon:
		return errors.New("formulation: the certificate's horizon, points or buckets are out of range")
	case terms.Due < 0 || terms.Due > relax.MaxHorizon || (terms.Due > 0) != (m.Instance.Objective == instance.Makespan):
		return errors.New("formulation: the certificate's due is out of range, or does not go with the objective")
	case c.Denominator == nil || c.Denominator.Sign() <= 0 || !c.Denominator.IsInt64():
		return relax.ErrPrices
	}
	due := terms.Due
	if due == 0 {
		due = -1
	}
	s := New(m, terms.Horizon, due, Grain{terms.Points, terms.Buckets})
	if len(c.Prices) != s.Rows {
		return fmt.Errorf("formulation: the certificate has %d prices for %d rows", len(c.Prices), s.Rows)
	}
	list, err := relax.Int64s(c.Prices)
	if err != nil {
		return err
	}
	prices, sum, ok := s.Sold(list)
	if !ok {
		return relax.ErrPrices
	}
	v := new(big.Int)
	if due < 0 {
		for i := range s.Classes {
			weight := v.Mul(big.NewInt(s.Classes[i].Class.Job.Weight), c.Denominator)
			if !weight.IsInt64() {
				return relax.ErrPrices
			}
			s.Classes[i].Plans.Weight = weight.Int64()
		}
	}
	if !s.Fits() || s.Work() > mostWork {
		return errors.New("formulation: the certificate's program is too large to be checked")
	}
	least, found, err := s.examine(prices)
	if err != nil {
		return err
	}
	for i := range s.Classes {
		switch {
		case !found[i] && due < 0:
			return relax.ErrPrices
		case !found[i]: // the class cannot end by the due: that alone is a proof
			b.Certified, b.Exact, b.Value = true, new(big.Rat), new(big.Rat).SetInt64(due+1)
			return nil
		}
		sum.Add(sum, v.Mul(big.NewInt(s.Classes[i].Class.Count()), big.NewInt(least[i])))
	}
	b.Exact = new(big.Rat).SetFrac(sum, c.Denominator)
	switch {
	case due < 0:
		b.Value = relax.Integral(m.Instance, b.Exact)
	case sum.Sign() > 0:
		b.Value = new(big.Rat).SetInt64(due + 1)
	default:
		return relax.ErrPrices
	}
	b.Certified = true
	return nil
}

// Sold converts a list of prices, one per row, to prices by group and bucket, nil for a group
// without rows, and returns the cost of all capacity, negated; ok is false if a price is
// negative.
func (s *Program) Sold(list []int64) (prices [][]int64, sum *big.Int, ok bool) {
	prices, sum = make([][]int64, len(s.Groups)), new(big.Int)
	for g := range s.Groups {
		if s.Groups[g].Capacity == 0 {
			continue
		}
		prices[g] = list[s.Groups[g].first:][:s.Calendar.Buckets()]
		for _, price := range prices[g] {
			if price < 0 {
				return nil, nil, false
			}
			cost := exact.Mul(price, s.Groups[g].Capacity)
			sum.Sub(sum, cost.Mul(cost, big.NewInt(s.Calendar.Width)))
		}
	}
	return prices, sum, true
}

// examine returns the price of the cheapest plan of every class, and whether
// there is one. The classes are divided among the cores.
func (s *Program) examine(prices [][]int64) (least []int64, found []bool, err error) {
	least, found = make([]int64, len(s.Classes)), make([]bool, len(s.Classes))
	var next, overflows atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0), len(s.Classes))) {
		wg.Go(func() {
			e := NewExaminer(s.Model, s.Calendar, prices)
			for i := int(next.Add(1)) - 1; i < len(s.Classes) && !s.Model.Ended(); i = int(next.Add(1)) - 1 {
				least[i], found[i] = e.Cheapest(&s.Classes[i].Plans)
				e.Starts = nil
			}
			if e.Overflow {
				overflows.Add(1)
			}
		})
	}
	wg.Wait()
	if overflows.Load() > 0 || s.Model.Ended() {
		return nil, nil, relax.ErrPrices
	}
	return least, found, nil
}

// MaxHorizon is the latest tick with a price in a columns program: 139 years of milliseconds.
const MaxHorizon = 1 << 42

// Limits on certificates: points of a time axis, blocks of a class times these, and steps
// of the search as master.work counts them, about an hour.
const (
	maxPoints  = 1 << 12
	mostStates = 1 << 26
	mostWork   = 1 << 40
)

// Examiner finds cheapest plans in checked integer arithmetic.
type Examiner struct {
	m        *relax.Model
	calendar Calendar
	prices   [][]int64 // by group, bucket; nil where nothing has a price
	// paid[g][b] is the cost of a unit of group g in all buckets before b; length
	// buckets + 1.
	paid     [][]int64
	Overflow bool
	Starts   map[string]*startPrices // of the alternatives of a class
}

// NewExaminer returns an examiner at these prices, by group and bucket.
func NewExaminer(m *relax.Model, c Calendar, prices [][]int64) *Examiner {
	e := &Examiner{m: m, calendar: c, prices: prices, paid: make([][]int64, len(prices))}
	for g, list := range prices {
		e.paid[g] = make([]int64, len(list)+1)
		for b, price := range list {
			e.paid[g][b+1] = e.Add(e.paid[g][b], e.Mul(price, c.Width))
		}
	}
	return e
}

// Over reports whether nothing more can be proven.
func (e *Examiner) Over() bool {
	e.Overflow = e.Overflow || e.m.Ended()
	return e.Overflow
}

// Add returns a + b, and records an overflow. Prices are not negative.
func (e *Examiner) Add(a, b int64) int64 {
	sum, carry := bits.Add64(uint64(a), uint64(b), 0)
	if carry > 0 || sum >= exact.NoPrice {
		e.Overflow = true
		return exact.NoPrice
	}
	return int64(sum)
}

// Mul returns a product, and records an overflow.
func (e *Examiner) Mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo >= exact.NoPrice {
		e.Overflow = true
		return exact.NoPrice
	}
	return int64(lo)
}

// Before is the price of a unit of a group in [0, tick).
func (e *Examiner) Before(g int, tick int64) int64 {
	if tick >= e.calendar.Horizon || e.prices[g] == nil {
		return e.paid[g][len(e.prices[g])]
	}
	b := tick / e.calendar.Width
	return e.Add(e.paid[g][b], e.Mul(tick%e.calendar.Width, e.prices[g][b]))
}

// price returns the price of starting an alternative at a tick.
func (e *Examiner) price(alt *Alternative, start int64) int64 {
	sum := int64(0)
	for _, use := range alt.Uses {
		sum = e.Add(sum, e.Mul(use.Amount, e.Before(use.Group, start+use.Length)-e.Before(use.Group, start)))
	}
	return sum
}

// Cheapest returns the price of the cheapest plan of a class; ok is false if
// there is no plan. First it searches plans that hardly wait between their
// iterations, which is quick, and then only those others that may be cheaper.
func (e *Examiner) Cheapest(p *Plans) (best int64, ok bool) {
	best = exact.NoPrice
	for mode := range p.Modes {
		w := e.windows(p, mode)
		rest := e.rest(p, w)
		best = e.recur(p, w, rest, best, true)
		best = e.recur(p, w, rest, best, false)
	}
	return best, best < exact.NoPrice
}

// rest returns lower bounds on the cost of a plan from the end of its first blocks
// on, by the number of these and the point, increasing with the point: none of its
// iterations costs less than the cheapest that ends as early and may begin at any
// time.
func (e *Examiner) rest(p *Plans, w *windows) [][]int64 {
	g := &p.Grid
	by, left := w.from(0, g.Points), int64(0)
	rest := make([][]int64, g.Blocks+1)
	for i := g.Blocks; i >= 0; i-- {
		rest[i] = make([]int64, g.Points+1)
		least, follow := int64(exact.NoPrice), int64(exact.NoPrice)
		for m := g.Points; m >= 0; m-- {
			if i < g.Blocks && m+g.Steps(i) <= g.Points {
				if end := m + g.Steps(i); by[end] < exact.NoPrice && rest[i+1][end] < exact.NoPrice {
					follow = min(follow, e.Add(rest[i+1][end], e.Mul(int64(g.Iterations(i)), by[end])))
				}
			}
			least = min(least, follow)
			if end := g.Tick(m); p.Complete(i, end, e.calendar.Horizon) {
				least = min(least, e.Mul(p.Weight, end+left))
			}
			rest[i][m] = least
		}
		if i > 0 {
			left += int64(g.Iterations(i-1)) * p.Iteration
		}
	}
	return rest
}

// recur returns the price of the cheapest plan in one mode, if it is below the limit,
// otherwise the limit. Brisk plans take at most twice the least time from the end of
// an iteration to the next.
func (e *Examiner) recur(p *Plans, w *windows, rest [][]int64, limit int64, brisk bool) int64 {
	g := &p.Grid
	left := int64(0) // ticks of the blocks that follow
	for i := range g.Blocks {
		left += int64(g.Iterations(i)) * p.Iteration
	}
	now, next := make([]int64, g.Points+1), make([]int64, g.Points+1)
	for m := range now {
		now[m] = exact.NoPrice
	}
	now[0] = 0
	for i := 0; ; i++ {
		for m, price := range now {
			if end := g.Tick(m); price < exact.NoPrice && p.Complete(i, end, e.calendar.Horizon) {
				limit = min(limit, e.Add(price, e.Mul(p.Weight, end+left)))
			}
		}
		if i == g.Blocks {
			return limit
		}
		times, steps := int64(g.Iterations(i)), g.Steps(i)
		left -= times * p.Iteration
		for m := range next {
			next[m] = exact.NoPrice
		}
		for n, price := range now {
			if price >= limit || rest[i][n] >= limit-price {
				continue
			}
			if e.Over() {
				return limit
			}
			after, _ := slices.BinarySearch(rest[i+1], limit-price) // those from here on do not help
			if brisk && i > 0 {
				after = min(after, n+2*steps+1)
			}
			window := w.from(n, after-1)
			for m := n + steps; m < after; m++ {
				if window[m-n] == exact.NoPrice || p.Ends != nil && !p.Ends[i].Holds(g.Tick(m)) {
					continue
				}
				next[m] = min(next[m], e.Add(price, e.Mul(times, window[m-n])))
			}
		}
		now, next = next, now
	}
}
