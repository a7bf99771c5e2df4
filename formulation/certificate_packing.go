package formulation

import (
	"errors"
	"math/big"
	"slices"
)

// provePacking checks that no contents of all GPUs are worth, at the prices, what the jobs
// ask for: the knapsacks anew, over all pairs of depths that a worker may mix, by range
// minima, and where these leave it open the contents one by one.
func (m *model) provePacking(b *Bound, c *Certificate) error {
	switch {
	case !packable(m):
		return errors.New("formulation: a packing certificate is about the makespan of jobs that fit somewhere")
	case c.Plans == nil || c.Plans.Due < 1 || c.Plans.Due > maxHorizon || c.Plans.Horizon != c.Plans.Due || c.Plans.Points != 1 || c.Plans.Buckets != 1:
		return errors.New("formulation: the due of a packing certificate is missing or out of range")
	case c.Denominator == nil || c.Denominator.Sign() <= 0:
		return errPrices
	}
	s := newPacking(m, c.Plans.Due, nil)
	prices, err := small(c.Prices)
	if err != nil {
		return err
	}
	sum, ok := s.prove(prices)
	if !ok {
		return errPrices
	}
	b.Certified, b.exact, b.Value = true, new(big.Rat).SetFrac(sum, c.Denominator), new(big.Rat).SetInt64(s.due+1)
	return nil
}

// prove returns by how much the jobs pay more than all GPUs cost; ok is false where they do
// not, or some content is worth more than its GPU.
func (s *packing) prove(prices []int64) (sum *big.Int, ok bool) {
	if len(prices) != s.prices+len(s.pools) {
		return nil, false
	}
	for i := range s.classes {
		class := &s.classes[i]
		worth := new(big.Int).Abs(big.NewInt(prices[class.at]))
		for _, price := range prices[class.at+1 : class.at+len(class.depths)] {
			if price < 0 {
				return nil, false
			}
			worth.Add(worth, mul(class.iterations, price))
		}
		if worth.Cmp(big.NewInt(mostWorth)) > 0 || class.decided && prices[class.at] != 0 {
			return nil, false
		}
	}
	sum = s.pays(prices)
	for p := range s.pools {
		price := prices[s.prices+p]
		e := packExaminer{s: s, p: &s.pools[p], price: price, left: mostExamined}
		if price < -mostWorth || price > mostWorth || !e.examine(prices) {
			return nil, false
		}
		sum.Sub(sum, mul(s.pools[p].gpus, price))
	}
	return sum, sum.Sign() > 0
}

// packExaminer looks for a content that is worth more than the price of a GPU.
type packExaminer struct {
	s      *packing
	p      *packPool
	price  int64
	chords [][]packChord // by slot
	// from[i][x] is what slot i is worth with later ones in x units, at the most, and rest[i][x]
	// what slots from i on are.
	from, rest [][]int64
	left       int // sets to look at
}

// packChord is a mix of two depths: a worker that takes from so many units to so many is
// worth base and rise for each unit.
type packChord struct{ from, to, base, rise int64 }

// mostExamined bounds the sets of workers that are looked at.
const mostExamined = 100_000

// examine reports whether no content is worth more than the price; prices of classes are far
// from overflow.
func (e *packExaminer) examine(prices []int64) bool {
	n := len(e.p.slots)
	e.chords, e.from, e.rest = make([][]packChord, n), make([][]int64, n), make([][]int64, n+1)
	e.rest[n] = make([]int64, e.p.room+1)
	for i := n - 1; i >= 0; i-- {
		if e.s.m.ended() {
			return false
		}
		slot := &e.p.slots[i]
		worth := e.s.classes[slot.class].worth(prices)
		for a := range worth {
			worth[a] += prices[e.s.classes[slot.class].at]
			for b := range a + 1 {
				if slot.ticks[a] == never || slot.ticks[b] == never || a != b && slot.ticks[b] >= slot.ticks[a] {
					continue
				}
				chord := packChord{slot.ticks[b] / e.s.unit, slot.ticks[a] / e.s.unit, worth[b], 0}
				if a != b {
					ticks := slot.ticks[a] - slot.ticks[b]
					rise := (worth[a] - worth[b] + ticks - 1) / ticks
					if rise > noPrice/e.s.due {
						return false
					}
					// A worker of x units takes x units + unit - 1 ticks at the most.
					chord.base, chord.rise = worth[b]+rise*(e.s.unit-1-slot.ticks[b]), rise*e.s.unit
				}
				e.chords[i] = append(e.chords[i], chord)
			}
		}
		if e.rest[i] = slices.Clone(e.rest[i+1]); slot.fixed {
			continue
		}
		e.from[i] = e.with(e.rest[i+1], i)
		for x, worth := range e.from[i] {
			e.rest[i][x] = max(e.rest[i][x], worth)
		}
		if e.rest[i][e.p.room] > noPrice {
			return false
		}
	}
	worth := e.rest[n]
	for _, i := range e.p.fixed {
		worth = e.with(worth, i)
	}
	if len(e.p.fixed) == 0 && e.price < 0 { // for nothing is in a GPU without workers
		return false
	}
	return !e.above(e.p.fixed, worth) && e.extend(slices.Clip(e.p.fixed), worth, 0)
}

// above reports whether these slots, worth so much by units, are worth more than the price.
func (e *packExaminer) above(slots []int, worth []int64) bool {
	limit := min(e.p.room, e.s.limit(e.p, slots))
	return limit >= 0 && worth[limit] > noWorth/2 && worth[limit] > e.price
}

// with adds a worker to what others are worth by units.
func (e *packExaminer) with(others []int64, i int) []int64 {
	worth := make([]int64, len(others))
	for x := range worth {
		worth[x] = noWorth
	}
	for _, c := range e.chords[i] {
		lost := make([]int64, len(others)) // rise x units - worth, to be least
		for y := range lost {
			lost[y] = c.rise*int64(y) - max(others[y], noWorth)
		}
		minima := newRangeMinima(lost)
		for x := c.from; x < int64(len(worth)); x++ {
			worth[x] = max(worth[x], c.base+c.rise*x-minima.least(int(max(0, x-c.to)), int(x-c.from)))
		}
	}
	return worth
}

// extend reports whether no content with these slots, worth so much by units, and later ones
// is worth more than the price.
func (e *packExaminer) extend(slots []int, worth []int64, first int) bool {
	for i := first; i < len(e.p.slots); i++ {
		room := e.p.room
		if len(e.p.fixed) == 0 {
			room = e.p.slots[append(slices.Clip(slots), i)[0]].room
		}
		if !e.hope(worth[:room+1], e.rest[i]) {
			return true
		}
		if e.p.slots[i].fixed || !e.hope(worth[:room+1], e.from[i]) {
			continue
		}
		if e.left--; e.left < 0 || e.s.m.ended() {
			return false
		}
		set, next := append(slices.Clip(slots), i), e.with(worth, i)
		if e.above(set, next) || e.s.limit(e.p, set) >= 0 && !e.extend(set, next, i+1) {
			return false
		}
	}
	return true
}

// hope reports whether some and others can be worth more than the price in one room.
func (e *packExaminer) hope(some, others []int64) bool {
	for x, worth := range some {
		if worth > noWorth/2 && worth+others[len(some)-1-x] > e.price {
			return true
		}
	}
	return false
}
