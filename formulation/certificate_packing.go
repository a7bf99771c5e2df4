package formulation

import (
	"errors"
	"math/big"
	"slices"
)

// provePacking checks that no contents of all GPUs are worth, at the prices, what the jobs
// ask for: the knapsacks anew, over all pairs of depths that a worker may mix, by range minima.
func (m *model) provePacking(b *Bound, c *Certificate) error {
	switch {
	case !packable(m):
		return errors.New("formulation: a packing certificate is about the makespan of jobs that fit somewhere")
	case c.Plans == nil || c.Plans.Due < 1 || c.Plans.Due > maxHorizon || c.Plans.Horizon != c.Plans.Due || c.Plans.Points != 1 || c.Plans.Buckets != 1:
		return errors.New("formulation: the due of a packing certificate is missing or out of range")
	case c.Denominator == nil || c.Denominator.Sign() <= 0:
		return errPrices
	}
	s := newPacking(m, c.Plans.Due)
	prices, err := small(c.Prices)
	if err != nil || len(prices) != s.prices {
		return errPrices
	}
	for i := range s.classes {
		class := &s.classes[i]
		worth := new(big.Int).Abs(big.NewInt(prices[class.at]))
		for _, price := range prices[class.at+1 : class.at+len(class.depths)] {
			if price < 0 {
				return errPrices
			}
			worth.Add(worth, mul(class.iterations, price))
		}
		if worth.Cmp(big.NewInt(mostWorth)) > 0 {
			return errPrices
		}
	}
	sum := s.pays(prices)
	for p := range s.pools {
		worth, ok := s.worth(&s.pools[p], prices)
		if !ok {
			return errPrices
		}
		sum.Sub(sum, mul(s.pools[p].gpus, worth))
	}
	if sum.Sign() <= 0 {
		return errPrices
	}
	b.Certified, b.exact, b.Value = true, new(big.Rat).SetFrac(sum, c.Denominator), new(big.Rat).SetInt64(s.due+1)
	return nil
}

// worth returns the value of the best content of a GPU of a pool, whose prices are far from
// overflow; ok is false where a sum is not. Slots come by falling synchronisation: what is
// worth most in their room, and no more in any larger one.
func (s *packing) worth(p *packPool, prices []int64) (worth int64, ok bool) {
	best := make([]int64, p.room+1)
	for i := len(p.slots) - 1; i >= 0; i-- {
		slot := &p.slots[i]
		c := &s.classes[slot.class]
		tasks := c.worth(prices)
		next := slices.Clone(best)
		for a := range tasks {
			for b := a; b < len(tasks); b++ {
				if slot.ticks[a] == never || slot.ticks[b] == never || slot.ticks[a] >= slot.ticks[b] && a != b {
					continue
				}
				rise := int64(0) // per tick, rounded up
				if a != b {
					rise = (tasks[b] - tasks[a] + slot.ticks[b] - slot.ticks[a] - 1) / (slot.ticks[b] - slot.ticks[a])
				}
				if rise > noPrice/s.due {
					return 0, false
				}
				// A worker of x units takes x units + unit - 1 ticks at the most.
				from, to := slot.ticks[a]/s.unit, slot.ticks[b]/s.unit
				base := prices[c.at] + tasks[a] + rise*(s.unit-1-slot.ticks[a])
				if a == b {
					base = prices[c.at] + tasks[a]
				}
				lost := make([]int64, len(best)) // rise x units - best, to be least
				for y := range best {
					lost[y] = rise*s.unit*int64(y) - best[y]
				}
				minima := newRangeMinima(lost)
				for x := from; x <= slot.room; x++ {
					next[x] = max(next[x], base+rise*s.unit*x-minima.least(int(max(0, x-to)), int(x-from)))
				}
			}
		}
		for x := slot.room + 1; x <= p.room; x++ {
			next[x] = max(next[x], next[slot.room])
		}
		if best = next; best[p.room] > noPrice {
			return 0, false
		}
	}
	return best[p.room], true
}
