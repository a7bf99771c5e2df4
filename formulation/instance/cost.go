package instance

import (
	"cmp"
	"math/big"
	"slices"
)

// MaxPrice is the most that an hour of a GPU may cost.
const MaxPrice Price = 1_000_000 * 1_000_000

// Priced reports whether any GPU of the instance has a price.
func (in *Instance) Priced() bool {
	return slices.ContainsFunc(in.GPUs, func(g GPU) bool { return in.Types[g.Type].Price > 0 })
}

// Cost is what a plan that runs once costs, exactly, in the currency of the prices: each GPU is paid for
// at every tick at which one of its jobs is there, from its admission, which is its load before its
// first task, to its end. Of a periodic plan it is the cost of an hour, in which every GPU that a job
// lives on is paid for.
func (in *Instance) Cost(p Plan) *big.Rat { return p.cost(in) }

func (s *Schedule) cost(in *Instance) *big.Rat {
	if s.Period > 0 {
		return in.hourly(s.Residency)
	}
	return s.Block().cost(in)
}

func (s *BlockSchedule) cost(in *Instance) *big.Rat {
	from, to := s.Spans(in)
	return in.rent(s.Residency, from, to)
}

// Money makes an amount of sum, in price x ticks.
func (in *Instance) Money(sum *big.Int) *big.Rat {
	const hour = 3_600_000_000 // us
	den := new(big.Int).Mul(big.NewInt(hour), big.NewInt(int64(One)))
	return new(big.Rat).SetFrac(new(big.Int).Mul(sum, big.NewInt(in.TickUS)), den)
}

func (in *Instance) hourly(residency [][]GPUID) *big.Rat {
	used := make([]bool, len(in.GPUs))
	sum := new(big.Int)
	for _, gpus := range residency {
		for _, g := range gpus {
			if !used[g] {
				used[g] = true
				sum.Add(sum, big.NewInt(int64(in.Types[in.GPUs[g].Type].Price)))
			}
		}
	}
	return new(big.Rat).SetFrac(sum, big.NewInt(int64(One)))
}

// rent adds up, GPU by GPU, the ticks at which there is a job, each once.
func (in *Instance) rent(residency [][]GPUID, from, to []Tick) *big.Rat {
	type stay struct{ from, to Tick }
	stays := make([][]stay, len(in.GPUs))
	for j, gpus := range residency {
		for _, g := range gpus {
			stays[g] = append(stays[g], stay{max(0, from[j]-in.Jobs[j].Load), to[j]})
		}
	}
	sum := new(big.Int)
	for g, list := range stays {
		slices.SortFunc(list, func(a, b stay) int { return cmp.Compare(a.from, b.from) })
		paid, ticks := Tick(0), Tick(0)
		for _, s := range list {
			if s.to > paid {
				ticks += s.to - max(s.from, paid)
				paid = s.to
			}
		}
		price := in.Types[in.GPUs[g].Type].Price
		sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(price)), big.NewInt(int64(ticks))))
	}
	return in.Money(sum)
}
