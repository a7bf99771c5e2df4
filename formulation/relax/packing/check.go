package packing

import (
	"errors"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"math/big"
	"slices"
)

// Prove checks that no contents of all GPUs are worth, at the prices, what the jobs ask
// for. It solves the knapsacks anew, over all pairs of depths that a worker may mix, by
// sliding windows; if these are inconclusive it enumerates the contents.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate) error {
	switch {
	case !Packable(m):
		return errors.New("formulation: a packing certificate is about the makespan of jobs that fit somewhere")
	case c.Plans == nil || c.Plans.Due < 1 || c.Plans.Due > relax.MaxHorizon || c.Plans.Horizon != c.Plans.Due || c.Plans.Points != 1 || c.Plans.Buckets != 1:
		return errors.New("formulation: the due of a packing certificate is missing or out of range")
	case c.Denominator == nil || c.Denominator.Sign() <= 0:
		return relax.ErrPrices
	}
	s := New(m, c.Plans.Due, nil)
	prices, err := relax.Int64s(c.Prices)
	if err != nil {
		return err
	}
	sum, ok := s.Prove(prices)
	if !ok {
		return relax.ErrPrices
	}
	b.Certified, b.Exact, b.Value = true, new(big.Rat).SetFrac(sum, c.Denominator), new(big.Rat).SetInt64(s.Due+1)
	return nil
}

// Prove returns by how much the payments of the jobs exceed the cost of all GPUs; ok is
// false if they do not, or if some content is worth more than its GPU.
func (s *Program) Prove(prices []int64) (sum *big.Int, ok bool) {
	if len(prices) != s.Prices+len(s.Pools) {
		return nil, false
	}
	for i := range s.Classes {
		class := &s.Classes[i]
		worth := new(big.Int).Abs(big.NewInt(prices[class.At]))
		for _, price := range prices[class.At+1 : class.At+len(class.Depths)] {
			if price < 0 {
				return nil, false
			}
			worth.Add(worth, exact.Mul(class.Iterations, price))
		}
		if worth.Cmp(big.NewInt(exact.MostWorth)) > 0 || class.Decided && prices[class.At] != 0 {
			return nil, false
		}
	}
	sum = s.pays(prices)
	for p := range s.Pools {
		price := prices[s.Prices+p]
		e := Examiner{S: s, P: &s.Pools[p], Price: price, Left: MostExamined}
		if price < -exact.MostWorth || price > exact.MostWorth || !e.Examine(prices) {
			return nil, false
		}
		sum.Sub(sum, exact.Mul(s.Pools[p].GPUs, price))
	}
	return sum, sum.Sign() > 0
}

// Examiner looks for a content that is worth more than the price of a GPU.
type Examiner struct {
	S      *Program
	P      *Pool
	Price  int64
	chords [][]packChord // by slot
	// from[i][x] is an upper limit on the value of slot i with later ones in x units, and
	// rest[i][x] on that of slots from i on.
	from, rest [][]int64
	Left       int // steps that may still be made
}

// packChord is a mix of two depths: a worker that takes between from and to units is worth
// base plus rise for each unit.
type packChord struct{ from, to, base, rise int64 }

// MostExamined bounds the steps of examining sets of workers: a step is a number of units that a worker brings, at a chord.
const MostExamined = 1 << 28

// Examine reports whether no content is worth more than the price; prices of classes are far
// from overflow.
func (e *Examiner) Examine(prices []int64) bool {
	n := len(e.P.Slots)
	e.chords, e.from, e.rest = make([][]packChord, n), make([][]int64, n), make([][]int64, n+1)
	e.rest[n] = make([]int64, e.P.Room+1)
	for i := n - 1; i >= 0; i-- {
		if e.S.Model.Ended() {
			return false
		}
		slot := &e.P.Slots[i]
		worth := e.S.Classes[slot.Class].Worth(prices)
		for a := range worth {
			worth[a] += prices[e.S.Classes[slot.Class].At]
			for b := range a + 1 {
				if slot.Ticks[a] == exact.Never || slot.Ticks[b] == exact.Never || a != b && slot.Ticks[b] >= slot.Ticks[a] {
					continue
				}
				chord := packChord{slot.Ticks[b] / e.S.Unit, slot.Ticks[a] / e.S.Unit, worth[b], 0}
				if a != b {
					ticks := slot.Ticks[a] - slot.Ticks[b]
					rise := (worth[a] - worth[b] + ticks - 1) / ticks
					if rise > exact.NoPrice/e.S.Due {
						return false
					}
					// A worker of x units takes at most x units + unit - 1 ticks; its line ends at the units of
					// the deeper depth.
					chord.base, chord.rise, chord.to = worth[b]+rise*(e.S.Unit-1-slot.Ticks[b]), rise*e.S.Unit, chord.to-1
				}
				if chord.from <= chord.to {
					e.chords[i] = append(e.chords[i], chord)
				}
			}
		}
		if e.rest[i] = slices.Clone(e.rest[i+1]); slot.Fixed {
			continue
		}
		e.from[i] = e.with(e.rest[i+1], i)
		for x, worth := range e.from[i] {
			e.rest[i][x] = max(e.rest[i][x], worth)
		}
		if e.rest[i][e.P.Room] > exact.NoPrice {
			return false
		}
	}
	worth := e.rest[n]
	for _, i := range e.P.Fixed {
		worth = e.with(worth, i)
	}
	if len(e.P.Fixed) == 0 && e.Price < 0 { // since a GPU without workers is worth nothing
		return false
	}
	return !e.above(e.P.Fixed, worth) && e.extend(slices.Clip(e.P.Fixed), worth, 0)
}

// above reports whether these slots, with the given values by units, are worth more than the
// price.
func (e *Examiner) above(slots []int, worth []int64) bool {
	limit := min(e.P.Room, e.S.Limit(e.P, slots))
	return limit >= 0 && worth[limit] > exact.NoWorth/2 && worth[limit] > e.Price
}

// with adds a worker to the values of others by units.
func (e *Examiner) with(others []int64, i int) []int64 {
	worth := make([]int64, len(others))
	for x := range worth {
		worth[x] = exact.NoWorth
	}
	lost := make([]int64, len(others)) // rise x units - worth, to be minimised
	window := make([]int64, len(others))
	for _, c := range e.chords[i] {
		for y := range lost {
			lost[y] = c.rise*int64(y) - max(others[y], exact.NoWorth)
		}
		first, last := 0, 0 // of the window: units with rising losses, each the least of those after it
		for x := c.from; x < int64(len(worth)); x++ {
			y := x - c.from
			for last > first && lost[window[last-1]] >= lost[y] {
				last--
			}
			window[last] = y
			last++
			for window[first] < x-c.to {
				first++
			}
			worth[x] = max(worth[x], c.base+c.rise*x-lost[window[first]])
		}
	}
	return worth
}

// extend reports whether no content with these slots (values by units given) and later ones
// is worth more than the price.
func (e *Examiner) extend(slots []int, worth []int64, first int) bool {
	for i := first; i < len(e.P.Slots); i++ {
		room := e.P.Room
		if len(e.P.Fixed) == 0 {
			room = e.P.Slots[append(slices.Clip(slots), i)[0]].Room
		}
		if !e.hope(worth[:room+1], e.rest[i]) {
			return true
		}
		if e.P.Slots[i].Fixed || !e.hope(worth[:room+1], e.from[i]) {
			continue
		}
		if e.Left -= len(e.chords[i]) * len(worth); e.Left < 0 || e.S.Model.Ended() {
			return false
		}
		set, next := append(slices.Clip(slots), i), e.with(worth, i)
		if e.above(set, next) || e.S.Limit(e.P, set) >= 0 && !e.extend(set, next, i+1) {
			return false
		}
	}
	return true
}

// hope reports whether some and others can together be worth more than the price in one
// room.
func (e *Examiner) hope(some, others []int64) bool {
	for x, worth := range some {
		if worth > exact.NoWorth/2 && worth+others[len(some)-1-x] > e.Price {
			return true
		}
	}
	return false
}
