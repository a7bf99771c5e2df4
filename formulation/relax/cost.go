package relax

import (
	"math/big"
	"math/bits"

	"jigsaw/formulation/instance"
)

// LeastCost is what no schedule that runs once costs less than ([instance.Instance.Cost]): a GPU is
// paid for while it works, so that the tasks of all jobs cost what each does on the GPU type where that is
// least, at the cheapest depths of the rule; and the k GPUs of a single job are paid for as long as it lasts.
func (m *Model) LeastCost() *big.Rat {
	work, longest := new(big.Int), new(big.Int)
	for i := range m.Classes {
		d := &m.Classes[i]
		// Prices of tasks, in parts of 2^shift so that sums of an iteration's stay within 62 bits; rounded down.
		shift := max(0, bits.Len64(uint64(instance.MaxPrice))+bits.Len64(uint64(d.longest()))+bits.Len(uint(d.Job.Workers))-62)
		least := make([]instance.Tick, len(d.Shortest))
		cheapest := instance.Price(-1)
		for depth := range least {
			least[depth] = -1
			for t, fits := range d.Fits {
				if !fits[depth] {
					continue
				}
				price := m.Instance.Types[t].Price
				cost := new(big.Int).Mul(big.NewInt(int64(price)), big.NewInt(int64(d.Job.On[t].Time[depth])))
				if c := instance.Tick(cost.Rsh(cost, uint(shift)).Int64()); least[depth] < 0 || c < least[depth] {
					least[depth] = c
				}
				if cheapest < 0 || price < cheapest {
					cheapest = price
				}
			}
		}
		iteration, _ := leastWork(d.Job, least)
		times := new(big.Int).Mul(big.NewInt(d.Count()), big.NewInt(int64(d.Job.Iterations)))
		cost := times.Mul(times, big.NewInt(iteration))
		work.Add(work, cost.Lsh(cost, uint(shift)))

		alone := d.Chain(d.Iteration)
		alone.Sub(alone, big.NewInt(int64(d.Job.Release)))
		alone.Mul(alone, big.NewInt(int64(cheapest)))
		if alone.Mul(alone, big.NewInt(int64(d.Job.Workers))); alone.Cmp(longest) > 0 {
			longest = alone
		}
	}
	if longest.Cmp(work) > 0 {
		work = longest
	}
	return m.Instance.Money(work)
}

// longest is the longest task of a class on any GPU type.
func (d *Class) longest() (most instance.Tick) {
	for _, c := range d.Job.On {
		if c != nil {
			most = max(most, c.Time[d.Job.Full()])
		}
	}
	return most
}
