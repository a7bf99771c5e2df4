package intervals

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// Prove evaluates the prices of a certificate.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate) error {
	if m.Instance.Objective != instance.WeightedCompletion {
		return fmt.Errorf("formulation: a certificate of kind %s is about the weighted completion, not %s", relax.IntervalsBound, m.Instance.Objective)
	}
	s := New(m, c.Ends)
	if s == nil {
		return fmt.Errorf("formulation: the ends of the certificate's intervals must be 1 to %d ascending numbers, and no job may be too long", MostIntervals)
	}
	if len(c.Prices) != s.Rows() {
		return fmt.Errorf("formulation: the certificate has %d prices for %d rows", len(c.Prices), s.Rows())
	}
	if c.Denominator == nil || c.Denominator.Sign() <= 0 || !c.Denominator.IsInt64() {
		return relax.ErrPrices
	}
	list, err := relax.Int64s(c.Prices)
	if err != nil {
		return err
	}
	prices := make([][]int64, len(s.Groups))
	for g := range s.Groups {
		if s.Groups[g].Capacity == 0 {
			continue
		}
		prices[g], list = list[:len(s.Ends)], list[len(s.Ends):]
		if slices.Min(prices[g]) < 0 {
			return relax.ErrPrices
		}
	}
	sum := new(big.Int).Neg(s.Sold(prices))
	p := s.NewPayer(prices)
	for i := range s.Classes {
		if m.Ended() {
			return relax.ErrPrices
		}
		least, err := p.Least(&s.Classes[i], c.Denominator.Int64())
		if err != nil {
			return err
		}
		sum.Add(sum, exact.Mul(s.Classes[i].Count, least.Price))
	}
	b.Exact = new(big.Rat).SetFrac(sum, c.Denominator)
	b.Value, b.Certified = relax.Integral(m.Instance, b.Exact), true
	return nil
}

// Payer finds what jobs pay at least.
type Payer struct {
	*Program
	// Uncorrected leaves out the sum of d: that is what a plan pays as a column of the program.
	Uncorrected bool

	prices [][]int64 // by group, interval
	// By interval, of the mode looked at:
	rate  []int64 // of a tick of work, rounded down
	step  []int64 // the sum of d up to its begin
	order []int   // the intervals before the last, by rate
	work  []int64
}

// NewPayer returns one at these prices, none of which is negative.
func (s *Program) NewPayer(prices [][]int64) *Payer {
	n := len(s.Ends) + 1
	return &Payer{Program: s, prices: prices, rate: make([]int64, n), step: make([]int64, n), work: make([]int64, n)}
}

// Plan is a plan of the package comment.
type Plan struct {
	Price      int64 // what the job pays at least
	Mode       int
	Completion int64
	Work       []int64 // y, by interval
}

var errNoPlan = errors.New("formulation: a job has no plan that ends by its deadline")

// Least returns the plan for which a job of the class pays least, in units of a fraction of the objective's: 1/unit.
func (p *Payer) Least(c *Class, unit int64) (best Plan, err error) {
	n := len(p.Ends)
	best.Price = math.MaxInt64
	due := int64(math.MaxInt64 / 2)
	if c.Deadline > 0 {
		due = c.Deadline
	}
	first := 0
	for p.To(first) <= c.Release {
		first++
	}
	for w := range c.Modes {
		mode := &c.Modes[w]
		weight := times(c.Weight, unit)
		if times(weight, max(c.Release, p.From(n))+mode.Ticks) == most {
			return best, relax.ErrPrices
		}
		p.look(mode, first)
		p.order = p.order[:0]
		room := int64(0) // of the intervals before the last
		for last := first; last <= n && p.From(last) < due; last++ {
			begin := max(p.From(last), c.Release)
			if weight*begin >= best.Price {
				break
			}
			here := min(p.To(last), due) - begin
			if room+here >= mode.Ticks {
				price := p.fill(mode.Ticks, c.Release, last, weight, here) - (p.step[last] - p.step[first])
				// Prices of iterations are not negative, whatever the correction.
				price = weight*begin + max(price, weight*max(0, mode.Ticks-room))
				if price < best.Price {
					best = Plan{Price: price, Mode: w, Completion: begin + p.work[last], Work: append(best.Work[:0], p.work[:last+1]...)}
				}
			}
			at, _ := slices.BinarySearchFunc(p.order, last, func(a, b int) int { return cmp.Compare(p.rate[a], p.rate[b]) })
			p.order = slices.Insert(p.order, at, last)
			room += here
		}
	}
	if best.Price == math.MaxInt64 {
		return best, errNoPlan
	}
	return best, nil
}

// look computes the prices of a mode. Those of iterations are capped, which makes jobs pay less: then no sum overflows, and
// no correction d is above the cap.
func (p *Payer) look(mode *Mode, first int) {
	most := most / mode.Ticks
	for t := range p.Ends {
		p.rate[t] = min(most, p.iteration(mode, t)/mode.Iteration)
	}
	p.step[first] = 0
	for t := first + 1; t <= len(p.Ends); t++ {
		sum := int64(0)
		for _, a := range mode.Peak {
			before, after := p.prices[a.Group][t-1], int64(0)
			if t < len(p.Ends) {
				after = p.prices[a.Group][t]
			}
			sum = plus(sum, times(a.Ticks, max(before-after, after-before)))
		}
		if p.Uncorrected {
			sum = 0
		}
		p.step[t] = plus(p.step[t-1], min(sum, most*mode.Iteration))
	}
}

// most is that of amounts and prices in sums, from which on they do not grow. A smaller amount is never paid more; where one
// stands for the largest, as in [Mode.Peak], this is as much as the cap of what it is for.
const most = 1 << 59

func plus(a, b int64) int64 { return min(a+b, most) }

func times(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low < most {
		return int64(low)
	}
	return most
}

// iteration is the price of an iteration in an interval.
func (p *Payer) iteration(mode *Mode, t int) int64 {
	least := int64(math.MaxInt64)
	for i := range mode.Ways {
		least = min(least, p.way(&mode.Ways[i], t, nil))
	}
	return least
}

// way is the price of a way in an interval; chosen, if not nil, is told what each item takes.
func (p *Payer) way(w *Way, t int, chosen func(Use, int64)) (sum int64) {
	for n, alts := range w.Items {
		least, best := int64(math.MaxInt64), Use(nil)
		for _, use := range alts {
			price := int64(0)
			for _, a := range use {
				price = plus(price, times(a.Ticks, p.prices[a.Group][t]))
			}
			if price < least {
				least, best = price, use
			}
		}
		sum = plus(sum, times(w.Counts[n], least))
		if chosen != nil {
			chosen(best, w.Counts[n])
		}
	}
	return sum
}

// Taken is what an iteration takes in an interval where it is cheapest.
func (p *Payer) Taken(mode *Mode, t int) Use {
	best, least := 0, int64(math.MaxInt64)
	for i := range mode.Ways {
		if price := p.way(&mode.Ways[i], t, nil); price < least {
			best, least = i, price
		}
	}
	var taken Use
	p.way(&mode.Ways[best], t, func(use Use, count int64) {
		for _, a := range use {
			taken = taken.with(a.Group, plus(taken.of(a.Group), times(count, a.Ticks)))
		}
	})
	return taken
}

// fill takes the cheapest ticks, of which there are enough, from the release to those of the last interval, where they also delay
// the completion, and returns their price.
func (p *Payer) fill(ticks, release int64, last int, weight, here int64) (price int64) {
	clear(p.work[:last+1])
	take := func(t int, rate, room int64) {
		p.work[t] = min(ticks, room)
		ticks -= p.work[t]
		price += p.work[t] * rate
	}
	ending := p.rate[last] + weight
	done := false
	for _, t := range p.order {
		if !done && ending <= p.rate[t] {
			take(last, ending, here)
			done = true
		}
		take(t, p.rate[t], p.To(t)-max(p.From(t), release))
	}
	if !done {
		take(last, ending, here)
	}
	return price
}
