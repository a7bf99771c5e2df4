package relax

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// ProveWeights proves a makespan for moldable jobs. For each job there are several alternatives, each alone in a model
// of the same cluster. With weights on the ticks of GPUs, by type, the jobs take at least the sum over jobs of the
// least work of an alternative ([Model.Worth]), and all GPUs together supply at most the makespan times the sum of
// their weights.
func ProveWeights(p *Proven, jobs [][]*Model, weights []*big.Int) error {
	w, err := prices(jobs[0][0], weights)
	if err != nil {
		return err
	}
	all := ticks(jobs[0][0], w)
	if all.Sign() == 0 {
		return errors.New("formulation: the certificate's weights are all 0")
	}
	sum := new(big.Int)
	for _, models := range jobs {
		var least *big.Int
		for _, m := range Running(models) {
			if worth := m.Worth(w); least == nil || worth.Cmp(least) < 0 {
				least = worth
			}
		}
		sum.Add(sum, least)
	}
	p.Certified, p.Value = true, new(big.Rat).SetInt(exact.Ceil(new(big.Rat).SetFrac(sum, all)))
	return nil
}

// ProveChains is [Model.Chain] for such jobs.
func ProveChains(p *Proven, jobs [][]*Model) {
	p.Certified, p.Value = true, new(big.Rat)
	for _, models := range jobs {
		var least *big.Rat
		for _, m := range Running(models) {
			if end, _ := m.Chain(); least == nil || end.Cmp(least) < 0 {
				least = end
			}
		}
		if least.Cmp(p.Value) > 0 {
			p.Value = least
		}
	}
}

// Running keeps the models whose job some schedule can run; all, if there is none.
func Running(models []*Model) []*Model {
	if left := slices.DeleteFunc(slices.Clone(models), func(m *Model) bool { return !m.AllRun() }); len(left) > 0 {
		return left
	}
	return models
}

// ProveCost proves a lower bound on the cost of schedules that run once or, if end is above 0, of those that end by
// then. With a premium on each tick of a GPU, by type, the tasks cost at least Worth(price + premium). Of that, the
// premiums are at most those of all ticks of all GPUs until the end:
//
//	cost >= Worth(price + premium) - end x sum over types of GPUs x premium, for all premiums >= 0
func (m *Model) ProveCost(p *Proven, premiums []*big.Int, end int64) error {
	p.Certified, p.Value = true, m.LeastCost()
	if end == 0 && len(premiums) == 0 {
		return nil
	}
	if end < 1 || len(premiums) == 0 {
		return errors.New("formulation: the certificate's premiums need an end from 1, and an end premiums")
	}
	list, err := prices(m, premiums)
	if err != nil {
		return err
	}
	if cost := m.CostBy(instance.Tick(end), list); cost.Cmp(p.Value) > 0 {
		p.Value = cost
	}
	return nil
}

// LeastCost is a lower bound on the cost of schedules that run once ([instance.Instance.Cost]). A GPU is paid
// for while it works, so the tasks of all jobs cost at least what each costs on its cheapest GPU type, at the
// cheapest depths of the rule; and the k GPUs of a single job are paid for as long as the job lasts.
func (m *Model) LeastCost() *big.Rat {
	most := m.Worth(m.Prices())
	for i := range m.Classes {
		d := &m.Classes[i]
		cheapest := instance.Price(-1)
		for t, fits := range d.Fits {
			if price := m.Instance.Types[t].Price; slices.Contains(fits, true) && (cheapest < 0 || price < cheapest) {
				cheapest = price
			}
		}
		alone := exact.Mul(int64(d.Job.Iterations), int64(d.Iteration))
		alone.Mul(alone, big.NewInt(int64(cheapest)))
		if alone.Mul(alone, big.NewInt(int64(d.Job.Workers))); alone.Cmp(most) > 0 {
			most = alone
		}
	}
	return m.Instance.Money(most)
}

// CostBy is the lower bound that premiums, by type, prove for the cost of schedules that end by a given time.
func (m *Model) CostBy(end instance.Tick, premiums []instance.Price) *big.Rat {
	all := m.Prices()
	for t, premium := range premiums {
		all[t] += premium
	}
	sum, paid := m.Worth(all), ticks(m, premiums)
	return m.Instance.Money(sum.Sub(sum, paid.Mul(paid, big.NewInt(int64(end)))))
}

// Prices of the GPU types.
func (m *Model) Prices() []instance.Price {
	list := make([]instance.Price, len(m.Instance.Types))
	for t := range list {
		list[t] = m.Instance.Types[t].Price
	}
	return list
}

// Worth is the least total cost of the tasks of all jobs, with a price for each tick of a GPU by type.
func (m *Model) Worth(prices []instance.Price) *big.Int {
	sum := new(big.Int)
	for i := range m.Classes {
		d := &m.Classes[i]
		longest := instance.Tick(0)
		for _, c := range d.Job.On {
			if c != nil {
				longest = max(longest, c.Time[d.Job.Full()])
			}
		}
		// Prices of tasks, in parts of 2^shift so that the sum over an iteration stays within 62 bits; rounded down.
		shift := max(0, bits.Len64(uint64(slices.Max(prices)))+bits.Len64(uint64(longest))+bits.Len(uint(d.Job.Workers))-62)
		least := make([]instance.Tick, len(d.Shortest))
		for depth := range least {
			least[depth] = -1
			for t, fits := range d.Fits {
				if !fits[depth] {
					continue
				}
				cost := exact.Mul(int64(prices[t]), int64(d.Job.On[t].Time[depth]))
				if c := instance.Tick(cost.Rsh(cost, uint(shift)).Int64()); least[depth] < 0 || c < least[depth] {
					least[depth] = c
				}
			}
		}
		iteration, _ := LeastWork(d.Job, least)
		cost := exact.Mul(d.Count(), int64(d.Job.Iterations))
		sum.Add(sum, cost.Lsh(cost.Mul(cost, big.NewInt(iteration)), uint(shift)))
	}
	return sum
}

// maxPrice keeps sums of prices and premiums within 62 bits.
const maxPrice = 1 << 60

// prices of a certificate, one by type.
func prices(m *Model, list []*big.Int) ([]instance.Price, error) {
	if len(list) != len(m.Instance.Types) {
		return nil, fmt.Errorf("formulation: the certificate has %d prices; there are %d types of GPUs", len(list), len(m.Instance.Types))
	}
	prices := make([]instance.Price, len(list))
	for t, v := range list {
		if v == nil || v.Sign() < 0 || !v.IsInt64() || v.Int64() > maxPrice {
			return nil, fmt.Errorf("formulation: price %d of the certificate is not one from 0 to 2^60", t)
		}
		prices[t] = instance.Price(v.Int64())
	}
	return prices, nil
}

// ticks is the sum of the prices of one tick of every GPU.
func ticks(m *Model, prices []instance.Price) *big.Int {
	sum := new(big.Int)
	for t, n := range m.GPUs {
		sum.Add(sum, exact.Mul(n, int64(prices[t])))
	}
	return sum
}
