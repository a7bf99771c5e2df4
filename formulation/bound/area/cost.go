package area

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// CostBy finds premiums with which [relax.Model.ProveCost] gives a strong lower bound on the cost of schedules that end
// by a given time. The bound is concave in the premiums: the search climbs with all premiums equal, then one by one.
func CostBy(m *relax.Model, end instance.Tick) *relax.Proven {
	const rounds, mostSteps = 3, 1 << 18
	unit := max(1, slices.Max(m.Prices())/4096) // so that rounding in Worth does not hide the gain of a step
	premiums := make([]instance.Price, len(m.Instance.Types))
	var cost *big.Rat
	climb := func(types []instance.Price) {
		at := func(steps instance.Price) *big.Rat {
			for i := range types {
				types[i] = steps * unit
			}
			return m.CostBy(end, premiums)
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
	c := &relax.Certificate{Denominator: big.NewInt(1), End: int64(end)}
	for _, premium := range premiums {
		c.Prices = append(c.Prices, big.NewInt(int64(premium)))
	}
	p := &relax.Proven{Kind: relax.CostBound, Certificate: c}
	if err := m.ProveCost(p, c.Prices, c.End); err != nil {
		panic("area: " + err.Error())
	}
	return p
}

// LeastCost is a lower bound on the cost of every schedule.
func LeastCost(m *relax.Model) *relax.Proven {
	return &relax.Proven{Kind: relax.CostBound, Certified: true, Value: m.LeastCost()}
}

// Molds finds a lower bound on the makespan of all schedules, whatever number of workers each job has: the longest of
// the jobs' shortest chains, or weights of GPU types with which [relax.ProveWeights] proves it. The weights tried are
// equal ones, those of one type alone, and those proportional to a job's speed.
func Molds(jobs [][]*relax.Model) *relax.Proven {
	best := &relax.Proven{Kind: relax.ChainBound}
	relax.ProveChains(best, jobs)
	types := len(jobs[0][0].Instance.Types)
	weights := [][]*big.Int{make([]*big.Int, types)}
	for t := range types {
		weights[0][t] = big.NewInt(1)
		one := make([]*big.Int, types)
		for other := range one {
			one[other] = new(big.Int)
		}
		one[t] = big.NewInt(1)
		weights = append(weights, one)
	}
	for _, models := range jobs {
		if len(weights) > 16 {
			break
		}
		d, speeds := &relax.Running(models)[0].Classes[0], make([]*big.Int, types)
		for t, on := range d.Job.On {
			if speeds[t] = new(big.Int); on != nil {
				speeds[t].SetInt64(1_000_000 * int64(d.Full) / int64(on.Time[d.Job.Full()]))
			}
		}
		weights = append(weights, speeds)
	}
	for _, w := range weights {
		p := &relax.Proven{Kind: relax.WeightsBound, Certificate: &relax.Certificate{Denominator: big.NewInt(1), Prices: w}}
		if relax.ProveWeights(p, jobs, w) == nil && p.Value.Cmp(best.Value) > 0 {
			best = p
		}
	}
	return best
}
