package area

import (
	"math/big"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// LeastCost is what no schedule that runs once costs less than ([instance.Instance.Cost]): a GPU is
// paid for while it works, so that the tasks of all jobs cost what each does on the GPU type where that is
// least, at the cheapest depths of the rule; and the k GPUs of a single job are paid for as long as it lasts.
func LeastCost(m *relax.Model) *big.Rat {
	most := new(big.Int)
	for i := range m.Classes {
		d := &m.Classes[i]
		cheapest := instance.Price(-1)
		for t, fits := range d.Fits {
			if price := m.Instance.Types[t].Price; slices.Contains(fits, true) && (cheapest < 0 || price < cheapest) {
				cheapest = price
			}
		}
		alone := d.Chain(d.Iteration)
		alone.Sub(alone, big.NewInt(int64(d.Job.Release)))
		alone.Mul(alone, big.NewInt(int64(cheapest)))
		if alone.Mul(alone, big.NewInt(int64(d.Job.Workers))); alone.Cmp(most) > 0 {
			most = alone
		}
	}
	if work := Worth(m, prices(m)); work.Cmp(most) > 0 {
		most = work
	}
	return m.Instance.Money(most)
}

// prices of the types.
func prices(m *relax.Model) []instance.Price {
	list := make([]instance.Price, len(m.Instance.Types))
	for t := range list {
		list[t] = m.Instance.Types[t].Price
	}
	return list
}

// Worth is the least that the tasks of all jobs can amount to, each tick of a GPU counted at a price of its type.
func Worth(m *relax.Model, prices []instance.Price) *big.Int {
	sum := new(big.Int)
	for i := range m.Classes {
		d := &m.Classes[i]
		// Prices of tasks, in parts of 2^shift so that sums of an iteration's stay within 62 bits; rounded down.
		shift := max(0, bits.Len64(uint64(slices.Max(prices)))+bits.Len64(uint64(longest(d)))+bits.Len(uint(d.Job.Workers))-62)
		least := make([]instance.Tick, len(d.Shortest))
		for depth := range least {
			least[depth] = -1
			for t, fits := range d.Fits {
				if !fits[depth] {
					continue
				}
				cost := new(big.Int).Mul(big.NewInt(int64(prices[t])), big.NewInt(int64(d.Job.On[t].Time[depth])))
				if c := instance.Tick(cost.Rsh(cost, uint(shift)).Int64()); least[depth] < 0 || c < least[depth] {
					least[depth] = c
				}
			}
		}
		iteration, _ := relax.LeastWork(d.Job, least)
		times := new(big.Int).Mul(big.NewInt(d.Count()), big.NewInt(int64(d.Job.Iterations)))
		cost := times.Mul(times, big.NewInt(iteration))
		sum.Add(sum, cost.Lsh(cost, uint(shift)))
	}
	return sum
}

// CostBy is what no schedule costs less than that ends by a given time. With a premium on each tick of a
// GPU, by type, the tasks amount to at least Worth(price + premium), of which premiums are at most those of all
// ticks of all GPUs until then:
//
//	cost >= Worth(price + premium) - end x sum over types of GPUs x premium, for all premiums >= 0
//
// CostBy returns the premiums that it finds, with which [CostWith] proves the same. The right side is concave:
// it climbs with all premiums alike, then one by one.
func CostBy(m *relax.Model, end instance.Tick) (cost *big.Rat, premiums []instance.Price) {
	const rounds, mostSteps = 3, 1 << 18
	unit := max(1, slices.Max(prices(m))/4096) // so that rounding in Worth does not hide what a step is worth
	premiums = make([]instance.Price, len(m.Instance.Types))
	climb := func(types []instance.Price) {
		at := func(steps instance.Price) *big.Rat {
			for i := range types {
				types[i] = steps * unit
			}
			return CostWith(m, end, premiums)
		}
		low, high := instance.Price(0), instance.Price(mostSteps)
		for low < high {
			if middle := (low + high) / 2; at(middle+1).Cmp(at(middle)) > 0 {
				low = middle + 1
			} else {
				high = middle
			}
		}
		cost = at(low)
	}
	climb(premiums)
	for range rounds {
		before := cost
		for t := range premiums {
			climb(premiums[t : t+1])
		}
		if cost.Cmp(before) <= 0 {
			break
		}
	}
	return cost, premiums
}

// CostWith is what premiums, by type, prove of the cost of schedules that end by a given time.
func CostWith(m *relax.Model, end instance.Tick, premiums []instance.Price) *big.Rat {
	in, all := m.Instance, prices(m)
	ticks := new(big.Int)
	for _, g := range in.GPUs {
		ticks.Add(ticks, big.NewInt(int64(premiums[g.Type])))
	}
	for t, premium := range premiums {
		all[t] += premium
	}
	sum := Worth(m, all)
	return in.Money(sum.Sub(sum, ticks.Mul(ticks, big.NewInt(int64(end)))))
}

// longest is the longest task of a class on any GPU type.
func longest(d *relax.Class) (most instance.Tick) {
	for _, c := range d.Job.On {
		if c != nil {
			most = max(most, c.Time[d.Job.Full()])
		}
	}
	return most
}
