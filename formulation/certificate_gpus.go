package formulation

import (
	"cmp"
	"math/big"
	"slices"
)

// provenGPUs is proven for prices of the program of GPUs: it looks for contents that are worth
// more than the price of a GPU, by lists of what tasks of so many ticks are worth at the most.
func (f *fluid) provenGPUs(proof *priceProof) (*big.Rat, error) {
	s := f.gpus()
	if s == nil || len(proof.prices) != s.prices || proof.denominator <= 0 {
		return nil, errPrices
	}
	prices := make([]*big.Int, s.prices)
	for i, price := range proof.prices {
		if prices[i] = big.NewInt(price); price < 0 {
			return nil, errPrices
		}
	}
	for p := range s.pools {
		worth, ok := s.worth(p, prices)
		if !ok || worth > proof.prices[len(f.groups)+p] {
			return nil, errPrices
		}
	}
	sum, ok := s.bound(prices, big.NewInt(proof.denominator))
	if !ok {
		return nil, errPrices
	}
	proof.value = sum.Neg(sum)
	return f.attainable(f.value(new(big.Rat).SetFrac(sum, big.NewInt(proof.denominator)))), nil
}

// mostWorth keeps sums of worth far from overflow.
const mostWorth = 1 << 56

// worth returns what the contents of a GPU of a pool are worth at the most; ok is false where
// numbers are too large.
func (s *gpuProgram) worth(pool int, prices []*big.Int) (worth int64, ok bool) {
	all := []filling{{}}
	for i := range s.classes {
		lengths := s.pools[pool].holds[i]
		if lengths == nil {
			continue
		}
		c := &s.classes[i]
		one := []filling{{}} // of a worker
		for x := max(1, c.limit.from); x <= c.limit.to; x++ {
			home := prices[c.home(x)]
			tasks := make([]*big.Int, len(lengths))
			for depth := range tasks {
				tasks[depth] = new(big.Int)
				for r := range c.rules {
					w := new(big.Int).Mul(big.NewInt(c.rules[r].weight[depth]), prices[c.home(x)+1+r])
					tasks[depth].Add(tasks[depth], w)
				}
			}
			if most := slices.MaxFunc(tasks, (*big.Int).Cmp); !home.IsInt64() || home.Int64() > mostWorth || new(big.Int).Mul(most, big.NewInt(x)).Cmp(big.NewInt(mostWorth)) > 0 {
				return 0, false
			}
			list := []filling{{0, home.Int64()}}
			for range x {
				var longer []filling
				for depth, length := range lengths {
					for _, r := range list {
						if length < never && r.ticks+length <= s.f.period {
							longer = append(longer, filling{r.ticks + length, r.worth + tasks[depth].Int64()})
						}
					}
				}
				list = undominated(longer, s.f.period, 1)
			}
			one = append(one, list...)
		}
		one = undominated(one, s.f.period, 1)
		for range c.jobs {
			var both []filling
			for _, a := range all {
				for _, b := range one {
					if a.ticks+b.ticks <= s.f.period {
						both = append(both, filling{a.ticks + b.ticks, a.worth + b.worth})
					}
				}
			}
			if all = undominated(both, s.f.period, 1); all[len(all)-1].worth > mostWorth {
				return 0, false
			}
		}
	}
	return slices.MaxFunc(all, func(a, b filling) int { return cmp.Compare(a.worth, b.worth) }).worth, true
}
